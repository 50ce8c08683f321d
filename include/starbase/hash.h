/* starbase/hash.h -- the hashes of names and files in checksum rounds; the folding of the integrity
 * hash.
 *
 * For:      code that answers, compares or records a ChecksumResponse (0x21, spec 06 §5.2).
 * Never:    opens a file or lists a directory: it hashes bytes in memory.
 * Spec:     06 §6, 04 §3 to §6.
 */
#ifndef STARBASE_HASH_H
#define STARBASE_HASH_H

#include <starbase/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* StringHash of a file name, the last component of a directory or the version string.
 * Case-sensitive; the hash of the empty string is 0. */
SB_API uint32_t sb_hash_string(sb_span text);
/* dir_hash of spec 06 §5.2: StringHash of the requested directory without one trailing '/'. */
SB_API uint32_t sb_hash_directory(sb_span request_dir);

/* How FileHash reads tail byte j of a file of n whole words and 1..3 more bytes. The known wire
 * values do not decide between the rules (spec 06 §6.2, §12). The four files that spec 06 §6.2
 * names would decide: only the right rule gives all four wire values. */
typedef enum sb_file_hash_rule {
    SB_FILE_HASH_RULE_A = 0, /* byte[4n + j] (OpenBC's reading) */
    SB_FILE_HASH_RULE_B,     /* byte[4n] for every j (explains all four files) */
    SB_FILE_HASH_RULE_C,     /* byte[4n - 1 + j]; 0 in place of the missing byte if n = 0 */
    SB_FILE_HASH_RULE_COUNT,
    SB_FILE_HASH_RULE_DEFAULT = SB_FILE_HASH_RULE_B,
} sb_file_hash_rule;

/* FileHash of a whole file. Bytes 4..7, the time stamp of a .pyc file, are left out if all four
 * exist. */
SB_API uint32_t sb_hash_file(sb_span file, sb_file_hash_rule rule);

/* FileHash of a file that is read in pieces of any size. Treat the struct as opaque. */
typedef struct sb_file_hash {
    sb_file_hash_rule rule;
    uint32_t          hash;    /* of the whole words so far */
    uint64_t          size;    /* bytes so far */
    uint8_t           tail[4]; /* the first size % 4 are not hashed yet */
    uint8_t           before;  /* the byte before the tail; 0 at the start */
} sb_file_hash;

SB_API void sb_file_hash_init(sb_file_hash *h, sb_file_hash_rule rule);
SB_API void sb_file_hash_add(sb_file_hash *h, sb_span bytes);
/* The hash of all bytes added so far. More may be added later. */
SB_API uint32_t sb_file_hash_result(const sb_file_hash *h);

/* Compares a calculated FileHash with one from the wire without knowing the tail rule: 21 bits
 * count, the 11 bits that a tail can change do not (spec 06 §6.2). Compare two wire values with ==.
 */
SB_API bool sb_file_hash_matches(uint32_t calculated, uint32_t wire);

/* The integrity hash of a ship (spec 04) is a fold over numbers that starts at 0; only the integer
 * part of |value| counts. starbase/integrity.h lists the numbers (spec 04 §5). */
SB_API uint32_t sb_fold_integrity(uint32_t accumulator, float value);
/* The 16 bits of the hash that a StateUpdate carries. */
SB_API uint16_t sb_integrity_wire(uint32_t hash);

#ifdef __cplusplus
}
#endif
#endif
