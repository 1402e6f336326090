/* The hot loop of reading: where do fields end?
 *
 * 64 bytes at a time become bit masks of quotes, delimiters and line feeds; a running xor over the quote mask
 * tells which bytes are inside quotes; what is left of the other two masks are the ends of fields.  Each
 * kernel exists with vector instructions and in portable C and gives the same answer; the processor decides
 * at run time.
 *
 * The scanner takes well-formed records for granted and only notes that something is odd; index.h then looks
 * again, byte by byte, and says what and where. */
#ifndef EQP_TABLE_SCANNER_H
#define EQP_TABLE_SCANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Buffers that are scanned must be readable so far beyond their end. */
#define EQP_SCAN_PADDING 128
/* An array of ends needs the capacity for this many more than are found. */
#define EQP_SCAN_SLACK 64

typedef struct eqp_scan {
    const char *bytes;
    char delimiter;
    uint64_t inside;   /* all ones while within quotes, else 0 */
    uint64_t may_open; /* 1: a quote as the next byte begins a field or doubles the one before it */
    uint64_t closed;   /* 1: the last byte was a closing quote */
    uint32_t *ends;    /* positions of delimiters and line feeds outside quotes; EQP_SCAN_SLACK more fit */
    size_t count;      /* of the ends */
    size_t records;    /* line feeds among the ends */
    bool odd;          /* a NUL, or a quote in a wrong place */
} eqp_scan;

typedef struct eqp_tally {
    size_t quotes, line_feeds;
} eqp_tally;

typedef struct eqp_scanner {
    /* Continues a scan with bytes[from … to-1]; `from` is a multiple of 64, `to` too except at the very end.
     */
    void (*scan)(eqp_scan *scan, size_t from, size_t to);
    /* Counts quotes and line feeds; what cutting a stream into whole records needs. */
    eqp_tally (*tally)(const char *bytes, size_t length);
} eqp_scanner;

/* Those that this processor can run, the best last; the first is the portable one. */
#define EQP_SCANNERS 3
size_t eqp_scanners(eqp_scanner scanners[EQP_SCANNERS]);
eqp_scanner eqp_scanner_best(void);

#endif
