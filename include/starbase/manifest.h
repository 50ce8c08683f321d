/* starbase/manifest.h -- lists of a client's files, for the checksum rounds of a join.
 *
 * For:      the server, which compares, and headless clients, which answer. Neither has game files;
 *           both have manifests: lists of names and content hashes.
 * Never:    reads files. Manifests are compiled in (vanilla 1.1) or loaded by the caller.
 * Spec:     06 §4.3, §5.2, §7.
 * Promise:  none; may change with any version.
 */
#ifndef STARBASE_MANIFEST_H
#define STARBASE_MANIFEST_H

#include <starbase/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* starbase/message.h */
typedef struct sb_checksum_request  sb_checksum_request;
typedef struct sb_checksum_response sb_checksum_response;

enum {
    SB_CHECKSUM_ROUNDS = 5,
    SB_CHECKSUM_REF_HASH = 0x7E0CE243, /* StringHash("60") */
    SB_CHECKSUM_FF = 4,                /* position of the round with index 0xFF */
};

/* The five requests, in the order in which they are sent (spec 06 §4.3). */
typedef struct sb_checksum_round {
    uint8_t     index; /* 0..3, then 0xFF */
    const char *directory, *filter;
    bool        recursive;
} sb_checksum_round;

SB_API const sb_checksum_round *sb_checksum_rounds(void);
/* Position 0..4 of a round index; -1: no such round. */
SB_API int sb_checksum_position(uint8_t index);

/* One file. `directory` is the path below the requested directory, "" for that one. `name` is NULL
 * if the entry was learned from the wire, which carries only hashes; hashes are always present. */
typedef struct sb_manifest_file {
    uint8_t     position; /* of the round, 0..4 */
    const char *directory, *name;
    uint32_t    directory_hash; /* of the directory's last component; 0 for "" */
    uint32_t    name_hash, content_hash;
    bool        calculated; /* not from the wire: compare with tolerance (spec 06 §6.2) */
} sb_manifest_file;

/* Files in tree order: as a client lists them, each directory before its subdirectories. A
 * directory without files (never the requested one) is one entry with the name "" and hashes of 0.
 */
typedef struct sb_manifest {
    const char             *name; /* "vanilla 1.1" */
    const sb_manifest_file *files;
    size_t                  count;
} sb_manifest;

/* Vanilla 1.1, compiled in. Lent for the life of the program. */
SB_API const sb_manifest *sb_vanilla_manifest(void);
/* The name with this hash in `manifest` (may be NULL) or in the vanilla manifest; NULL: unknown. */
SB_API const char *sb_manifest_name_of(const sb_manifest *manifest, uint32_t name_hash);

typedef enum sb_difference_kind {
    SB_DIFFERENT_VERSION,   /* round 0: ref_hash */
    SB_DIFFERENT_DIRECTORY, /* dir_hash is not that of the request */
    SB_NO_SUCH_FILES,       /* the client found no file at all; `name` is the filter */
    SB_FILE_MISSING,
    SB_FILE_CHANGED,
    SB_FILE_EXTRA,
    SB_DIRECTORY_MISSING,
    SB_DIRECTORY_EXTRA,
    SB_DIFFERENCE_COUNT
} sb_difference_kind;

SB_API const char *sb_difference_text(sb_difference_kind kind); /* "file changed" ... */

/* The texts belong to the manifest or are constants; they stay valid after the callback. */
typedef struct sb_difference {
    sb_difference_kind kind;
    uint8_t            position;
    const char        *directory; /* path below the requested directory; "" for that one */
    const char        *name;      /* NULL: not known */
    uint32_t           name_hash, expected, found;
} sb_difference;

typedef void (*sb_difference_fn)(void *context, const sb_difference *difference);

/* Compares a decoded response with the manifest (spec 06 §7 steps 2 to 6) and reports each
 * difference to `on_difference` (may be NULL). Returns the number of differences; with
 * `allow_extra` extra files and directories are reported but not counted. */
SB_API uint32_t sb_manifest_compare(const sb_manifest          *manifest,
                                    const sb_checksum_response *response, bool allow_extra,
                                    sb_difference_fn on_difference, void *context);
/* The name to send in VersionMismatch or SystemChecksumFail: the relative name of the file, or
 * `<unknown 3EB23EBA>`. */
SB_API void sb_difference_name(const sb_difference *difference, char *out, size_t capacity);

/* Writes the ChecksumResponse of a client with these files. A request for which the manifest has no
 * files gets the answer of a client that finds none (spec 06 §5.2). SB_FULL: `capacity` is too
 * small (SB_CHECKSUM_RESPONSE_MAX always suffices). */
SB_API SB_MUST_USE sb_result sb_manifest_answer(const sb_manifest         *manifest,
                                                const sb_checksum_request *request, uint8_t *out,
                                                size_t capacity, size_t *size);

/* ---- files for clients (spec 06 §5.4) ---- */

enum {
    SB_CLIENT_FILES_MAX = 512,
    SB_CLIENT_FILE_MESSAGE_MAX = 103529, /* one message of 255 fragments (spec 01 §7.1) */
};

/* A file that a server sends to clients whose own file differs or is missing. Texts and bytes are
 * borrowed like the manifests. A file that is an entry of several manifests has a row for each
 * content_hash. */
typedef struct sb_client_file {
    uint32_t    manifests;    /* one bit per manifest of the server that has this entry */
    const char *directory;    /* of the manifest's entry */
    uint32_t    name_hash;    /* of the manifest's entry */
    uint32_t    content_hash; /* of the manifest's entry: what the client is expected to report */
    const char *path;         /* the name in the message, for reports */
    sb_span     message;      /* the whole FileTransfer; at most SB_CLIENT_FILE_MESSAGE_MAX */
} sb_client_file;

#ifdef __cplusplus
}
#endif
#endif
