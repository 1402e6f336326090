/* A drawing as PNG, by librsvg's program where it is installed: drawing text needs fonts, and whoever learns
 * and filters does not. */
#ifndef EQP_REPORT_BITMAP_H
#define EQP_REPORT_BITMAP_H

#include "base/buffer.h"
#include "base/status.h"

#define EQP_BITMAP_MISSING "rsvg-convert (Debian package librsvg2-bin) is not installed"

/* Draws the SVG file as PNG, at twice its size, and reads that back.  `*drawn` is false where the program is
 * not installed; that is no failure. */
eqp_status eqp_bitmap_draw(const char *svg, const char *png, eqp_buffer *bytes, bool *drawn,
                           eqp_error *error);

#endif
