/* The server: loopback only, one thread for all connections, limits on each. */
#include "ui.h"

#include "connections.h"
#include "events.h"
#include "failure.h"
#include "gate.h"
#include "job.h"
#include "reply.h"
#include "routes.h"
#include "state.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_CONNECTIONS = 800,
    IDLE_SECONDS = 15,
    HEADER_BYTES = 32 << 10, /* of memory per connection, so that headers are shorter */
    BEAT_SECONDS = 10,
    NAP_MS = 100,
};

extern char **environ;

static void free_request(void *context, struct MHD_Connection *connection, void **slot,
                         enum MHD_RequestTerminationCode reason)
{
    (void)context;
    (void)connection;
    (void)reason;
    request_free(*slot);
    *slot = NULL;
}

static enum MHD_Result refuse_entry(struct MHD_Connection *connection)
{
    return reply_text(connection, MHD_HTTP_FORBIDDEN,
                      "This page opens only through the link that \"equipoise ui\" has printed, once.\n"
                      "Start \"equipoise ui\" again for a new link.\n");
}

/* Called after the headers, with pieces of the body, and at its end. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *bytes, size_t *count,
                              void **slot)
{
    gate *door = context;
    request *asked = *slot;
    enum MHD_Result answer;
    (void)version;
    if (asked == NULL) {
        gate_answer entry = gate_ask(door, connection, method, path);
        if (entry == GATE_REFUSED) return refuse_entry(connection);
        connections_trust(connection);
        if (entry == GATE_WELCOME) return reply_welcome(connection, gate_cookie(door));
        *slot = request_begin(connection, method, path, &answer);
        return answer;
    }
    if (*count > 0) {
        request_take(asked, bytes, *count);
        *count = 0;
        return MHD_YES;
    }
    return request_answer(asked);
}

/* 127.0.0.1 and nothing else: there is no option for another address. */
static eqp_status listen_here(unsigned wanted, int *listening, unsigned *port, eqp_error *error)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)wanted)};
    socklen_t length = sizeof address;
    int yes = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0) return fail_errno(error, "open", "a socket");
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(made, (struct sockaddr *)&address, sizeof address) != 0 || listen(made, 256) != 0 ||
        getsockname(made, (struct sockaddr *)&address, &length) != 0) {
        fail(error, EQP_IO, "cannot listen on port %u: %s", wanted, strerror(errno));
        close(made);
        return EQP_IO;
    }
    *listening = made;
    *port = ntohs(address.sin_port);
    return EQP_OK;
}

static struct MHD_Daemon *start_daemon(int listening, gate *door)
{
    return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle,
                            door, MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_CONNECTION_LIMIT,
                            (unsigned)MOST_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_BYTES,
                            MHD_OPTION_NOTIFY_COMPLETED, free_request, NULL, MHD_OPTION_NOTIFY_CONNECTION,
                            connections_notice, NULL, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

/* Where nobody sits at a screen there is nothing to open. */
static void open_browser(const char *link)
{
    char *words[] = {"xdg-open", (char *)(size_t)link, NULL};
    pid_t child;
    posix_spawn_file_actions_t files;
    if (getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL) return;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", 1 /* O_WRONLY */, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", 1, 0);
    posix_spawnp(&child, "xdg-open", &files, NULL, words, environ);
    posix_spawn_file_actions_destroy(&files);
}

static void wait_for_end(const ui_settings *settings)
{
    struct timespec nap = {0, NAP_MS * 1000000L};
    for (unsigned naps = 1; !settings->stop_wanted() && !routes_quit_wanted(); naps++) {
        nanosleep(&nap, NULL);
        connections_end_slow();
        if (naps % (BEAT_SECONDS * 1000 / NAP_MS) == 0) events_beat();
    }
    nanosleep(&nap, NULL); /* the answer to the page's own button */
}

static eqp_status serve(const ui_settings *settings, gate *door, int listening, eqp_error *error)
{
    events_open(state_moving);
    struct MHD_Daemon *daemon = start_daemon(listening, door);
    if (daemon == NULL) {
        close(listening);
        return fail(error, EQP_IO, "the server cannot be started");
    }
    printf("%s\n", gate_link(door));
    fflush(stdout);
    fprintf(stderr, "serving \"%s\" to this machine only; the link works once; Ctrl-C ends it\n",
            settings->folder);
    if (!settings->no_open) open_browser(gate_link(door));
    wait_for_end(settings);
    job_end();
    events_close();
    MHD_stop_daemon(daemon);
    return EQP_OK;
}

eqp_status ui_serve(const ui_settings *settings, eqp_error *error)
{
    int listening = -1;
    unsigned port = 0;
    gate *door = NULL;
    if (chdir(settings->folder) != 0) return fail_errno(error, "enter", settings->folder);
    eqp_status status = listen_here(settings->port, &listening, &port, error);
    if (status != EQP_OK) return status;
    status = gate_open(port, &door, error);
    if (status == EQP_OK)
        status = serve(settings, door, listening, error);
    else
        close(listening);
    gate_close(door);
    return status;
}
