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
    int system;        /* errno, where the system said why; else 0 */
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
    const char *const
        *number_columns; /* Arrow only: texts there are read as numbers, as those of a file are */
    size_t number_column_count;
} eqp_read_options;

/* "-" is standard input; gzip and zstd are recognised by content. */
EQP_API eqp_status eqp_table_read(const char *path, const eqp_read_options *options, const eqp_watch *watch,
                                  eqp_table **table, eqp_error *error);
/* Consumes and releases the stream.  Cells mean what they mean in a file: docs/python.md lists the types. */
EQP_API eqp_status eqp_table_from_arrow(struct ArrowArrayStream *stream, const eqp_read_options *options,
                                        const eqp_watch *watch, eqp_table **table, eqp_error *error);
EQP_API size_t eqp_table_rows(const eqp_table *table);
EQP_API size_t eqp_table_columns(const eqp_table *table);
EQP_API const char *eqp_table_column_name(const eqp_table *table, size_t column); /* owned by the table */
EQP_API void eqp_table_free(eqp_table *table);

/* ---- files ---------------------------------------------------------------------------------------- */

/* Every file that the library writes is replaced whole or not at all; NULL and "-" are standard output. */

/* Whether `path` could be created or replaced.  Nothing is left there, and a pipe or device is not opened. */
EQP_API eqp_status eqp_file_check(const char *path, eqp_error *error);
EQP_API eqp_status eqp_file_write(const char *path, const char *text, eqp_error *error);
/* What holds a key or names people: mode 0600. */
EQP_API eqp_status eqp_file_write_private(const char *path, const char *text, eqp_error *error);
/* A whole file as text; the caller frees it with eqp_text_free. */
EQP_API eqp_status eqp_file_read(const char *path, char **text, eqp_error *error);

/* ---- reports ----------------------------------------------------------------------------------------- */

typedef struct eqp_report eqp_report;

EQP_API const char *eqp_report_json(const eqp_report *report); /* owned by the report */
/* A report from its document, as eqp_report_json gave it. */
EQP_API eqp_status eqp_report_parse(const char *text, eqp_report **report, eqp_error *error);
/* Several reports as one, in this order: their texts and pages follow each other. */
EQP_API eqp_status eqp_report_join(const eqp_report *const *reports, size_t count, eqp_report **joined,
                                   eqp_error *error);
/* True unless the report holds an audit or a verification that failed. */
EQP_API bool eqp_report_passed(const eqp_report *report);
/* Text for a terminal of at most 80 columns; the caller frees it with eqp_text_free. */
EQP_API eqp_status eqp_report_text(const eqp_report *report, bool colour, char **text, eqp_error *error);
/* One self-contained HTML page with figures, written whole or not at all. */
EQP_API eqp_status eqp_report_html(const eqp_report *report, const char *path, eqp_error *error);
/* Every figure of that page as its own file in an existing directory; a comparison also as results.csv. */
EQP_API eqp_status eqp_report_figures(const eqp_report *report, const char *directory, eqp_error *error);
/* All that an officer hands on about an audit, in an existing directory: page, figures, figures as JSON,
 * answers to what a data-protection review asks, and beside each of them, and beside the certificate that is
 * there already, a file NAME.json in the manner of statistical output checkers.  `command` is how it was
 * made. */
EQP_API eqp_status eqp_report_pack(const eqp_report *report, const char *directory, const char *certificate,
                                   const char *command, eqp_error *error);
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
/* The sensitive columns that it was learned for, in order; NULL past the last.  Owned by the model. */
EQP_API const char *eqp_model_attribute(const eqp_model *model, size_t index);
/* The rule in plain words: columns used, each split, acceptance. */
EQP_API eqp_status eqp_model_explain(const eqp_model *model, char **text, eqp_error *error);
/* Columns (comma-separated) that may hold hardly anything that the model knows.  For any other column a file
 * or table in which more than half of the cells are missing or unseen beyond what training had is refused
 * (EQP_DATA) when records are decided. */
EQP_API eqp_status eqp_model_allow_shift(eqp_model *model, const char *columns, eqp_error *error);
EQP_API void eqp_model_free(eqp_model *model);

