/* Answers, each with the headers that keep the page to itself. */
#ifndef UI_REPLY_H
#define UI_REPLY_H

#include <jansson.h>
#include <microhttpd.h>
#include <sys/stat.h>

/* Plain words. */
enum MHD_Result reply_text(struct MHD_Connection *connection, unsigned code, const char *text);
/* Takes over the document; NULL is 500. */
enum MHD_Result reply_json(struct MHD_Connection *connection, unsigned code, json_t *document);
/* {"message", "hint"} of what could not be done. */
enum MHD_Result reply_refusal(struct MHD_Connection *connection, unsigned code, const char *message,
                              const char *hint);
/* A part of the page, which lives as long as the program. */
enum MHD_Result reply_asset(struct MHD_Connection *connection, const char *type, const char *text,
                            size_t length);
/* The page that the link opens: it hands out the cookie and goes on to "/". */
enum MHD_Result reply_welcome(struct MHD_Connection *connection, const char *cookie);
/* A file of the folder, in a box of its own: its scripts run without our cookie, our origin or a network. */
enum MHD_Result reply_boxed(struct MHD_Connection *connection, const char *type, int file, off_t size);
/* Events, read by a callback as they come. */
enum MHD_Result reply_stream(struct MHD_Connection *connection, MHD_ContentReaderCallback read, void *context,
                             MHD_ContentReaderFreeCallback release);

#endif
