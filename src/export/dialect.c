/* The table of dialects.  Each entry was tried against the engine unless it says that it was not. */
#include "export/dialect.h"

#include <string.h>

#define MIB ((size_t)1 << 20)

static const eqp_dialect dialects[] = {
    {
        .name = "postgresql",
        .quote = '"',
        .identifiers = EQP_ESCAPE_DOUBLE,
        .texts = EQP_ESCAPE_E_STRING,
        .text = {"CAST(", " AS text) COLLATE \"C\""},
        .number = {"CAST(", " AS float8)"},
        .guarded = true,
        .matches = {"(", " ~ "},
        .whole_text = {"^", "$"},
        .yes = "TRUE",
        .literal = {"float8 '", "'"}, /* a bare literal would be numeric, and sums of them too */
        .digest = {"encode(sha256(convert_to(", ", 'UTF8')), 'hex')"},
        .draw = {"", " COLLATE \"C\""},
        .whole = {"CAST(CAST('x000' || ", " AS bit(64)) AS bigint)"},
        .remainder = {"", " % "},
        .remainder_end = "",
        .position = "strpos",
        .fourth = {"(", ") / 4"},
        .not_a_number = {"CASE WHEN CAST(pg_typeof(", ") AS text) IN ('real', 'numeric') THEN 'NaN' END"},
        .typed = {"CASE WHEN CAST(pg_typeof(",
                  ") AS text) IN ('double precision', 'bigint', 'integer', 'smallint') THEN "},
        .otherwise = {" ELSE ", " END"},
        .as_double = {"CAST(CAST(", " AS text) AS float8)"}, /* not every type can be cast to it */
        .is_nan = {"(", " = float8 'NaN')"},
        .is_finite = {"COALESCE(CAST(", " AS text) NOT IN ('Infinity', '-Infinity'), TRUE)"},
        .array = {"(ARRAY[", "])"},
        .element = {"[", " + 1]"},
        .carry = EQP_CARRY_STRUCT,
        .record = {"eqp", "(eqp_row).*"},
        .barrier = " OFFSET 0",
        .key = {"CAST($1 AS text)", "current_setting('equipoise.key')", "$1", "CAST($1 AS text)",
                "CAST($1 AS text)"},
        .view = {"CREATE VIEW ", " AS\n"},
        .function = {"CREATE FUNCTION ", "(equipoise_key text) RETURNS SETOF "},
        .function_end = "\nLANGUAGE sql STABLE PARALLEL SAFE\nBEGIN ATOMIC\n",
        .max_bytes = 16 * MIB,
        .max_depth = 2000,
        .verified = true,
    },
    {
        .name = "duckdb",
        .quote = '"',
        .identifiers = EQP_ESCAPE_DOUBLE,
        .texts = EQP_ESCAPE_DOUBLE,
        .text = {"CAST(", " AS VARCHAR) COLLATE POSIX"},
        .number = {"TRY_CAST(", " AS DOUBLE)"},
        .matches = {"regexp_full_match(", ", "},
        .whole_text = {"", ""},
        .yes = "TRUE",
        .literal = {"", ""},
        .digest = {"sha256(", ")"},
        .draw = {"", ""},
        .whole = {"CAST('0x' || ", " AS BIGINT)"},
        .remainder = {"", " % "},
        .remainder_end = "",
        .position = "strpos",
        .fourth = {"(", ") / 4"},
        .typed = {"CASE WHEN typeof(",
                  ") IN ('DOUBLE', 'FLOAT', 'BIGINT', 'INTEGER', 'SMALLINT', 'TINYINT') THEN "},
        .otherwise = {" ELSE ", " END"},
        .as_double = {"TRY_CAST(", " AS DOUBLE)"},
        .is_nan = {"isnan(", ")"},
        .is_finite = {"COALESCE(NOT isinf(TRY_CAST(", " AS DOUBLE)), TRUE)"},
        .array = {"[", "]"},
        .element = {"[", " + 1]"},
        .carry = EQP_CARRY_EXCEPT,
        .except = "EXCLUDE",
        .barrier = "",
        .key = {"$1", "getvariable('equipoise_key')", "equipoise_key", "$1", "$1"},
        .view = {"CREATE VIEW ", " AS\n"},
        .function = {"CREATE MACRO ", "(equipoise_key) AS TABLE\n"},
        .max_bytes = 16 * MIB,
        .max_depth = 900, /* max_expression_depth is 1,000 */
        .verified = true,
    },
    {
        .name = "sqlite",
        .quote = '"',
        .identifiers = EQP_ESCAPE_DOUBLE,
        .texts = EQP_ESCAPE_DOUBLE,
        .text = {"CAST(", " AS TEXT) COLLATE BINARY"},
        .digest = {"sha256(", ")"},
        .draw = {"", ""},
        .remainder = {"", " % "},
        .remainder_end = "",
        .position = "instr",
        .fourth = {"(", ") / 4"},
        .yes = "1",
        .typed = {"CASE WHEN typeof(", ") IN ('real', 'integer') THEN "},
        .otherwise = {" ELSE ", " END"},
        .is_finite = {"COALESCE(CAST(", " AS TEXT) NOT IN ('Inf', '-Inf'), 1)"},
        .carry = EQP_CARRY_CORRELATE,
        .barrier = " LIMIT 1 OFFSET 0",
        .key = {":key", "(SELECT key FROM equipoise_key)", NULL, ":key", ":key"},
        .view = {"CREATE VIEW ", " AS\n"},
        .needs = "a function sha256(text) that gives 64 lower-case hexadecimal digits",
        .max_bytes = 16 * MIB, /* SQLITE_MAX_SQL_LENGTH is 10^9 */
        .max_depth = 450,      /* SQLITE_MAX_EXPR_DEPTH is 1,000, and a sum may take two a term */
        .verified = true,
    },
    {
        .name = "clickhouse",
        .quote = '`',
        .identifiers = EQP_ESCAPE_BACKSLASH,
        .texts = EQP_ESCAPE_BACKSLASH,
        .text = {"toString(", ")"},
        .number = {"toFloat64OrNull(trim(BOTH ' \\t' FROM ", "))"},
        .matches = {"match(", ", "},
        .whole_text = {"\\A", "\\z"},
        .yes = "1",
        .literal = {"", ""},
        .digest = {"lower(hex(SHA256(", ")))"},
        .draw = {"", ""},
        .whole = {"reinterpretAsUInt64(reverse(unhex('000' || ", ")))"},
        .remainder = {"", " % "},
        .remainder_end = "",
        .position = "position",
        .fourth = {"(", ") / 4"},
        .not_a_number = {"if(toTypeName(", ") IN ('Float32', 'Nullable(Float32)'), 'nan', NULL)"},
        .typed = {"if(toTypeName(",
                  ") IN ('Float64', 'Nullable(Float64)', 'Int64', 'Nullable(Int64)', 'Int32', "
                  "'Nullable(Int32)'), "},
        .otherwise = {", ", ")"},
        .as_double = {"toFloat64(", ")"},
        .is_nan = {"isNaN(", ")"},
        .is_finite = {"COALESCE(NOT isInfinite(toFloat64(", ")), 1)"},
        .array = {"[", "]"},
        .element = {"[", " + 1]"},
        .carry = EQP_CARRY_EXCEPT,
        .except = "EXCEPT",
        .barrier = "",
        .key = {"{equipoise_key:String}", "{equipoise_key:String}", "{equipoise_key:String}",
                "{equipoise_key:String}", "{equipoise_key:String}"},
        .view = {"CREATE VIEW ", " AS\n"},
        .function = {"CREATE VIEW ", " AS\n"}, /* a view with a parameter is called like a function */
        /* Else a CASE picks the rows of each branch out of every column, which costs far more than a term. */
        .settings = "\nSETTINGS short_circuit_function_evaluation = 'disable'",
        .needs =
            "precise_float_parsing = 1 (the default of recent versions); a text of more than 256 KiB also "
            "max_query_size = 1048576, max_ast_elements = 500000",
        .max_bytes = MIB, /* the defaults allow a quarter of it */
        .max_depth = 400, /* max_ast_depth is 1,000, and a sum takes two a term */
        .verified = true,
    },
    {
        .name = "spark",
        .quote = '`',
        .identifiers = EQP_ESCAPE_DOUBLE,
        .texts = EQP_ESCAPE_BACKSLASH,
        .dollar = "\\u0024",
        .substitutes = true,
        .text = {"CAST(", " AS STRING)"},
        .number = {"try_cast(", " AS DOUBLE)"},
        .matches = {"(", " RLIKE "},
        .whole_text = {"\\A", "\\z"},
        .yes = "TRUE",
        .literal = {"", ""},
        .digest = {"sha2(", ", 256)"},
        .draw = {"", ""},
        .whole = {"CAST(conv(", ", 16, 10) AS BIGINT)"},
        .remainder = {"", " % "},
        .remainder_end = "",
        .position = "instr",
        .fourth = {"(", ") / 4"},
        .not_a_number = {"CASE WHEN typeof(", ") = 'float' THEN 'NaN' END"},
        .typed = {"CASE WHEN typeof(", ") IN ('double', 'bigint', 'int', 'smallint', 'tinyint') THEN "},
        .otherwise = {" ELSE ", " END"},
        .as_double = {"try_cast(", " AS DOUBLE)"},
        .is_nan = {"isnan(", ")"},
        .is_finite = {"COALESCE(try_cast(",
                      " AS DOUBLE) NOT IN (CAST('Infinity' AS DOUBLE), CAST('-Infinity' AS DOUBLE)), TRUE)"},
        /* One constant from the start: the driver would look at each element of array(…) again and again. */
        .array = {"from_json('[", "]', 'array<double>')"},
        .element = {"[", "]"},
        .carry = EQP_CARRY_STRUCT,
        .record = {"struct(eqp.*)", "eqp_row.*"},
        .barrier = "",
        /* Else the optimizer puts every expression in place of its name, into a condition a hundred times as
           long. */
        .fence = "monotonically_increasing_id()",
        .key = {":equipoise_key", "session.equipoise_key", "equipoise_key", ":equipoise_key",
                ":equipoise_key"},
        .view = {"CREATE TEMPORARY VIEW ", " AS\n"},
        .function = {"CREATE TEMPORARY FUNCTION ", "(equipoise_key STRING) RETURNS TABLE RETURN\n"},
        .max_bytes = MIB,
        .max_depth = 300, /* of the stack of a driver with default settings */
        .verified = true,
    },
    {
        .name = "bigquery",
        .quote = '`',
        .identifiers = EQP_ESCAPE_BACKSLASH,
        .texts = EQP_ESCAPE_BACKSLASH,
        .text = {"CAST(", " AS STRING)"},
        .number = {"SAFE_CAST(TRIM(", ") AS FLOAT64)"},
        .matches = {"REGEXP_CONTAINS(", ", "},
        .whole_text = {"\\A", "\\z"},
        .yes = "TRUE",
        .literal = {"", ""},
        .digest = {"TO_HEX(SHA256(", "))"},
        .draw = {"", ""},
        .whole = {"CAST('0x' || ", " AS INT64)"},
        .remainder = {"MOD(", ", "},
        .remainder_end = ")",
        .position = "STRPOS",
        .fourth = {"DIV(", ", 4)"},
        .not_a_number = {"'NaN'", NULL},
        .carry = EQP_CARRY_EXCEPT,
        .except = "EXCEPT",
        .barrier = "",
        .key = {"@equipoise_key", NULL, "equipoise_key", "@equipoise_key", "@equipoise_key"},
        .view = {"CREATE VIEW ", " AS\n"},
        .function = {"CREATE TABLE FUNCTION ", "(equipoise_key STRING) AS\n"},
        .max_bytes = MIB, /* of a query text */
        .max_depth = 300,
    },
};

enum { DIALECT_COUNT = sizeof dialects / sizeof *dialects };

const char *eqp_dialect_name(size_t index, const char **summary)
{
    static const struct {
        const char *name, *summary;
    } others[] = {{"c", "C source without dependencies"}, {"json", "the model itself"}};
    *summary = "SQL of that engine";
    if (index < DIALECT_COUNT) return dialects[index].name;
    if (index - DIALECT_COUNT >= sizeof others / sizeof *others) return NULL;
    *summary = others[index - DIALECT_COUNT].summary;
    return others[index - DIALECT_COUNT].name;
}

const eqp_dialect *eqp_dialect_find(const char *name)
{
    for (size_t i = 0; i < DIALECT_COUNT; i++)
        if (strcmp(dialects[i].name, name) == 0) return &dialects[i];
    return NULL;
}
