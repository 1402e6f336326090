/* What must hold of a model before any row is put through it, wherever its parts come from.  After these
 * checks evaluation needs none of its own: indices are in range, every walk ends, numbers are finite. */
#include "base/dictionary.h"
#include "base/memory.h"
#include "model/model_format.h"
#include "table/utf8.h"

#include <math.h>
#include <string.h>

static bool is_word(const char *word)
{
    size_t length = word != NULL ? strnlen(word, EQP_MODEL_MAX_WORD + 1) : 0;
    return word != NULL && length <= EQP_MODEL_MAX_WORD && eqp_is_utf8(word, length);
}

static bool is_share(double value)
{
    return value >= 0 && value <= 1;
}

static bool all_shares(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_share(values[i])) return false;
    return true;
}

/* ---- provenance -------------------------------------------------------------------------------------- */

static bool is_digest(const char *text)
{
    return strlen(text) == strspn(text, "0123456789abcdef") && (strlen(text) == 64 || text[0] == '\0');
}

static bool are_limits(const eqp_provenance *from)
{
    bool ratio = from->max_ratio == 0 || (from->max_ratio > 1 && isfinite(from->max_ratio));
    bool distortion = from->max_distortion >= 0 && isfinite(from->max_distortion);
    return ratio && distortion && is_share(from->min_chance) && is_word(from->protect) &&
           (from->max_distortion > 0) == (from->protect[0] != '\0');
}

eqp_status eqp_provenance_check(const eqp_provenance *from, eqp_error *error)
{
    if (!is_word(from->version) || !is_word(from->method) || !is_word(from->oracle) || !is_word(from->solver))
        return eqp_fail(error, EQP_DATA, "model, provenance: a text is missing, too long or not UTF-8");
    if (!is_share(from->max_disclosure))
        return eqp_fail(error, EQP_DATA, "model, provenance: \"max_disclosure\" is not between 0 and 1");
    if (!are_limits(from))
        return eqp_fail(error, EQP_DATA, "model, provenance: a ratio, least chance or distortion is wrong");
    if (!(from->spread >= 0) || isinf(from->spread))
        return eqp_fail(error, EQP_DATA, "model, provenance: \"spread\" is negative or not finite");
    if (!isnan(from->confidence) && !is_share(from->confidence))
        return eqp_fail(error, EQP_DATA, "model, provenance: \"confidence\" is not between 0 and 1");
    if (!is_digest(from->data_digest))
        return eqp_fail(error, EQP_DATA, "model, provenance: \"data\" is not a digest");
    return EQP_OK;
}

/* ---- features ---------------------------------------------------------------------------------------- */

static const char *wrong_with_levels(const eqp_feature *feature)
{
    if (feature->levels == NULL || feature->shares == NULL) return "has no levels";
    for (uint32_t i = 0; i < feature->level_count; i++) {
        if (!is_word(feature->levels[i])) return "has a level that is too long or not UTF-8";
        if (i > 0 && strcmp(feature->levels[i - 1], feature->levels[i]) >= 0)
            return "has levels that are not sorted and distinct";
    }
    return NULL;
}

static const char *wrong_with_bins(const eqp_feature *feature)
{
    if (feature->level_count == 0 || feature->cuts == NULL || feature->shares == NULL) return "has no bins";
    for (uint32_t i = 0; i + 1 < feature->level_count; i++) {
        if (!isfinite(feature->cuts[i])) return "has a cut that is not finite";
        if (i > 0 && !(feature->cuts[i - 1] < feature->cuts[i])) return "has cuts that do not rise";
    }
    return NULL;
}

/* Executors find the level of a month or weekday by its name. */
static const char *wrong_with_parts(const eqp_feature *feature)
{
    uint32_t count;
    const char *const *names = eqp_part_names(feature->part, &count);
    for (uint32_t i = 0; i < feature->level_count; i++) {
        bool known = false;
        for (uint32_t p = 0; p < count; p++) known = known || strcmp(feature->levels[i], names[p]) == 0;
        if (!known) return "has a level that is not a part of a date";
    }
    return NULL;
}

