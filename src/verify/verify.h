/* Draws that others can check.
 *
 *     commit     the whole draw is written down and published before it can be made        commitment.c
 *     draw       everything is taken from the commitment; whatever differs is refused      committed.c
 *     replace    those who decline leave, the next in rank take their seats, round by round
 *     verify     the draw is repeated and compared with what was published, by id           verify.c
 *     publish    one page on which anybody recomputes the ranks of all tickets              publish.c
 *
 * Every step adds a line to the log, where there is one (draw_log.c). */
#ifndef EQP_VERIFY_VERIFY_H
#define EQP_VERIFY_VERIFY_H

#include "base/buffer.h"
#include "base/json.h"
#include "model/rule.h"
#include "select/select.h"

/* ---- public randomness --------------------------------------------------------------------------------- */

/* A form is "numbers", "numbers:6" (so many of them), "hex" or "hex:128" (so many digits).  The canonical
 * form of a value is the same however it is spelled: numbers without leading zeros in rising order, one blank
 * between them; hexadecimal digits in lower case without anything between them. */
eqp_status eqp_randomness_check_form(const char *form, eqp_error *error);
eqp_status eqp_randomness_canonical(const char *form, const char *value, char **canonical, eqp_error *error);
/* "2026-05-01" or "2026-05-01T20:00Z", with seconds or without, as 2026-05-01T20:00:00Z. */
eqp_status eqp_moment_parse(const char *text, char moment[32], eqp_error *error);

/* ---- commitments --------------------------------------------------------------------------------------- */

/* A commitment is its document, all of which its digest covers (docs/draws.md names the members).  With
 * announced randomness nobody could foresee the draw; without it the organiser could have tried keys, and
 * everything that is printed or published about the draw says so. */
typedef struct eqp_commitment {
    json_t *document;
    bool intact; /* the digest is that of the document */
} eqp_commitment;

void eqp_commitment_clear(eqp_commitment *commitment);

/* Reads the whole pool to digest it; `log` may be NULL. */
eqp_status eqp_commitment_make(const eqp_model *model, const eqp_key *key, const char *input,
                               const eqp_commit_options *options, eqp_commitment *commitment,
                               eqp_error *error);
/* EQP_DATA when the file is not a commitment of this version. */
eqp_status eqp_commitment_read(const char *path, eqp_commitment *commitment, eqp_error *error);
/* Its members; NULL: memory is short. */
json_t *eqp_commitment_copy(const eqp_commitment *commitment);
/* The text that the digest is of: compact, sorted members, without the digest.  NULL: memory is short. */
char *eqp_commitment_canonical(const eqp_commitment *commitment);

/* What a pool is, whatever the order of its records. */
typedef struct eqp_pool_digests {
    char bytes[65];      /* of the file, after decompression */
    char records[65];    /* of the header, and of the digests of all records in rising order */
    char tickets[65];    /* of all tickets in rising order, each with a line feed */
    uint64_t size;       /* bytes */
    uint64_t count;      /* records */
    eqp_dictionary *ids; /* in the order of the pool, where asked for; else NULL */
} eqp_pool_digests;

/* EQP_DATA where ids repeat or are missing. */
eqp_status eqp_pool_digest(const char *input, char delimiter, const char *id, const eqp_lottery *lottery,
                           bool keep_ids, eqp_pool_digests *digests, eqp_error *error);
/* Digests of data are published under a MAC: else whoever knows all of a pool but one cell could try what it
 * holds. */
void eqp_digest_seal(const eqp_key *key, char digest[65]);
/* Of the ids of a file, in any order. */
eqp_status eqp_ids_digest(const eqp_dictionary *ids, char digest[65], eqp_error *error);
/* Of the tickets of those who have seats, in any order. */
eqp_status eqp_seats_digest(const eqp_cohort *cohort, char digest[65], eqp_error *error);

/* ---- the log ------------------------------------------------------------------------------------------- */