/* ---- learning ---------------------------------------------------------------------------------------- */

typedef struct eqp_learn_options {
    const char *const *sensitive; /* attribute columns, at least one; "race=black,asian" is an attribute whose
                                   * groups overlap, with a column of ticks (0 and 1) for each */
    size_t sensitive_count;
    bool intersect;       /* balance combinations of the attributes, not each by itself */
    const char *target;   /* "uniform", or a CSV file attribute,value,share; NULL means uniform */
    const char *weight;   /* column of design weights, or NULL */
    const char *features; /* comma-separated; NULL: every column that can be used */
    const char *ignore;   /* comma-separated; NULL: none */
    const char *proxy;    /* learn acceptance for this existing column instead of a rule; or NULL */
    const char
        *method; /* direct, publishable, tree, paper, qp-logit, qp-cart, naive-logit, naive-cart, smote */
    const char *oracle;    /* auto, linear, prc, prc-weights, stump, boost; NULL: the method's own */
    const char *solver;    /* exact, game; NULL: the method's own */
    double max_disclosure; /* the budget, 0 … 1 */
    double max_ratio;      /* beside it: every share of a group between its base rate / R and R times it,
                            * among the accepted and among the rejected; NaN: any */
    double min_chance;     /* of everybody, as a share of the yield, 0 … 1; NaN: any */
    const char *protect; /* comma-separated columns whose distribution within every group is kept; or NULL */
    double max_distortion; /* by how many standard deviations it may move; NaN only without `protect` */
    double max_imbalance;  /* stop when reached, and fail when not; NaN: as low as possible */
    double min_yield;      /* NaN: chosen by cross-validation */
    const char *prefer;    /* how it is chosen: balance, yield; NULL: balance */
    double spread;         /* weight of the sampling variance (kappa of M9); NaN: 1, for trees 0 */
    double confidence;     /* with which the budget holds in the population; NaN: the method's own, which
                            * is 0.95 for direct and publishable; 0: the budget holds in expectation */
    bool strict;           /* each single component within the budget; not what they tell together */
    bool relaxed;          /* acceptance without the shares of the leaves summing to 1 (M4) */
    size_t min_leaf;       /* trees: least rows behind a leaf; 0: chosen by cross-validation */
    size_t max_height;     /* of a tree; 0: the method's own */
    size_t max_leaves;     /* of a tree; 0: the method's own */
    const char *sdc;       /* disclosure control of the report: default, strict, none; NULL: default */
    unsigned sdc_threshold, sdc_base; /* instead of the preset's; 0: the preset's */
    bool check_release; /* attack the model file with the rows it was learned from: learns twice more */
    uint64_t seed;
    size_t threads;    /* 0: as many as there are cores */
    const char *keep;  /* comma-separated columns that are used though triage would leave them out */
    const char *kinds; /* comma-separated COLUMN=KIND: what these columns are, whatever they look like */
    size_t min_group;  /* groups of fewer labelled people are pooled or left out; 0: none are */
    const char
        *multiple; /* what parts several groups in one sensitive cell, "|"; NULL: a cell is one group */
} eqp_learn_options;

EQP_API void eqp_learn_options_init(eqp_learn_options *options);
/* The names that an option takes, the usual one first; NULL past the last.  Options are "method", "oracle",
 * "solver" and "prefer" of learning and "dialect" of exports.  `summary`, when not NULL, is set to one line
 * about the name. Both belong to the library. */
EQP_API const char *eqp_option_choice(const char *option, size_t index, const char **summary);
/* What each column is, before anything is learned: its kind, what it discloses by itself, and whether a rule
 * would use it.  Of the options it reads the columns, groups and budget; without `sensitive` nothing is said
 * about disclosure.  The report's JSON is in docs/json.md. */
EQP_API eqp_status eqp_inspect(const eqp_table *table, const eqp_learn_options *options,
                               const eqp_watch *watch, eqp_report **report, eqp_error *error);
EQP_API eqp_status eqp_learn(const eqp_table *table, const eqp_learn_options *options, const eqp_watch *watch,
                             eqp_model **model, eqp_report **report, eqp_error *error);

/* ---- studies ----------------------------------------------------------------------------------------- */

