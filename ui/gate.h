/* Who may ask.  A page that the user did not open here, another host name (DNS rebinding), another origin or
 * a second use of the link gets 403 and nothing else. */
#ifndef UI_GATE_H
#define UI_GATE_H

#include "equipoise.h"

#include <microhttpd.h>

typedef struct gate gate;

eqp_status gate_open(unsigned port, gate **made, eqp_error *error);
void gate_close(gate *door);

/* "http://127.0.0.1:PORT/?token=…", to be used once. */
const char *gate_link(const gate *door);

typedef enum gate_answer {
    GATE_REFUSED,
    GATE_PASSED,
    GATE_WELCOME /* the link was right: hand out the cookie, once */
} gate_answer;

gate_answer gate_ask(gate *door, struct MHD_Connection *connection, const char *method, const char *path);

/* The Set-Cookie line of a welcome. */
const char *gate_cookie(const gate *door);

#endif
