/* src/web/http_missing.c -- in place of http.c when the program is built without libwebsockets.
 *
 * Tests:    tests/config/http_key_test.c
 */
#include "web/http.h"

#include <stdio.h>

bool sb_http_is_available(void)
{
    return false;
}

sb_http *sb_http_open(const sb_http_options *options, char error[SB_HTTP_ERROR_MAX])
{
    (void)options;
    snprintf(error, SB_HTTP_ERROR_MAX, "this program was built without libwebsockets");
    return NULL;
}

sb_endpoint sb_http_local(const sb_http *http)
{
    (void)http;
    return (sb_endpoint){ 0, 0 };
}

sb_web_values *sb_http_publish(sb_http *http, sb_web_values *values)
{
    (void)http;
    return values;
}

void sb_http_close(sb_http *http)
{
    (void)http;
}
