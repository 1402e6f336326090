/* equipoise help, COMMAND -h, COMMAND --help: the option tables as people read them.  The same tables as
 * manual pages, shell completions and docs/cli.md come from manual.c and completion.c. */
#include "command.h"
#include "failure.h"
#include "layout.h"
#include "manual.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { HELP_COLUMN = 28 };

static const option_spec own_options[] = {
    {"help", 'h', OPTION_FLAG, 0, NULL, NULL, NULL, "show this help; --help says more than -h"}, {0}};

static void print_option(const option_spec *option, bool full)
{
    char name[80], help[600];
    layout_option(option, name, sizeof name);
    layout_help(option, full, help, sizeof help);
    size_t used = (size_t)printf("  %s%s", option->letter ? "" : "    ", name);
    if (used + 2 > HELP_COLUMN)
        printf("\n%*s", HELP_COLUMN, "");
    else
        printf("%*s", (int)(HELP_COLUMN - used), "");
    layout_wrap(help, HELP_COLUMN, HELP_COLUMN);
}

static void print_section(const char *title, const option_spec *options, bool full)
{
    printf("\n%s\n", title);
    for (; options->name; options++) print_option(options, full);
}

static void print_indented(const char *lines)
{
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        printf("  %.*s\n", (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

void help_print(const command_spec *command, bool full)
{
    printf("equipoise %s: %s\n\nusage: equipoise %s%s%s%s\n", command->name, command->summary, command->name,
           command->sections->title ? " [OPTION]…" : "", command->operands[0] ? " " : "", command->operands);
    if (full) {
        putchar('\n');
        layout_wrap(command->description, 0, 0);
    }
    for (const option_section *section = command->sections; section->title; section++)
        print_section(section->title, section->options, full);
    print_section("Help", own_options, full);
    if (command->examples[0]) {
        printf("\nExamples\n");
        print_indented(command->examples);
    }
    if (full) printf("\nExit codes\n%s", manual_exit_codes);
}

void help_print_overview(FILE *stream)
{
    fprintf(stream,
            "equipoise %s: select a balanced cohort without knowing, or revealing,\n"
            "who belongs to which group\n\nusage: equipoise COMMAND [OPTION]… [FILE]…\n\n",
            eqp_version());
    for (size_t i = 0; commands[i]; i++)
        fprintf(stream, "  %-10s%s\n", commands[i]->name, commands[i]->summary);
    fprintf(stream, "\n\"equipoise COMMAND -h\" lists the options of a command,\n"
                    "\"equipoise COMMAND --help\" explains them\n");
}

/* ---- the command ------------------------------------------------------------------------------------- */

typedef struct help_settings {
    bool man, markdown, bash, zsh;
} help_settings;

static const option_spec form_options[] = {
    {"man", 0, OPTION_FLAG, offsetof(help_settings, man), NULL, NULL, NULL,
     "print the manual page (of COMMAND)"},
    {"markdown", 0, OPTION_FLAG, offsetof(help_settings, markdown), NULL, NULL, NULL, "print docs/cli.md"},
    {"bash", 0, OPTION_FLAG, offsetof(help_settings, bash), NULL, NULL, NULL,
     "print the completion for bash"},
    {"zsh", 0, OPTION_FLAG, offsetof(help_settings, zsh), NULL, NULL, NULL, "print the completion for zsh"},
    {0}};

static const option_section sections[] = {{"Forms", form_options, 0}, {0}};

static eqp_status run_help(invocation *call, eqp_error *error)
{
    const help_settings *form = call->settings;
    const command_spec *command = call->operand_count > 0 ? command_find(call->operands[0]) : NULL;
    if (call->operand_count > 0 && command == NULL) return command_unknown(call->operands[0], error);
    if (form->man)
        manual_print(command);
    else if (form->markdown)
        manual_print_markdown();
    else if (form->bash)
        completion_print_bash();
    else if (form->zsh)
        completion_print_zsh();
    else if (command)
        help_print(command, true);
    else
        help_print_overview(stdout);
    return EQP_OK;
}

const command_spec help_command = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "explain the commands",
    .description =
        "Without COMMAND lists the commands, with it explains that one. The other forms print the same "
        "texts as manual page, as reference in Markdown and as shell completions.",
    .examples = "equipoise help learn",
    .sections = sections,
    .settings_size = sizeof(help_settings),
    .most_operands = 1,
    .run = run_help,
};
