/* Dictionary, buffer, checked allocation. */
#include "base/buffer.h"
#include "base/dictionary.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static void codes_are_in_order_of_appearance(void **state)
{
    (void)state;
    enum { TEXTS = 50000 };
    eqp_dictionary *dictionary = eqp_dictionary_new();
    assert_non_null(dictionary);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < TEXTS; i++) {
            char text[32];
            int length = snprintf(text, sizeof text, "level %u", i * 2654435761u);
            assert_int_equal(eqp_dictionary_add(dictionary, text, (size_t)length), i);
        }
    }
    assert_int_equal(eqp_dictionary_size(dictionary), TEXTS);
    assert_string_equal(eqp_dictionary_text(dictionary, 1), "level 2654435761");
    assert_int_equal(eqp_dictionary_length(dictionary, 1), 16);
    assert_int_equal(eqp_dictionary_find(dictionary, "level 2654435761", 16), 1);
    assert_int_equal(eqp_dictionary_find(dictionary, "level 2654435761", 15), EQP_NO_CODE);
    eqp_dictionary_free(dictionary);
    eqp_dictionary_free(NULL);
}

/* Lengths around the words that the hash takes, the empty text and bytes of zero among them. */
static void every_text_has_its_own_code(void **state)
{
    (void)state;
    char bytes[40] = {0};
    eqp_dictionary *dictionary = eqp_dictionary_new();
    for (uint32_t length = 0; length < 40; length++)
        assert_int_equal(eqp_dictionary_add(dictionary, bytes, length), length);
    for (uint32_t length = 0; length < 40; length++)
        assert_int_equal(eqp_dictionary_find(dictionary, bytes, length), length);
    eqp_dictionary_free(dictionary);
}

/* Texts of sixteen bytes that a multiplying hash without a key put into one place: the second word is chosen
 * to undo what the first did.  With every text in one place this takes minutes. */
static void chosen_texts_do_not_meet(void **state)
{
    (void)state;
    const uint64_t far = UINT64_C(0xD6E8FEB86659FD93), near = UINT64_C(0x9FB21C651E98DF25);
    eqp_dictionary *dictionary = eqp_dictionary_new();
    clock_t begun = clock();
    for (uint64_t i = 1; i <= 300000; i++) {
        uint64_t word[2] = {i * UINT64_C(0x9E3779B97F4A7C15), 0},
                 x = word[0] ^ UINT64_C(0x9E3779B97F4A7C15) ^ 16;
        x = (x ^ x >> 32) * near;
        word[1] = (x ^ x >> 28) * far;
        assert_int_equal(eqp_dictionary_add(dictionary, (char *)word, 16), i - 1);
    }
    assert_true((double)(clock() - begun) / CLOCKS_PER_SEC < 10);
    eqp_dictionary_free(dictionary);
}

static void buffers_hold_what_was_added(void **state)
{
    (void)state;
    eqp_buffer buffer = {0};
    char *text;
    for (int i = 0; i < 1000; i++) eqp_buffer_printf(&buffer, "%d%s", i, ",");
    eqp_buffer_add(&buffer, "tail\0tail", 4);
    eqp_buffer_text(&buffer, "!");
    size_t length = buffer.length;
    assert_int_equal(eqp_buffer_take(&buffer, &text, NULL), EQP_OK);
    assert_int_equal(strlen(text), length);
    assert_memory_equal(text, "0,1,2,3,4,5,6,7,8,9,10,", 23);
    assert_string_equal(text + length - 9, "999,tail!");
    assert_null(buffer.bytes);
    eqp_text_free(text);
    assert_int_equal(eqp_buffer_take(&buffer, &text, NULL), EQP_OK); /* nothing added: the empty text */
    assert_string_equal(text, "");
    eqp_text_free(text);
}

static void a_failed_buffer_says_so(void **state)
{
    (void)state;
    eqp_buffer buffer = {.failed = true};
    eqp_error error = {0};
    char *text;
    eqp_buffer_text(&buffer, "dropped");
    assert_int_equal(eqp_buffer_take(&buffer, &text, &error), EQP_MEMORY);
    assert_null(text);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    volatile size_t huge = SIZE_MAX / 2; /* so that no compiler reasons about it */
    assert_null(eqp_alloc(huge, 4));
    assert_null(eqp_alloc_zero(huge, 4));
    assert_null(eqp_alloc_aligned(huge, 4));
    assert_null(eqp_resize(NULL, huge, 4));
    size_t capacity = 0;
    assert_null(eqp_reserve(NULL, &capacity, huge, 4));
    assert_int_equal(capacity, 0);
    void *nothing = eqp_alloc(0, 8), *aligned = eqp_alloc_aligned(3, 5);
    assert_non_null(nothing);
    assert_int_equal((uintptr_t)aligned % 64, 0);
    free(nothing);
    free(aligned);
}

static void an_arena_remembers_what_failed(void **state)
{
    (void)state;
    eqp_arena arena = {0};
    char *none = eqp_take(&arena, 0, 8), *zeros = eqp_take_zero(&arena, 1000, 3);
    double *numbers = eqp_take(&arena, 7, sizeof *numbers);
    assert_true(none != NULL && zeros != NULL && numbers != NULL && !arena.failed);
    assert_true((uintptr_t)zeros % 64 == 0 && (uintptr_t)numbers % 64 == 0);
    for (size_t i = 0; i < 3000; i++) assert_int_equal(zeros[i], 0);
    for (size_t i = 0; i < 7; i++) numbers[i] = 1;
    assert_null(eqp_take(&arena, SIZE_MAX / 2, 4));
    assert_true(arena.failed);
    assert_null(eqp_take(&arena, 1, 1)); /* so that whoever looks once, at the end, sees it */
    assert_null(eqp_take_zero(&arena, PTRDIFF_MAX - 1, 1));
    assert_true(arena.failed && numbers[6] == 1);
    eqp_arena_free(&arena);
    assert_true(arena.last == NULL && !arena.failed);
    eqp_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_in_order_of_appearance), cmocka_unit_test(every_text_has_its_own_code),
        cmocka_unit_test(chosen_texts_do_not_meet),         cmocka_unit_test(buffers_hold_what_was_added),
        cmocka_unit_test(a_failed_buffer_says_so),          cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(an_arena_remembers_what_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