/* What a log says about one commitment. */
typedef struct eqp_log_story {
    uint64_t lines;            /* of the whole log */
    eqp_dictionary **declined; /* tickets, one set per round */
    size_t rounds;
    char *randomness; /* with which it was drawn first; NULL: not yet, or with none */
} eqp_log_story;

void eqp_log_story_clear(eqp_log_story *story);

/* Checks the chain and the MACs of a log; reads what it says about a commitment (its digest; NULL: nothing).
 * EQP_DATA when the log was changed, or was begun with another key. */
eqp_status eqp_log_read(const char *path, const eqp_key *key, const char *commitment, eqp_log_story *story,
                        eqp_error *error);
/* The same, and adds a line with the members of `event`, which is taken over; says how many lines were there
 * before it. */
eqp_status eqp_log_add(const char *path, const eqp_key *key, json_t *event, uint64_t *before,
                       eqp_error *error);

/* ---- a draw that was committed to ---------------------------------------------------------------------- */

typedef struct eqp_committed {
    eqp_commitment commitment;
    const eqp_model *model;
    eqp_model *loaded;          /* the model where it was not given */
    char *randomness;           /* canonical, or NULL */
    eqp_quotas *quotas;         /* or NULL */
    eqp_select_options options; /* as committed */
    char *log;                  /* path, or NULL */
    eqp_log_story story;        /* what the log says */
    eqp_dictionary **given;     /* rounds of declines that were given as files */
    eqp_dictionary **declined;  /* all rounds, borrowed: those of the log, then those given */
    size_t rounds, new_rounds;
    bool reordered;       /* the pool holds the same records in another order, or other line ends */
    char difference[512]; /* from what was committed to: the first one; empty: none */
} eqp_committed;

/* Compares everything with the commitment.  What differs is in `difference`. */
eqp_status eqp_committed_open(const eqp_model *model, const eqp_key *key, const char *input,
                              const eqp_draw_options *options, eqp_committed *committed, eqp_error *error);
void eqp_committed_clear(eqp_committed *committed);
/* As a refusal. */
eqp_status eqp_committed_refuse(const eqp_committed *committed, eqp_error *error);
__attribute__((format(printf, 2, 3))) void eqp_committed_note(eqp_committed *committed, const char *format,
                                                              ...);
/* Ranks and seats, after all rounds; the pool's outputs where `files` says so. */
eqp_status eqp_committed_draw(const eqp_committed *committed, const eqp_key *key, const char *input,
                              bool files, bool whole, const eqp_watch *watch, eqp_cohort *cohort,
                              eqp_error *error);
/* "select" or "replace" goes into the log, where there is one. */
eqp_status eqp_committed_log(eqp_committed *committed, const eqp_key *key, const char *event,
                             const eqp_cohort *cohort, eqp_error *error);

/* ---- verification and the page ------------------------------------------------------------------------- */

typedef struct eqp_verification {
    uint64_t records;     /* read from the pool */
    uint64_t draws;       /* in the log before this one, as committed */
    size_t rounds;        /* of declines */
    bool same_bytes;      /* the result is what select writes, byte for byte */
    bool same_cells;      /* its records are those of the pool, where it has the pool's columns */
    bool page;            /* the page was compared too */
    char first[256];      /* the log's first draw was made with this randomness; empty: with the same */
    bool reordered;       /* the pool is in another order */
    bool foreseen;        /* no public randomness was announced */
    char difference[512]; /* the first one; empty when the draw is verified */
} eqp_verification;

eqp_status eqp_verify_run(const eqp_model *model, const eqp_key *key, const char *input,
                          const eqp_draw_options *options, eqp_verification *verification, eqp_error *error);

/* The page as text, and the table id,ticket where asked for. */
eqp_status eqp_publish_run(const eqp_model *model, const eqp_key *key, const char *input,
                           const eqp_draw_options *options, eqp_buffer *page, eqp_buffer *tickets,
                           eqp_cohort *cohort, eqp_error *error);

#endif
