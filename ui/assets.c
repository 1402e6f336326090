/* The table of parts; their texts are made of the files in page/ when the program is built. */
#include "assets.h"

#include "page_app_js.h"
#include "page_bars_js.h"
#include "page_command_js.h"
#include "page_dom_js.h"
#include "page_drawing_css.h"
#include "page_index_html.h"
#include "page_room_check_js.h"
#include "page_room_data_js.h"
#include "page_room_draw_js.h"
#include "page_room_publish_js.h"
#include "page_room_tradeoff_js.h"
#include "page_server_js.h"
#include "page_style_css.h"

#include <string.h>

#define SCRIPT "text/javascript; charset=utf-8"
#define PART(path, type, text)                                                                               \
    {                                                                                                        \
        path, type, text, sizeof text - 1                                                                    \
    }

static const asset parts[] = {
    PART("/", "text/html; charset=utf-8", page_index_html),
    PART("/style.css", "text/css; charset=utf-8", page_style_css),
    PART("/drawing.css", "text/css; charset=utf-8", page_drawing_css),
    PART("/app.js", SCRIPT, page_app_js),
    PART("/bars.js", SCRIPT, page_bars_js),
    PART("/command.js", SCRIPT, page_command_js),
    PART("/dom.js", SCRIPT, page_dom_js),
    PART("/room_check.js", SCRIPT, page_room_check_js),
    PART("/room_data.js", SCRIPT, page_room_data_js),
    PART("/room_draw.js", SCRIPT, page_room_draw_js),
    PART("/room_publish.js", SCRIPT, page_room_publish_js),
    PART("/room_tradeoff.js", SCRIPT, page_room_tradeoff_js),
    PART("/server.js", SCRIPT, page_server_js),
};

const asset *asset_find(const char *path)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(parts[i].path, path) == 0) return &parts[i];
    return NULL;
}
