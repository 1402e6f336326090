/* The public page of a draw: its text with the data that the script recomputes (lottery.js).
 *
 * Per ticket the page holds the leaf, seat and rounds; with quotas also the type, with households a number
 * that members share.  Leaves that the rule never accepts are not told apart. */
#include "base/memory.h"
#include "base/number.h"
#include "draw/digest.h"
#include "verify/lottery_css.h"
#include "verify/lottery_html.h"
#include "verify/lottery_js.h"
#include "verify/verify.h"

#include <nettle/base64.h>
#include <string.h>

typedef struct page_work {
    const eqp_committed *committed;
    const eqp_cohort *cohort;
    const eqp_ranked **ranked; /* by ticket */
    size_t *members;           /* of each household */
    eqp_pool_digests pool;     /* its ids */
    eqp_ticket *tickets;       /* of the ids */
    uint32_t *order;           /* of the ids, by ticket */
} page_work;

/* ---- tickets ------------------------------------------------------------------------------------------- */

static int compare_ranked(const void *left, const void *right)
{
    const eqp_ranked *a = *(const eqp_ranked *const *)left, *b = *(const eqp_ranked *const *)right;
    return memcmp(a->ticket.digits, b->ticket.digits, EQP_TICKET_DIGITS);
}

typedef struct numbered_ticket {
    eqp_ticket ticket;
    uint32_t number;
} numbered_ticket;

static int compare_numbered(const void *left, const void *right)
{
    return memcmp(left, right, EQP_TICKET_DIGITS);
}

static eqp_status order_tickets(page_work *work, eqp_error *error)
{
    uint32_t count = eqp_dictionary_size(work->pool.ids);
    numbered_ticket *all = eqp_alloc(count, sizeof *all);
    work->tickets = eqp_alloc(count, sizeof *work->tickets);
    work->order = eqp_alloc(count, sizeof *work->order);
    if (all == NULL || work->tickets == NULL || work->order == NULL) {
        free(all);
        return eqp_fail_memory(error);
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t start = 0;
        uint32_t length = (uint32_t)eqp_dictionary_length(work->pool.ids, i);
        eqp_lottery_tickets(&work->cohort->lottery, eqp_dictionary_text(work->pool.ids, i), &start, &length,
                            1, &work->tickets[i]);
        all[i] = (numbered_ticket){work->tickets[i], i};
    }
    if (count > 0) qsort(all, count, sizeof *all, compare_numbered);
    for (uint32_t i = 0; i < count; i++) work->order[i] = all[i].number;
    free(all);
    return EQP_OK;
}

static eqp_status order_ranked(page_work *work, eqp_error *error)
{
    const eqp_ranking *ranking = &work->cohort->ranking;
    const eqp_dictionary *households = work->cohort->conditions.households;
    work->ranked = eqp_alloc(ranking->count, sizeof *work->ranked);
    work->members =
        eqp_alloc_zero(households != NULL ? eqp_dictionary_size(households) : 0, sizeof *work->members);
    if (work->ranked == NULL || work->members == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < ranking->count; i++) {
        work->ranked[i] = &ranking->entries[i];
        if (ranking->entries[i].household != EQP_NOBODY) work->members[ranking->entries[i].household]++;
    }
    if (ranking->count > 0) qsort(work->ranked, ranking->count, sizeof *work->ranked, compare_ranked);
    return EQP_OK;
}

/* One line per ticket: ticket, leaf, seat, rounds of seat and decline, household, type; -1 where there is
 * none. */
static void add_tickets(const page_work *work, eqp_buffer *out)
{
    size_t next = 0, count = work->cohort->ranking.count;
    for (uint32_t i = 0; i < eqp_dictionary_size(work->pool.ids); i++) {
        const eqp_ticket *ticket = &work->tickets[work->order[i]];
        const eqp_ranked *one = next < count ? work->ranked[next] : NULL;
        eqp_buffer_text(out, ticket->digits);
        if (one == NULL || memcmp(one->ticket.digits, ticket->digits, EQP_TICKET_DIGITS) != 0) {
            eqp_buffer_text(out, " -1 5 0 0 -1 -1\\n");
            continue;
        }
        next++;
        bool shared = one->household != EQP_NOBODY && work->members[one->household] > 1;
        eqp_buffer_printf(out, " %u %d %u %u %d %d\\n", one->leaf, (int)one->seat, one->since, one->round,
                          shared ? (int)one->household : -1, one->type != EQP_NOBODY ? (int)one->type : -1);
    }
}

