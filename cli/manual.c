/* man(7) and Markdown from the declarations of the commands. */
#include "manual.h"

#include "layout.h"

#include <stdio.h>

const char manual_exit_codes[] = "  0  done\n"
                                 "  1  an audit or a verification failed\n"
                                 "  2  an option or argument makes no sense\n"
                                 "  3  the data cannot be used; the message says where\n"
                                 "  4  reading, writing or memory failed\n"
                                 "  5  no rule within the budget, or no cohort of that size\n";

/* ---- man(7) ------------------------------------------------------------------------------------------ */

/* Dashes are typed as dashes; a backslash, and a dot or quote that opens a line, would be markup. */
static void print_roff(const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
        if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\\')
            fputs("\\e", stdout);
        else if (text[0] == '\n' && text[1] == '\n')
            fputs("\n.PP", stdout);
        else
            putchar(*text);
        line_start = *text == '\n';
    }
}

static void print_roff_options(const option_spec *options)
{
    char text[600];
    for (; options->name; options++) {
        layout_option(options, text, sizeof text);
        printf(".TP\n.B ");
        print_roff(text);
        layout_help(options, true, text, sizeof text);
        putchar('\n');
        print_roff(text);
        putchar('\n');
    }
}

static void print_roff_exit_codes(void)
{
    printf(".SH EXIT STATUS\n.nf\n%s.fi\n", manual_exit_codes);
}

static void print_command_page(const command_spec *command)
{
    printf(".TH EQUIPOISE\\-%s 1 \"\" \"equipoise %s\"\n.SH NAME\nequipoise\\-%s \\- ", command->name,
           eqp_version(), command->name);
    print_roff(command->summary);
    printf("\n.SH SYNOPSIS\n.B equipoise %s\n%s", command->name,
           command->sections->title ? "[OPTION]... " : "");
    print_roff(command->operands);
    printf("\n.SH DESCRIPTION\n");
    print_roff(command->description);
    putchar('\n');
    if (command->sections->title) printf(".SH OPTIONS\n");
    for (const option_section *section = command->sections; section->title; section++) {
        printf(".SS %s\n", section->title);
        print_roff_options(section->options);
    }
    if (command->examples[0]) {
        printf(".SH EXAMPLES\n.nf\n");
        print_roff(command->examples);
        printf("\n.fi\n");
    }
    print_roff_exit_codes();
    printf(".SH SEE ALSO\n.BR equipoise (1)\n");
}

static void print_program_page(void)
{
    printf(".TH EQUIPOISE 1 \"\" \"equipoise %s\"\n.SH NAME\nequipoise \\- select a balanced cohort without "
           "knowing, "
           "or revealing, who belongs to which group\n.SH SYNOPSIS\n.B equipoise\nCOMMAND [OPTION]... "
           "[FILE]...\n",
           eqp_version());
    printf(".SH DESCRIPTION\n"
           "From a small labelled sample equipoise learns a selection rule whose outcome says almost nothing "
           "about "
           "any one person's group, yet whose accepted cohort is balanced over the groups. The rule then "
           "runs on "
           "unlabelled records.\n.SH COMMANDS\n");
    for (size_t i = 0; commands[i]; i++) {
        printf(".TP\n.BR equipoise\\-%s (1)\n", commands[i]->name);
        print_roff(commands[i]->summary);
        putchar('\n');
    }
    print_roff_exit_codes();
    printf(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nwhen set, nothing is coloured\n");
}

void manual_print(const command_spec *command)
{
    if (command)
        print_command_page(command);
    else
        print_program_page();
}

/* ---- Markdown ---------------------------------------------------------------------------------------- */

static void print_cell(const char *text)
{
    for (; *text; text++) {
        if (*text == '|') putchar('\\');
        putchar(*text);
    }
}

static void print_markdown_options(const option_section *section)
{
    char text[600];
    printf("\n| %s | |\n|---|---|\n", section->title);
    for (const option_spec *option = section->options; option->name; option++) {
        layout_option(option, text, sizeof text);
        printf("| `%s` | ", text);
        layout_help(option, true, text, sizeof text);
        print_cell(text);
        printf(" |\n");
    }
}

static void print_markdown_command(const command_spec *command)
{
    printf("\n## %s\n\n`equipoise %s%s%s%s`: %s.\n\n%s\n", command->name, command->name,
           command->sections->title ? " [OPTION]…" : "", command->operands[0] ? " " : "", command->operands,
           command->summary, command->description);
    for (const option_section *section = command->sections; section->title; section++)
        print_markdown_options(section);
    if (command->examples[0]) printf("\n```\n%s\n```\n", command->examples);
}

void manual_print_markdown(void)
{
    printf("# The command line\n\n"
           "This page is generated from the option tables of the program: `equipoise help --markdown > "
           "docs/cli.md`.\n"
           "`equipoise COMMAND -h` prints the same in short. Every command also takes `-h` and `--help`. A "
           "value in\n"
           "square brackets is the default. Options and files may come in any order; `--` ends the options, "
           "for file\n"
           "names that start with a dash; `-` is standard input or output.\n\n");
    printf(
        "Data go to standard output or to `-o`, everything else to standard error. Files are replaced whole "
        "or not\n"
        "at all. The exit codes:\n\n```\n%s```\n\n"
        "An interrupted program ends with 130 (SIGINT) or 143 (SIGTERM) and leaves nothing half-written.\n\n",
        manual_exit_codes);
    for (size_t i = 0; commands[i]; i++)
        printf("- [%s](#%s): %s\n", commands[i]->name, commands[i]->name, commands[i]->summary);
    for (size_t i = 0; commands[i]; i++) print_markdown_command(commands[i]);
}
