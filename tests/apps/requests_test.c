/* tests/apps/requests_test.c -- lines of a client of the control socket, in pieces of any size. */
#include "serve/control.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

static serve_requests r;

static void feed(const char *text)
{
    serve_requests_feed(&r, text, strlen(text));
}

TEST(requests_are_whole_lines)
{
    r = (serve_requests){ .size = 0 };
    feed("stat");
    CHECK(serve_requests_next(&r) == NULL);
    feed("us\nplay");
    CHECK_TEXT(serve_requests_next(&r), "status");
    CHECK(serve_requests_next(&r) == NULL);
    feed("ers\n\nsay x\n");
    CHECK_TEXT(serve_requests_next(&r), "players");
    CHECK_TEXT(serve_requests_next(&r), "");
    CHECK_TEXT(serve_requests_next(&r), "say x");
    CHECK(serve_requests_next(&r) == NULL);
}

TEST(a_line_that_is_too_long_is_skipped)
{
    char x[1000];
    r = (serve_requests){ .size = 0 };
    memset(x, 'x', sizeof x);
    for (int i = 0; i < 500; i++) {
        serve_requests_feed(&r, x, sizeof x);
        CHECK(serve_requests_next(&r) == NULL);
        CHECK(!r.too_long);
    }
    feed("x\nstatus\n");
    CHECK_TEXT(serve_requests_next(&r), "status");
    CHECK(r.too_long);
    r.too_long = false;
    serve_requests_feed(&r, x, SERVE_REQUEST_MAX - 1);
    feed("\n");
    CHECK_EQ(strlen(serve_requests_next(&r)), SERVE_REQUEST_MAX - 1);
    serve_requests_feed(&r, x, SERVE_REQUEST_MAX);
    feed("\n");
    CHECK(serve_requests_next(&r) == NULL);
    CHECK(r.too_long);
}

TEST(control_characters_become_blanks)
{
    static const char bytes[] = "a\0b\x1B[1m\x7F\n";
    r = (serve_requests){ .size = 0 };
    serve_requests_feed(&r, bytes, sizeof bytes - 1);
    CHECK_TEXT(serve_requests_next(&r), "a b [1m ");
}

TEST(requests_do_not_depend_on_the_size_of_the_pieces)
{
    static const char text[] = "one\ntwo three\nfour\n";
    for (size_t piece = 1; piece < sizeof text; piece++) {
        char all[64] = "";
        r = (serve_requests){ .size = 0 };
        for (size_t at = 0; at < sizeof text - 1; at += piece) {
            size_t left = sizeof text - 1 - at;
            serve_requests_feed(&r, text + at, left < piece ? left : piece);
            for (const char *line; (line = serve_requests_next(&r));)
                snprintf(all + strlen(all), sizeof all - strlen(all), "%s|", line);
        }
        CHECK_TEXT(all, "one|two three|four|");
    }
}
