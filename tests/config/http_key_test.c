/* tests/config/http_key_test.c -- the key http: addresses, and a program without libwebsockets. */
#include "config/keys.h"

#include "test.h"
#include "web/http.h"

#include <stdlib.h>
#include <string.h>

/* Loads a configuration with http=VALUE on the command line. Lent until the next call. */
static const sb_process_config *load(const char *value, sb_result *result)
{
    static sb_process_config *config;
    static sb_setting         setting;
    setting = (sb_setting){ "--http", "http", value };
    sb_config_sources sources = { .settings = &setting, .setting_count = 1 };
    if (config) sb_process_config_free(config);
    free(config);
    config = calloc(1, sizeof *config);
    CHECK(config);
    *result = sb_process_config_load(config, &sources);
    return config;
}

TEST(a_bare_port_is_for_this_machine)
{
    sb_endpoint at;
    CHECK(sb_config_parse_http("9600", &at));
    CHECK_EQ(at.address, 0x7F000001);
    CHECK_EQ(at.port, 9600);
    CHECK(sb_config_parse_http("0", &at));
    CHECK_EQ(at.port, 0);
    CHECK(sb_config_parse_http("0.0.0.0:80", &at));
    CHECK_EQ(at.address, 0);
    CHECK_EQ(at.port, 80);
    CHECK(sb_config_parse_http("255.255.255.255:65535", &at));
    CHECK_EQ(at.port, 65535);
}

TEST(what_is_no_address_and_port_is_refused)
{
    static const char *const wrong[] = {
        "",    "x",  "70000", ":80",     "1.2.3:80", "::1",        "1.2.3.4:",     "80 ",
        " 80", "-1", "0x50",  "1.2.3.4", "host:1",   "1.2.3.4:5x", "999999999999", "1.2.3.4:99999"
    };
    sb_endpoint at;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (sb_config_parse_http(wrong[i], &at)) FAIL("%s is accepted", wrong[i]);
}

TEST(the_key_http_is_off_by_default)
{
    sb_result          result;
    sb_config_sources  none = { 0 };
    sb_process_config *config = calloc(1, sizeof *config);
    CHECK(config);
    CHECK_EQ(sb_process_config_load(config, &none), SB_OK);
    CHECK_TEXT(config->http, "");
    sb_process_config_free(config);
    free(config);
    CHECK_TEXT(load("", &result)->http, "");
    CHECK_EQ(result, SB_OK);
}

TEST(a_program_without_libwebsockets_says_how_to_get_it)
{
    sb_result                result;
    const sb_process_config *config = load("127.0.0.1:9600", &result);
    if (sb_http_is_available()) {
        CHECK_EQ(result, SB_OK);
        CHECK_EQ(config->http_address.port, 9600);
    } else {
        CHECK_EQ(result, SB_BAD_VALUE);
        CHECK(strstr(config->data.error, "libwebsockets-dev"));
    }
}
