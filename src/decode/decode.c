/* The conductor of decoding: a batch of records, feature by feature -> numbers and codes, then names.
 *
 * Where a cell comes from does not matter here: csv_cells.c answers for records of a file, arrow_cells.c for
 * records of an Arrow stream, both column by column over the batch. */
#include "decode/decoder.h"

#include <assert.h>

#define MANY_ODD 8 /* when more than one number in this many is odd, all bins are found by search */

/* Most numbers are whole: their bins come from a table, where the feature has one.  The odd ones are searched
 * for. */
static void find_bins(const eqp_decoder *decoder, const eqp_reading *reading, const double *numbers,
                      const eqp_batch *batch, uint32_t *codes)
{
    const eqp_bin_map *map = &reading->bins;
    if (map->most == 0 || batch->odd > batch->rows / MANY_ODD) {
        eqp_feature_bins(reading->feature, numbers, batch->rows, codes);
        return;
    }
    bool all = decoder->quick.bins(map, batch->whole, batch->rows, codes);
    for (size_t i = 0; !all && i < batch->rows; i++)
        if (batch->whole[i] > map->most) codes[i] = eqp_feature_bin(reading->feature, numbers[i]);
}

static void find_parts(const eqp_reading *reading, const double *days, size_t rows, uint32_t *codes)
{
    for (size_t i = 0; i < rows; i++) codes[i] = eqp_feature_part(reading->feature, reading->parts, days[i]);
}

/* Bins, or the parts of dates: of the numbers of the column's first feature, or of their own. */
static eqp_status decode_derived(const eqp_records *records, const eqp_reading *reading, eqp_batch *batch,
                                 uint32_t *codes, eqp_error *error)
{
    const double *numbers = reading->shares_numbers ? batch->block.numbers[reading->first] : batch->spare;
    eqp_status status =
        reading->shares_numbers ? EQP_OK : records->numbers(records, reading, batch, batch->spare, error);
    if (status != EQP_OK) return status;
    if (reading->feature->kind == EQP_FEATURE_BINS)
        find_bins(records->decoder, reading, numbers, batch, codes);
    else
        find_parts(reading, numbers, batch->rows, codes);
    return EQP_OK;
}

eqp_status eqp_decode(const eqp_records *records, eqp_batch *batch, eqp_error *error)
{
    const eqp_decoder *decoder = records->decoder;
    eqp_block *block = &batch->block;
    eqp_status status = EQP_OK;
    assert(records->rows <= EQP_BATCH_ROWS);
    batch->rows = block->rows = records->rows;
    for (size_t f = 0; f < decoder->encoding->feature_count && status == EQP_OK; f++) {
        const eqp_reading *reading = &decoder->readings[f];
        switch (reading->feature->kind) {
        case EQP_FEATURE_LEVELS:
            status = reading->feature->part == EQP_NO_PART
                         ? records->levels(records, reading, batch, block->codes[f], error)
                         : decode_derived(records, reading, batch, block->codes[f], error);
            break;
        case EQP_FEATURE_NUMBER:
            status = records->numbers(records, reading, batch, block->numbers[f], error);
            break;
        case EQP_FEATURE_BINS:
            status = decode_derived(records, reading, batch, block->codes[f], error);
        }
    }
    return status == EQP_OK ? records->names(records, batch, error) : status;
}
