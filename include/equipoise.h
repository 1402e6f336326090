/* equipoise: select a balanced cohort without knowing, or revealing, who belongs to which group.
 *
 * The public interface; the command line and the Python package use nothing else.
 *
 *   table   labelled or unlabelled records, from CSV or an Arrow C stream
 *   model   a learned rule: which columns it reads, how a record is routed, who is accepted
 *   report  what a call found: figures as JSON, as text for people, as one HTML page
 *
 * Conventions.  A fallible function returns an eqp_status, sets its out-pointers to NULL first and takes an
 * optional eqp_error last.  Inputs are borrowed for the call.  What a function creates is released with the
 * matching _free, and freeing NULL is legal.  Strings are UTF-8.  The library never prints, exits or installs
 * signal handlers.  Objects may be read by several threads at once; no object may be changed by two. */
#ifndef EQUIPOISE_H
#define EQUIPOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EQP_API __attribute__((visibility("default")))

/* ---- status and errors ------------------------------------------------------------------------------- */

/* Could it be done?  The values are the exit codes of the program; 1 is kept for "audited and failed". */
typedef enum eqp_status {
    EQP_OK = 0,
    EQP_USAGE = 2,      /* an option or argument makes no sense */
    EQP_DATA = 3,       /* the data cannot be used; the error says where */
    EQP_IO = 4,         /* reading, writing or memory failed */
    EQP_INFEASIBLE = 5, /* no rule (or cohort) as asked for; the error names the best reachable */
    EQP_MEMORY = 6,     /* exit code 4 */
    EQP_CANCELLED = 7   /* the watch asked to stop; exit code 4 unless a signal ended the program */
} eqp_status;

typedef struct eqp_error {
    eqp_status status;
    char file[256]; /* data file the message is about, or "" */
    uint64_t line;  /* 1-based line and field number in that file; 0 when unknown */
    uint64_t column;
    char message[512]; /* lower case, no full stop, subject quoted */
    char hint[256];    /* the remedy where it is known, or "" */
} eqp_error;

EQP_API const char *eqp_version(void);
EQP_API int eqp_exit_code(eqp_status status);

/* Progress and cancelling: called now and then from the calling thread or a worker, never from two at once.
 * `done` runs from 0 to 1.  Returning false stops the work, which then returns EQP_CANCELLED. */
typedef struct eqp_watch {
    bool (*step)(void *context, const char *stage, double done);
    void *context;
} eqp_watch;

/* ---- tables ------------------------------------------------------------------------------------------ */

typedef struct eqp_table eqp_table;
struct ArrowArrayStream;

typedef struct eqp_read_options {
    char delimiter;                  /* 0: detected from the header */
    char decimal;                    /* '.' or ','; 0 means '.' */
    const char *missing;             /* comma-separated marks besides the empty cell; NULL means "?,NA" */
    const char *const *text_columns; /* read as text whatever they hold: sensitive attributes, ids */
    size_t text_column_count;
    const char *id_column; /* text too; Arrow only: not searched for equal ones, quicker; NULL: none */
} eqp_read_options;

/* "-" is standard input; gzip and zstd are recognised by content. */
EQP_API eqp_status eqp_table_read(const char *path, const eqp_read_options *options, const eqp_watch *watch,
                                  eqp_table **table, eqp_error *error);
/* Consumes and releases the stream. */
EQP_API eqp_status eqp_table_from_arrow(struct ArrowArrayStream *stream, const eqp_read_options *options,
                                        eqp_table **table, eqp_error *error);
EQP_API size_t eqp_table_rows(const eqp_table *table);
EQP_API size_t eqp_table_columns(const eqp_table *table);
EQP_API const char *eqp_table_column_name(const eqp_table *table, size_t column); /* owned by the table */
EQP_API void eqp_table_free(eqp_table *table);

/* ---- files ---------------------------------------------------------------------------------------- */

/* Every file that the library writes is replaced whole or not at all; NULL and "-" are standard output. */

/* Whether `path` could be created or replaced.  Nothing is left there, and a pipe or device is not opened. */
EQP_API eqp_status eqp_file_check(const char *path, eqp_error *error);
EQP_API eqp_status eqp_file_write(const char *path, const char *text, eqp_error *error);
/* A whole file as text; the caller frees it with eqp_text_free. */
EQP_API eqp_status eqp_file_read(const char *path, char **text, eqp_error *error);

