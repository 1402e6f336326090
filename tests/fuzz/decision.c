/* Twins: a made-up rule decides any records as its export does in SQLite (M12, M13).
 *
 * The first bytes choose the rule, the others are records: cells parted by "|", records by line feeds.
 * Numbers that SQLite rounds by itself (docs/at-scale.md) go in as REAL. */
#include "../engines/random_rule.h"
#include "../unit/encode/groups_of.h"
#include "base/buffer.h"
#include "base/number.h"
#include "fuzz.h"
#include "table/load.h"

#include <nettle/sha2.h>
#include <sqlite3.h>
#include <string.h>

enum { NUMBERS = 2, CELLS = 4, MOST_RECORDS = 24, CELL_BYTES = 40, HEAD_BYTES = 6, PLAIN_NUMBER = 15 };

static const char sample[] =
    "id,x,y,\"le \"\"vel\",kind,group\n"
    "1,0.5,-3,it's,a,p\n2,1.25,,\"a,b\",b,q\n3,-7,1000000,\\,a,p\n4,0.1,2,\"\"\"\",,q\n"
    "5,3e-5,17.25,it's,b,p\n6,,0,\"a,b\",a,q\n7,12.5,-0.001,\\,b,p\n8,2,5,\"\"\"\",a,q\n";
static const eqp_key key = {"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"};

typedef struct record_pool {
    char cell[MOST_RECORDS][CELLS][2 * CELL_BYTES + 1];
    size_t records;
} record_pool;

/* ---- the rule ---------------------------------------------------------------------------------------- */

static eqp_table *read_table(const char *bytes, size_t length)
{
    static const char *const texts[] = {"id", "le \"vel", "kind"};
    eqp_read_options options = {.text_columns = texts, .text_column_count = 3, .delimiter = ','};
    char path[32];
    eqp_table *table = NULL;
    int file = fuzz_file(bytes, length, path);
    eqp_error error = {0};
    eqp_status status = eqp_table_read(path, &options, NULL, &table, &error);
    must_hold(status == EQP_OK, error.message);
    close(file);
    return table;
}

static eqp_model *make_model(const uint8_t head[HEAD_BYTES])
{
    static const char *const columns[] = {"x", "y", "le \"vel", "kind"}, *const sensitive[] = {"group"};
    static const char *const shapes[] = {"deep", "argmax", "trees:1", "trees:9"};
    eqp_table *table = read_table(sample, sizeof sample - 1);
    eqp_encoding_options options = {
        .columns = columns, .column_count = CELLS, .max_levels = 3, .bins = head[0] / 4 % 4};
    eqp_random random = eqp_random_from(head[1] | (uint64_t)head[2] << 8 | (uint64_t)head[3] << 16, head[4]);
    eqp_provenance provenance = {.version = "0", .method = "tree", .oracle = "prc", .solver = "exact"};
    eqp_encoding *encoding = NULL;
    eqp_groups *groups = NULL;
    eqp_model *model = NULL;
    eqp_error error = {0};
    memset(provenance.data_digest, '0', 64);
    must_hold(eqp_encoding_fit(table, &options, &encoding, &error) == EQP_OK, error.message);
    must_hold(groups_of(table, sensitive, 1, false, &groups, &error) == EQP_OK, error.message);
    eqp_rule *rule = random_rule(encoding, shapes[head[0] % 4], &random);
    must_hold(eqp_model_new(encoding, groups, rule, &provenance, &model, &error) == EQP_OK, error.message);
    eqp_table_free(table);
    return model;
}

/* ---- the records ------------------------------------------------------------------------------------- */

/* Bytes that are no text become letters beyond ASCII. */
static void add_byte(char *cell, uint8_t byte)
{
    size_t length = strlen(cell);
    if (length + 2 > 2 * CELL_BYTES) return;
    if (byte >= 0x80) cell[length++] = (char)0xC3;
    cell[length] = (char)(byte >= 0x80 ? 0x80 | (byte & 0x3F) : byte == 0 ? '0' : byte);
}

/* Codes (007) and whole numbers beyond doubles make a column text: none of these. */
static bool is_number(const char *cell, double *value)
{
    eqp_survey survey = {0};
    eqp_cell given = {cell, strlen(cell)};
    if (given.length == 0 || !eqp_number_parse(cell, given.length, '.', value)) return false;
    eqp_survey_add(&survey, given, given, '.');
    return survey.numbers == 1 && !survey.zero_led && !survey.beyond_double;
}

/* Where a number is wanted, what is none becomes missing. */
static void keep_numbers(record_pool *pool)
{
    double value;
    for (size_t r = 0; r < pool->records; r++)
        for (size_t c = 0; c < NUMBERS; c++)
            if (!is_number(pool->cell[r][c], &value) && strcmp(pool->cell[r][c], "NA") != 0)
                pool->cell[r][c][0] = '\0';
}

static void fill_pool(const uint8_t *bytes, size_t length, record_pool *pool)
{
    size_t record = 0, column = 0;
    memset(pool, 0, sizeof *pool);
    for (size_t i = 0; i < length && record < MOST_RECORDS; i++) {
        if (bytes[i] == '\n') {
            record++;
            column = 0;
        } else if (bytes[i] == '|') {
            column = (column + 1) % CELLS;
        } else {
            add_byte(pool->cell[record][column], bytes[i]);
        }
    }
    pool->records = record < MOST_RECORDS ? record + 1 : MOST_RECORDS;
    keep_numbers(pool);
}

