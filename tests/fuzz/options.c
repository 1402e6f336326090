/* Any command line, words parted by line feeds: parsed or refused with a message, for every command. */
#include "command.h"
#include "fuzz.h"

#include <string.h>

enum { MOST_WORDS = 64 };

static size_t split(char *text, char **words)
{
    size_t count = 0;
    for (char *word = strtok(text, "\n"); word != NULL && count < MOST_WORDS; word = strtok(NULL, "\n"))
        words[count++] = word;
    return count;
}

static void parse(const command_spec *command, char **words, size_t count)
{
    operand_list operands = {0};
    eqp_error error = {0};
    void *settings = calloc(1, command->settings_size + 1);
    must_hold(settings != NULL, "memory");
    if (command->prepare) command->prepare(settings);
    eqp_status status =
        options_parse(command->sections, command->name, words, count, settings, &operands, &error);
    must_hold(status == EQP_OK || (status == EQP_USAGE && error.message[0] != '\0'), "parsed or a message");
    must_hold(operands.count <= count, "no operand is made up");
    options_free(command->sections, settings, &operands);
    free(settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char *words[MOST_WORDS], *text = calloc(length + 1, 1);
    must_hold(text != NULL, "memory");
    memcpy(text, bytes, length);
    size_t count = split(text, words);
    const command_spec *command = count > 0 ? command_find(words[0]) : NULL;
    if (command != NULL && command->sections != NULL) parse(command, words + 1, count - 1);
    free(text);
    return 0;
}
