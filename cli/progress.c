/* Drawn at most six times a second, first after half a second, so that quick work stays quiet. */
#include "progress.h"

#include "signals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { CELLS = 20, WIDTH = 80 };
static const double FIRST_SECONDS = 0.5, INTERVAL_SECONDS = 1.0 / 6, FORECAST_SECONDS = 1.5;

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

progress progress_start(const char *title, const screen_settings *screen)
{
    bool always = strcmp(screen->progress, "always") == 0, never = strcmp(screen->progress, "never") == 0;
    double now = now_seconds();
    return (progress){.title = title,
                      .shown = !screen->quiet && !never && (always || isatty(STDERR_FILENO)),
                      .started = now,
                      .last_drawn = now + FIRST_SECONDS - INTERVAL_SECONDS};
}

static size_t terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_col < WIDTH)
        return size.ws_col;
    return WIDTH;
}

/* "about 0:21 left" once the pace is known. */
static void describe_rest(char text[64], double done, double elapsed)
{
    text[0] = '\0';
    if (done < 0.02 || elapsed < FORECAST_SECONDS) return;
    double rest = elapsed * (1 - done) / done;
    if (rest >= 360000) return;
    long seconds = lround(ceil(rest));
    if (seconds >= 3600)
        snprintf(text, 64, "about %ld:%02ld:%02ld left", seconds / 3600, seconds / 60 % 60, seconds % 60);
    else
        snprintf(text, 64, "about %ld:%02ld left", seconds / 60, seconds % 60);
}

static void draw(const progress *bar, const char *stage, double done, double elapsed)
{
    char rest[64], cells[3 * CELLS + 1] = "";
    describe_rest(rest, done, elapsed);
    int full = (int)(done * CELLS);
    for (int i = 0; i < CELLS; i++) strcat(cells, i < full ? "█" : "░");
    size_t used = strlen(bar->title) + 2 + CELLS + 9 + strlen(rest) + 3, width = terminal_width();
    int left = used < width ? (int)(width - used) : 0;
    fprintf(stderr, "\r%s  %s  %3.0f %%  %.*s   %s\033[K", bar->title, cells, floor(100 * done), left, stage,
            rest);
}

static bool step(void *context, const char *stage, double done)
{
    progress *bar = context;
    if (signals_stop_wanted()) return false;
    if (!bar->shown) return true;
    double now = now_seconds();
    if (now - bar->last_drawn < INTERVAL_SECONDS) return true;
    bar->last_drawn = now;
    bar->drawn = true;
    draw(bar, stage ? stage : "", fmin(fmax(done, 0), 1), now - bar->started);
    return true;
}

eqp_watch progress_watch(progress *bar)
{
    return (eqp_watch){step, bar};
}

void progress_end(progress *bar)
{
    if (bar->drawn) fputs("\r\033[K", stderr);
    bar->drawn = false;
}
