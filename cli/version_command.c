/* equipoise version. */
#include "command.h"

#include <stdio.h>

static const option_section sections[] = {{0}};

static eqp_status run_version(invocation *call, eqp_error *error)
{
    (void)call, (void)error;
    printf("equipoise %s\n", eqp_version());
    return EQP_OK;
}

const command_spec version_command = {
    .name = "version",
    .operands = "",
    .summary = "print the version",
    .description = "Prints the version of the program and its library.",
    .examples = "",
    .sections = sections,
    .run = run_version,
};
