/* Whether texts are numbers to the decoder of cells:   read-numbers < TEXTS > VERDICTS
 *
 * Each text is ended by a byte 0x1E; one digit a line. */
#include "base/number.h"

#include <stdio.h>

int main(void)
{
    char text[4096];
    size_t length = 0;
    double value;
    for (int c; (c = getchar()) != EOF;) {
        if (c != 0x1E) {
            if (length < sizeof text) text[length++] = (char)c;
            continue;
        }
        printf("%d\n", eqp_number_parse(text, length, '.', &value));
        length = 0;
    }
    return 0;
}
