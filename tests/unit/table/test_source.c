/* Sources: plain, gzip, zstd, several members and frames, truncation at every byte, digests. */
#include "base/memory.h"
#include "draw/digest.h"
#include "files.h"

#include <zlib.h>
#include <zstd.h>

static const char text[] = "id,value\n1,one\n2,two\n3,three and some more bytes to pack\n";

static size_t pack_gzip(char *packed, size_t capacity)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (unsigned char *)text;
    stream.avail_in = sizeof text - 1;
    stream.next_out = (unsigned char *)packed;
    stream.avail_out = (unsigned)capacity;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return capacity - stream.avail_out;
}

static size_t pack_zstd(char *packed, size_t capacity)
{
    size_t length = ZSTD_compress(packed, capacity, text, sizeof text - 1, 3);
    assert_false(ZSTD_isError(length));
    return length;
}

/* Reads all in steps of `step` bytes; *length is what came before the end or the error. */
static eqp_status unpack(size_t step, char *bytes, size_t *length, char digest[65], eqp_error *error)
{
    eqp_source *source;
    size_t count;
    *length = 0;
    eqp_status status = eqp_source_open(file_name, true, &source, error);
    if (status != EQP_OK) return status;
    while ((status = eqp_source_read(source, bytes + *length, step, &count, error)) == EQP_OK && count > 0)
        *length += count;
    eqp_source_digest(source, digest);
    eqp_source_close(source);
    return status;
}

static void assert_unpacks(const char *packed, size_t packed_length, int times)
{
    char bytes[1024], expected[1024] = "", digest[65], expected_digest[65];
    size_t length;
    for (int i = 0; i < times; i++) strcat(expected, text);
    eqp_digest_of(expected, strlen(expected), expected_digest);
    write_bytes(packed, packed_length);
    for (size_t step = 1; step <= 256; step *= 4) {
        assert_int_equal(unpack(step, bytes, &length, digest, NULL), EQP_OK);
        assert_int_equal(length, strlen(expected));
        assert_memory_equal(bytes, expected, length);
        assert_string_equal(digest, expected_digest);
    }
}

static void every_wrapping_gives_the_same_bytes(void **state)
{
    (void)state;
    char packed[2048];
    assert_unpacks(text, sizeof text - 1, 1);
    size_t length = pack_gzip(packed, 512);
    assert_unpacks(packed, length, 1);
    memcpy(packed + length, packed, length);
    assert_unpacks(packed, 2 * length, 2);
    memset(packed + 2 * length, 0, 100);
    assert_unpacks(packed, 2 * length + 100, 2); /* padded with zeros, as tapes do */
    length = pack_zstd(packed, 512);
    assert_unpacks(packed, length, 1);
    memcpy(packed + length, packed, length);
    assert_unpacks(packed, 2 * length, 2);
}

static void truncation_is_noticed_at_every_byte(void **state)
{
    (void)state;
    char packed[512], bytes[1024], digest[65];
    eqp_error error = {0};
    for (int zstd = 0; zstd < 2; zstd++) {
        size_t length = zstd ? pack_zstd(packed, sizeof packed) : pack_gzip(packed, sizeof packed), got;
        for (size_t cut = 4; cut < length; cut++) {
            write_bytes(packed, cut);
            assert_int_equal(unpack(64, bytes, &got, digest, &error), EQP_DATA);
            assert_string_equal(error.message,
                                zstd ? "the zstd data ends too early" : "the gzip data ends too early");
        }
    }
}

static void damage_never_passes_silently(void **state)
{
    (void)state;
    char packed[512], bytes[4096], digest[65];
    size_t length = pack_gzip(packed, sizeof packed), got, refusals = 0;
    for (size_t i = 10; i < length - 8; i++) { /* behind the header, before the checksum */
        packed[i] ^= 0x20;
        write_bytes(packed, length);
        bool refused = unpack(64, bytes, &got, digest, NULL) == EQP_DATA; /* or a bit that means nothing */
        assert_true(refused || (got == sizeof text - 1 && memcmp(bytes, text, got) == 0));
        refusals += refused;
        packed[i] ^= 0x20;
    }
    assert_true(refusals > length / 2);
    packed[length] = 'x';
    eqp_error error = {0};
    write_bytes(packed, length + 1);
    assert_int_equal(unpack(64, bytes, &got, digest, &error), EQP_DATA);
}

static void short_files_are_plain(void **state)
{
    (void)state;
    char bytes[16], digest[65];
    size_t length;
    write_bytes("x", 1);
    assert_int_equal(unpack(8, bytes, &length, digest, NULL), EQP_OK);
    assert_int_equal(length, 1);
    write_bytes("", 0);
    assert_int_equal(unpack(8, bytes, &length, digest, NULL), EQP_OK);
    assert_int_equal(length, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_wrapping_gives_the_same_bytes),
        cmocka_unit_test(truncation_is_noticed_at_every_byte),
        cmocka_unit_test(damage_never_passes_silently),
        cmocka_unit_test(short_files_are_plain),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
