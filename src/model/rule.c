/* The rule as an object. */
#include "model/rule.h"

#include "base/memory.h"

void eqp_score_clear(eqp_score *score)
{
    free(score->terms);
    free(score->tree_start);
    free(score->branches);
    *score = (eqp_score){0};
}

void eqp_rule_free(eqp_rule *rule)
{
    if (rule == NULL) return;
    for (size_t i = 0; rule->scores != NULL && i < rule->score_count; i++) eqp_score_clear(&rule->scores[i]);
    free(rule->scores);
    free(rule->components);
    free(rule->nodes);
    free(rule->accept);
    free(rule->share);
    free(rule);
}