/* ---- the data ------------------------------------------------------------------------------------------ */

static void add_numbers(const double *values, size_t count, eqp_buffer *out)
{
    char digits[32];
    for (size_t i = 0; i < count; i++) {
        if (i > 0) eqp_buffer_text(out, " ");
        eqp_buffer_add(out, digits, eqp_number_print(values[i], digits));
    }
}

static void add_quotas(const eqp_cohort *cohort, eqp_buffer *out)
{
    const eqp_quota_lottery *lottery = cohort->quota_lottery;
    const eqp_conditions *conditions = &cohort->conditions;
    eqp_buffer_printf(out, "{\"picked\": %zu, \"probabilities\": \"", cohort->composition);
    add_numbers(lottery->probability, lottery->compositions, out);
    eqp_buffer_text(out, "\", \"seats\": \"");
    for (size_t t = 0; t < lottery->types; t++)
        eqp_buffer_printf(out, "%s%u", t > 0 ? " " : "",
                          lottery->seats[cohort->composition * lottery->types + t]);
    eqp_buffer_text(out, "\", \"types\": \"");
    for (size_t t = 0; t < lottery->types; t++)
        for (size_t f = 0; f < conditions->quotas->feature_count; f++)
            eqp_buffer_printf(out, "%s%u",
                              f > 0   ? " "
                              : t > 0 ? "\\n"
                                      : "",
                              conditions->types.types[t].quota[f]);
    eqp_buffer_text(out, "\"}");
}

/* "<" could end the script that holds the data. */
static void add_quoted(const char *text, eqp_buffer *out)
{
    eqp_buffer quoted = {0};
    eqp_json_write_text(text, &quoted);
    for (size_t i = 0; i < quoted.length; i++)
        if (quoted.bytes[i] == '<')
            eqp_buffer_text(out, "\\u003c");
        else
            eqp_buffer_add(out, &quoted.bytes[i], 1);
    out->failed |= quoted.failed;
    eqp_buffer_free(&quoted);
}

static eqp_status add_data(const page_work *work, const eqp_key *key, eqp_buffer *out, eqp_error *error)
{
    const eqp_committed *committed = work->committed;
    const eqp_rule *rule = committed->model->rule;
    char *canonical = eqp_commitment_canonical(&committed->commitment);
    eqp_key ranks;
    if (canonical == NULL) return eqp_fail_memory(error);
    eqp_buffer_text(out, "{\"commitment\": ");
    add_quoted(canonical, out);
    free(canonical);
    eqp_rank_key(key, NULL, &ranks);
    eqp_buffer_printf(out, ",\n\"digest\": \"%s\",\n\"ranking_key\": \"%s\",\n\"randomness\": ",
                      eqp_field_text(committed->commitment.document, FIELD_digest), ranks.hex);
    explicit_bzero(&ranks, sizeof ranks);
    if (committed->randomness != NULL)
        add_quoted(committed->randomness, out);
    else
        eqp_buffer_text(out, "null");
    eqp_buffer_printf(out, ",\n\"rounds\": %u,\n\"accept\": \"", work->cohort->rounds);
    add_numbers(rule->accept, rule->leaf_count, out);
    eqp_buffer_text(out, "\",\n\"quotas\": ");
    if (work->cohort->quota_lottery != NULL)
        add_quotas(work->cohort, out);
    else
        eqp_buffer_text(out, "null");
    eqp_buffer_text(out, ",\n\"tickets\": \"");
    add_tickets(work, out);
    eqp_buffer_text(out, "\"}");
    return out->failed ? eqp_fail_memory(error) : EQP_OK;
}

