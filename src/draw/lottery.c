/* Tickets and the draws that rank them. */
#include "draw/draw.h"

#include <string.h>

#define AT_ONCE 64

void eqp_rank_key(const eqp_key *key, const char *randomness, eqp_key *ranks)
{
    eqp_key derived;
    eqp_key_derive(key, EQP_KEY_FOR_RANKS, &derived);
    *ranks = derived;
    if (randomness != NULL) eqp_key_mix(&derived, randomness, ranks);
    explicit_bzero(&derived, sizeof derived);
}

void eqp_lottery_init(eqp_lottery *lottery, const eqp_key *key, const char *randomness, const char *name)
{
    eqp_key derived;
    eqp_rank_key(key, randomness, &derived);
    eqp_drawer_init(&lottery->ranks, &derived, name);
    eqp_key_derive(key, EQP_KEY_FOR_TICKETS, &derived);
    eqp_drawer_init(&lottery->tickets, &derived, name);
    explicit_bzero(&derived, sizeof derived);
}

/* A digest begins with its draws, 13 digits each. */
static void print_ticket(const eqp_draws *draws, eqp_ticket *ticket)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < EQP_TICKET_DIGITS; i++)
        ticket->digits[i] = digits[draws->draw[i / 13] >> 4 * (12 - i % 13) & 15];
    ticket->digits[EQP_TICKET_DIGITS] = '\0';
}

void eqp_lottery_tickets(const eqp_lottery *lottery, const char *ids, const size_t *start,
                         const uint32_t *length, size_t count, eqp_ticket *tickets)
{
    eqp_draws draws[AT_ONCE];
    for (size_t done = 0; done < count; done += AT_ONCE) {
        size_t some = count - done < AT_ONCE ? count - done : AT_ONCE;
        eqp_draw_blocks(&lottery->tickets, 0, ids, start + done, length + done, some, draws);
        for (size_t i = 0; i < some; i++) print_ticket(&draws[i], &tickets[done + i]);
    }
}

void eqp_lottery_draws(const eqp_lottery *lottery, const eqp_ticket *tickets, size_t count, uint64_t *draws)
{
    eqp_draws found[AT_ONCE];
    size_t start[AT_ONCE];
    uint32_t length[AT_ONCE];
    for (size_t i = 0; i < AT_ONCE; i++) {
        start[i] = i * sizeof *tickets;
        length[i] = EQP_TICKET_DIGITS;
    }
    for (size_t done = 0; done < count; done += AT_ONCE) {
        size_t some = count - done < AT_ONCE ? count - done : AT_ONCE;
        eqp_draw_blocks(&lottery->ranks, 0, tickets[done].digits, start, length, some, found);
        for (size_t i = 0; i < some; i++) draws[done + i] = found[i].draw[0];
    }
}