typedef struct eqp_study_options {
    eqp_learn_options learn;
    const double *budgets; /* NULL: 0.1 … 1 (frontier), 0 … 1 (compare) */
    size_t budget_count;
    const double *yields; /* frontier only; NULL: ten from 0.5 % to 50 % */
    size_t yield_count;
    bool labels;         /* frontier only: also what more labels would bring at the knee; learns 20 times */
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
    const char *const *sensitive; /* "ATTRIBUTE=COLUMN" where a column of the model has another name in the
                                   * table; naming an attribute of the model changes nothing.  With a proxy:
                                   * the sensitive columns */
    size_t sensitive_count;
    const char *const *about; /* look at these attributes instead of the model's: figures, no certificate */
    size_t about_count;
    const char *weight;
    const char *cluster;      /* column that says which rows are of one person; or NULL */
    const char *proxy;        /* audit this column instead of a model */
    double max_disclosure;    /* NaN: the model's own budget */
    double confidence;        /* of the certificate */
    bool require_certificate; /* fail unless certified */
    bool anytime;             /* bounds that hold at every look while labels arrive in batches */
    unsigned attempt;         /* 1 for the first audit with these labels, then 2, 3, … */
    unsigned releases;        /* how many releases there have been, for `composed` of the report */
    size_t threads;
    const char *attempt_log; /* append-only file from which the attempt is counted too; NULL: beside the
                              * certificate, where one is asked for */
    const char *certificate; /* write a certificate there; or NULL */
    const char *signing_key; /* file of the key that signs it; or NULL */
    const char *held_by;     /* who holds the labels, stated in the certificate; or NULL */
    const char *delete_by;   /* YYYY-MM-DD: when they are deleted at the latest, stated there too; or NULL */
    const char *sdc;         /* disclosure control: default, strict, none; NULL: default */
    unsigned sdc_threshold, sdc_base; /* instead of the preset's; 0: the preset's */
    const eqp_model *const *further; /* audited jointly with the first: what do all outcomes tell together? */
    size_t further_count;            /* at most 11 */
    bool permanent;                  /* they draw by key and id alone (--draws permanent), not each anew */
    const char *quotas;              /* a table of quotas: what do rule and quotas tell together? or NULL */
    size_t size;                     /* seats of the panel that keeps them */
    const char *multiple; /* what parts several groups in one cell; of a model's own attributes it says so */
} eqp_audit_options;

EQP_API void eqp_audit_options_init(eqp_audit_options *options);
/* Attributes, groups and budget come from the model.  EQP_DATA without labels, and for the rows that the rule
 * was learned from.  `model` may be NULL when a proxy column is audited. */
EQP_API eqp_status eqp_audit(const eqp_model *model, const eqp_table *table, const eqp_audit_options *options,
                             const eqp_watch *watch, eqp_report **report, eqp_error *error);

/* Whether the population has moved since the rule was learned; no labels needed.  The report passes when it
 * has not.  `sdc` as above. */
EQP_API eqp_status eqp_model_drift(const eqp_model *model, const eqp_table *table, const char *sdc,
                                   size_t threads, eqp_report **report, eqp_error *error);

/* Whether a certificate file is unchanged, certified, about this model, signed by `signer` (the file FILE.pub
 * of a signing key; NULL: by anybody or nobody) and, with the labelled `table`, whether its figures are found
 * again. The report passes when all of that holds and records or signer were given, as without either nothing
 * vouches for the figures; its "difference" names what does not hold. */
EQP_API eqp_status eqp_certificate_check(const char *path, const eqp_model *model, const eqp_table *table,
                                         const char *signer, eqp_report **report, eqp_error *error);

/* The labelled records of a certificate, with its sensitive columns read as texts. */
EQP_API eqp_status eqp_certificate_read_table(const char *path, const char *records,
                                              const eqp_read_options *reading, eqp_table **table,
                                              eqp_error *error);

/* A new pair of keys for signatures: `path`, mode 0600, and `path`.pub. */
EQP_API eqp_status eqp_signing_key_create(const char *path, eqp_error *error);

/* ---- keys, decisions --------------------------------------------------------------------------------- */

typedef struct eqp_key {
    char hex[65]; /* 64 lower-case hexadecimal digits */
} eqp_key;

