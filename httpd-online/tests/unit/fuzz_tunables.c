/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer target for the tunables file. Beside "no crash" it checks what the server relies on:
 * an accepted file has only values within bounds; a message is one printable line; an edited file that was
 * accepted before is accepted afterwards, has the new value, and every other value as it was.
 */
#include "htreconfigure.h"
#include "apr_general.h"
#include "apr_strings.h"
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition) do { if (!(condition)) __builtin_trap(); } while (0)

static apr_pool_t *global;

static const reconfigure_limits_t limits = {
    .threads_per_child = 25, .server_limit = 16, .children = 3, .nvariables = 3, .names = { "MITIGATION", "B", "_c3" }
};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    apr_initialize();
    return apr_pool_create(&global, NULL) == APR_SUCCESS ? 0 : -1;
}

static void check_values(const reconfigure_values_t *v)
{
    int i;

    REQUIRE(v->max_workers == -1 || (v->max_workers >= 25 && v->max_workers <= 400));
    REQUIRE(v->keep_alive_timeout_ms == -1
            || (v->keep_alive_timeout_ms >= 1 && v->keep_alive_timeout_ms <= RECONFIGURE_MAX_TIMEOUT_MS));
    for (i = 0; i < limits.nvariables; i++)
        REQUIRE(v->variables[i] >= -1 && v->variables[i] <= AP_RECONFIGURE_MAX_VALUE);
}

static void check_message(const char *error)
{
    REQUIRE(strncmp(error, "f:", 2) == 0 && strlen(error) < 500);
    for (; *error; error++)
        REQUIRE(*error >= ' ' && *error <= '~');
}

static void check_edit(apr_pool_t *p, const char *text, size_t size, const reconfigure_values_t *before)
{
    apr_array_header_t *pairs = apr_array_make(p, 2, sizeof(assignment_t));
    assignment_t *a = apr_array_push(pairs), *b = apr_array_push(pairs);
    reconfigure_values_t after;
    const char *edited;
    apr_size_t len;

    a->name = "MaxRequestWorkers";
    a->value = "33";
    b->name = "B";
    b->value = "4";
    edited = htreconfigure_edit(p, text, size, pairs, &len);
    if (len > RECONFIGURE_FILE_MAX)
        return;
    REQUIRE(ap_reconfigure_parse(p, "f", edited, len, &limits, &after) == NULL);
    REQUIRE(after.max_workers == 33 && after.variables[1] == 4);
    REQUIRE(after.keep_alive_timeout_ms == before->keep_alive_timeout_ms);
    REQUIRE(after.variables[0] == before->variables[0] && after.variables[2] == before->variables[2]);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    apr_pool_t *p;
    reconfigure_values_t values;
    const char *error;
    char *text = malloc(size ? size : 1);

    memcpy(text, data, size);
    apr_pool_create(&p, global);
    error = ap_reconfigure_parse(p, "f", text, size, &limits, &values);
    if (error)
        check_message(error);
    else {
        check_values(&values);
        check_edit(p, text, size, &values);
    }
    apr_pool_destroy(p);
    free(text);
    return 0;
}
