/* The head of a page about a draw: how many of how many.  What else was found stands below it as text. */
#include "base/field.h"
#include "report/page.h"
#include "report/shown.h"

#include <stdio.h>

static void write_card(const json_t *document, eqp_field field, const char *label, const char *note,
                       eqp_buffer *out)
{
    if (eqp_field_is_known(document, field))
        eqp_page_card(out, label, eqp_count(eqp_field_number(document, field)).text, note, EQP_TONE_PLAIN,
                      "");
}

void eqp_page_draw(const json_t *document, eqp_buffer *out)
{
    bool seats = eqp_field_is_known(document, FIELD_selected);
    double chosen = eqp_field_number(document, seats ? FIELD_selected : FIELD_accepted);
    eqp_page_headline(out, "%s of %s records %s", eqp_count(chosen).text,
                      eqp_count(eqp_field_number(document, FIELD_read)).text,
                      seats ? "selected" : "accepted");
    if (!seats) return;
    eqp_page_open(out, "cards");
    write_card(document, FIELD_selected, "selected", "one seat each", out);
    write_card(document, FIELD_alternates, "alternates", "next in rank, for those who decline", out);
    eqp_page_close(out);
}