EQP_API eqp_status eqp_key_make(eqp_key *key, eqp_error *error);       /* fresh, from the system */
EQP_API eqp_status eqp_key_create(const char *path, eqp_error *error); /* new file, mode 0600 */
/* Keys whose digits repeat, as typed ones do, are refused. */
EQP_API eqp_status eqp_key_read(const char *path, eqp_key *key, eqp_error *error);
EQP_API eqp_status eqp_key_parse(const char *digits, eqp_key *key, eqp_error *error);
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

/* What was met while the records of a stream were decided. */
typedef struct eqp_met {
    size_t rows;
    uint64_t missing_cells, unseen_levels; /* of the columns that the model reads */
    uint64_t repeated_ids;                 /* records whose id an earlier one had */
    bool repeats_exact; /* false: there were too many ids to remember, and more may repeat */
    char missing_columns[256], unseen_columns[256]; /* "city (2300), job (44)": those with most such cells */
} eqp_met;

/* The same for records of an Arrow stream, without a table in between: read as `filter` reads a file, with
 * the model's marks of missing cells.  Consumes and releases the stream.  `id` names a column; NULL draws by
 * the model's columns.  `permanent` draws by key and id alone, as eqp_filter_options has it.  `*accepted`
 * gets `met->rows` outcomes, to be freed with eqp_outcomes_free. */
EQP_API eqp_status eqp_model_decide_arrow(const eqp_model *model, struct ArrowArrayStream *stream,
                                          const char *id, const eqp_key *key, bool permanent, size_t threads,
                                          const eqp_watch *watch, bool **accepted, eqp_met *met,
                                          eqp_error *error);
EQP_API void eqp_outcomes_free(bool *accepted);
/* The chances of such records, to be freed with eqp_probabilities_free. */
EQP_API eqp_status eqp_model_probabilities_arrow(const eqp_model *model, struct ArrowArrayStream *stream,
                                                 size_t threads, const eqp_watch *watch, double **chances,
                                                 eqp_met *met, eqp_error *error);
EQP_API void eqp_probabilities_free(double *chances);

/* ---- streams ----------------------------------------------------------------------------------------- */

typedef struct eqp_filter_options {
    eqp_read_options read;
    const char *id;  /* column that names a record */
    bool by_content; /* draw by the model's columns instead: who changes a record gets a fresh draw */
    bool permanent;  /* draws keyed by key and id alone: the same for a rule that is learned anew */
    bool append;     /* add equipoise_probability */
    bool excel_safe; /* quote cells that a spreadsheet would run */
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
    const char *one_per;         /* comma-separated columns that together name a household; or NULL */
    const char *quotas;          /* table feature,value,min,max of columns that the pool has; or NULL */
    const char *avoid;           /* file with the ids of earlier cohorts, who are left out; or NULL */
    const char *selected;        /* NULL: standard output */
    const char *alternates_file; /* NULL: not written */
    const char *remaining;       /* NULL: not written */
    const char *parts;           /* write a partial result for eqp_merge instead; or NULL */
} eqp_select_options;

EQP_API void eqp_select_options_init(eqp_select_options *options);
EQP_API eqp_status eqp_select(const eqp_model *model, const eqp_key *key, const char *input,
                              const eqp_select_options *options, const eqp_watch *watch, eqp_report **report,
                              eqp_error *error);
/* Parts are marked with the key, and merged by who holds it. */
EQP_API eqp_status eqp_merge(const char *const *parts, size_t part_count, const eqp_key *key,
                             const eqp_select_options *options, eqp_report **report, eqp_error *error);

typedef struct eqp_plan_options {
    size_t size, alternates;
    double response;   /* share of those invited who come into the pool; 1: the pool is there */
    double drop_out;   /* share of those with a seat who give it back */
    double confidence; /* of the intervals and of the certificate */
} eqp_plan_options;

EQP_API void eqp_plan_options_init(eqp_plan_options *options);
/* Candidates, invitations and alternates needed for a cohort, and labels needed for a certificate at the
 * model's budget. */
EQP_API eqp_status eqp_plan(const eqp_model *model, const eqp_plan_options *options, eqp_report **report,
                            eqp_error *error);
