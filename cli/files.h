/* Output files: refused before the work where they could not be written after it, written whole or not at
 * all. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include "equipoise.h"

/* Whether `output` could be created or replaced, and is neither a file of `inputs` (by name, link or symlink)
 * nor a directory.  NULL and "-" are standard output.  Ends of the lists: NULL entries are skipped. */
eqp_status files_check_output(const char *output, const char *const *inputs, size_t input_count,
                              eqp_error *error);

/* Several outputs of one command: each as above, and no two the same. */
eqp_status files_check_outputs(const char *const *outputs, size_t output_count, const char *const *inputs,
                               size_t input_count, eqp_error *error);

/* A whole text, or the old file.  NULL and "-" are standard output. */
eqp_status files_write_text(const char *path, const char *text, eqp_error *error);

#endif
