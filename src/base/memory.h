/* Allocation with checked size products.  All of it is plain malloc underneath: release with free. */
#ifndef EQP_BASE_MEMORY_H
#define EQP_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* count × size bytes, NULL when that overflows or memory is short; a request for 0 bytes gives 1. */
void *eqp_alloc(size_t count, size_t size);
void *eqp_alloc_zero(size_t count, size_t size);
/* 64-byte aligned, for SIMD kernels; the size is rounded up to a multiple of 64. */
void *eqp_alloc_aligned(size_t count, size_t size);
void *eqp_resize(void *memory, size_t count, size_t size);
char *eqp_copy_text(const char *text, size_t length); /* adds a final 0 */

/* A growing array with at least `needed` elements: doubles *capacity.  NULL leaves the old one valid. */
void *eqp_reserve(void *memory, size_t *capacity, size_t needed, size_t size);

/* ---- memory that is released together ------------------------------------------------------------------ */

/* Arrays that live and die with one object.  A failed request is remembered, so that whoever takes many
 * checks once, at the end; all of them are released by one call. */
typedef struct eqp_arena {
    struct eqp_piece *last; /* {0} is an empty arena */
    bool failed;
} eqp_arena;

/* count × size bytes, 64-byte aligned for SIMD kernels; NULL when memory is short, now or before. */
void *eqp_take(eqp_arena *arena, size_t count, size_t size);
void *eqp_take_zero(eqp_arena *arena, size_t count, size_t size);
void eqp_arena_free(eqp_arena *arena);

#endif
