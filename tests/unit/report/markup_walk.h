/* A strict reader of the markup that reports write: tags are balanced, attributes are quoted, entities are
 * known. Every tag and attribute is handed to the test. */
#ifndef EQP_TEST_REPORT_MARKUP_WALK_H
#define EQP_TEST_REPORT_MARKUP_WALK_H

#include "samples.h"

#include <ctype.h>
#include <string.h>

#define DEPTH_MAX 64
#define WALK_NAME 64

typedef struct markup_walk {
    const char *at;
    char open[DEPTH_MAX][WALK_NAME];
    size_t depth;
    size_t tags;
    /* Called for every attribute; may be NULL. */
    void (*attribute)(const char *tag, const char *name, const char *value);
} markup_walk;

static void fail_walk(const markup_walk *walk, const char *what)
{
    fail_msg("%s at \"%.60s\"", what, walk->at);
}

static void read_name(markup_walk *walk, char name[WALK_NAME])
{
    size_t length = 0;
    while (isalnum((unsigned char)*walk->at) || strchr("-:!_", *walk->at)) {
        if (!*walk->at || length + 1 == WALK_NAME) fail_walk(walk, "name without end");
        name[length++] = *walk->at++;
    }
    name[length] = 0;
    if (length == 0) fail_walk(walk, "no name");
}

static void check_entity(markup_walk *walk)
{
    static const char *const KNOWN[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (strncmp(walk->at, KNOWN[i], strlen(KNOWN[i])) == 0) return;
    fail_walk(walk, "unknown entity");
}

static void read_value(markup_walk *walk, char *value, size_t size)
{
    size_t length = 0;
    if (*walk->at++ != '"') fail_walk(walk, "attribute without quotes");
    while (*walk->at != '"') {
        if (!*walk->at || *walk->at == '<') fail_walk(walk, "attribute without end");
        if (*walk->at == '&') check_entity(walk);
        if (length + 1 < size) value[length++] = *walk->at;
        walk->at++;
    }
    value[length] = 0;
    walk->at++;
}

static void read_attributes(markup_walk *walk, const char *tag)
{
    char name[WALK_NAME], value[1024];
    while (*walk->at == ' ') {
        while (*walk->at == ' ') walk->at++;
        read_name(walk, name);
        value[0] = 0;
        if (*walk->at == '=') {
            walk->at++;
            read_value(walk, value, sizeof value);
        }
        if (walk->attribute) walk->attribute(tag, name, value);
    }
}

static bool is_void(const char *tag)
{
    return strcmp(tag, "meta") == 0 || strcmp(tag, "link") == 0 || strcmp(tag, "!doctype") == 0;
}

/* Style and script hold no markup. */
static void skip_raw(markup_walk *walk, const char *tag)
{
    char end[WALK_NAME + 4];
    if (strcmp(tag, "script") != 0 && strcmp(tag, "style") != 0) return;
    snprintf(end, sizeof end, "</%s>", tag);
    walk->at = strstr(walk->at, end);
    assert_non_null(walk->at);
}

static void read_tag(markup_walk *walk)
{
    char tag[WALK_NAME];
    bool closes = *++walk->at == '/';
    walk->at += closes;
    read_name(walk, tag);
    walk->tags++;
    if (!closes) read_attributes(walk, tag);
    bool closed = *walk->at == '/';
    walk->at += closed;
    if (*walk->at++ != '>') fail_walk(walk, "tag without end");
    if (closes) {
        if (walk->depth == 0 || strcmp(walk->open[--walk->depth], tag) != 0) fail_walk(walk, "tags cross");
    } else if (!closed && !is_void(tag)) {
        assert_true(walk->depth < DEPTH_MAX);
        strcpy(walk->open[walk->depth++], tag);
        skip_raw(walk, tag);
    }
}

static void walk_markup(markup_walk *walk, const char *text)
{
    walk->at = text;
    while (*walk->at) {
        if (*walk->at == '<') {
            read_tag(walk);
            continue;
        }
        if (*walk->at == '&') check_entity(walk);
        if (*walk->at == '>') fail_walk(walk, "stray >");
        walk->at++;
    }
    assert_int_equal(walk->depth, 0);
    assert_true(walk->tags > 0);
}

#endif
