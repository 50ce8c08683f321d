/* starbase/cipher.h -- the datagram cipher: PC1 with the 80-bit key "AlbyRules!".
 *
 * For:      code that sends datagrams to a socket or receives them from one. The cipher is
 *           obfuscation, not security: the key is public.
 * Never:    touches byte 0 (the peer id), changes the length, or keeps state between datagrams.
 *           GameSpy datagrams (byte 0 = '\') are never encrypted: spec 01 §1.1.
 * Spec:     01 §2.
 */
#ifndef STARBASE_CIPHER_H
#define STARBASE_CIPHER_H

#include <starbase/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Both work in place. A datagram of 0 or 1 bytes stays as it is. */
SB_API void sb_encrypt_datagram(uint8_t *datagram, size_t size);
SB_API void sb_decrypt_datagram(uint8_t *datagram, size_t size);

/* One datagram of a batch, borrowed for the call. */
typedef struct sb_cipher_item {
    uint8_t *datagram;
    size_t   size;
} sb_cipher_item;

/* The result equals one call per datagram. Decrypting a batch is faster: eight datagrams run side
 * by side, which hides the latency of the cipher's feedback.
 *
 *     sb_cipher_item items[64];
 *     for (size_t i = 0; i < count; i++) items[i] = (sb_cipher_item){ bytes[i], sizes[i] };
 *     sb_decrypt_datagrams(items, count); // then sb_parse_datagram for each
 */
SB_API void sb_encrypt_datagrams(const sb_cipher_item *items, size_t count);
SB_API void sb_decrypt_datagrams(const sb_cipher_item *items, size_t count);

#ifdef __cplusplus
}
#endif
#endif
