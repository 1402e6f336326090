/* What scores say of each row's cell, as chances (M9). */
#ifndef EQP_DIRECT_CHANCES_H
#define EQP_DIRECT_CHANCES_H

#include "direct/class_scores.h"

/* Fills rows->chance and rows->trust from the cross-fitted scores of the rows learned from. */
eqp_status eqp_direct_estimate_chances(const eqp_direct_scores *scores, eqp_direct_rows *rows,
                                       eqp_error *error);

#endif
