/* Learning: what was found, a model and the figures that go with it. */
#include "learn/training.h"

#include "base/memory.h"

void eqp_figures_free(eqp_figures *figures)
{
    free(figures->composition);
    free(figures->composition_error);
    figures->composition = figures->composition_error = NULL;
}

void eqp_learning_free(eqp_learning *learning)
{
    if (learning == NULL) return;
    eqp_model_free(learning->model);
    eqp_figures_free(&learning->train);
    eqp_figures_free(&learning->cross_validated);
    for (size_t i = 0; i < learning->yield_count && learning->yield_figures != NULL; i++)
        eqp_figures_free(&learning->yield_figures[i]);
    free(learning->yield_figures);
    free(learning->yields);
    free(learning->yield_reason);
    eqp_notes_free(&learning->notes);
    free(learning);
}
