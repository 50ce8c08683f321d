/* starbase/cipher.h -- the datagram cipher ("AlbyRules!", a PC1 with an 80-bit key). Spec 01 §2.
 *
 * For:      whoever puts datagrams on a socket or takes them off one.
 * Never:    touches byte 0 (the peer id), changes the length, or keeps state between datagrams.
 *           GameSpy datagrams (byte 0 = '\') are never enciphered: spec 01 §1.1.
 */
#ifndef STARBASE_CIPHER_H
#define STARBASE_CIPHER_H

#include <starbase/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In place. 0 or 1 bytes: unchanged. It is obfuscation, not security. */
SB_API void sb_encrypt_datagram(uint8_t *datagram, size_t size);
SB_API void sb_decrypt_datagram(uint8_t *datagram, size_t size);

/* One datagram of a batch, borrowed for the call. */
typedef struct sb_cipher_item {
    uint8_t *datagram;
    size_t   size;
} sb_cipher_item;

/* Same result as one call each; several datagrams at once hide the latency of the feedback. */
SB_API void sb_encrypt_datagrams(const sb_cipher_item *items, size_t count);
SB_API void sb_decrypt_datagrams(const sb_cipher_item *items, size_t count);

#ifdef __cplusplus
}
#endif
#endif