/* ---- reports ----------------------------------------------------------------------------------------- */

typedef struct eqp_report eqp_report;

EQP_API const char *eqp_report_json(const eqp_report *report); /* owned by the report */
/* True unless the report is an audit or a verification that failed. */
EQP_API bool eqp_report_passed(const eqp_report *report);
/* Text for a terminal of at most 80 columns; the caller frees it with eqp_text_free. */
EQP_API eqp_status eqp_report_text(const eqp_report *report, bool colour, char **text, eqp_error *error);
/* One self-contained HTML page with figures, written whole or not at all. */
EQP_API eqp_status eqp_report_html(const eqp_report *report, const char *path, eqp_error *error);
/* Every figure of that page as its own file in an existing directory; a comparison also as results.csv. */
EQP_API eqp_status eqp_report_figures(const eqp_report *report, const char *directory, eqp_error *error);
EQP_API void eqp_report_free(eqp_report *report);
EQP_API void eqp_text_free(char *text);

/* ---- models ------------------------------------------------------------------------------------------ */

typedef struct eqp_model eqp_model;

EQP_API eqp_status eqp_model_load(const char *path, eqp_model **model, eqp_error *error);
EQP_API eqp_status eqp_model_parse(const char *json, size_t length, eqp_model **model, eqp_error *error);
EQP_API eqp_status eqp_model_save(const eqp_model *model, const char *path, eqp_error *error);
/* The model as its canonical JSON text; the caller frees it with eqp_text_free. */
EQP_API eqp_status eqp_model_text(const eqp_model *model, char **text, eqp_error *error);
EQP_API const char *eqp_model_id(const eqp_model *model); /* owned by the model */
/* The rule in plain words: columns used, each split, acceptance. */
EQP_API eqp_status eqp_model_explain(const eqp_model *model, char **text, eqp_error *error);
EQP_API void eqp_model_free(eqp_model *model);

/* ---- learning ---------------------------------------------------------------------------------------- */

typedef struct eqp_learn_options {
    const char *const *sensitive; /* attribute columns, at least one */
    size_t sensitive_count;
    bool intersect;        /* balance combinations of the attributes, not each by itself */
    const char *target;    /* "uniform", or a CSV file attribute,value,share; NULL means uniform */
    const char *weight;    /* column of design weights, or NULL */
    const char *features;  /* comma-separated; NULL: every column that can be used */
    const char *ignore;    /* comma-separated; NULL: none */
    const char *proxy;     /* learn acceptance for this existing column instead of a rule; or NULL */
    const char *method;    /* direct, tree, paper, qp-logit, qp-cart, naive-logit, naive-cart, smote */
    const char *oracle;    /* linear, prc, prc-weights, stump, boost; NULL: the method's own */
    const char *solver;    /* exact, game; NULL: the method's own */
    double max_disclosure; /* the budget, 0 … 1 */
    double max_imbalance;  /* stop when reached, and fail when not; NaN: as low as possible */
    double min_yield;      /* NaN: chosen by cross-validation */
    double spread;         /* weight of the sampling variance (kappa of M9); NaN: 1, for trees 0 */
    double confidence;     /* with which the budget holds in the population; NaN: the method's own, which
                            * is 0.95 for direct; 0: the budget holds in expectation */
    bool strict;           /* each single component within the budget; not what they tell together */
    bool relaxed;          /* acceptance without the shares of the leaves summing to 1 (M4) */
    size_t min_leaf;       /* trees: least rows behind a leaf; 0: chosen by cross-validation */
    size_t max_height;     /* of a tree; 0: the method's own */
    size_t max_leaves;     /* of a tree; 0: the method's own */
    uint64_t seed;
    size_t threads; /* 0: as many as there are cores */
} eqp_learn_options;

EQP_API void eqp_learn_options_init(eqp_learn_options *options);
/* The names that an option takes, the usual one first; NULL past the last.  Options are "method", "oracle"
 * and "solver" of learning and "dialect" of exports.  `summary`, when not NULL, is set to one line about the
 * name. Both belong to the library. */
EQP_API const char *eqp_option_choice(const char *option, size_t index, const char **summary);
EQP_API eqp_status eqp_learn(const eqp_table *table, const eqp_learn_options *options, const eqp_watch *watch,
                             eqp_model **model, eqp_report **report, eqp_error *error);

