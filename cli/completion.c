/* Completion of commands, options, choices and files, from the declarations of the commands. */
#include "manual.h"

#include "command.h"

#include <stdio.h>
#include <string.h>

static void print_command_names(const char *separator)
{
    for (size_t i = 0; commands[i]; i++) printf("%s%s", i ? separator : "", commands[i]->name);
}

/* ---- bash -------------------------------------------------------------------------------------------- */

static void print_bash_choices(const command_spec *command)
{
    for (const option_section *section = command->sections; section->title; section++)
        for (const option_spec *option = section->options; option->name; option++) {
            char choices[300];
            option_choices(option, " ", choices, sizeof choices);
            if (*choices)
                printf("        %s:--%s) choices=\"%s\" ;;\n", command->name, option->name, choices);
        }
}

static void print_bash_options(const command_spec *command)
{
    printf("        %s) options=\"", command->name);
    for (const option_section *section = command->sections; section->title; section++)
        for (const option_spec *option = section->options; option->name; option++)
            printf("--%s ", option->name);
    printf("--help\" ;;\n");
}

void completion_print_bash(void)
{
    printf("# bash completion for equipoise, made by: equipoise help --bash\n"
           "_equipoise()\n{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
           "command=${COMP_WORDS[1]}\n"
           "    local choices= options=\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"");
    print_command_names(" ");
    printf("\" -- \"$word\"))\n        return\n    fi\n    case \"$command:$before\" in\n");
    for (size_t i = 0; commands[i]; i++) print_bash_choices(commands[i]);
    printf("    esac\n    case \"$command\" in\n");
    for (size_t i = 0; commands[i]; i++) print_bash_options(commands[i]);
    printf("    esac\n"
           "    if [ -n \"$choices\" ]; then\n        COMPREPLY=($(compgen -W \"$choices\" -- \"$word\"))\n"
           "    elif [ \"${word#-}\" != \"$word\" ]; then\n"
           "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
           "    else\n        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\n"
           "complete -o filenames -F _equipoise equipoise\n");
}

/* ---- zsh --------------------------------------------------------------------------------------------- */

/* Inside '…[…]' of _arguments, quotes, brackets and colons are markup. */
static void print_zsh_text(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'')
            fputs("'\\''", stdout);
        else if (strchr("[]:\\", text[i]))
            printf("\\%c", text[i]);
        else
            putchar(text[i]);
    }
}

static void print_zsh_argument(const option_spec *option)
{
    if (option->argument == NULL) return;
    printf(":%s:", option->argument);
    char choices[300];
    option_choices(option, " ", choices, sizeof choices);
    if (*choices) {
        printf("(%s)", choices);
    } else if (strcmp(option->argument, "FILE") == 0) {
        printf("_files");
    } else if (strcmp(option->argument, "DIR") == 0) {
        printf("_files -/");
    }
}

static void print_zsh_option(const option_spec *option)
{
    bool repeated = option->type == OPTION_LIST || option->type == OPTION_NAMES;
    printf(" \\\n            '%s--%s%s[", repeated ? "*" : "", option->name, option->argument ? "=" : "");
    print_zsh_text(option->help, strcspn(option->help, ";"));
    putchar(']');
    print_zsh_argument(option);
    putchar('\'');
}

static void print_zsh_command(const command_spec *command)
{
    printf("        %s) _arguments", command->name);
    for (const option_section *section = command->sections; section->title; section++)
        for (const option_spec *option = section->options; option->name; option++) print_zsh_option(option);
    printf(" \\\n            '--help[explain the command]' '*:file:_files' ;;\n");
}

void completion_print_zsh(void)
{
    printf("#compdef equipoise\n# zsh completion for equipoise, made by: equipoise help --zsh\n"
           "_equipoise() {\n    local -a names\n    names=(\n");
    for (size_t i = 0; commands[i]; i++) {
        printf("        '%s:", commands[i]->name);
        print_zsh_text(commands[i]->summary, strlen(commands[i]->summary));
        printf("'\n");
    }
    printf("    )\n    if (( CURRENT == 2 )); then\n        _describe command names\n        return\n    fi\n"
           "    local name=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $name in\n");
    for (size_t i = 0; commands[i]; i++) print_zsh_command(commands[i]);
    printf("    esac\n}\n_equipoise \"$@\"\n");
}
