/* The folder of an officer's pack, on the command line. */
#ifndef CLI_AUDIT_PACK_H
#define CLI_AUDIT_PACK_H

#include "command.h"
#include "print_screen.h"

typedef struct audit_pack {
    const char *directory;           /* NULL: none is asked for */
    char *certificate, *attempt_log; /* inside the folder, and beside it: another pack is not another log */
} audit_pack;

/* Makes the folder, or takes an empty one, and gives the audit its certificate and log.  `certificate` of the
 * options must not be given. */
eqp_status audit_pack_begin(audit_pack *pack, eqp_audit_options *options, eqp_error *error);
/* Fills the folder; the certificate is there. */
eqp_status audit_pack_fill(const audit_pack *pack, const eqp_report *report, const invocation *call,
                           eqp_error *error);
/* Says on the screen what was written, and what is missing. */
void audit_pack_note(const audit_pack *pack, const screen_settings *screen);
void audit_pack_free(audit_pack *pack);

#endif
