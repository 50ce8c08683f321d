/* starbase/hash.h -- the two hashes of the checksum rounds: of names and of files. Spec 06 §6.
 *
 * For:      whoever answers, judges or records a ChecksumResponse (0x21, spec 06 §5.2).
 * Never:    opens a file or lists a directory: bytes come in, a number goes out.
 */
#ifndef STARBASE_HASH_H
#define STARBASE_HASH_H

#include <starbase/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* StringHash of a file name, a subdirectory's leaf name or the version string. Case counts;
 * the empty string gives 0. */
SB_API uint32_t sb_hash_string(sb_span text);
/* dir_hash of spec 06 §5.2: StringHash of the requested directory less one trailing '/'. */
SB_API uint32_t sb_hash_directory(sb_span request_dir);

/* Which byte FileHash takes for tail byte j, when n whole words leave 1..3 bytes over. An open
 * question: the known wire values do not settle it (spec 06 §6.2 and §12). To calibrate, hash the
 * four files named there under every rule and keep the one that gives all four wire values. */
typedef enum sb_file_hash_rule {
    SB_FILE_HASH_RULE_A = 0, /* byte[4n + j] (OpenBC's reading) */
    SB_FILE_HASH_RULE_B,     /* byte[4n] for every j (explains all four files) */
    SB_FILE_HASH_RULE_C,     /* byte[4n - 1 + j]; n = 0 has no byte before the tail: 0 is taken */
    SB_FILE_HASH_RULE_COUNT,
    SB_FILE_HASH_RULE_DEFAULT = SB_FILE_HASH_RULE_B,
} sb_file_hash_rule;

/* FileHash of a whole file. Bytes 4..7 (the time stamp of a .pyc) do not count if all are there. */
SB_API uint32_t sb_hash_file(sb_span file, sb_file_hash_rule rule);

/* The same in pieces of any size, for files that are not in memory. Treat as opaque. */
typedef struct sb_file_hash {
    sb_file_hash_rule rule;
    uint32_t          hash;    /* of the whole words so far */
    uint64_t          size;    /* bytes so far */
    uint8_t           tail[4]; /* the first size % 4 are pending */
    uint8_t           before;  /* the byte before the pending ones, 0 at the beginning */
} sb_file_hash;

SB_API void sb_file_hash_init(sb_file_hash *h, sb_file_hash_rule rule);
SB_API void sb_file_hash_add(sb_file_hash *h, sb_span bytes);
/* The hash of what was added so far; more may be added after. */
SB_API uint32_t sb_file_hash_result(const sb_file_hash *h);

/* Compares a calculated FileHash with one from the wire whatever the tail rule: 21 bits decide,
 * the 11 that a tail can touch do not (spec 06 §6.2). Two wire values are compared with ==. */
SB_API bool sb_file_hash_matches(uint32_t calculated, uint32_t wire);

/* The integrity hash of a ship (spec 04) is folded from numbers, one after the other, starting at
 * 0; only the integer part of |value| counts. Which numbers: spec 04 §5, starbase/integrity.h. */
SB_API uint32_t sb_fold_integrity(uint32_t accumulator, float value);
/* The 16 bits of it that a StateUpdate carries. */
SB_API uint16_t sb_integrity_wire(uint32_t hash);

#ifdef __cplusplus
}
#endif
#endif