static const char *wrong_with_date(const eqp_feature *feature)
{
    bool date = feature->date != EQP_NO_DATE, part = feature->part != EQP_NO_PART;
    if ((unsigned)feature->date >= EQP_DATE_ORDERS || (unsigned)feature->part >= EQP_DATE_PARTS)
        return "has an unknown form of date";
    return part == (date && feature->kind == EQP_FEATURE_LEVELS) ? NULL : "has a part of a date, or lacks it";
}

static const char *wrong_with_feature(const eqp_feature *feature)
{
    const char *wrong = wrong_with_date(feature);
    if (!is_word(feature->name) || feature->name[0] == '\0') return "has no proper name";
    if (wrong != NULL) return wrong;
    if (!is_share(feature->missing_share) || !is_share(feature->alone))
        return "has a share that is not between 0 and 1";
    if (feature->kind == EQP_FEATURE_NUMBER) {
        if (!isfinite(feature->mean)) return "has a mean that is not finite";
        return feature->scale > 0 && isfinite(feature->scale) ? NULL : "has a scale that is not positive";
    }
    wrong = feature->kind == EQP_FEATURE_LEVELS ? wrong_with_levels(feature) : wrong_with_bins(feature);
    if (wrong == NULL && feature->part != EQP_NO_PART) wrong = wrong_with_parts(feature);
    if (wrong != NULL) return wrong;
    bool shares = all_shares(feature->shares, (size_t)feature->level_count + 2);
    return shares ? NULL : "has a share that is not between 0 and 1";
}

/* Number, bins, month, weekday. */
static int rank_of(const eqp_feature *feature)
{
    return feature->kind == EQP_FEATURE_NUMBER ? 0
           : feature->kind == EQP_FEATURE_BINS ? 1
                                               : 1 + (int)feature->part;
}

/* A column is read by one feature; by a number and its bins side by side; by some or all of a date's number,
 * bins, month and weekday. */
static bool may_follow(const eqp_encoding *encoding, size_t f)
{
    if (!eqp_feature_repeats(encoding, f)) return false;
    const eqp_feature *before = &encoding->features[f - 1], *feature = &encoding->features[f];
    bool coded = feature->kind == EQP_FEATURE_BINS || feature->part != EQP_NO_PART;
    return coded && before->date == feature->date && rank_of(before) < rank_of(feature);
}

static eqp_status check_distinct_columns(const eqp_encoding *encoding, eqp_error *error)
{
    eqp_dictionary *names = eqp_dictionary_new();
    eqp_status status = names != NULL ? EQP_OK : eqp_fail_memory(error);
    for (size_t f = 0; f < encoding->feature_count && status == EQP_OK; f++) {
        const char *name = encoding->features[f].name;
        uint32_t known = eqp_dictionary_size(names), code = eqp_dictionary_add(names, name, strlen(name));
        if (code == EQP_NO_CODE)
            status = eqp_fail_memory(error);
        else if (code != known && !may_follow(encoding, f))
            status = eqp_fail(error, EQP_DATA, "model, feature %zu: column \"%s\" is used twice", f, name);
    }
    eqp_dictionary_free(names);
    return status;
}

eqp_status eqp_encoding_check(const eqp_encoding *encoding, eqp_error *error)
{
    if (!is_word(encoding->missing_marks))
        return eqp_fail(error, EQP_DATA, "model: the marks of missing cells are too long or not UTF-8");
    if (encoding->decimal != '.' && encoding->decimal != ',')
        return eqp_fail(error, EQP_DATA, "model: the decimal mark is neither \".\" nor \",\"");
    if (encoding->feature_count > EQP_MODEL_MAX_FEATURES)
        return eqp_fail(error, EQP_DATA, "model: more than %d features", EQP_MODEL_MAX_FEATURES);
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const char *wrong = wrong_with_feature(&encoding->features[f]);
        if (wrong != NULL) return eqp_fail(error, EQP_DATA, "model, feature %zu: %s", f, wrong);
    }
    return check_distinct_columns(encoding, error);
}

/* ---- groups ------------------------------------------------------------------------------------------ */

