/* One place adds headers, so that no answer goes out without them. */
#include "reply.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STREAM_BLOCK = 8192 };

static const char OWN_POLICY[] =
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";
/* Reports and public pages hold their own styles and scripts; the sandbox takes our origin from them. */
static const char BOXED_POLICY[] =
    "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

static const char *const COMMON[][2] = {
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cache-Control", "no-store"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Permissions-Policy", "camera=(), geolocation=(), microphone=()"},
};

static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned code, const char *type,
                                     const char *policy, struct MHD_Response *response)
{
    if (response == NULL) return MHD_NO;
    for (size_t i = 0; i < sizeof COMMON / sizeof COMMON[0]; i++)
        MHD_add_response_header(response, COMMON[i][0], COMMON[i][1]);
    MHD_add_response_header(response, "Content-Security-Policy", policy);
    if (policy == OWN_POLICY) MHD_add_response_header(response, "X-Frame-Options", "DENY");
    MHD_add_response_header(response, "Content-Type", type);
    enum MHD_Result sent = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return sent;
}

enum MHD_Result reply_text(struct MHD_Connection *connection, unsigned code, const char *text)
{
    return send_response(
        connection, code, "text/plain; charset=utf-8", OWN_POLICY,
        MHD_create_response_from_buffer(strlen(text), (void *)(size_t)text, MHD_RESPMEM_MUST_COPY));
}

enum MHD_Result reply_json(struct MHD_Connection *connection, unsigned code, json_t *document)
{
    char *text = document ? json_dumps(document, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    json_decref(document);
    if (text == NULL) return reply_text(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "not enough memory\n");
    return send_response(connection, code, "application/json", OWN_POLICY,
                         MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE));
}

enum MHD_Result reply_refusal(struct MHD_Connection *connection, unsigned code, const char *message,
                              const char *hint)
{
    return reply_json(connection, code, json_pack("{s:s, s:s}", "message", message, "hint", hint));
}

enum MHD_Result reply_asset(struct MHD_Connection *connection, const char *type, const char *text,
                            size_t length)
{
    return send_response(
        connection, MHD_HTTP_OK, type, OWN_POLICY,
        MHD_create_response_from_buffer(length, (void *)(size_t)text, MHD_RESPMEM_PERSISTENT));
}

/* Not a redirect: a browser that came from elsewhere would not send a strict cookie along with it. */
enum MHD_Result reply_welcome(struct MHD_Connection *connection, const char *cookie)
{
    static const char page[] = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"
                               "<meta http-equiv=\"refresh\" content=\"0;url=/\"><title>equipoise</title>"
                               "<link rel=\"icon\" href=\"data:,\">"
                               "<p><a href=\"/\">Go on to equipoise</a></p></html>\n";
    struct MHD_Response *response =
        MHD_create_response_from_buffer(sizeof page - 1, (void *)(size_t)page, MHD_RESPMEM_PERSISTENT);
    if (response) MHD_add_response_header(response, "Set-Cookie", cookie);
    return send_response(connection, MHD_HTTP_OK, "text/html; charset=utf-8", OWN_POLICY, response);
}

enum MHD_Result reply_boxed(struct MHD_Connection *connection, const char *type, int file, off_t size)
{
    struct MHD_Response *response = MHD_create_response_from_fd64((uint64_t)size, file);
    if (response == NULL) close(file);
    return send_response(connection, MHD_HTTP_OK, type, BOXED_POLICY, response);
}

enum MHD_Result reply_stream(struct MHD_Connection *connection, MHD_ContentReaderCallback read, void *context,
                             MHD_ContentReaderFreeCallback release)
{
    return send_response(
        connection, MHD_HTTP_OK, "text/event-stream", OWN_POLICY,
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, read, context, release));
}