/* The last cell is in the id too, so that ids hold any text. */
static void make_id(const record_pool *pool, size_t record, char id[2 * CELL_BYTES + 16])
{
    snprintf(id, 2 * CELL_BYTES + 16, "%zu %s", record, pool->cell[record][CELLS - 1]);
}

static void add_quoted(eqp_buffer *csv, const char *cell)
{
    eqp_buffer_text(csv, "\"");
    for (; *cell != '\0'; cell++) eqp_buffer_add(csv, *cell == '"' ? "\"\"" : cell, *cell == '"' ? 2 : 1);
    eqp_buffer_text(csv, "\"");
}

/* ---- decisions --------------------------------------------------------------------------------------- */

static void decide(const eqp_model *model, const record_pool *pool, bool *accepted)
{
    eqp_buffer csv = {0};
    char id[2 * CELL_BYTES + 16];
    eqp_buffer_text(&csv, "id,x,y,\"le \"\"vel\",kind\n");
    for (size_t r = 0; r < pool->records; r++) {
        make_id(pool, r, id);
        add_quoted(&csv, id);
        for (size_t c = 0; c < CELLS; c++) {
            eqp_buffer_text(&csv, ",");
            add_quoted(&csv, pool->cell[r][c]);
        }
        eqp_buffer_text(&csv, "\n");
    }
    eqp_table *table = read_table(csv.bytes, csv.length);
    eqp_error error = {0};
    must_hold(eqp_table_rows(table) == pool->records, "every record is read");
    must_hold(eqp_model_decide(model, table, "id", &key, 1, accepted, &error) == EQP_OK, error.message);
    eqp_table_free(table);
    eqp_buffer_free(&csv);
}

static void sha256(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct sha256_ctx state;
    uint8_t digest[SHA256_DIGEST_SIZE];
    char text[2 * SHA256_DIGEST_SIZE + 1];
    (void)count;
    const unsigned char *given = sqlite3_value_text(values[0]);
    sha256_init(&state);
    sha256_update(&state, (size_t)sqlite3_value_bytes(values[0]), given);
    sha256_digest(&state, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) snprintf(text + 2 * i, 3, "%02x", digest[i]);
    sqlite3_result_text(context, text, 2 * SHA256_DIGEST_SIZE, SQLITE_TRANSIENT);
}

static void bind_cell(sqlite3_stmt *insert, int place, const char *cell, bool number)
{
    double value;
    bool rounded = strlen(cell) > PLAIN_NUMBER || strpbrk(cell, "eE") != NULL;
    if (number && rounded && is_number(cell, &value))
        sqlite3_bind_double(insert, place, value);
    else
        sqlite3_bind_text(insert, place, cell, -1, SQLITE_TRANSIENT);
}

static void load(sqlite3 *database, const record_pool *pool)
{
    sqlite3_stmt *insert = NULL;
    char id[2 * CELL_BYTES + 16];
    const char *make = "CREATE TABLE records (place, id TEXT, x, y, \"le \"\"vel\" TEXT, kind TEXT)";
    must_hold(sqlite3_exec(database, make, NULL, NULL, NULL) == SQLITE_OK, "a table can be made");
    sqlite3_prepare_v2(database, "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)", -1, &insert, NULL);
    for (size_t r = 0; r < pool->records; r++) {
        make_id(pool, r, id);
        sqlite3_bind_int64(insert, 1, (sqlite3_int64)r);
        sqlite3_bind_text(insert, 2, id, -1, SQLITE_TRANSIENT);
        for (int c = 0; c < CELLS; c++) bind_cell(insert, 3 + c, pool->cell[r][c], c < NUMBERS);
        must_hold(sqlite3_step(insert) == SQLITE_DONE, "a record can be inserted");
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
}

static void ask_sqlite(const char *rule, const record_pool *pool, bool *accepted)
{
    sqlite3 *database = NULL;
    sqlite3_stmt *query = NULL;
    int step;
    must_hold(sqlite3_open(":memory:", &database) == SQLITE_OK, "SQLite opens");
    sqlite3_create_function(database, "sha256", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, sha256, NULL,
                            NULL);
    load(database, pool);
    must_hold(sqlite3_prepare_v2(database, rule, -1, &query, NULL) == SQLITE_OK, sqlite3_errmsg(database));
    sqlite3_bind_text(query, sqlite3_bind_parameter_index(query, ":key"), key.hex, -1, SQLITE_STATIC);
    while ((step = sqlite3_step(query)) == SQLITE_ROW) accepted[sqlite3_column_int64(query, 0)] = true;
    must_hold(step == SQLITE_DONE, sqlite3_errmsg(database));
    sqlite3_finalize(query);
    sqlite3_close(database);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    bool ours[MOST_RECORDS] = {0}, theirs[MOST_RECORDS] = {0};
    record_pool pool;
    char *rule = NULL;
    eqp_error error = {0};
    eqp_export_options options;
    if (length < HEAD_BYTES) return 0;
    eqp_model *model = make_model(bytes);
    fill_pool(bytes + HEAD_BYTES, length - HEAD_BYTES, &pool);
    decide(model, &pool, ours);
    eqp_export_options_init(&options);
    options.dialect = "sqlite";
    options.id = "id";
    must_hold(eqp_export(model, &options, &rule, &error) == EQP_OK, error.message);
    ask_sqlite(rule, &pool, theirs);
    must_hold(memcmp(ours, theirs, sizeof ours) == 0, "SQLite accepts the same records");
    eqp_text_free(rule);
    eqp_model_free(model);
    return 0;
}