static eqp_status check_column_names(const eqp_groups *groups, eqp_dictionary *names, eqp_error *error)
{
    for (size_t c = 0; c < groups->column_count; c++) {
        const char *name = groups->columns[c];
        if (!is_word(name) || name[0] == '\0')
            return eqp_fail(error, EQP_DATA, "model: a sensitive column has no proper name");
        uint32_t code = eqp_dictionary_add(names, name, strlen(name));
        if (code == EQP_NO_CODE) return eqp_fail_memory(error);
        if (code != c)
            return eqp_fail(error, EQP_DATA, "model: sensitive column \"%s\" is named twice", name);
    }
    return EQP_OK;
}

static eqp_status check_columns(const eqp_groups *groups, const eqp_encoding *encoding, eqp_error *error)
{
    if (groups->intersect && (groups->separator != NULL || groups->widths != NULL))
        return eqp_fail(error, EQP_DATA, "model: combinations of groups that overlap");
    if (groups->separator != NULL && (!is_word(groups->separator) || groups->separator[0] == '\0'))
        return eqp_fail(error, EQP_DATA, "model: the separator of groups is not a proper text");
    if (groups->column_count == 0 || (groups->intersect && groups->column_count < 2))
        return eqp_fail(error, EQP_DATA, "model: too few sensitive columns");
    if (groups->column_count > EQP_GROUPS_MAX)
        return eqp_fail(error, EQP_DATA, "model: more than %d sensitive columns", EQP_GROUPS_MAX);
    eqp_dictionary *names = eqp_dictionary_new();
    eqp_status status = names != NULL ? check_column_names(groups, names, error) : eqp_fail_memory(error);
    for (size_t f = 0; f < encoding->feature_count && status == EQP_OK; f++) {
        const char *name = encoding->features[f].name;
        if (eqp_dictionary_find(names, name, strlen(name)) != EQP_NO_CODE)
            status = eqp_fail(error, EQP_DATA, "model: sensitive column \"%s\" is among the features", name);
    }
    eqp_dictionary_free(names);
    return status;
}

static const char *wrong_with_group(const eqp_groups *groups, size_t k)
{
    const eqp_group *group = &groups->groups[k], *before = k > 0 ? group - 1 : NULL;
    if (!is_word(group->value)) return "has a value that is too long or not UTF-8";
    if (!is_share(group->target)) return "has a target that is not between 0 and 1";
    if (group->attribute >= groups->attribute_count) return "belongs to no attribute";
    if (before == NULL) return group->attribute == 0 ? NULL : "is out of order";
    if (before->attribute == group->attribute)
        return strcmp(before->value, group->value) < 0 ? NULL : "is not sorted, or occurs twice";
    return before->attribute + 1 == group->attribute ? NULL : "is out of order";
}

static eqp_status check_attribute(const eqp_groups *groups, size_t a, eqp_error *error)
{
    size_t count = 0;
    double sum = 0;
    for (size_t k = 0; k < groups->group_count; k++) {
        if (groups->groups[k].attribute != a) continue;
        sum += groups->groups[k].target;
        count++;
    }
    if (count < 2)
        return eqp_fail(error, EQP_DATA, "model: attribute \"%s\" has fewer than two groups",
                        groups->attributes[a]);
    if (!eqp_overlaps(groups, a) && fabs(sum - 1) > EQP_WEIGHT_SLACK)
        return eqp_fail(error, EQP_DATA, "model: the targets of \"%s\" do not sum to 1",
                        groups->attributes[a]);
    return EQP_OK;
}

eqp_status eqp_groups_check(const eqp_groups *groups, const eqp_encoding *encoding, eqp_error *error)
{
    eqp_status status = check_columns(groups, encoding, error);
    if (status != EQP_OK) return status;
    if (groups->group_count > EQP_GROUPS_MAX)
        return eqp_fail(error, EQP_DATA, "model: more than %d groups", EQP_GROUPS_MAX);
    for (size_t k = 0; k < groups->group_count; k++) {
        const char *wrong = wrong_with_group(groups, k);
        if (wrong != NULL) return eqp_fail(error, EQP_DATA, "model, group %zu: %s", k, wrong);
    }
    for (size_t a = 0; a < groups->attribute_count && status == EQP_OK; a++)
        status = check_attribute(groups, a, error);
    return status;
}
