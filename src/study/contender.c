/* Comparison: which methods take part. */
#include "study/contender.h"

#include "base/memory.h"
#include "table/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const METHODS[] = {"direct",      "tree",       "qp-logit", "qp-cart",
                                      "naive-logit", "naive-cart", "smote"};
static const char *const ORACLES[] = {"linear", "prc", "stump", "boost"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS, ORACLE_COUNT = sizeof ORACLES / sizeof *ORACLES };
static const char ALL[] = "direct,tree,tree:prc,qp-logit,qp-cart,naive-logit,naive-cart,smote";

static const char *find(const char *const *known, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(known[i], word) == 0) return known[i];
    return NULL;
}

static eqp_status unknown(const char *what, const char *word, const char *const *known, size_t count,
                          eqp_error *error)
{
    const char *near = eqp_nearest_name(word, known, count);
    eqp_fail(error, EQP_USAGE, "unknown %s \"%s\"", what, word);
    if (near != NULL) eqp_hint(error, "did you mean \"%s\"?", near);
    return EQP_USAGE;
}

bool eqp_contender_is(const eqp_contender *contender, const char *method)
{
    return strcmp(contender->method, method) == 0;
}

/* Splits "method:oracle" in place of the word. */
static eqp_status parse(char *word, const eqp_learn_options *options, eqp_contender *contender,
                        eqp_error *error)
{
    snprintf(contender->name, sizeof contender->name, "%s", word);
    char *oracle = strchr(word, ':');
    if (oracle != NULL) *oracle++ = '\0';
    contender->method = find(METHODS, METHOD_COUNT, word);
    if (contender->method == NULL) return unknown("method", word, METHODS, METHOD_COUNT, error);
    contender->oracle = oracle != NULL ? find(ORACLES, ORACLE_COUNT, oracle) : options->oracle;
    if (contender->oracle == NULL) return unknown("oracle", oracle, ORACLES, ORACLE_COUNT, error);
    if (oracle != NULL && !eqp_contender_is(contender, "tree") && !eqp_contender_is(contender, "direct"))
        return eqp_fail(error, EQP_USAGE, "the method \"%s\" has no oracle", contender->method);
    return EQP_OK;
}

static bool is_listed(const eqp_contenders *contenders, const eqp_contender *one)
{
    for (size_t i = 0; i < contenders->count; i++)
        if (strcmp(contenders->list[i].method, one->method) == 0 &&
            strcmp(contenders->list[i].oracle, one->oracle) == 0)
            return true;
    return false;
}

static eqp_status parse_all(char *rest, const eqp_learn_options *options, eqp_contenders *contenders,
                            eqp_error *error)
{
    char *word;
    while ((word = strsep(&rest, ", ")) != NULL) {
        eqp_contender *next = &contenders->list[contenders->count];
        if (*word == '\0') continue;
        eqp_status status = parse(word, options, next, error);
        if (status != EQP_OK) return status;
        contenders->count += !is_listed(contenders, next);
    }
    if (contenders->count == 0) return eqp_fail(error, EQP_USAGE, "no method is given");
    return EQP_OK;
}

eqp_status eqp_contenders_from(const char *names, const eqp_learn_options *options,
                               eqp_contenders *contenders, eqp_error *error)
{
    if (names == NULL) names = ALL;
    char *text = eqp_copy_text(names, strlen(names));
    *contenders = (eqp_contenders){.list = eqp_alloc_zero(strlen(names) + 1, sizeof *contenders->list)};
    eqp_status status = text != NULL && contenders->list != NULL ? parse_all(text, options, contenders, error)
                                                                 : eqp_fail_memory(error);
    if (status != EQP_OK) eqp_contenders_free(contenders);
    free(text);
    return status;
}

void eqp_contenders_free(eqp_contenders *contenders)
{
    free(contenders->list);
    *contenders = (eqp_contenders){0};
}

eqp_learn_options eqp_contender_options(const eqp_contender *contender, const eqp_learn_options *options)
{
    eqp_learn_options own = *options;
    own.method = contender->method;
    own.oracle = contender->oracle;
    own.max_imbalance = NAN; /* a comparison shows what is reached and refuses nothing */
    if (!eqp_contender_is(contender, "direct")) {
        own.strict = false;
        own.confidence = NAN;
    }
    return own;
}