/* Labels needed for an imbalance on unseen rows, from the learning curve of the labelled rows of a table:
 * rules learned from parts of them.  Intervals hold with the confidence, which is that of nothing else. */
EQP_API eqp_status eqp_plan_labels(const eqp_table *table, const eqp_learn_options *options, double imbalance,
                                   double confidence, const eqp_watch *watch, eqp_report **report,
                                   eqp_error *error);

/* ---- draws that others can check --------------------------------------------------------------------- */

/* Everything that a draw depends on, published before it. */
typedef struct eqp_commit_options {
    eqp_select_options select; /* id, size, alternates, one_per, quotas, avoid, marks, draws; no outputs */
    const char *randomness;    /* the source of public randomness that nobody knows yet; or NULL, and then */
    bool no_randomness;        /* true: the organiser could have tried keys, which is said everywhere */
    const char *randomness_form; /* numbers, numbers:6, hex, hex:128; NULL: numbers */
    const char *randomness_time; /* when it will be known: 2026-05-01T20:00Z; NULL: not stated */
    const char *model_file;      /* under which name the model is kept beside the commitment; or NULL */
    const char *log;             /* only ever added to, by holders of the key; or NULL */
    const char *output;          /* the commitment, as JSON; or NULL */
} eqp_commit_options;

EQP_API void eqp_commit_options_init(eqp_commit_options *options);
EQP_API eqp_status eqp_commit(const eqp_model *model, const eqp_key *key, const char *input,
                              const eqp_commit_options *options, eqp_report **report, eqp_error *error);

/* A draw that was committed to: all that it depends on comes from the commitment. */
typedef struct eqp_draw_options {
    const char *commitment;
    const char *randomness;      /* its value, in any spelling; NULL where none was announced */
    const char *log;             /* NULL: the file that the commitment names, beside it */
    const char *avoid;           /* the ids that were committed to; or NULL */
    const char *const *declined; /* ids of those who declined, one file per round; or NULL */
    size_t declined_count;
    const char *selected;        /* written by select and replace, NULL: standard output; read by verify */
    const char *alternates_file; /* likewise; NULL: none */
    const char *remaining;       /* NULL: not written */
    const char *page;            /* written by publish; compared by verify, or NULL */
    const char *tickets;         /* publish: a table id,ticket, for the people it names alone; or NULL */
    bool excel_safe;
    size_t threads;
} eqp_draw_options;

EQP_API void eqp_draw_options_init(eqp_draw_options *options);
/* In all four `model` may be NULL: the file that the commitment names, beside it. */
EQP_API eqp_status eqp_select_committed(const eqp_model *model, const eqp_key *key, const char *input,
                                        const eqp_draw_options *options, const eqp_watch *watch,
                                        eqp_report **report, eqp_error *error);
/* The panel after those who declined have left and the next in rank have taken their seats. */
EQP_API eqp_status eqp_replace(const eqp_model *model, const eqp_key *key, const char *input,
                               const eqp_draw_options *options, const eqp_watch *watch, eqp_report **report,
                               eqp_error *error);
/* Whether `selected` holds the people of the draw, whatever its order, columns and line ends. */
EQP_API eqp_status eqp_verify(const eqp_model *model, const eqp_key *key, const char *input,
                              const eqp_draw_options *options, eqp_report **report, eqp_error *error);
/* One HTML page on which anybody recomputes the draw, without anybody's data. */
EQP_API eqp_status eqp_publish(const eqp_model *model, const eqp_key *key, const char *input,
                               const eqp_draw_options *options, eqp_report **report, eqp_error *error);

/* ---- export ------------------------------------------------------------------------------------------ */

typedef struct eqp_export_options {
    const char *dialect; /* postgresql, duckdb, sqlite, clickhouse, spark, bigquery, c, json */
    const char *table;   /* NULL: "records" */
    const char *id;      /* column that names a record */
    const char *form;    /* statement, select, view, function, predicate, part, counts; NULL: statement */
    const char *name;    /* of the view or function */
    size_t size;         /* exact-size form when not 0 */
    const eqp_key *key;  /* inlined when given; NULL: a placeholder */
    bool permanent;      /* draws keyed by key and id alone */
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
