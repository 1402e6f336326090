/* Comparison: which methods take part. */
#include "study/contender.h"

#include "base/buffer.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Added to every method with its usual oracle. */
static const char PRC_TREE[] = "tree:prc";

/* A choice in the table's own words, which outlive the name given. */
static const char *named(const char *option, const char *name)
{
    size_t i = 0;
    while (strcmp(eqp_learn_choice(option, i, NULL), name) != 0) i++;
    return eqp_learn_choice(option, i, NULL);
}

/* Splits "method:oracle" in place of the word.  Without an oracle of its own, a method has that of the
 * options where it takes it, else its usual one; so with the solver. */
static eqp_status parse(char *word, const eqp_learn_options *options, eqp_contender *contender,
                        eqp_error *error)
{
    snprintf(contender->name, sizeof contender->name, "%s", word);
    char *oracle = strchr(word, ':');
    if (oracle != NULL) *oracle++ = '\0';
    contender->method = eqp_method_find(word, error);
    if (contender->method == NULL) return EQP_USAGE;
    const eqp_method *method = contender->method;
    contender->oracle = named("oracle", eqp_method_oracle(method, NULL));
    const char *solver = method->solver ? options->solver : NULL;
    eqp_status status = eqp_method_check_solver(method, solver, error);
    if (status != EQP_OK) return status;
    contender->solver = named("solver", eqp_method_solver(method, solver));
    if (oracle != NULL && method->takes_oracle == NULL)
        return eqp_fail(error, EQP_USAGE, "the method \"%s\" has no oracle", word);
    const char *asked = oracle != NULL ? oracle : options->oracle;
    status = eqp_method_check_oracle(method, asked, error);
    if (status == EQP_OK) contender->oracle = named("oracle", eqp_method_oracle(method, asked));
    return oracle != NULL ? status : EQP_OK;
}

static bool is_listed(const eqp_contenders *contenders, const eqp_contender *one)
{
    for (size_t i = 0; i < contenders->count; i++)
        if (contenders->list[i].method == one->method && contenders->list[i].oracle == one->oracle)
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

/* Every method of the table; the tree with the paper's oracle stands behind ours. */
static eqp_status list_all(char **names, eqp_error *error)
{
    eqp_buffer text = {0};
    const eqp_method *method;
    for (size_t i = 0; (method = eqp_method_at(i)) != NULL; i++) {
        eqp_buffer_printf(&text, "%s,", method->name);
        if (strncmp(method->name, PRC_TREE, strlen(method->name)) == 0)
            eqp_buffer_printf(&text, "%s,", PRC_TREE);
    }
    return eqp_buffer_take(&text, names, error);
}

eqp_status eqp_contenders_from(const char *names, const eqp_learn_options *options,
                               eqp_contenders *contenders, eqp_error *error)
{
    char *text = NULL;
    *contenders = (eqp_contenders){0};
    eqp_status status = EQP_OK;
    if (names == NULL)
        status = list_all(&text, error);
    else if ((text = eqp_copy_text(names, strlen(names))) == NULL)
        status = eqp_fail_memory(error);
    if (status == EQP_OK) contenders->list = eqp_alloc_zero(strlen(text) + 1, sizeof *contenders->list);
    if (status == EQP_OK)
        status =
            contenders->list != NULL ? parse_all(text, options, contenders, error) : eqp_fail_memory(error);
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
    const eqp_method *method = contender->method;
    eqp_learn_options own = eqp_learn_options_for(method, options);
    own.oracle = contender->oracle;
    own.solver = contender->solver;
    own.max_imbalance = NAN; /* a comparison shows what is reached and refuses nothing */
    if (!method->strict) own.strict = false;
    if (!method->relaxed) own.relaxed = false;
    if (!method->confidence) own.confidence = 0;
    return own;
}
