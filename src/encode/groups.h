/* Cells, groups, target (M1).  A labelled row lies in one cell; a cell belongs to one group of every
 * attribute (margins), to any number of them (an attribute whose groups overlap) or is itself the one group
 * (a single attribute, or intersect).  No other code knows the difference. */
#ifndef EQP_ENCODE_GROUPS_H
#define EQP_ENCODE_GROUPS_H

#include "base/memory.h"
#include "base/sdc.h"
#include "table/table.h"

#define EQP_GROUPS_MAX  1000    /* values of all attributes together */
#define EQP_CELLS_MAX   1000000 /* combinations of them */
#define EQP_OVERLAP_MAX 16      /* groups of one attribute that overlap */

typedef struct eqp_group {
    uint32_t attribute; /* index into eqp_groups.attributes */
    char *value;
    double target; /* U_k; sums to 1 over the groups of an attribute, unless they overlap */
} eqp_group;

typedef struct eqp_groups {
    size_t attribute_count;
    char **attributes;   /* column names; in intersect mode one, joined by " × " */
    bool intersect;      /* values are combinations of `columns`, joined by " × " */
    size_t column_count; /* the sensitive columns read */
    char **columns;
    uint32_t *widths;   /* columns of each attribute, more than one: a tick for each group; NULL: one each */
    char *separator;    /* of the groups in one cell, as in "Black|Hispanic"; NULL: a cell is one group */
    size_t min_group;   /* values of fewer people were pooled as EQP_OTHERS or left out; 0: none were */
    size_t group_count; /* K */
    eqp_group *groups;  /* attribute by attribute, values sorted bytewise */
    size_t cell_count;  /* E */
    uint32_t *membership;   /* groups of the cells, one cell after the other: the ones of M, rising */
    uint32_t *first_member; /* of each cell in `membership`, and its end; NULL: attribute_count per cell */
} eqp_groups;

/* The groups that a cell belongs to. */
typedef struct eqp_members {
    const uint32_t *group;
    size_t count;
} eqp_members;

static inline eqp_members eqp_members_of(const eqp_groups *groups, size_t cell)
{
    size_t first = cell * groups->attribute_count, count = groups->attribute_count;
    if (groups->first_member != NULL) {
        first = groups->first_member[cell];
        count = groups->first_member[cell + 1] - first;
    }
    return (eqp_members){groups->membership + first, count};
}

static inline bool eqp_is_member(const eqp_groups *groups, size_t cell, size_t group)
{
    eqp_members of = eqp_members_of(groups, cell);
    for (size_t m = 0; m < of.count; m++)
        if (of.group[m] == group) return true;
    return false;
}

/* Whether a person may be in several groups of the attribute, or in none. */
static inline bool eqp_overlaps(const eqp_groups *groups, size_t attribute)
{
    return groups->separator != NULL || (groups->widths != NULL && groups->widths[attribute] > 1);
}

/* Whether the cells at hand have people in several groups of the attribute, or in none. */
bool eqp_groups_shared(const eqp_groups *groups, size_t attribute);
/* eqp_sdc_leave_room for every attribute whose groups do not overlap. */
void eqp_groups_leave_room(const eqp_groups *groups, const eqp_sdc *sdc, double rows, double whole,
                           double *told);
/* The square of how far two compositions can be apart: 2 for each attribute, more where groups overlap. */
double eqp_groups_extent(const eqp_groups *groups);

/* Labelled rows: what learning and auditing sum over. */
typedef struct eqp_sample {
    const eqp_groups *groups;
    size_t rows;       /* labelled ones */
    eqp_arena arena;   /* of the arrays below */
    size_t *row;       /* their rows in the table */
    uint32_t *cell;    /* of each labelled row */
    double *weight;    /* p_i of each, sums to 1 */
    double *base_rate; /* r_k of each group */
    size_t unlabelled; /* rows left out because their sensitive value is missing */
    bool weighted;     /* design weights were given */
} eqp_sample;

/* Of an attribute whose groups overlap every text is a set of groups. */
typedef struct eqp_label_sets {
    eqp_dictionary *parts; /* the groups' texts */
    uint32_t *first;       /* of each text in `part`, and its end */
    uint32_t *part;        /* codes in `parts`, in the order of their texts */
} eqp_label_sets;

/* The sensitive values of a table's rows, column by column, as codes of texts; numbers as their shortest
 * decimal.  Read once, for finding groups and for placing rows in them. */