/* ---- studies ----------------------------------------------------------------------------------------- */

typedef struct eqp_study_options {
    eqp_learn_options learn;
    const double *budgets; /* NULL: 0.1 … 1 (frontier), 0 … 1 (compare) */
    size_t budget_count;
    const double *yields; /* frontier only; NULL: ten from 0.5 % to 50 % */
    size_t yield_count;
    const char *methods; /* compare only: comma-separated; NULL: all but boost */
    const char *label;   /* compare only: column for the downstream effect, or NULL */
    size_t seeds;        /* compare only */
    const char *resume;  /* compare only: file of finished parts, made and used again; or NULL */
} eqp_study_options;

EQP_API void eqp_study_options_init(eqp_study_options *options);
EQP_API eqp_status eqp_frontier(const eqp_table *table, const eqp_study_options *options,
                                const eqp_watch *watch, eqp_report **report, eqp_error *error);
/* The model of one point of a frontier report (its JSON text), without learning again. */
EQP_API eqp_status eqp_frontier_model(const char *json, size_t point, eqp_model **model, eqp_error *error);
EQP_API eqp_status eqp_compare(const eqp_table *table, const eqp_study_options *options,
                               const eqp_watch *watch, eqp_report **report, eqp_error *error);

/* ---- audit ------------------------------------------------------------------------------------------- */

typedef struct eqp_audit_options {
    const char *const *sensitive; /* NULL: no labels, drift only */
    size_t sensitive_count;
    const char *weight;
    const char *proxy;        /* audit this column instead of a model */
    double max_disclosure;    /* NaN: the model's own budget */
    double confidence;        /* of the certificate */
    bool require_certificate; /* fail unless certified */
    unsigned attempt;         /* 1 for the first audit with these labels, then 2, 3, … */
    unsigned releases;        /* how many releases there have been, for `composed` of the report */
    uint64_t seed;
    size_t threads;
    const char *attempt_log;         /* append-only file from which the attempt is counted too; or NULL */
    const char *certificate;         /* write a certificate bound to model and data there; or NULL */
    const eqp_model *const *further; /* audited jointly with the first: what do all outcomes tell together? */
    size_t further_count;            /* at most 11 */
} eqp_audit_options;

EQP_API void eqp_audit_options_init(eqp_audit_options *options);
/* `model` may be NULL when a proxy column is audited. */
EQP_API eqp_status eqp_audit(const eqp_model *model, const eqp_table *table, const eqp_audit_options *options,
                             const eqp_watch *watch, eqp_report **report, eqp_error *error);

/* Whether a certificate file is whole and speaks of this model and these labelled data; NULL for either
 * leaves it unchecked.  The report passes when it does, and its "difference" names what does not match. */
EQP_API eqp_status eqp_certificate_check(const char *path, const eqp_model *model, const eqp_table *table,
                                         eqp_report **report, eqp_error *error);

/* ---- keys, decisions --------------------------------------------------------------------------------- */

typedef struct eqp_key {
    char hex[65]; /* 64 lower-case hexadecimal digits */
} eqp_key;

EQP_API eqp_status eqp_key_make(eqp_key *key, eqp_error *error);       /* fresh, from the system */
EQP_API eqp_status eqp_key_create(const char *path, eqp_error *error); /* new file, mode 0600 */
EQP_API eqp_status eqp_key_read(const char *path, eqp_key *key, eqp_error *error);
/* What may be published about a key before it is revealed: SHA-256 of its digits. */
EQP_API void eqp_key_commitment(const eqp_key *key, char commitment[65]);
/* The key of a draw with public randomness: SHA-256 of the key's digits, ":" and the text. */
EQP_API void eqp_key_mix(const eqp_key *key, const char *randomness, eqp_key *mixed);

/* The chance with which each row is accepted. */
EQP_API eqp_status eqp_model_probabilities(const eqp_model *model, const eqp_table *table,
                                           double *probability, eqp_error *error);
/* One outcome per row, the same as `filter` gives the same record; `id` names a column, or is NULL. */
EQP_API eqp_status eqp_model_decide(const eqp_model *model, const eqp_table *table, const char *id,
                                    const eqp_key *key, size_t threads, bool *accepted, eqp_error *error);
