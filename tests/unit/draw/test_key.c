/* Key files: made once, never overwritten, never readable by others. */
#include "draw/digest.h"
#include "equipoise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = P_tmpdir "/equipoise-key-XXXXXX", path[sizeof folder + 8];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) return -1;
    snprintf(path, sizeof path, "%s/key", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void write_key_file(const char *text)
{
    unlink(path);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    chmod(path, 0600);
}

static void created_keys_are_private_and_differ(void **state)
{
    (void)state;
    eqp_key first, second;
    eqp_error error;
    struct stat found;
    assert_int_equal(eqp_key_create(path, &error), EQP_OK);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
    assert_int_equal(found.st_size, 65);
    assert_int_equal(eqp_key_read(path, &first, &error), EQP_OK);
    assert_int_equal(strspn(first.hex, "0123456789abcdef"), 64);
    assert_int_equal(eqp_key_make(&second, &error), EQP_OK);
    assert_string_not_equal(first.hex, second.hex);

    assert_int_equal(eqp_key_create(path, &error), EQP_USAGE);
    assert_int_equal(eqp_key_read(path, &second, &error), EQP_OK);
    assert_string_equal(first.hex, second.hex);
}

static void files_that_others_can_read_are_refused(void **state)
{
    (void)state;
    eqp_key key;
    eqp_error error;
    write_key_file("00112233445566778899aabbccddeeff0123456789abcdef0fedcba987654321\n");
    assert_int_equal(eqp_key_read(path, &key, &error), EQP_OK);
    chmod(path, 0640);
    assert_int_equal(eqp_key_read(path, &key, &error), EQP_USAGE);
    assert_non_null(strstr(error.message, "can be read by others"));
    assert_non_null(strstr(error.hint, "chmod 600"));
    assert_string_equal(key.hex, "");
}

static void only_64_digits_are_a_key(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "0011",
        "00112233445566778899aabbccddeeff00112233445566778899aabbccddeefg",
        "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff0",
        "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n\n",
        "/0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
        ":0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
        "`0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"};
    eqp_key key;
    eqp_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_key_file(wrong[i]);
        assert_int_equal(eqp_key_read(path, &key, &error), EQP_DATA);
        assert_null(strstr(error.message, "011")); /* no digit of a key in a message */
    }
    write_key_file("00112233445566778899AABBCCDDEEFF0123456789ABCDEF0FEDCBA987654321");
    assert_int_equal(eqp_key_read(path, &key, &error), EQP_OK);
    assert_string_equal(key.hex, "00112233445566778899aabbccddeeff0123456789abcdef0fedcba987654321");
}

static void keys_that_somebody_typed_are_refused(void **state)
{
    (void)state;
    static const char *const weak[] = {"0000000000000000000000000000000000000000000000000000000000000000",
                                       "0000000000000000000000000000000000000000000000000000000000000001",
                                       "1212121212121212121212121212121212121212121212121212121212121212",
                                       "0123456701234567012345670123456701234567012345670123456701234567",
                                       "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                                       "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"};
    eqp_key key;
    eqp_error error;
    for (size_t i = 0; i < sizeof weak / sizeof *weak; i++) {
        write_key_file(weak[i]);
        assert_int_equal(eqp_key_read(path, &key, &error), EQP_USAGE);
        assert_non_null(strstr(error.message, "weak"));
        assert_string_equal(key.hex, "");
        assert_int_equal(eqp_key_parse(weak[i], &key, &error), EQP_USAGE);
    }
    for (int i = 0; i < 1000; i++) { /* and no other */
        assert_int_equal(eqp_key_make(&key, &error), EQP_OK);
        assert_int_equal(eqp_key_parse(key.hex, &key, &error), EQP_OK);
    }
    assert_int_equal(eqp_key_parse("12", &key, &error), EQP_USAGE);
}

static void commitment_is_the_digest_of_the_digits(void **state)
{
    (void)state;
    eqp_key key = {"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"};
    char commitment[65], digest[65];
    eqp_key_commitment(&key, commitment);
    eqp_digest_of(key.hex, 64, digest);
    assert_string_equal(commitment, digest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(created_keys_are_private_and_differ),
        cmocka_unit_test(files_that_others_can_read_are_refused),
        cmocka_unit_test(only_64_digits_are_a_key),
        cmocka_unit_test(keys_that_somebody_typed_are_refused),
        cmocka_unit_test(commitment_is_the_digest_of_the_digits),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
