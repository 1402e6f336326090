/* equipoise ui: the whole journey in a browser, from this machine to this machine.
 *
 *   gate     who may ask: loopback, one link, one cookie, our host, our origin
 *   folder   which files may be named: plain names in one folder, no links
 *   recipe   what was chosen -> the command line that does it
 *   job      runs that command line, tells how far it is, keeps what it found
 *   project  what was chosen, in a file of the folder
 *   events   tells every open tab what has changed
 *   routes   addresses -> the above
 *   server   limits, connections, start and end
 *
 * Nothing is computed here.  What a room does is a command of this very program, run in the folder as its
 * user would type it, so that the files are those of the command that the page shows. */
#ifndef UI_H
#define UI_H

#include "equipoise.h"

typedef struct ui_settings {
    const char *folder;
    unsigned port; /* 0: a free one */
    bool no_open;  /* print the link, open no browser */
    bool (*stop_wanted)(void);
} ui_settings;

/* Serves the folder until the page or a signal ends it. */
eqp_status ui_serve(const ui_settings *settings, eqp_error *error);

#endif
