/* equipoise ui: all of it in a browser, without a network. */
#include "command.h"
#include "failure.h"
#include "signals.h"
#include "ui.h"

#include <stddef.h>

typedef struct ui_options {
    unsigned port;
    bool no_open;
} ui_options;

static const option_spec page_options[] = {{"port", 0, OPTION_UNSIGNED, offsetof(ui_options, port), "N", NULL,
                                            NULL, "port on this machine; a free one when not given"},
                                           {"no-open", 0, OPTION_FLAG, offsetof(ui_options, no_open), NULL,
                                            NULL, NULL, "print the link and open no browser"},
                                           {0}};

static const option_section sections[] = {{"Page", page_options, 0}, {0}};

static eqp_status run_ui(invocation *call, eqp_error *error)
{
    const ui_options *options = call->settings;
    if (options->port > 65535) return fail(error, EQP_USAGE, "a port is at most 65535");
#ifdef EQP_WITH_UI
    ui_settings settings = {.folder = call->operand_count > 0 ? call->operands[0] : ".",
                            .port = options->port,
                            .no_open = options->no_open,
                            .stop_wanted = signals_stop_wanted};
    return ui_serve(&settings, error);
#else
    fail(error, EQP_USAGE, "this program was built without the page in a browser");
    remedy(error, "install libmicrohttpd and build it again; every other command works");
    return EQP_USAGE;
#endif
}

const command_spec ui_command = {
    .name = "ui",
    .operands = "[FOLDER]",
    .summary = "do all of it in a browser, without a network",
    .description =
        "Serves FOLDER, or the folder that you are in, to a browser on this machine: five rooms from "
        "labelled "
        "records to a published draw. Prints a link that works once, and opens it. Every room shows the "
        "command that does the same; what it writes are the files of that command.\n\n"
        "Listens only on 127.0.0.1, and reads and writes only files of FOLDER. Choices are kept there in "
        "equipoise-project.json, so that you can continue when you open the folder again. Ctrl-C ends it.",
    .examples = "equipoise ui\nequipoise ui panel-2026 --no-open --port 8080",
    .sections = sections,
    .settings_size = sizeof(ui_options),
    .least_operands = 0,
    .most_operands = 1,
    .run = run_ui,
};
