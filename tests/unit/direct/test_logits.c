/* Logits of the cells: the fit has no slope left, a part left out counts as if it had never been there, and
 * held rows have no say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "direct/logits.h"
#include "direct_people.h"

#include <math.h>

typedef struct opened {
    eqp_table *table;
    eqp_training *training;
    eqp_direct_folds *folds;
    eqp_direct_logits *logits;
} opened;

static opened open_people(const people *p)
{
    opened o;
    eqp_learn_options options = options_of(0.2);
    options.method = "direct";
    options.oracle = "linear";
    options.solver = "exact";
    o.table = table_of(p);
    assert_int_equal(eqp_training_new(o.table, NULL, &options, (eqp_training_needs){.bins = true}, NULL,
                                      &o.training, NULL),
                     EQP_OK);
    assert_int_equal(eqp_direct_folds_new(o.training, 1, NULL, &o.folds, NULL), EQP_OK);
    assert_int_equal(eqp_direct_logits_new(o.folds, &o.logits, NULL), EQP_OK);
    assert_non_null(o.logits);
    return o;
}

static void close_people(opened *o)
{
    eqp_direct_logits_free(o->logits);
    eqp_direct_folds_free(o->folds);
    eqp_training_free(o->training);
    eqp_table_free(o->table);
}

/* Scores of a program with logits alone. */
static eqp_direct_scores *score(const opened *o, size_t held)
{
    size_t rows = o->folds->design->rows, cells = o->training->groups->cell_count;
    eqp_direct_scores *scores;
    assert_int_equal(
        eqp_direct_scores_new(rows, eqp_direct_folds_count(o->folds, held), cells, 0, &scores, NULL), EQP_OK);
    assert_int_equal(eqp_direct_logits_add(o->logits, held, scores, NULL), EQP_OK);
    return scores;
}

/* Mean log-loss of rows first … after-1 of the scores, which are rows at … of the folds. */
static double loss_of(const opened *o, const eqp_direct_scores *scores, size_t first, size_t after, size_t at)
{
    double loss = 0;
    for (size_t i = first; i < after; i++) {
        double total = 0;
        for (size_t e = 0; e < scores->cells; e++) total += exp((double)scores->score[e * scores->rows + i]);
        loss += log(total) - (double)scores->score[o->folds->cell[at + i - first] * scores->rows + i];
    }
    return loss / (double)(after - first);
}

/* The slope of the penalised loss by every coefficient of the fit that is deployed. */
static void the_fit_has_no_slope_left(void **state)
{
    (void)state;
    const double RIDGE = 12;
    people *p = make_people(21);
    opened o = open_people(p);
    eqp_direct_scores *scores = score(&o, EQP_NO_FOLD);
    const eqp_design *design = o.folds->design;
    size_t width = design->encoding->width, cells = scores->cells, largest = 0;
    double *fitted = eqp_alloc(design->rows, cells * sizeof *fitted),
           *slope = eqp_alloc_zero(width, cells * sizeof *slope);
    eqp_design_scores(design, scores->deployed[0], cells, 0, design->rows, fitted);
    for (size_t i = 0; i < design->rows; i++) {
        double total = 0;
        for (size_t e = 0; e < cells; e++) total += exp(fitted[i * cells + e]);
        for (size_t e = 0; e < cells; e++)
            fitted[i * cells + e] = exp(fitted[i * cells + e]) / total - (o.folds->cell[i] == e);
    }
    eqp_design_transpose(design, fitted, cells, 0, design->rows, slope);
    for (size_t e = 1; e < cells; e++) {
        double own = 0, top = 0;
        for (size_t i = 0; i < design->rows; i++)
            own += o.folds->cell[i] == e, top += o.folds->cell[i] == largest;
        if (own > top) largest = e;
    }
    for (size_t s = 0; s < width; s++)
        for (size_t e = 0; e < cells; e++) {
            double pull = s > 0 ? RIDGE * scores->deployed[0][s * cells + e] : 0;
            if (e == largest)
                assert_true(scores->deployed[0][s * cells + e] == 0);
            else
                assert_true(fabs(slope[s * cells + e] + pull) < 0.5); /* rows, of 1,500 */
        }
    free(fitted);
    free(slope);
    eqp_direct_scores_free(scores);
    close_people(&o);
    free(p);
}

/* Rows learned from are scored as unseen ones will be: their loss is that of held rows, which is larger than
 * the loss of the fit on its own rows. */
static void rows_are_scored_without_themselves(void **state)
{
    (void)state;
    double without = 0, held = 0, own = 0;
    for (uint64_t seed = 30; seed < 34; seed++) {
        people *p = make_people(seed);
        opened o = open_people(p);
        const eqp_design *design = o.folds->design;
        eqp_direct_scores *scores = score(&o, EQP_NO_FOLD);
        size_t cells = scores->cells, rows = design->rows;
        without += loss_of(&o, scores, 0, rows, 0);
        double *fitted = eqp_alloc(rows, cells * sizeof *fitted);
        eqp_design_scores(design, scores->deployed[0], cells, 0, rows, fitted);
        for (size_t i = 0; i < rows; i++)
            for (size_t e = 0; e < cells; e++) scores->score[e * rows + i] = (float)fitted[i * cells + e];
        own += loss_of(&o, scores, 0, rows, 0);
        eqp_direct_scores_free(scores);
        for (size_t f = 0; f < EQP_FOLDS; f++) {
            scores = score(&o, f);
            held += loss_of(&o, scores, scores->count, rows, o.folds->start[f]) / EQP_FOLDS;
            eqp_direct_scores_free(scores);
        }
        free(fitted);
        close_people(&o);
        free(p);
    }
    print_message("own rows %.4f, without themselves %.4f, held %.4f\n", own / 4, without / 4, held / 4);
    assert_true(own < without - 0.02);
    assert_true(fabs(without - held) < 0.25 * (held - own));
}

/* Other labels in a fold do not move the fit that leaves it out, but for what is left of the way there. */
static void held_rows_have_no_say(void **state)
{
    (void)state;
    people *p = make_people(40);
    opened o = open_people(p);
    eqp_direct_scores *before = score(&o, 2);
    size_t first = o.folds->start[2], count = o.folds->start[3] - first;
    uint32_t kept = o.folds->cell[first]; /* everybody gets the label of the next */
    memmove(o.folds->cell + first, o.folds->cell + first + 1, (count - 1) * sizeof kept);
    o.folds->cell[first + count - 1] = kept;
    eqp_direct_logits_free(o.logits);
    assert_int_equal(eqp_direct_logits_new(o.folds, &o.logits, NULL), EQP_OK);
    eqp_direct_scores *after = score(&o, 2);
    double square = 0, size = 0;
    for (size_t e = 0; e < before->cells; e++)
        for (size_t i = before->count; i < before->rows; i++) {
            double was = (double)before->score[e * before->rows + i],
                   is = (double)after->score[e * after->rows + i];
            square += (was - is) * (was - is);
            size += was * was;
        }
    print_message("moved by %.4f of the logits\n", sqrt(square / size));
    assert_true(sqrt(square / size) < 0.02);
    eqp_direct_scores_free(before);
    eqp_direct_scores_free(after);
    close_people(&o);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fit_has_no_slope_left),
        cmocka_unit_test(rows_are_scored_without_themselves),
        cmocka_unit_test(held_rows_have_no_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
