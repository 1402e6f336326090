/* The method table.  A new method is a folder of its own and a row here. */
#include "method/methods.h"

#include "oracle/oracle.h"
#include "table/table.h"
#include "tree/tree.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* In the order in which people see them; the first is the usual one. */
#define METHOD_ROWS(ROW)                                                                                     \
    ROW(direct)                                                                                              \
    ROW(publishable)                                                                                         \
    ROW(tree)                                                                                                \
    ROW(paper)                                                                                               \
    ROW(qp_logit)                                                                                            \
    ROW(qp_cart)                                                                                             \
    ROW(naive_logit)                                                                                         \
    ROW(naive_cart)                                                                                          \
    ROW(smote)

#define DECLARE(method) extern const eqp_method eqp_method_##method;
#define ADDRESS(method) &eqp_method_##method,
METHOD_ROWS(DECLARE)
static const eqp_method *const METHODS[] = {METHOD_ROWS(ADDRESS)};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS, MOST_NAMES = 64 };

const eqp_method *eqp_method_at(size_t index)
{
    return index < METHOD_COUNT ? METHODS[index] : NULL;
}

/* ---- names ------------------------------------------------------------------------------------------- */

static const char *method_name(size_t index, const char **summary)
{
    if (index >= METHOD_COUNT) return NULL;
    *summary = METHODS[index]->summary;
    return METHODS[index]->name;
}

/* What the choice of a yield makes more of. */
static const char *preference_name(size_t index, const char **summary)
{
    static const char *const NAMES[][2] = {
        {EQP_PREFER_BALANCE, "the lowest imbalance on unseen rows"},
        {EQP_PREFER_YIELD, "the largest yield within one standard error of it"},
    };
    if (index >= sizeof NAMES / sizeof *NAMES) return NULL;
    *summary = NAMES[index][1];
    return NAMES[index][0];
}

typedef const char *(*name_table)(size_t index, const char **summary);

static name_table table_of(const char *option)
{
    if (strcmp(option, "method") == 0) return method_name;
    if (strcmp(option, "oracle") == 0) return eqp_oracle_name;
    if (strcmp(option, "prefer") == 0) return preference_name;
    return strcmp(option, "solver") == 0 ? eqp_split_solver_name : NULL;
}

const char *eqp_learn_choice(const char *option, size_t index, const char **summary)
{
    const char *unused;
    name_table name = table_of(option);
    return name != NULL ? name(index, summary != NULL ? summary : &unused) : NULL;
}

/* EQP_USAGE with the nearest name where the word is not one of the option's. */
static eqp_status check_word(const char *option, const char *word, eqp_error *error)
{
    const char *names[MOST_NAMES], *name;
    size_t count = 0;
    if (word == NULL) return eqp_fail(error, EQP_USAGE, "no %s is given", option);
    for (; count < MOST_NAMES && (name = eqp_learn_choice(option, count, NULL)) != NULL; count++) {
        if (strcmp(name, word) == 0) return EQP_OK;
        names[count] = name;
    }
    eqp_fail(error, EQP_USAGE, "unknown %s \"%s\"", option, word);
    const char *near = eqp_nearest_name(word, names, count);
    if (near != NULL) eqp_hint(error, "did you mean \"%s\"?", near);
    return EQP_USAGE;
}

const eqp_method *eqp_method_find(const char *name, eqp_error *error)
{
    if (check_word("method", name, error) != EQP_OK) return NULL;
    size_t i = 0;
    while (strcmp(METHODS[i]->name, name) != 0) i++;
    return METHODS[i];
}

/* ---- options that not every method takes ------------------------------------------------------------- */

/* A method that asks no oracle takes the usual name for none. */
static bool takes_oracle(const eqp_method *method, const char *oracle)
{
    if (method->takes_oracle != NULL) return method->takes_oracle(oracle);
    return strcmp(oracle, eqp_learn_choice("oracle", 0, NULL)) == 0;
}

