/* The filter: a stream of records in, the accepted ones out, bytes unchanged, order kept, one pass. */
#ifndef EQP_FILTER_FILTER_H
#define EQP_FILTER_FILTER_H

#include "base/output.h"
#include "filter/decider.h"

/* Where accepted records go, piece by piece in the order of the file; a file, or a comparison with one. */
typedef struct eqp_sink {
    eqp_status (*write)(void *context, const void *bytes, size_t length, eqp_error *error);
    void *context;
} eqp_sink;
eqp_sink eqp_sink_to(eqp_output *output);

/* The whole work between an open input and an open sink. */
eqp_status eqp_filter_stream(eqp_decider *decider, const eqp_filter_options *options, const eqp_sink *sink,
                             const eqp_watch *watch, eqp_filter_stats *stats, eqp_error *error);

/* From file to file; refuses to overwrite its own input. */
eqp_status eqp_filter_run(const eqp_model *model, const eqp_key *key, const char *input, const char *output,
                          const eqp_filter_options *options, const eqp_watch *watch, eqp_filter_stats *stats,
                          eqp_error *error);

#endif
