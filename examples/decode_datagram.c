/* examples/decode_datagram.c -- decrypts a datagram and prints the names of its game messages. */
#include <starbase/cipher.h>
#include <starbase/datagram.h>
#include <starbase/message.h>

#include <stdio.h>

int main(void)
{
    uint8_t bytes[] = { 0x02, 0xD7, 0x02, 0xD4, 0x22, 0x78, 0x8A, 0xB6, 0x03 };
    sb_decrypt_datagram(bytes, sizeof bytes);

    sb_datagram          datagram;
    sb_transport_message parts[SB_DATAGRAM_MESSAGES_MAX];
    if (sb_parse_datagram((sb_span){ bytes, sizeof bytes }, parts, SB_DATAGRAM_MESSAGES_MAX,
                          &datagram, NULL) != SB_OK)
        return 1;

    for (unsigned i = 0; i < datagram.message_count; i++) {
        const sb_transport_message *part = &parts[i];
        sb_message                  message;
        if (part->type != SB_TRANSPORT_DATA || part->fragment || part->payload.size == 0) continue;
        if (sb_decode_message(part->payload, NULL, &message, NULL) != SB_OK) return 1;
        printf("peer %d, message %d: %s\n", datagram.peer_id, part->seq,
               sb_find_message_type(message.opcode)->name);
    }
    return 0;
}
