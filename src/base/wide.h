/* Kernels compiled for the widest vectors too, chosen when the program is loaded.  Nothing is contracted or
 * reassociated (M13), so that every version of a kernel gives the same bits. */
#ifndef EQP_BASE_WIDE_H
#define EQP_BASE_WIDE_H

#include <stdint.h> /* says whether the C library is glibc, which chooses */

#if defined(__x86_64__) && !defined(EQP_PORTABLE) && !defined(EQP_ONE_VERSION) && defined(__GLIBC__) &&      \
    !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define EQP_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define EQP_WIDE
#endif

#endif
