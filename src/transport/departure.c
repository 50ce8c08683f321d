/* src/transport/departure.c -- a message that ends a session waits for the silence of its sender.
 *
 * For:      src/transport/departure.h.
 * Tests:    tests/transport/host_depart_test.c, client_departure_test.c.
 */
#include "transport/departure.h"

#include "base/time.h"

enum { REFUTED_MANY = 3 }; /* refuted messages after which only a long silence counts */

static const sb_time busy_silence = SB_SECOND;      /* of an end that sends all the time */
static const sb_time idle_silence = 6 * SB_SECOND;  /* an idle end sends a NoOp every 5 s */
static const sb_time long_silence = 16 * SB_SECOND; /* three NoOps of an idle end are missing */
/* The message can overtake datagrams that were sent before it by this time. */
static const sb_time overtaking_time = SB_SECOND / 2;
static const sb_time doubtful_silence = 12 * SB_SECOND; /* proves a departure that was refuted so */
static const sb_time refuted_memory = 60 * SB_SECOND;

void sb_departure_init(sb_departure *d, sb_time now)
{
    *d = (sb_departure){ .at = SB_TIME_NEVER,
                         .received_at = now,
                         .busy_at = now - idle_silence,
                         .refuted_at = now - refuted_memory };
}

static bool is_target(const sb_departure *d, sb_time now)
{
    return d->refuted_count >= REFUTED_MANY && now - d->refuted_at < refuted_memory;
}

sb_time sb_departure_silence(const sb_departure *d, sb_time now)
{
    bool busy = now - d->busy_at < SB_SECOND;
    if (is_target(d, now)) return busy ? idle_silence : long_silence;
    return busy ? busy_silence : idle_silence;
}

void sb_departure_start(sb_departure *d, sb_time now)
{
    sb_departure_start_after(d, now, sb_departure_silence(d, now));
}

void sb_departure_start_after(sb_departure *d, sb_time now, sb_time silence)
{
    if (d->at != SB_TIME_NEVER) return; /* a repeat */
    d->at = now + silence;
    d->received_at = now;
}

void sb_departure_prolong(sb_departure *d)
{
    sb_time at = d->received_at + long_silence;
    if (d->at < at) d->at = at; /* SB_TIME_NEVER is later */
}

bool sb_departure_refute(sb_departure *d, sb_time now)
{
    if (d->at == SB_TIME_NEVER) return false;
    d->at = SB_TIME_NEVER;
    if (now - d->refuted_at >= refuted_memory) d->refuted_count = 0;
    if (d->refuted_count < UINT8_MAX) d->refuted_count++;
    d->refuted_at = now;
    d->doubtful = now - d->received_at < overtaking_time && !is_target(d, now);
    return true;
}

/* Shows the datagram that its sender goes on? Acks and repeats of the message do not. */
static bool is_sign_of_life(const sb_datagram *datagram)
{
    if (datagram->kinds & SB_HAS_FAREWELL) return false;
    return datagram->message_count == 0 ||
           (datagram->kinds & (SB_HAS_DATA | SB_HAS_NOOP | SB_HAS_CONTROL)) != 0;
}

void sb_departure_note_busy(sb_departure *d, sb_time now)
{
    d->busy_at = now;
}

bool sb_departure_note(sb_departure *d, sb_time now, const sb_datagram *datagram)
{
    if (!is_sign_of_life(datagram)) return false;
    if (sb_departure_refute(d, now)) return true;
    if (now - d->received_at >= overtaking_time) d->doubtful = false;
    return false;
}

sb_time sb_departure_ends_at(const sb_departure *d, sb_time heard_at)
{
    if (d->at != SB_TIME_NEVER) return d->at;
    return d->doubtful ? heard_at + doubtful_silence : SB_TIME_NEVER;
}
