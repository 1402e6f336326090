/* equipoise key: makes the secret of a draw, and what may be published about it. */
#include "command.h"
#include "drawing.h"
#include "failure.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct key_settings {
    bool signing;
} key_settings;

static const option_spec key_kind_options[] = {
    {"signing", 0, OPTION_FLAG, offsetof(key_settings, signing), NULL, NULL, NULL,
     "make a key for signing certificates: FILE stays with you, FILE.pub is for others"},
    {0}};

static const option_section sections[] = {{"Kind", key_kind_options, 0}, {0}};

static eqp_status print_commitment(const char *path, eqp_error *error)
{
    eqp_key key;
    char commitment[65];
    eqp_status status = drawing_read_key(path, &key, error);
    if (status != EQP_OK) return status;
    eqp_key_commitment(&key, commitment);
    explicit_bzero(&key, sizeof key);
    printf("%s\n", commitment);
    return EQP_OK;
}

static eqp_status run_key(invocation *call, eqp_error *error)
{
    const char *action = call->operands[0], *path = call->operands[1];
    const key_settings *settings = call->settings;
    if (strcmp(action, "new") == 0)
        return settings->signing ? eqp_signing_key_create(path, error) : eqp_key_create(path, error);
    if (settings->signing) return fail(error, EQP_USAGE, "option \"--signing\" belongs to \"key new\"");
    if (strcmp(action, "commitment") == 0) return print_commitment(path, error);
    return fail(error, EQP_USAGE, "\"%s\" is not one of new, commitment", action);
}

const command_spec key_command = {
    .name = "key",
    .operands = "new|commitment FILE",
    .summary = "make a key, or print its commitment",
    .description =
        "\"key new\" makes a key from the system's randomness in a new file that only its owner may read; an "
        "existing file is left alone. \"key commitment\" prints the SHA-256 that may be published before "
        "the draw. Whoever knows the key knows the outcome for every record: keep it until the draw, and "
        "reveal it only so that others can verify.\n\n\"key new --signing\" makes a pair of keys for signing "
        "certificates (Ed25519): FILE stays with its owner, FILE.pub is for everybody who checks.",
    .examples = "equipoise key new draw.key\nequipoise key commitment draw.key\nequipoise key new --signing "
                "officer.key",
    .sections = sections,
    .settings_size = sizeof(key_settings),
    .least_operands = 2,
    .most_operands = 2,
    .run = run_key,
};
