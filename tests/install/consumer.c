/* A program of somebody else: compiled against the installed header, linked through pkg-config. */
#include <equipoise.h>

#include <stdio.h>

int main(void)
{
    eqp_error error = {EQP_OK};
    printf("%s\n", eqp_version());
    return eqp_population_write("consumer.csv", 10, 1, true, &error) == EQP_OK ? 0 : 1;
}
