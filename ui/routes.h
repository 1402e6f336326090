/* Addresses -> what answers them.  Only requests that passed the gate come here. */
#ifndef UI_ROUTES_H
#define UI_ROUTES_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct request request;

/* After the headers.  NULL when it was answered already, with `*answer`. */
request *request_begin(struct MHD_Connection *connection, const char *method, const char *path,
                       enum MHD_Result *answer);
/* A piece of the body. */
void request_take(request *asked, const char *bytes, size_t count);
/* After the body. */
enum MHD_Result request_answer(request *asked);
void request_free(request *asked);

/* Whether the page's own button has ended the program. */
bool routes_quit_wanted(void);

#endif
