/* A stream that has nothing to say is suspended; what changes resumes it. */
#include "events.h"

#include "reply.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LISTENERS = 32 };

typedef struct listener {
    struct MHD_Connection *connection;
    bool suspended, beat;
    unsigned long seen;
    char *message; /* not yet sent whole */
    size_t length, sent;
    struct listener *next;
} listener;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static listener *listeners;
static size_t listener_count;
static unsigned long sequence = 1;
static bool closing;
static json_t *(*take_snapshot)(void);

void events_open(json_t *(*snapshot)(void))
{
    take_snapshot = snapshot;
    closing = false;
}

static void wake_all(void)
{
    for (listener *each = listeners; each; each = each->next) {
        if (each->suspended) MHD_resume_connection(each->connection);
        each->suspended = false;
    }
}

void events_tell(void)
{
    pthread_mutex_lock(&lock);
    sequence++;
    wake_all();
    pthread_mutex_unlock(&lock);
}

void events_beat(void)
{
    pthread_mutex_lock(&lock);
    for (listener *each = listeners; each; each = each->next) each->beat = true;
    wake_all();
    pthread_mutex_unlock(&lock);
}

void events_close(void)
{
    pthread_mutex_lock(&lock);
    closing = true;
    wake_all();
    pthread_mutex_unlock(&lock);
}

/* The next thing to say, or nothing. */
static void compose(listener *each)
{
    free(each->message);
    each->message = NULL;
    each->length = each->sent = 0;
    if (each->seen != sequence) {
        json_t *event = take_snapshot();
        char *text = event ? json_dumps(event, JSON_COMPACT) : NULL;
        int length = text ? asprintf(&each->message, "data: %s\n\n", text) : -1;
        each->length = length > 0 ? (size_t)length : 0;
        if (length < 0) each->message = NULL;
        each->seen = sequence;
        free(text);
        json_decref(event);
    } else if (each->beat) {
        each->message = strdup(": beat\n\n");
        each->length = each->message ? strlen(each->message) : 0;
    }
    each->beat = false;
}

static ssize_t read_stream(void *context, uint64_t position, char *buffer, size_t room)
{
    listener *each = context;
    ssize_t count = 0;
    (void)position;
    pthread_mutex_lock(&lock);
    if (each->sent == each->length) compose(each);
    size_t rest = each->length - each->sent;
    if (closing) {
        count = MHD_CONTENT_READER_END_OF_STREAM;
    } else if (rest > 0) {
        count = (ssize_t)(rest < room ? rest : room);
        memcpy(buffer, each->message + each->sent, (size_t)count);
        each->sent += (size_t)count;
    } else {
        each->suspended = true;
        MHD_suspend_connection(each->connection);
    }
    pthread_mutex_unlock(&lock);
    return count;
}

static void release_stream(void *context)
{
    listener *gone = context;
    pthread_mutex_lock(&lock);
    for (listener **at = &listeners; *at; at = &(*at)->next)
        if (*at == gone) {
            *at = gone->next;
            listener_count--;
            break;
        }
    pthread_mutex_unlock(&lock);
    free(gone->message);
    free(gone);
}

enum MHD_Result events_listen(struct MHD_Connection *connection)
{
    listener *made = calloc(1, sizeof *made);
    if (made == NULL) return MHD_NO;
    made->connection = connection;
    pthread_mutex_lock(&lock);
    bool full = listener_count >= MOST_LISTENERS || closing;
    if (!full) {
        made->next = listeners;
        listeners = made;
        listener_count++;
    }
    pthread_mutex_unlock(&lock);
    if (!full) return reply_stream(connection, read_stream, made, release_stream);
    free(made);
    return reply_refusal(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "too many tabs are open", "close some");
}
