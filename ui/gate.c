/* Everything is compared whole and exactly; what is missing is refused. */
#include "gate.h"

#include "failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { SECRET_BYTES = 32, SECRET_DIGITS = 2 * SECRET_BYTES };

struct gate {
    char token[SECRET_DIGITS + 1]; /* "" once it was used */
    char secret[SECRET_DIGITS + 1];
    char host[32], local_host[32], origin[40], local_origin[40];
    char cookie_name[32], cookie[160], link[128];
};

static bool make_secret(char digits[SECRET_DIGITS + 1])
{
    unsigned char bytes[SECRET_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

eqp_status gate_open(unsigned port, gate **made, eqp_error *error)
{
    gate *door = *made = calloc(1, sizeof *door);
    if (door == NULL) return fail(error, EQP_MEMORY, "not enough memory");
    if (!make_secret(door->token) || !make_secret(door->secret)) {
        gate_close(door);
        *made = NULL;
        return fail_errno(error, "read", "random bytes");
    }
    snprintf(door->host, sizeof door->host, "127.0.0.1:%u", port);
    snprintf(door->local_host, sizeof door->local_host, "localhost:%u", port);
    snprintf(door->origin, sizeof door->origin, "http://%s", door->host);
    snprintf(door->local_origin, sizeof door->local_origin, "http://%s", door->local_host);
    /* Cookies are shared by all ports of a host, so the name says whose it is. */
    snprintf(door->cookie_name, sizeof door->cookie_name, "equipoise-%u", port);
    snprintf(door->cookie, sizeof door->cookie, "%s=%s; HttpOnly; SameSite=Strict; Path=/", door->cookie_name,
             door->secret);
    snprintf(door->link, sizeof door->link, "http://%s/?token=%s", door->host, door->token);
    return EQP_OK;
}

void gate_close(gate *door)
{
    if (door) explicit_bzero(door, sizeof *door);
    free(door);
}

const char *gate_link(const gate *door)
{
    return door->link;
}

const char *gate_cookie(const gate *door)
{
    return door->cookie;
}

/* Takes as long for a near miss as for a far one. */
static bool same_secret(const char *given, const char *secret)
{
    unsigned char difference = 0;
    if (given == NULL || strlen(given) != SECRET_DIGITS || strlen(secret) != SECRET_DIGITS) return false;
    for (size_t i = 0; i < SECRET_DIGITS; i++) difference |= (unsigned char)(given[i] ^ secret[i]);
    return difference == 0;
}

static bool is_one_of(const char *given, const char *a, const char *b)
{
    return given && (strcmp(given, a) == 0 || strcmp(given, b) == 0);
}

/* Browsers say from where a request comes; who says nothing is no browser, and has the cookie to show. */
static bool comes_from_here(struct MHD_Connection *connection)
{
    const char *site = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site");
    return site == NULL || is_one_of(site, "same-origin", "none");
}

gate_answer gate_ask(gate *door, struct MHD_Connection *connection, const char *method, const char *path)
{
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    const char *cookie = MHD_lookup_connection_value(connection, MHD_COOKIE_KIND, door->cookie_name);
    bool reading = strcmp(method, "GET") == 0;
    if (!is_one_of(host, door->host, door->local_host)) return GATE_REFUSED;
    if (origin || !reading)
        if (!is_one_of(origin, door->origin, door->local_origin)) return GATE_REFUSED;
    const char *token = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token");
    if (token) {
        if (!reading || strcmp(path, "/") != 0 || !same_secret(token, door->token)) return GATE_REFUSED;
        explicit_bzero(door->token, sizeof door->token);
        explicit_bzero(door->link, sizeof door->link);
        return GATE_WELCOME;
    }
    if (!same_secret(cookie, door->secret) || !comes_from_here(connection)) return GATE_REFUSED;
    return GATE_PASSED;
}
