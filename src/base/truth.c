#include "base/truth.h"

#include <string.h>
#include <strings.h>

int eqp_truth(const char *text, size_t length)
{
    static const char *const WORDS[][2] = {
        {"no", "yes"},    {"false", "true"},  {"n", "y"},   {"f", "t"}, {"nein", "ja"},
        {"non", "oui"},   {"no", "si"},       {"no", "sí"}, {"0", "1"}, {"off", "on"},
        {"faux", "vrai"}, {"falsch", "wahr"}, {NULL, NULL}};
    for (size_t i = 0; WORDS[i][0] != NULL; i++)
        for (int value = 0; value < 2; value++)
            if (strlen(WORDS[i][value]) == length && strncasecmp(text, WORDS[i][value], length) == 0)
                return value;
    return -1;
}
