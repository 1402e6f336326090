/* Statistical disclosure control: what a report about few people may say.
 *
 * Every count behind a published figure is rounded at random to a multiple of `base`, up or down, so that its
 * expectation stays; the choice is keyed by the rows without their sensitive columns.  So
 *
 * - the same rows give the same report: asking again averages nothing away;
 * - without one person all choices are made anew: the difference of two reports is their noise;
 * - whoever knows all of a file but one group finds the same choices for every guess.
 *
 * Counts below `threshold`, zeros included, are withheld: as a rounded count may be `base` too high, all that
 * are below the sum of both.  A count that is told is at least `threshold`.  Figures, verdicts and exit codes
 * are computed from the rounded counts alone, so nothing that is published tells more than these counts. */
#ifndef EQP_BASE_SDC_H
#define EQP_BASE_SDC_H

#include "base/status.h"

typedef struct eqp_sdc {
    const char *name;       /* of the preset: "default", "strict", "none" */
    double threshold, base; /* 0 and 0: nothing is hidden */
} eqp_sdc;

/* A preset by name (NULL: "default"), with its threshold or base replaced where they are not 0. */
eqp_status eqp_sdc_from(const char *name, unsigned threshold, unsigned base, eqp_sdc *sdc, eqp_error *error);

static inline bool eqp_sdc_hides(const eqp_sdc *sdc)
{
    return sdc->base > 0;
}

/* The count as it may be told; `what` numbers the counts of a report. */
double eqp_sdc_count(const eqp_sdc *sdc, uint64_t key, uint64_t what, double count);
/* The next multiple of the base below: how many records at least. */
double eqp_sdc_floor(const eqp_sdc *sdc, double count);
/* Whether a rounded count is withheld. */
bool eqp_sdc_withholds(const eqp_sdc *sdc, double rounded);
/* What a withheld count is taken for where a figure needs one: the middle of what is withheld, the same
 * whatever it was. */
double eqp_sdc_nominal(const eqp_sdc *sdc);

/* A figure over so many records, as a multiple of what `base` records change in it; the second rounds up, for
 * bounds.  NaN where that is more than a tenth. */
double eqp_sdc_figure(const eqp_sdc *sdc, double figure, double records);
double eqp_sdc_figure_up(const eqp_sdc *sdc, double figure, double records);

/* Base rates as they may be told; a withheld one is replaced by a nominal rate below the threshold. */
void eqp_sdc_rates(const eqp_sdc *sdc, uint64_t key, double rows, const double *rate, size_t groups,
                   double *told);
/* Whether a rate among so many rows is that of something withheld. */
bool eqp_sdc_is_nominal(const eqp_sdc *sdc, double told, double rows);
/* Rates that sum to `whole` leave one that is withheld to be computed from the others: these are scaled to
 * leave it the nominal rate, whatever it was. */
void eqp_sdc_leave_room(const eqp_sdc *sdc, double rows, double whole, double *told, size_t count);

/* An amount, keyed as for counts, by which a figure over so many records is moved before it is rounded: at
 * most half of what `base` records change in it; 0 where nothing is hidden. */
double eqp_sdc_offset(const eqp_sdc *sdc, uint64_t key, uint64_t what, double records);

/* A figure to a step of 1, 2 or 5 times a power of ten that is no finer than `base` records, so that budgets
 * stay themselves; never withheld. */
double eqp_sdc_neat(const eqp_sdc *sdc, double figure, double records);
/* The same, rounded up: what is uncertain never seems certain. */
double eqp_sdc_neat_up(const eqp_sdc *sdc, double figure, double records);

#endif
