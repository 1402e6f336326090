/* Mistakes of every kind that a sanitizer is to notice, one at a time:
 *
 *     canary overflow|undefined|leak|race|unset
 *
 * scripts/sanitizers builds this with the flags of each job and demands a complaint. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int shared;

static void *count(void *unused)
{
    (void)unused;
    for (int i = 0; i < 10000; i++) shared++;
    return NULL;
}

static int race(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, count, NULL) != 0) return 2;
    count(NULL);
    pthread_join(other, NULL);
    return shared == 0;
}

static int overflow(volatile int *room, int length)
{
    return room[length];
}

static int undefined(int large)
{
    return large + 1 < large;
}

static int leak(void)
{
    volatile int *lost = malloc(sizeof *lost);
    if (lost != NULL) lost[0] = 1;
    lost = NULL;
    return 0;
}

static int unset(volatile int *room)
{
    return room[1] == 7 ? puts("seven") < 0 : 0;
}

int main(int count_of_words, char **words)
{
    const char *what = count_of_words == 2 ? words[1] : "";
    volatile int *room = malloc(4 * sizeof *room);
    int result = 2;
    if (room == NULL) return 2;
    if (strcmp(what, "overflow") == 0) result = overflow(room, 4);
    if (strcmp(what, "undefined") == 0) result = undefined(0x7FFFFFFE + count_of_words - 1);
    if (strcmp(what, "leak") == 0) result = leak();
    if (strcmp(what, "race") == 0) result = race();
    if (strcmp(what, "unset") == 0) result = unset(room);
    free((void *)room);
    return result;
}
