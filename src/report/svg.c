/* SVG elements. */
#include "report/plot.h"

#include "report/drawing_css.h"
#include "report/shown.h"

#include <math.h>
#include <string.h>

#define COORDINATE(value) eqp_fixed(value, 1).text
#define LABEL_CHARACTER   8.6 /* advance of a character at 13 px in a wide font, such as DejaVu */

void eqp_svg_text(eqp_buffer *out, double x, double y, eqp_anchor anchor, const char *class, const char *text)
{
    static const char *const ANCHORS[] = {"start", "middle", "end"};
    eqp_buffer_printf(out, "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" class=\"%s\">", COORDINATE(x),
                      COORDINATE(y), ANCHORS[anchor], class);
    eqp_markup_text(out, text);
    eqp_buffer_text(out, "</text>\n");
}

void eqp_svg_line(eqp_buffer *out, double x1, double y1, double x2, double y2, const char *class)
{
    eqp_buffer_printf(out, "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" class=\"%s\"/>\n", COORDINATE(x1),
                      COORDINATE(y1), COORDINATE(x2), COORDINATE(y2), class);
}

void eqp_svg_box(eqp_buffer *out, double x, double y, double width, double height, const char *class)
{
    eqp_buffer_printf(out, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"2\" class=\"%s\"/>\n",
                      COORDINATE(x), COORDINATE(y), COORDINATE(fmax(width, 0)), COORDINATE(fmax(height, 0)),
                      class);
}

void eqp_svg_path_begin(eqp_buffer *out, const char *class)
{
    eqp_buffer_printf(out, "<path class=\"%s\" d=\"", class);
}

void eqp_svg_path_corner(eqp_buffer *out, bool first, double x, double y)
{
    eqp_buffer_printf(out, "%s%s %s", first ? "M" : "L", COORDINATE(x), COORDINATE(y));
}

void eqp_svg_path_end(eqp_buffer *out, bool closed)
{
    eqp_buffer_text(out, closed ? "Z\"/>\n" : "\"/>\n");
}

/* Corners of the shapes, about a circle of radius 1. */
typedef struct polygon {
    size_t count;
    double at[12][2];
} polygon;

static const polygon POLYGONS[] = {
    {4, {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}},
    {3, {{0, -1.2}, {1.1, 0.85}, {-1.1, 0.85}}},
    {4, {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}}},
    {3, {{0, 1.2}, {1.1, -0.85}, {-1.1, -0.85}}},
    {4, {{-1.4, -0.6}, {1.4, -0.6}, {1.4, 0.6}, {-1.4, 0.6}}},
    {5, {{0, -1.25}, {1.2, -0.35}, {0.75, 1.05}, {-0.75, 1.05}, {-1.2, -0.35}}},
    {4, {{-1.1, -1.1}, {1.1, -1.1}, {-1.1, 1.1}, {1.1, 1.1}}}, /* an hourglass */
    {4, {{-1.2, -1.1}, {1.2, 1.1}, {1.2, -1.1}, {-1.2, 1.1}}}, /* a bow tie */
    {4, {{-0.6, -1.4}, {0.6, -1.4}, {0.6, 1.4}, {-0.6, 1.4}}},
    {12, /* a plus sign */
     {{-0.5, -1.4},
      {0.5, -1.4},
      {0.5, -0.5},
      {1.4, -0.5},
      {1.4, 0.5},
      {0.5, 0.5},
      {0.5, 1.4},
      {-0.5, 1.4},
      {-0.5, 0.5},
      {-1.4, 0.5},
      {-1.4, -0.5},
      {-0.5, -0.5}}},
    {8, /* a star */
     {{0, -1.6}, {0.45, -0.45}, {1.6, 0}, {0.45, 0.45}, {0, 1.6}, {-0.45, 0.45}, {-1.6, 0}, {-0.45, -0.45}}},
};

void eqp_svg_shape(eqp_buffer *out, int shape, double x, double y, double size, const char *class)
{
    size_t count = sizeof POLYGONS / sizeof *POLYGONS;
    if (shape <= 0) {
        eqp_buffer_printf(out, "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" class=\"%s\"/>\n", COORDINATE(x),
                          COORDINATE(y), COORDINATE(size), class);
        return;
    }
    const polygon *corners = &POLYGONS[(size_t)(shape - 1) % count];
    eqp_svg_path_begin(out, class);
    for (size_t i = 0; i < corners->count; i++)
        eqp_svg_path_corner(out, i == 0, x + size * corners->at[i][0], y + size * corners->at[i][1]);
    eqp_svg_path_end(out, true);
}

/* The tab key stops once per series; the arrow keys move on from there (page.js). */
void eqp_svg_mark_begin(eqp_buffer *out, bool first_of_series, const char *words)
{
    eqp_buffer_printf(out, "<g class=\"pt\" role=\"img\" tabindex=\"%d\" aria-label=\"",
                      first_of_series ? 0 : -1);
    eqp_markup_text(out, words);
    eqp_buffer_text(out, "\">");
}

void eqp_svg_group_end(eqp_buffer *out)
{
    eqp_buffer_text(out, "</g>\n");
}

const char *eqp_svg_colour(int colour)
{
    static const char *const CLASSES[] = {"s0", "s1", "s2", "s3", "s4",  "s5",
                                          "s6", "s7", "s8", "s9", "s10", "s11"};
    return colour < 0 ? "ink" : CLASSES[(size_t)colour % (sizeof CLASSES / sizeof *CLASSES)];
}

double eqp_svg_text_width(const char *text)
{
    return LABEL_CHARACTER * (double)eqp_text_width(text);
}

const char *eqp_svg_style(void)
{
    return eqp_drawing_css;
}

/* The value of a custom property in the first rule that has it, which is that of light colours. */
static void add_value(eqp_buffer *out, const char *name, size_t length)
{
    const char *style = eqp_svg_style();
    for (const char *at = style; (at = strstr(at, "--")) != NULL; at += 2)
        if (strncmp(at + 2, name, length) == 0 && at[2 + length] == ':') {
            const char *value = at + 2 + length + 1;
            eqp_buffer_add(out, value, strcspn(value, ";}"));
            return;
        }
    out->failed = true; /* a name that is not defined is a mistake of the style */
}

void eqp_svg_plain_style(eqp_buffer *out)
{
    static const char OWN[] = "--c:", OPEN[] = "var(--";
    const char *at = strstr(eqp_svg_style(), "\nsvg{"); /* behind the definitions */
    while (at != NULL && *at) {
        if (strncmp(at, OWN, strlen(OWN)) == 0) {
            eqp_buffer_text(out, "color:");
            at += strlen(OWN);
        } else if (strncmp(at, OPEN, strlen(OPEN)) == 0) {
            const char *name = at + strlen(OPEN);
            size_t length = strcspn(name, ")");
            if (length == 1 && *name == 'c')
                eqp_buffer_text(out, "currentColor");
            else
                add_value(out, name, length);
            at = name + length + (name[length] == ')');
        } else {
            eqp_buffer_add(out, at++, 1);
        }
    }
}