static const char *own_choice(const char *option, const char *usual, const char *given)
{
    if (given != NULL) return given;
    return usual != NULL ? usual : eqp_learn_choice(option, 0, NULL);
}

const char *eqp_method_oracle(const eqp_method *method, const char *given)
{
    return own_choice("oracle", method->usual_oracle, given);
}

const char *eqp_method_solver(const eqp_method *method, const char *given)
{
    return own_choice("solver", method->usual_solver, given);
}

eqp_status eqp_method_check_oracle(const eqp_method *method, const char *given, eqp_error *error)
{
    const char *oracle = eqp_method_oracle(method, given);
    eqp_status status = check_word("oracle", oracle, error);
    if (status != EQP_OK || takes_oracle(method, oracle)) return status;
    eqp_fail(error, EQP_USAGE, "the method \"%s\" has no oracle \"%s\"", method->name, oracle);
    for (size_t i = 0; i < METHOD_COUNT; i++)
        if (takes_oracle(METHODS[i], oracle)) {
            eqp_hint(error, "use --method %s, or another oracle", METHODS[i]->name);
            break;
        }
    return EQP_USAGE;
}

eqp_status eqp_method_check_solver(const eqp_method *method, const char *given, eqp_error *error)
{
    const char *solver = eqp_method_solver(method, given);
    eqp_status status = check_word("solver", solver, error);
    if (status != EQP_OK || method->solver || strcmp(solver, eqp_learn_choice("solver", 0, NULL)) == 0)
        return status;
    return eqp_fail(error, EQP_USAGE, "the method \"%s\" has no solver \"%s\"", method->name, solver);
}

/* Refuses an option unless the flag of the method's row at `flag` says that it is taken. */
static eqp_status check_flag(const eqp_method *method, const char *option, size_t flag, eqp_error *error)
{
    size_t i = 0;
    if (*(const bool *)((const char *)method + flag)) return EQP_OK;
    while (i < METHOD_COUNT && !*(const bool *)((const char *)METHODS[i] + flag)) i++;
    eqp_fail(error, EQP_USAGE, "the method \"%s\" has no option \"%s\"", method->name, option);
    if (i < METHOD_COUNT) eqp_hint(error, "use the method \"%s\"", METHODS[i]->name);
    return EQP_USAGE;
}

/* What a method does not do is refused rather than left out in silence. */
eqp_status eqp_method_check(const eqp_method *method, const eqp_learn_options *options, eqp_error *error)
{
    if (method->sweep == NULL) {
        eqp_fail(error, EQP_USAGE, "the method \"%s\" makes rows and gives no rule", method->name);
        eqp_hint(error, "use it with compare");
        return EQP_USAGE;
    }
    eqp_status status = EQP_OK;
    if (options->prefer != NULL) status = check_word("prefer", options->prefer, error);
    if (status == EQP_OK && options->prefer != NULL)
        status = check_flag(method, "prefer", offsetof(eqp_method, cross_fits), error);
    if (status == EQP_OK && options->strict)
        status = check_flag(method, "strict", offsetof(eqp_method, strict), error);
    if (status == EQP_OK && options->confidence > 0)
        status = check_flag(method, "confidence", offsetof(eqp_method, confidence), error);
    if (status == EQP_OK && !isnan(options->max_ratio))
        status = check_flag(method, "max-ratio", offsetof(eqp_method, limits), error);
    if (status == EQP_OK && !isnan(options->min_chance))
        status = check_flag(method, "min-chance", offsetof(eqp_method, limits), error);
    if (status == EQP_OK && options->protect != NULL)
        status = check_flag(method, "protect", offsetof(eqp_method, limits), error);
    if (status == EQP_OK && options->relaxed)
        status = check_flag(method, "relaxed", offsetof(eqp_method, relaxed), error);
    if (status == EQP_OK) status = eqp_method_check_oracle(method, options->oracle, error);
    return status == EQP_OK ? eqp_method_check_solver(method, options->solver, error) : status;
}
