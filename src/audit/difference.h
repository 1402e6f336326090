/* One leaf, one group: how far the group's share in the leaf is above its share everywhere (M11).
 *
 * With m the share of rows in the leaf, p1 and p0 the group's shares inside and outside of it,
 *
 *     A - r = (1 - m) (p1 - p0)
 *
 * so leaf and base rate are not bounded apart, as if their errors could both be at their worst, but together.
 */
#ifndef EQP_AUDIT_DIFFERENCE_H
#define EQP_AUDIT_DIFFERENCE_H

#include <stdbool.h>

/* Rows in all, in the leaf, of the group in the leaf, of the group outside of it.  May be fractional. */
typedef struct eqp_fourfold {
    double rows, leaf, hits, rest_hits;
} eqp_fourfold;

/* The same for everybody who is not in the group: the other side of the same difference. */
eqp_fourfold eqp_fourfold_others(eqp_fourfold table);

/* Whether these counts refute that A - r is `shift` or more; wrongly with chance at most `error`. */
bool eqp_shift_refuted(const eqp_fourfold *table, double shift, double error);

/* The least shift, from `least` on, above which all are refuted; missed with chance at most `error`. */
double eqp_shift_upper(const eqp_fourfold *table, double least, double error);

/* The same two at every look while rows arrive. */
bool eqp_shift_refuted_always(const eqp_fourfold *table, double shift, double error);
double eqp_shift_upper_always(const eqp_fourfold *table, double least, double error);

/* Bounds on a share that hold at every look while rows arrive (Robbins' mixture), one-sided. */
double eqp_share_upper_always(double hits, double trials, double error);
double eqp_share_lower_always(double hits, double trials, double error);

#endif
