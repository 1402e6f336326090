/* Checked allocation. */
#include "base/memory.h"

#include <stdint.h>
#include <string.h>

enum { ALIGNMENT = 64 };

static size_t product(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX) return SIZE_MAX;
    return bytes ? bytes : 1;
}

void *eqp_alloc(size_t count, size_t size)
{
    size_t bytes = product(count, size);
    return bytes == SIZE_MAX ? NULL : malloc(bytes);
}

void *eqp_alloc_zero(size_t count, size_t size)
{
    return product(count, size) == SIZE_MAX ? NULL : calloc(count ? count : 1, size ? size : 1);
}

void *eqp_alloc_aligned(size_t count, size_t size)
{
    size_t bytes = product(count, size);
    if (bytes > PTRDIFF_MAX - ALIGNMENT) return NULL;
    return aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

void *eqp_resize(void *memory, size_t count, size_t size)
{
    size_t bytes = product(count, size);
    return bytes == SIZE_MAX ? NULL : realloc(memory, bytes);
}

char *eqp_copy_text(const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? eqp_alloc(length + 1, 1) : NULL;
    if (copy == NULL) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void *eqp_reserve(void *memory, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity && memory != NULL) return memory;
    size_t wanted = *capacity < SIZE_MAX / 2 ? *capacity * 2 : needed;
    if (wanted < needed) wanted = needed;
    if (wanted < 16) wanted = 16;
    void *grown = eqp_resize(memory, wanted, size);
    if (grown != NULL) *capacity = wanted;
    return grown;
}

/* ---- memory that is released together ------------------------------------------------------------------ */

/* Stands before the bytes that were asked for.  Each request is an allocation of its own, so that sanitizers
 * see where an array ends. */
typedef struct eqp_piece {
    struct eqp_piece *before;
    char unused[ALIGNMENT - sizeof(void *)];
} eqp_piece;

void *eqp_take(eqp_arena *arena, size_t count, size_t size)
{
    size_t bytes = product(count, size);
    eqp_piece *piece = NULL;
    if (!arena->failed && bytes < PTRDIFF_MAX - 2 * ALIGNMENT)
        piece = eqp_alloc_aligned(sizeof *piece + bytes, 1);
    arena->failed = piece == NULL;
    if (piece == NULL) return NULL;
    piece->before = arena->last;
    arena->last = piece;
    return piece + 1;
}

void *eqp_take_zero(eqp_arena *arena, size_t count, size_t size)
{
    void *memory = eqp_take(arena, count, size);
    if (memory != NULL) memset(memory, 0, count * size);
    return memory;
}

void eqp_arena_free(eqp_arena *arena)
{
    for (eqp_piece *piece = arena->last, *before; piece != NULL; piece = before) {
        before = piece->before;
        free(piece);
    }
    *arena = (eqp_arena){0};
}
