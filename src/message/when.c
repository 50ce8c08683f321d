/* src/message/when.c -- see when.h.
 *
 * Tests:    tests/message/when_test.c
 */
#include "message/when.h"

#include "base/assert.h"
#include "base/text.h"

/* Removes the characters before `end` from the start of *text. */
static sb_span cut(const char **text, const char *end)
{
    sb_span part = { (const uint8_t *)*text, (size_t)(end - *text) };
    *text = end;
    return part;
}

/* A word ends at a blank. */
static sb_span next_word(const char **text)
{
    return cut(text, *text + strcspn(*text, " "));
}

static bool accept(const char **text, const char *word)
{
    size_t size = strlen(word);
    if (strncmp(*text, word, size) != 0) return false;
    *text += size;
    return true;
}

static bool read_relation(const char **text, sb_when_relation *relation)
{
    static const sb_when_relation longest_first[] = { SB_WHEN_IS_NOT, SB_WHEN_IS, SB_WHEN_HAS,
                                                      SB_WHEN_LACKS };
    for (size_t i = 0; i < sizeof longest_first / sizeof *longest_first; i++) {
        const char *at = *text;
        *relation = longest_first[i];
        if (accept(&at, sb_when_relation_text(*relation)) && accept(&at, " ")) {
            *text = at;
            return true;
        }
    }
    return false;
}

const char *sb_when_relation_text(sb_when_relation relation)
{
    static const char *const texts[] = { "is", "is not", "has", "lacks" };
    SB_ASSERT((size_t)relation < sizeof texts / sizeof *texts);
    return texts[relation];
}

bool sb_when_next_clause(const char **text, sb_when_clause *clause)
{
    const char *at = *text;
    clause->starts = !accept(&at, " and ");
    if (clause->starts) (void)accept(&at, " or ");
    clause->name = next_word(&at);
    if (clause->name.size == 0 || !accept(&at, " ")) return false;
    if (!read_relation(&at, &clause->relation)) return false;
    clause->values = next_word(&at);
    if (clause->values.size == 0) return false;
    *text = *at == '\0' ? NULL : at;
    return true;
}

/* ---- values ---- */

static int digit_of(uint8_t c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* "0x1F" or "31", below 2^32. */
static bool read_number(sb_span text, uint32_t *number)
{
    bool     hex = text.size > 2 && text.data[0] == '0' && (text.data[1] | 0x20) == 'x';
    unsigned base = hex ? 16 : 10;
    uint64_t sum = 0;
    size_t   i = hex ? 2 : 0;
    if (i == text.size) return false;
    for (; i < text.size; i++) {
        int digit = digit_of(text.data[i]);
        if (digit >= (int)base) return false;
        sum = sum * base + (unsigned)digit;
        if (sum > UINT32_MAX) return false;
    }
    *number = (uint32_t)sum;
    return true;
}

/* "1..5" or "5". */
static bool read_range(sb_span text, uint32_t *low, uint32_t *high)
{
    for (size_t i = 0; i + 2 < text.size; i++)
        if (text.data[i] == '.' && text.data[i + 1] == '.')
            return read_number((sb_span){ text.data, i }, low) &&
                   read_number((sb_span){ text.data + i + 2, text.size - i - 2 }, high) &&
                   *low <= *high;
    if (!read_number(text, low)) return false;
    *high = *low;
    return true;
}

bool sb_when_next_value(sb_span *values, sb_when_value *value)
{
    size_t size = 0;
    if (values->size == 0) return false;
    while (size < values->size && values->data[size] != ',') size++;
    value->text = (sb_span){ values->data, size };
    value->low = value->high = 0;
    value->is_number = read_range(value->text, &value->low, &value->high);
    size_t taken = size < values->size ? size + 1 : size;
    *values = (sb_span){ values->data + taken, values->size - taken };
    return true;
}

static bool are_numbers(const sb_when_clause *clause)
{
    sb_span       values = clause->values;
    sb_when_value value;
    bool          bits = clause->relation == SB_WHEN_HAS || clause->relation == SB_WHEN_LACKS;
    if (values.data[values.size - 1] == ',') return false;
    while (sb_when_next_value(&values, &value))
        if (!value.is_number || (bits && value.low != value.high)) return false;
    return true;
}

bool sb_when_is_numeric(const char *text)
{
    sb_when_clause clause;
    while (text)
        if (!sb_when_next_clause(&text, &clause) || !are_numbers(&clause)) return false;
    return true;
}

/* ---- holding ---- */

static bool clause_holds(const sb_when_clause *clause, bool present, uint32_t number)
{
    sb_span       values = clause->values;
    sb_when_value value;
    bool          among = false, all_bits = true, any_bit = false;
    while (sb_when_next_value(&values, &value)) {
        among |= number >= value.low && number <= value.high;
        all_bits &= (number & value.low) == value.low;
        any_bit |= (number & value.low) != 0;
    }
    switch (clause->relation) {
    case SB_WHEN_IS: return present && among;
    case SB_WHEN_IS_NOT: return !(present && among);
    case SB_WHEN_HAS: return present && all_bits;
    case SB_WHEN_LACKS: break;
    }
    return !(present && any_bit);
}

bool sb_when_holds(const char *text, sb_when_lookup find, const void *self)
{
    bool           holds = true, first = true;
    sb_when_clause clause;
    while (text) {
        bool     read = sb_when_next_clause(&text, &clause);
        uint32_t number = 0;
        SB_ASSERT(read);
        if (clause.starts && !first) { /* another alternative */
            if (holds) return true;
            holds = true;
        }
        first = false;
        bool present = find(self, clause.name, &number);
        holds = holds && clause_holds(&clause, present, number);
    }
    return holds;
}
