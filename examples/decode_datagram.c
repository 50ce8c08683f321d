/* examples/decode_datagram.c -- decrypts a datagram and prints the names of its game messages. */
#include <starbase/cipher.h>
#include <starbase/datagram.h>
#include <starbase/message.h>

#include <stdio.h>

int main(void)
{
    uint8_t bytes[] = { 0x02, 0xD7, 0x02, 0xD4, 0x22, 0x78, 0x8A, 0xB6, 0x03 };
    sb_decrypt_datagram(bytes, sizeof bytes);

    sb_datagram datagram;
    if (sb_decode_datagram((sb_span){ bytes, sizeof bytes }, &datagram, NULL) != SB_OK) return 1;

    sb_transport_message part;
    for (size_t at = 0; sb_datagram_next(&datagram, &at, &part);) {
        sb_message message;
        if (part.type != SB_TRANSPORT_DATA || part.fragment || part.payload.size == 0) continue;
        if (sb_decode_message(part.payload, NULL, &message, NULL) != SB_OK) return 1;
        printf("peer %d, message %d: %s\n", datagram.peer_id, part.seq,
               sb_find_message_type(message.opcode)->name);
    }
    return 0;
}
