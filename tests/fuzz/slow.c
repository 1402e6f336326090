/* Searches for inputs that take long:   slow-NAME SECONDS SEEDS OUTPUT      (make slow-units)
 *
 * Inputs are changed at random, mostly by repeating what they hold, and those that cost most processor time
 * per byte are kept and changed again.  What the empty input costs is not counted.  The slowest one is
 * written to OUTPUT. */
#include "base/memory.h"
#include "base/random.h"
#include "fuzz.h"

#include <ftw.h>
#include <string.h>
#include <time.h>

enum { KEPT = 64, MOST_BYTES = 1 << 16, LEAST_BYTES = 1024, MOST_CHANGES = 4 };

typedef struct unit {
    uint8_t *bytes;
    size_t length;
    double seconds, cost; /* of one run, without the empty one; seconds per byte, of LEAST_BYTES at least */
} unit;

static unit kept[KEPT];
static size_t kept_count, runs;
static double empty_seconds;

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds_of(const uint8_t *bytes, size_t length)
{
    double begun = processor_seconds();
    LLVMFuzzerTestOneInput(bytes, length);
    runs++;
    return processor_seconds() - begun;
}

static double cost_of(const unit *measured)
{
    size_t bytes = measured->length < LEAST_BYTES ? LEAST_BYTES : measured->length;
    return measured->seconds / (double)bytes;
}

/* The least of three, once it looks slow: other programs run beside this one. */
static void measure(unit *measured, double slow)
{
    measured->seconds = seconds_of(measured->bytes, measured->length) - empty_seconds;
    measured->cost = cost_of(measured);
    for (int again = 0; again < 2 && measured->cost > slow; again++) {
        double seconds = seconds_of(measured->bytes, measured->length) - empty_seconds;
        if (seconds < measured->seconds) measured->seconds = seconds;
        measured->cost = cost_of(measured);
    }
}

static size_t least_kept(void)
{
    size_t least = 0;
    for (size_t i = 1; i < kept_count; i++)
        if (kept[i].cost < kept[least].cost) least = i;
    return least;
}

/* Takes the bytes over. */
static void keep(uint8_t *bytes, size_t length)
{
    unit made = {.bytes = bytes, .length = length};
    size_t place = kept_count < KEPT ? kept_count : least_kept();
    measure(&made, kept_count < KEPT ? -1 : kept[place].cost);
    if (kept_count == KEPT && made.cost <= kept[place].cost) {
        free(bytes);
        return;
    }
    if (kept_count < KEPT) kept_count++;
    free(kept[place].bytes);
    kept[place] = made;
}

static int read_seed(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)place;
    FILE *file = type == FTW_F ? fopen(path, "rb") : NULL;
    if (file == NULL) return 0;
    uint8_t *bytes = eqp_alloc(MOST_BYTES, 1);
    must_hold(bytes != NULL, "a seed fits into memory");
    keep(bytes, fread(bytes, 1, MOST_BYTES, file));
    fclose(file);
    return 0;
}

/* ---- changes ------------------------------------------------------------------------------------------- */

static size_t pick(eqp_random *random, size_t below)
{
    return below > 0 ? (size_t)eqp_random_below(random, below) : 0;
}

/* Puts `length` bytes in at `at`, as far as there is room. */
static void insert(uint8_t *bytes, size_t *total, size_t at, const uint8_t *from, size_t length)
{
    if (length > MOST_BYTES - *total) length = MOST_BYTES - *total;
    memmove(bytes + at + length, bytes + at, *total - at);
    memcpy(bytes + at, from, length);
    *total += length;
}

static void repeat(eqp_random *random, uint8_t *bytes, size_t *length)
{
    uint8_t piece[512];
    size_t at = pick(random, *length), size = 1 + pick(random, pick(random, 2) ? sizeof piece : 16);
    if (size > *length - at) size = *length - at;
    memcpy(piece, bytes + at, size);
    for (size_t times = (size_t)1 << pick(random, 12); times > 0 && *length < MOST_BYTES; times--)
        insert(bytes, length, at, piece, size);
}

static void change(eqp_random *random, uint8_t *bytes, size_t *length)
{
    const unit *other = &kept[pick(random, kept_count)];
    size_t at = pick(random, *length), from = pick(random, other->length);
    uint8_t byte = (uint8_t)("\n\r,;\"'\\|{}[]:0129.-ea \t#"[pick(random, 24)]);
    switch (*length == 0 ? 3 : pick(random, 6)) {
    case 0:
    case 1:
        repeat(random, bytes, length);
        break;
    case 2: /* cuts */
        from = at + 1 + pick(random, *length - at);
        memmove(bytes + at, bytes + from, *length - from);
        *length -= from - at;
        break;
    case 3: /* joins with another */
        insert(bytes, length, at, other->bytes + from, 1 + pick(random, other->length - from));
        break;
    case 4:
        bytes[at] = byte;
        break;
    default:
        bytes[at] = (uint8_t)pick(random, 256);
    }
}

static void try_one(eqp_random *random)
{
    const unit *a = &kept[pick(random, kept_count)], *b = &kept[pick(random, kept_count)];
    const unit *parent = a->cost > b->cost ? a : b;
    uint8_t *bytes = eqp_alloc(MOST_BYTES, 1);
    must_hold(bytes != NULL, "a unit fits into memory");
    size_t length = parent->length;
    memcpy(bytes, parent->bytes, length);
    for (size_t changes = 1 + pick(random, MOST_CHANGES); changes > 0; changes--)
        change(random, bytes, &length);
    keep(bytes, length);
}

int main(int argc, char **argv)
{
    must_hold(argc == 4, "usage: slow-NAME SECONDS SEEDS OUTPUT");
    double until = atof(argv[1]);
    eqp_random random = eqp_random_from(1, 0);
    empty_seconds = 1;
    for (int i = 0; i < 50; i++) {
        double seconds = seconds_of((const uint8_t *)"", 0);
        if (seconds < empty_seconds) empty_seconds = seconds;
    }
    must_hold(nftw(argv[2], read_seed, 8, FTW_PHYS) == 0 && kept_count > 0, "there are seeds");
    while (processor_seconds() < until) try_one(&random);
    const unit *slowest = kept;
    for (size_t i = 1; i < kept_count; i++)
        if (kept[i].cost > slowest->cost) slowest = &kept[i];
    printf("%.0f s, %zu runs: %.3f ms for %zu bytes, %.0f ns per byte\n", processor_seconds(), runs,
           1e3 * slowest->seconds, slowest->length, 1e9 * slowest->cost);
    FILE *file = fopen(argv[3], "wb");
    must_hold(file != NULL && fwrite(slowest->bytes, 1, slowest->length, file) == slowest->length &&
                  fclose(file) == 0,
              "the slowest unit can be written");
    for (size_t i = 0; i < kept_count; i++) free(kept[i].bytes);
    return 0;
}
