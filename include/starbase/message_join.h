/* starbase/message_join.h -- contents of the messages with which a client joins: settings and
 * checksums of files.
 *
 * For:      code that needs these structs but no codec. starbase/message.h includes them.
 * Spec:     06 §5.
 */
#ifndef STARBASE_MESSAGE_JOIN_H
#define STARBASE_MESSAGE_JOIN_H

#include <starbase/base.h>
#include <starbase/protocol.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sb_settings {
    float   game_time;
    bool    collision_damage, throttle_bit, checksum_flag;
    uint8_t slot;
    sb_span map;        /* mission script path */
    sb_span correction; /* present only with checksum_flag; its format is unknown */
} sb_settings;

typedef struct sb_checksum_request {
    uint8_t index; /* 0..3, then 0xFF */
    sb_span directory, filter;
    bool    recursive;
} sb_checksum_request;

/* The decoder has checked the tree; sb_tree_cursor_* iterate over it. */
typedef struct sb_checksum_response {
    uint8_t  index;
    uint32_t ref_hash; /* valid only if index is 0 */
    uint32_t dir_hash; /* with no_files, one more than the hash of the directory */
    bool     no_files; /* the client found no file; no tree follows */
    sb_span  tree;
} sb_checksum_response;

typedef struct sb_file_name { /* 0x22, 0x23 */
    sb_span name;
} sb_file_name;

typedef struct sb_file_transfer { /* 0x25: our client never writes the file (spec 06 §5.4) */
    sb_span name, content;
} sb_file_transfer;

typedef struct sb_new_player_in_game {
    bool has_flag; /* the second byte may be missing */
    bool flag;
} sb_new_player_in_game;

typedef struct sb_collision_setting { /* 0x16 */
    bool collision_damage;
} sb_collision_setting;

/* ---- iterating over a checksum tree (spec 06 §5.2) ---- */

typedef enum sb_tree_kind { SB_TREE_FILE, SB_TREE_DIRECTORY, SB_TREE_END } sb_tree_kind;

typedef struct sb_tree_step {
    sb_tree_kind kind;
    unsigned     depth;     /* 0: the requested directory */
    uint32_t     name_hash; /* of the file, or of the directory that begins */
    uint32_t     content_hash;
} sb_tree_step;

/* Iterates depth first over the tree of a decoded message: the files of a directory, then its
 * subdirectories. Pass only a tree that a decoder has checked. */
typedef struct sb_tree_cursor {
    sb_span  tree;
    size_t   at;
    unsigned depth;
    struct {
        uint32_t files_left, directories, directories_left;
        size_t   names_at;
    } level[SB_TREE_DEPTH_MAX + 1];
} sb_tree_cursor;

SB_API void         sb_tree_cursor_init(sb_tree_cursor *c, const sb_checksum_response *response);
SB_API sb_tree_step sb_tree_cursor_next(sb_tree_cursor *c);

#ifdef __cplusplus
}
#endif
#endif
