/* The list of commands, and how a command line becomes a call. */
#include "command.h"

#include "failure.h"
#include "suggest.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* One command per line, in the order of the help. */
/* clang-format off */
#define COMMANDS(X) \
    X(inspect) \
    X(learn) \
    X(filter) \
    X(select) \
    X(merge) \
    X(plan) \
    X(commit) \
    X(replace) \
    X(verify) \
    X(publish) \
    X(audit) \
    X(drift) \
    X(show) \
    X(frontier) \
    X(compare) \
    X(export) \
    X(report) \
    X(key) \
    X(ui) \
    X(demo) \
    X(help) \
    X(version)

#define DECLARE(name) extern const command_spec name##_command;
COMMANDS(DECLARE)

#define LIST(name) &name##_command,
const command_spec *const commands[] = {COMMANDS(LIST) NULL};
/* clang-format on */

const command_spec *command_find(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

eqp_status command_unknown(const char *name, eqp_error *error)
{
    suggestion near = suggestion_for(name, strlen(name));
    for (size_t i = 0; commands[i]; i++) suggestion_consider(&near, commands[i]->name);
    fail(error, EQP_USAGE, "no command \"%s\"%s%s%s", name, near.name ? "; did you mean \"" : "",
         near.name ? near.name : "", near.name ? "\"?" : "");
    remedy(error, "\"equipoise help\" lists the commands");
    return EQP_USAGE;
}

static eqp_status check_operands(const command_spec *command, const operand_list *operands, eqp_error *error)
{
    if (operands->count < command->least_operands) {
        fail(error, EQP_USAGE, "%s needs %s", command->name, command->operands);
        remedy(error, "\"equipoise %s -h\" shows the usage", command->name);
        return EQP_USAGE;
    }
    if (operands->count > command->most_operands)
        return fail(error, EQP_USAGE, "\"%s\" is one argument too many for %s",
                    operands->items[command->most_operands], command->name);
    return EQP_OK;
}

static eqp_status run_parsed(const command_spec *command, invocation *call, const operand_list *operands,
                             int *exit_code, eqp_error *error)
{
    if (operands->help || operands->full_help) {
        help_print(command, operands->full_help);
        return EQP_OK;
    }
    eqp_status status = check_operands(command, operands, error);
    if (status != EQP_OK) return status;
    call->operands = operands->items;
    call->operand_count = operands->count;
    status = command->run(call, error);
    if (status == EQP_OK && call->refuted) *exit_code = 1;
    return status;
}

static eqp_status run_command(const command_spec *command, char **arguments, size_t count, int *exit_code,
                              eqp_error *error)
{
    void *settings = calloc(1, command->settings_size + 1);
    if (settings == NULL) return fail(error, EQP_MEMORY, "not enough memory");
    operand_list operands = {0};
    if (command->prepare) command->prepare(settings);
    eqp_status status =
        options_parse(command->sections, command->name, arguments, count, settings, &operands, error);
    invocation call = {.settings = settings, .arguments = arguments, .argument_count = count};
    if (status == EQP_OK) status = run_parsed(command, &call, &operands, exit_code, error);
    options_free(command->sections, settings, &operands);
    free(settings);
    return status;
}

eqp_status command_line_run(char **arguments, size_t count, int *exit_code, eqp_error *error)
{
    *exit_code = 0;
    const char *name = count > 0 ? arguments[0] : "";
    if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0) name = "help";
    if (strcmp(name, "--version") == 0) name = "version";
    const command_spec *command = command_find(name);
    eqp_status status = command ? run_command(command, arguments + 1, count - 1, exit_code, error)
                                : command_unknown(name, error);
    if (status != EQP_OK) *exit_code = eqp_exit_code(status);
    return status;
}
