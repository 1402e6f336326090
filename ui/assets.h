/* The page: HTML, style sheet and modules, inside the program. */
#ifndef UI_ASSETS_H
#define UI_ASSETS_H

#include <stddef.h>

typedef struct asset {
    const char *path, *type, *text;
    size_t length;
} asset;

/* NULL when the page has no such part. */
const asset *asset_find(const char *path);

#endif
