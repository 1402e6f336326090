/* The module itself: the functions of every file, and the version. */
#include "binding.h"

static int add_functions(PyObject *module)
{
    PyMethodDef *const groups[] = {table_methods,  model_methods, decision_methods,
                                   report_methods, file_methods,  inspect_methods};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (PyModule_AddFunctions(module, groups[i]) != 0) return -1;
    return PyModule_AddStringConstant(module, "version", eqp_version());
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, add_functions}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "equipoise._core",
    .m_doc = "The C library, call by call.",
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