/* ---- the page ------------------------------------------------------------------------------------------ */

static void add_script_digest(eqp_buffer *out)
{
    struct sha256_ctx state;
    uint8_t raw[SHA256_DIGEST_SIZE];
    char text[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE) + 1] = "";
    sha256_init(&state);
    sha256_update(&state, strlen(eqp_lottery_js), (const uint8_t *)eqp_lottery_js);
    sha256_digest(&state, sizeof raw, raw);
    base64_encode_raw(text, sizeof raw, raw);
    eqp_buffer_text(out, text);
}

static eqp_status fill_page(const page_work *work, const eqp_key *key, eqp_buffer *page, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (const char *at = eqp_lottery_html, *open; status == EQP_OK; at = strstr(open, "}}") + 2) {
        open = strstr(at, "{{");
        if (open == NULL) {
            eqp_buffer_text(page, at);
            break;
        }
        eqp_buffer_add(page, at, (size_t)(open - at));
        if (strncmp(open, "{{script digest}}", 17) == 0)
            add_script_digest(page);
        else if (strncmp(open, "{{script}}", 10) == 0)
            eqp_buffer_text(page, eqp_lottery_js);
        else if (strncmp(open, "{{style}}", 9) == 0)
            eqp_buffer_text(page, eqp_lottery_css);
        else
            status = add_data(work, key, page, error);
    }
    return status == EQP_OK && page->failed ? eqp_fail_memory(error) : status;
}

/* id,ticket; quotes where an id needs them. */
static void list_tickets(const page_work *work, const char *id, eqp_buffer *out)
{
    eqp_buffer_printf(out, "%s,ticket\n", id);
    for (uint32_t i = 0; i < eqp_dictionary_size(work->pool.ids); i++) {
        const char *text = eqp_dictionary_text(work->pool.ids, i);
        bool quoted = strpbrk(text, ",;\"\t\r\n") != NULL;
        if (quoted) eqp_buffer_text(out, "\"");
        for (; *text != '\0'; text++) {
            if (*text == '"') eqp_buffer_text(out, "\"");
            eqp_buffer_add(out, text, 1);
        }
        eqp_buffer_printf(out, "%s,%s\n", quoted ? "\"" : "", work->tickets[i].digits);
    }
}

static eqp_status make_page(page_work *work, const eqp_key *key, const char *input, eqp_buffer *page,
                            eqp_buffer *tickets, eqp_error *error)
{
    const eqp_filter_options *filter = &work->committed->options.filter;
    eqp_status status = eqp_pool_digest(input, filter->read.delimiter, filter->id, &work->cohort->lottery,
                                        true, &work->pool, error);
    if (status == EQP_OK) status = order_tickets(work, error);
    if (status == EQP_OK) status = order_ranked(work, error);
    if (status == EQP_OK) status = fill_page(work, key, page, error);
    if (status == EQP_OK && tickets != NULL) list_tickets(work, filter->id, tickets);
    if (status == EQP_OK && tickets != NULL && tickets->failed) status = eqp_fail_memory(error);
    eqp_dictionary_free(work->pool.ids);
    free(work->tickets);
    free(work->order);
    free(work->ranked);
    free(work->members);
    return status;
}

eqp_status eqp_publish_run(const eqp_model *model, const eqp_key *key, const char *input,
                           const eqp_draw_options *options, eqp_buffer *page, eqp_buffer *tickets,
                           eqp_cohort *cohort, eqp_error *error)
{
    eqp_committed committed;
    eqp_status status = eqp_committed_open(model, key, input, options, &committed, error);
    if (status == EQP_OK) status = eqp_committed_refuse(&committed, error);
    if (status == EQP_OK)
        status = eqp_committed_draw(&committed, key, input, false, true, NULL, cohort, error);
    page_work work = {.committed = &committed, .cohort = cohort};
    if (status == EQP_OK) status = make_page(&work, key, input, page, tickets, error);
    eqp_committed_clear(&committed);
    return status;
}