typedef struct eqp_labels {
    const eqp_table *table; /* borrowed, as are the names */
    const char *const *columns;
    size_t read_count;            /* columns */
    const char *const *names;     /* of the attributes */
    const char *const *ticks;     /* [column]: the group that a tick in it means */
    size_t rows, column_count;    /* of the attributes: as many as columns, or fewer where some are ticks */
    eqp_arena arena;              /* of the arrays below, and of codes of numbers */
    const uint32_t **codes;       /* [column][row]; EQP_NO_CODE where missing */
    const eqp_dictionary **texts; /* [column] */
    eqp_dictionary **own_texts;   /* [column]: made here from numbers, or NULL */
    eqp_label_sets **sets;        /* [column]: of the texts of an attribute whose groups overlap, or NULL */
    const uint32_t *widths;       /* as in eqp_groups; borrowed, as is the separator */
    const char *separator;
    eqp_arena given; /* of names and widths that were taken from texts */
} eqp_labels;

eqp_status eqp_labels_read(const eqp_table *table, const char *const *columns, size_t column_count,
                           eqp_labels **labels, eqp_error *error);
/* The same for attributes as they are given: "race" is a column; "race=black,asian" an attribute whose groups
 * are the columns behind the sign, which hold ticks (0 and 1, yes and no).  `separator`, unless NULL, parts
 * the groups in a cell. */
eqp_status eqp_labels_given(const eqp_table *table, const char *const *sensitive, size_t count,
                            const char *separator, eqp_labels **labels, eqp_error *error);
/* The same for the attributes of known groups, in these columns of the table. */
eqp_status eqp_labels_known(const eqp_table *table, const eqp_groups *groups, const char *const *columns,
                            eqp_labels **labels, eqp_error *error);
/* Whether an attribute is given as ticks in this column, or is this column. */
bool eqp_is_given(const char *sensitive, const char *column);
/* Makes sets of the texts, by `separator` and `widths` of the labels; of texts that are sets already anew,
 * with other groups: `to` gives the new text of each part, or NULL where the row counts as missing. */
eqp_status eqp_labels_join(eqp_labels *labels, eqp_error *error);
eqp_status eqp_labels_rename(eqp_labels *labels, size_t c, const char *const *to, eqp_error *error);
/* Values that fewer than `min_group` of the rows have become one, EQP_OTHERS; or missing, where they are too
 * few together as well.  `pooled` and `left_out` get the number of rows of each, over all columns. */
#define EQP_OTHERS "other"
eqp_status eqp_labels_pool(eqp_labels *labels, size_t min_group, size_t *pooled, size_t *left_out,
                           eqp_error *error);
bool eqp_labels_complete(const eqp_labels *labels, size_t row); /* no sensitive value is missing */
void eqp_labels_free(eqp_labels *labels);

/* Groups from the values that occur.  EQP_DATA when there is only one, or a group has fewer than 2 rows. */
eqp_status eqp_groups_find(const eqp_labels *labels, bool intersect, eqp_groups **groups, eqp_error *error);
/* "uniform" or NULL, or a CSV file attribute,value,share (shares of an attribute are scaled to sum to 1 if
 * they do so within 1 %, unless its groups overlap; every group must be named). */
eqp_status eqp_groups_set_target(eqp_groups *groups, const char *target, eqp_error *error);
/* The same share for every group of an attribute: so many that people belong to as many groups on average as
 * in the sample, to a twentieth; 1 / K where everybody belongs to one.  Without masses attributes whose
 * groups overlap keep theirs. */
void eqp_groups_set_uniform(eqp_groups *groups, const double *cell_mass);
/* Every combination of the attributes' values as a cell, observed or not, so that a model can place any row
 * with known values and does not tell which combinations its sample held. */
eqp_status eqp_groups_complete(eqp_groups *groups, eqp_error *error);
eqp_status eqp_groups_copy(const eqp_groups *groups, eqp_groups **copy, eqp_error *error);
void eqp_groups_free(eqp_groups *groups);

/* The labelled rows, in the cells of known groups.  A value that no group has is EQP_DATA; where small groups
 * were pooled it is one of the others, or counts as missing. */
eqp_status eqp_sample_new(const eqp_groups *groups, const eqp_labels *labels, const char *weight,
                          eqp_sample **sample, eqp_error *error);
/* The same for labels that nothing else is wanted of. */
eqp_status eqp_sample_from_table(const eqp_groups *groups, const eqp_table *table, const char *weight,
                                 eqp_sample **sample, eqp_error *error);
void eqp_sample_free(eqp_sample *sample);

/* Joins the names or values of a combination. */
#define EQP_TIMES " \xC3\x97 " /* " × " */

/* Group masses of cell masses: out[k] = sum over cells of mass[cell] M[cell,k]. */
void eqp_groups_sum(const eqp_groups *groups, const double *cell_mass, double *group_mass);

#endif
