/* Quotas: at least and at most so many seats for each value of some columns that are known at selection, as
 * sortition software writes them (feature,value,min,max).
 *
 * People with the same values who reached the same leaf are of one type: the lottery gives them the same
 * chance, and ranks say who of them comes first.
 *
 *     lottery   a list of compositions (seats per type), each with its probability; every one keeps all
 * quotas chances   expected seats of a type / its people: the smallest, relative to the rule's, is as large
 * as quotas allow (maximin), and beyond that they are as near to the rule's as quotas allow */
#ifndef EQP_SELECT_QUOTAS_H
#define EQP_SELECT_QUOTAS_H

#include "base/dictionary.h"
#include "base/memory.h"
#include "base/status.h"

typedef struct eqp_quota {
    char *value;
    size_t feature;
    size_t min, max;
    size_t min_flex, max_flex; /* no relaxation is proposed beyond these */
} eqp_quota;

typedef struct eqp_quotas {
    size_t feature_count, count;
    char **features;   /* columns of the pool */
    eqp_quota *quotas; /* those of a feature side by side */
} eqp_quotas;

/* Reads a table feature,value,min,max[,min_flex,max_flex], or with the older names category,name. */
eqp_status eqp_quotas_read(const char *path, eqp_quotas **quotas, eqp_error *error);
/* Adds one; the value is copied. */
eqp_status eqp_quotas_add(eqp_quotas *quotas, const char *feature, const eqp_quota *like, eqp_error *error);
/* Whether seats can fit at all: EQP_DATA or EQP_INFEASIBLE with the feature that cannot be met. */
eqp_status eqp_quotas_check(const eqp_quotas *quotas, size_t size, eqp_error *error);
eqp_status eqp_quotas_copy(const eqp_quotas *quotas, eqp_quotas **copy, eqp_error *error);
void eqp_quotas_free(eqp_quotas *quotas);

/* ---- types -------------------------------------------------------------------------------------------- */

typedef struct eqp_type {
    uint32_t *quota; /* one per feature: which quota its value comes under */
    uint32_t leaf;
    double accept; /* of the leaf */
    size_t people;
} eqp_type;

typedef struct eqp_type_list {
    eqp_arena arena;
    eqp_dictionary *known; /* quotas and leaf as bytes -> type */
    eqp_type *types;
    size_t count, capacity;
} eqp_type_list;

/* The type with these quotas and this leaf, new or known. */
eqp_status eqp_type_find(eqp_type_list *list, const eqp_quotas *quotas, const uint32_t *quota, uint32_t leaf,
                         double accept, uint32_t *type, eqp_error *error);
void eqp_types_clear(eqp_type_list *list);

/* ---- the lottery -------------------------------------------------------------------------------------- */

typedef struct eqp_quota_lottery {
    size_t types, compositions;
    double *probability; /* of each composition */
    uint32_t *seats;     /* [composition × types + type] */
    double *chance;      /* of a person of each type; 0 for those who fit into no panel */
    double least_ratio;  /* the smallest chance / acceptance of all others: what is maximised */
    double bound;        /* no lottery over panels that keep the quotas has a larger one: proved */
} eqp_quota_lottery;

/* The search ends when the bound is no further away, relative to that of the linear program; or when it
 * becomes too long, with the bound that is proved by then. */
#define EQP_MAXIMIN_GAP     4e-7
#define EQP_MAXIMIN_PROMISE 1e-6 /* a larger distance is said */

/* EQP_INFEASIBLE when no composition keeps all quotas; the hint names the least relaxation that would do. */
eqp_status eqp_quota_lottery_new(const eqp_quotas *quotas, const eqp_type *types, size_t type_count,
                                 size_t size, eqp_quota_lottery **lottery, eqp_error *error);
void eqp_quota_lottery_free(eqp_quota_lottery *lottery);
/* Whether the search ended before the bound was reached; this is to be said. */
bool eqp_quota_lottery_falls_short(const eqp_quota_lottery *lottery);
/* The composition in whose stretch of the draws this one lies. */
size_t eqp_quota_lottery_pick(const eqp_quota_lottery *lottery, uint64_t draw);

/* Whether seats can still be filled: so many people of each type must stay, so many more are there. */
eqp_status eqp_quotas_can_fill(const eqp_quotas *quotas, const eqp_type *types, size_t type_count,
                               size_t size, const size_t *seated, const size_t *standing, bool *can,
                               eqp_error *error);

#endif