/* The same for records of an Arrow stream, without a table in between: read as `filter` reads a file, with
 * the model's marks of missing cells.  Consumes and releases the stream.  `id` names a column.  `*accepted`
 * gets `*rows` outcomes, to be freed with eqp_outcomes_free. */
EQP_API eqp_status eqp_model_decide_arrow(const eqp_model *model, struct ArrowArrayStream *stream,
                                          const char *id, const eqp_key *key, size_t threads,
                                          const eqp_watch *watch, bool **accepted, size_t *rows,
                                          eqp_error *error);
EQP_API void eqp_outcomes_free(bool *accepted);

/* ---- streams ----------------------------------------------------------------------------------------- */

typedef struct eqp_filter_options {
    eqp_read_options read;
    const char *id;         /* column that names a record; NULL: drawn from the model's columns */
    const char *randomness; /* public text that nobody could predict, mixed into the key; or NULL */
    bool append;            /* add equipoise_probability */
    bool excel_safe;        /* quote cells that a spreadsheet would run */
    size_t threads;
    size_t chunk_bytes; /* 0: chosen; the output does not depend on it */
} eqp_filter_options;

EQP_API void eqp_filter_options_init(eqp_filter_options *options);
/* Streams `input` to `output`; NULL or "-" are standard input and output. */
EQP_API eqp_status eqp_filter(const eqp_model *model, const eqp_key *key, const char *input,
                              const char *output, const eqp_filter_options *options, const eqp_watch *watch,
                              eqp_report **report, eqp_error *error);

typedef struct eqp_select_options {
    eqp_filter_options filter; /* `append` is ignored */
    size_t size;
    size_t alternates;
    const char *selected;        /* NULL: standard output */
    const char *alternates_file; /* NULL: not written */
    const char *remaining;       /* NULL: not written */
    const char *parts;           /* write a partial result for eqp_merge instead; or NULL */
} eqp_select_options;

EQP_API void eqp_select_options_init(eqp_select_options *options);
EQP_API eqp_status eqp_select(const eqp_model *model, const eqp_key *key, const char *input,
                              const eqp_select_options *options, const eqp_watch *watch, eqp_report **report,
                              eqp_error *error);
EQP_API eqp_status eqp_merge(const char *const *parts, size_t part_count, const eqp_select_options *options,
                             eqp_report **report, eqp_error *error);

/* Candidates needed for a cohort of `size`, and labels needed for a certificate at the model's budget. */
EQP_API eqp_status eqp_plan(const eqp_model *model, size_t size, double confidence, eqp_report **report,
                            eqp_error *error);

/* Publish before the draw; check after it.  `randomness` announces public randomness that will be known
 * later, or is NULL; its value then goes into the draw and into eqp_verify as options->filter.randomness.
 * `log` is added to, and counts draws; `output` gets the commitment as JSON.  Both may be NULL. */
EQP_API eqp_status eqp_commit(const eqp_model *model, const eqp_key *key, const char *input,
                              const char *randomness, const char *log, const char *output,
                              eqp_report **report, eqp_error *error);
/* `result` is the file that the draw gave; size 0 means it came from `filter`. */
EQP_API eqp_status eqp_verify(const eqp_model *model, const eqp_key *key, const char *commitment,
                              const char *input, const char *result, const eqp_select_options *options,
                              eqp_report **report, eqp_error *error);

/* ---- export ------------------------------------------------------------------------------------------ */

typedef struct eqp_export_options {
    const char *dialect; /* postgresql, duckdb, sqlite, clickhouse, spark, bigquery, c, json */
    const char *table;   /* NULL: "records" */
    const char *id;      /* column that names a record */
    const char *form;    /* statement, view, function, predicate, part; NULL: statement */
    const char *name;    /* of the view or function */
    size_t size;         /* exact-size form when not 0 */
    const eqp_key *key;  /* inlined when given; NULL: a placeholder */
} eqp_export_options;

EQP_API void eqp_export_options_init(eqp_export_options *options);
EQP_API eqp_status eqp_export(const eqp_model *model, const eqp_export_options *options, char **text,
                              eqp_error *error);

/* ---- demonstration ----------------------------------------------------------------------------------- */

/* Writes a synthetic population (record, eleven columns, group, label) as CSV. */
EQP_API eqp_status eqp_population_write(const char *path, size_t rows, uint64_t seed, bool with_group,
                                        eqp_error *error);

#ifdef __cplusplus
}
#endif
#endif
