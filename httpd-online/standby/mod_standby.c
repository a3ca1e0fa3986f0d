/* Licensed to the Apache Software Foundation (ASF) under one or more
 * contributor license agreements.  See the NOTICE file distributed with
 * this work for additional information regarding copyright ownership.
 * The ASF licenses this file to You under the Apache License, Version 2.0
 * (the "License"); you may not use this file except in compliance with
 * the License.  You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */


/*
 * mod_standby: pages that are the same for every anonymous visitor, kept in case
 * they are wanted.
 *
 * A mitigation level says how old a page may be that is served. On level 0 every
 * page is built for every visitor, as without this module, and stored. Nothing
 * is stored or served that is not known to be everybody's: the request has
 * nothing but what the lists allow (standby_request.c), no header makes the
 * answer somebody's (standby_answer.c), the page holds nothing of the request
 * and was the same for another visitor (standby_look.c, standby_store.c), or the
 * application itself calls it public where StandbyPublic has asked for that.
 *
 * The application sees each request as it was sent. mod_cache is not used: the
 * evidence has to lie beside the page, the whole page has to be seen before it
 * is stored, and mod_cache changes requests and answers.
 */

#include "standby.h"

#include "apr_lib.h"
#include "apr_network_io.h"
#include "apr_strings.h"
#include "ap_mpm.h"
#include "http_core.h"
#include "http_log.h"
#include "http_main.h"
#include "http_protocol.h"
#include "http_request.h"
#include "unixd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES 4096
#define RETRY_AFTER "120"

/* ---- the level ---- */

/* The number in the line `NAME N` of a text; 0 without one */
static int number_in(const char *text, const char *name)
{
    apr_size_t length = strlen(name);

    while (text && *text) {
        const char *end = strchr(text, '\n');

        if (!strncmp(text, name, length)) {
            const char *at = text + length;
            char *behind;
            long level;

            if (*at == ' ' || *at == '\t') {
                at += strspn(at, " \t");
                level = strtol(at, &behind, 10);
                return apr_isdigit(*at) && (*at != '0' || behind == at + 1)
                       && (!*behind || apr_isspace(*behind)) && level <= 65535
                       ? (int)level : 0;
            }
        }
        text = end ? end + 1 : NULL;
    }
    return 0;
}

/* A file that is not there, or is something else, says nothing: level 0; the
 * first is so until an agent has run. text: FILE_BYTES + 1 bytes. */
static void read_level_file(request_rec *r, const char *path, char *text)
{
    static int last_error;
    ssize_t length = -1;
    int error = 0, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd >= 0) {
        length = read(fd, text, FILE_BYTES);
        error = length < 0 ? errno : 0;
        close(fd);
    }
    else {
        error = errno;
    }
    if (error && error != last_error && error != ENOENT) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, error, r, APLOGNO(12021)
                      "StandbyLevel: cannot read %s: the level is 0", path);
    }
    last_error = error;
    text[length > 0 ? length : 0] = '\0';
}

/* What the file says, in variables. After an internal redirect it stays as it
 * was for this visitor. */
static void set_variables(request_rec *r, const standby_server_t *conf)
{
    static const char *const names[] = { STANDBY_VARIABLE, STANDBY_WALL, NULL };
    char text[FILE_BYTES + 1];
    int i;

    text[0] = '\0';
    if (!r->prev) {
        read_level_file(r, conf->level_name, text);
    }
    for (i = 0; names[i]; ++i) {
        const char *value = r->prev
            ? apr_table_get(r->prev->subprocess_env, names[i])
            : apr_itoa(r->pool, number_in(text, names[i]));

        if (value && (!i || standby_has_wall())) {
            apr_table_setn(r->subprocess_env, names[i], value);
        }
    }
}

static int level_of(request_rec *r)
{
    const standby_server_t *conf = STANDBY_SERVER(r->server);
    const char *name = conf->level_from == STANDBY_LEVEL_VARIABLE
                       ? conf->level_name : STANDBY_VARIABLE;
    const char *value = apr_table_get(r->subprocess_env, name);
    int level = value ? atoi(value) : 0;

    return level < 0 ? 0 : level;
}

/* How many requests a class of crawlers has in a minute, on a level; -1: as many
 * as it likes. A class whose name is a level has none from there on. */
static int rate_of(const standby_server_t *conf, const char *name, int level)
{
    const standby_crawler_rate_t *best = NULL;
    int i;

    if (apr_isdigit(*name)) {
        return level >= atoi(name) ? 0 : -1;
    }
    for (i = 0; conf->crawler_rates && i < conf->crawler_rates->nelts; ++i) {
        const standby_crawler_rate_t *rate =
            &APR_ARRAY_IDX(conf->crawler_rates, i, standby_crawler_rate_t);

        if (level >= rate->level && !strcasecmp(rate->name, name)
            && (!best || rate->level >= best->level)) {
            best = rate;
        }
    }
    return best ? best->per_minute : -1;
}

/* True for a crawler that has to wait: its class has used up its requests */
static int is_refused(request_rec *r, const standby_server_t *conf, int level)
{
    const char *agent = apr_table_get(r->headers_in, "User-Agent");
    int i;

    if (!agent || !conf->crawlers || !level) {
        return 0;
    }
    for (i = 0; i < conf->crawlers->nelts; ++i) {
        const standby_name_t *crawler = &APR_ARRAY_IDX(conf->crawlers, i,
                                                       standby_name_t);
        int rate;

        if (ap_strcasestr(agent, crawler->word)
            && (rate = rate_of(conf, crawler->of, level)) >= 0
            && standby_rate_take(standby_shared_rates(),
                                 standby_pass_hash("crawlers", crawler->of,
                                                   standby_secret()), rate,
                                 (apr_uint32_t)apr_time_as_msec(
                                     apr_time_now()))) {
            standby_count_crawler(crawler->of);
            return 1;
        }
    }
    return 0;
}

static int standby_post_read_request(request_rec *r)
{
    const standby_server_t *conf = STANDBY_SERVER(r->server);

    if (!conf->level_from) {
        return DECLINED;
    }
    if (conf->level_from == STANDBY_LEVEL_FILE) {
        set_variables(r, conf);
    }
    if (!r->prev) {
        standby_set_level_seen(level_of(r));
        if (!(r->uri && !strcmp(r->uri, "/robots.txt"))
            && is_refused(r, conf, level_of(r))) {
            apr_table_setn(r->subprocess_env, "crawler", "1");
        }
    }
    return DECLINED;
}

/* Crawlers that are told to come back later */
static int standby_translate_name(request_rec *r)
{
    const standby_server_t *conf = STANDBY_SERVER(r->server);

    if (r->prev || r->main || !conf->crawlers
        || !apr_table_get(r->subprocess_env, "crawler")) {
        return DECLINED;
    }
    apr_table_setn(r->err_headers_out, "Retry-After", RETRY_AFTER);
    apr_table_setn(r->notes, STANDBY_TURNED_AWAY, "1");
    standby_say(r, "crawler");
    return HTTP_SERVICE_UNAVAILABLE;
}

/* Who was turned away has waited for nothing: whoever measures response times
 * has to know how many these are. Just before mod_status counts the request. */
static int standby_log_transaction(request_rec *r)
{
    if (apr_table_get(r->notes, STANDBY_TURNED_AWAY)) {
        standby_count_turned_away(apr_time_now() - r->request_time);
    }
    return DECLINED;
}

/* For logs: has somebody a cookie of a member? */
static int standby_fixups(request_rec *r)
{
    standby_cookies_t cookies;

    if (!STANDBY_SERVER(r->server)->level_from
        || !apr_table_get(r->headers_in, "Cookie")) {
        return DECLINED;
    }
    standby_read_cookies(r, &cookies);
    if (cookies.member) {
        apr_table_setn(r->subprocess_env, "ic2_member", "1");
    }
    return DECLINED;
}

/* ---- from the store ---- */

static int send_copy(request_rec *r, const standby_copy_t *copy, apr_time_t now)
{
    apr_bucket_brigade *bb = apr_brigade_create(r->pool,
                                                r->connection->bucket_alloc);
    apr_status_t rv;

    /* the copy is what the filters of content have made of the page, and its
     * headers are all of them */
    r->output_filters = r->proto_output_filters;
    apr_table_clear(r->headers_out);
    apr_table_clear(r->err_headers_out);
    r->content_encoding = NULL;
    standby_set_headers(r, copy->headers);
    standby_rewrite_if_asked(r);
    apr_table_setn(r->headers_out, "Age",
                   apr_psprintf(r->pool, "%" APR_INT64_T_FMT,
                                apr_time_sec(now - copy->facts.built)));
    apr_table_setn(r->headers_out, "X-Cache", "HIT");
    r->status = copy->facts.status;
    r->no_local_copy = 1;
    ap_set_content_length(r, copy->body_length);
    if (copy->body_length) {
        apr_brigade_insert_file(bb, copy->file, copy->body_at,
                                copy->body_length, r->pool);
    }
    APR_BRIGADE_INSERT_TAIL(bb, apr_bucket_eos_create(bb->bucket_alloc));
    rv = ap_pass_brigade(r->output_filters, bb);
    if (rv != APR_SUCCESS && !r->connection->aborted) {
        ap_log_rerror(APLOG_MARK, APLOG_DEBUG, rv, r, APLOGNO(12022)
                      "a stored page could not be sent");
        return AP_FILTER_ERROR;
    }
    return OK;
}

/* One visitor in sixteen has a page built before it is too old for all */
static int is_early(request_rec *r)
{
    return r->connection->client_addr->port % 16 == 6;
}

/* A page with all its parts is better than one without, if it is young enough */
static int may_have(request_rec *r, const standby_request_t *judged,
                    apr_time_t now, int age, standby_copy_t *copy)
{
    const standby_key_t *keys[2];
    standby_store_t store;
    int i;

    if (judged->reason || !age) {
        return 0;
    }
    standby_store_of(STANDBY_SERVER(r->server), &store);
    if (standby_store_problem(r->pool, &store)) {
        return 0;
    }
    keys[0] = &judged->whole;
    keys[1] = &judged->key;
    for (i = 0; i < (strcmp(keys[0]->variant, keys[1]->variant) ? 2 : 1); ++i) {
        if (standby_store_find(r->pool, &store, keys[i], copy)
            && standby_may_serve(&copy->facts, now, apr_time_from_sec(age))) {
            return 1;
        }
    }
    return 0;
}

static int send_hit(request_rec *r, const standby_copy_t *copy, apr_time_t now)
{
    standby_count_hit();
    standby_say(r, "cache hit");
    return send_copy(r, copy, now);
}

static int standby_handler(request_rec *r)
{
    const standby_dir_t *dir = STANDBY_DIR(r);
    standby_request_t judged;
    standby_meeting_t meeting;
    standby_copy_t copy;
    apr_time_t now;
    int level, age;

    if (!dir->application || !r->filename
        || strcmp(dir->application, r->filename)) {
        return DECLINED;
    }
    standby_judge_request(r, &judged);
    level = level_of(r);
    if (!judged.reason && judged.needs_known_level
        && (!dir->known_level || level < dir->known_level)) {
        judged.reason = STANDBY_COOKIE;
    }
    meeting.gate = STANDBY_GATE_NONE;
    if (standby_wall_is_up(r, level)) {
        standby_meet_wall(r, &meeting);
    }
    now = apr_time_now();
    age = judged.is_public ? standby_public_age_on(dir, level, is_early(r))
                           : standby_age_on(dir, level, is_early(r));
    if (meeting.gate != STANDBY_GATE_WALL && may_have(r, &judged, now, age,
                                                      &copy)) {
        return send_hit(r, &copy, now);
    }
    if (meeting.gate == STANDBY_GATE_WALL
        || (meeting.gate == STANDBY_GATE_PASS
            && !standby_take_pass(r, &meeting))) {
        age = judged.is_public ? standby_public_age_on(dir, level, 0)
                               : standby_longest_age(dir);
        if (may_have(r, &judged, now, age, &copy)) {
            standby_count_wall(STANDBY_WALL_STORED);
            return send_hit(r, &copy, now);
        }
        return standby_show_wall(r, &meeting);
    }
    if (judged.reason) {
        standby_count_passed(judged.reason, judged.name);
        standby_say(r, apr_pstrcat(r->pool, "pass: ", standby_reasons[judged.reason],
                           NULL));
        return DECLINED;
    }
    standby_begin_build(r, &judged);
    return DECLINED;
}

/* ---- PURGE ---- */

static int may_purge(request_rec *r, const standby_server_t *conf)
{
    static const char *const by_proxies[] = {
        "X-Forwarded-For", "Forwarded", "Via", "X-Real-IP", NULL
    };
    apr_sockaddr_t *from[2];
    int i, j, allowed = 0;

    for (i = 0; by_proxies[i]; ++i) {
        if (apr_table_get(r->headers_in, by_proxies[i])) {
            return 0;
        }
    }
    from[0] = r->connection->client_addr;
    from[1] = r->useragent_addr;
    for (i = 0; i < 2; ++i) {
        if (!conf->purge_from) {
            char *address = NULL;

            apr_sockaddr_ip_get(&address, from[i]);
            allowed += address && !strcmp(standby_address_class(address),
                                          "loopback");
            continue;
        }
        for (j = 0; j < conf->purge_from->nelts; ++j) {
            if (apr_ipsubnet_test(APR_ARRAY_IDX(conf->purge_from, j,
                                                apr_ipsubnet_t *), from[i])) {
                ++allowed;
                break;
            }
        }
    }
    return allowed == 2;
}

/* Takes all copies of a page away, whatever else there is at its address */
static int standby_quick_handler(request_rec *r, int lookup)
{
    const standby_server_t *conf = STANDBY_SERVER(r->server);
    apr_array_header_t *any;
    standby_query_t query;
    standby_store_t store;
    int count;

    if (lookup || !r->method || strcmp(r->method, "PURGE")
        || !conf->store_directory || !*conf->store_directory
        || !may_purge(r, conf)) {
        return DECLINED;
    }
    any = apr_array_make(r->pool, 1, sizeof(const char *));
    APR_ARRAY_PUSH(any, const char *) = "*";
    if (!r->parsed_uri.path
        || !standby_parse_query(r->pool, r->parsed_uri.query, any, NULL, NULL,
                                &query)) {
        return HTTP_NOT_FOUND;
    }
    standby_store_of(conf, &store);
    count = standby_store_purge(r->pool, &store,
                                standby_base_key(r->pool, r->hostname,
                                                 r->parsed_uri.path,
                                                 query.normal));
    if (!count) {
        return HTTP_NOT_FOUND;
    }
    ap_set_content_type(r, "text/plain");
    ap_rprintf(r, "%d taken away\n", count);
    return OK;
}

/* ---- start ---- */

static int standby_pre_config(apr_pool_t *pconf, apr_pool_t *plog,
                              apr_pool_t *ptemp)
{
    standby_make_builtin(pconf);
    return OK;
}

static int has_class(const standby_server_t *conf, const char *name)
{
    int i;

    for (i = 0; conf->crawlers && i < conf->crawlers->nelts; ++i) {
        if (!strcasecmp(APR_ARRAY_IDX(conf->crawlers, i,
                                      standby_name_t).of, name)) {
            return 1;
        }
    }
    return 0;
}

static int standby_check_config(apr_pool_t *pconf, apr_pool_t *plog,
                                apr_pool_t *ptemp, server_rec *s)
{
    int i;

    for (; s; s = s->next) {
        const standby_server_t *conf = STANDBY_SERVER(s);

        if (conf->client_header
            && !standby_matches_any(conf->volatile_headers,
                                    conf->client_header, 1)) {
            ap_log_error(APLOG_MARK, APLOG_STARTUP | APLOG_ERR, 0, s,
                         APLOGNO(12023) "StandbyClientHeader: expected a header"
                         " that StandbyVolatileHeaders names, got \"%s\"",
                         conf->client_header);
            return HTTP_INTERNAL_SERVER_ERROR;
        }
        for (i = 0; conf->crawler_rates && i < conf->crawler_rates->nelts;
             ++i) {
            const char *name = APR_ARRAY_IDX(conf->crawler_rates, i,
                                             standby_crawler_rate_t).name;

            if (!has_class(conf, name)) {
                ap_log_error(APLOG_MARK, APLOG_STARTUP | APLOG_ERR, 0, s,
                             APLOGNO(12026) "StandbyCrawlerRate: expected a"
                             " class that StandbyCrawlers names, got \"%s\"",
                             name);
                return HTTP_INTERNAL_SERVER_ERROR;
            }
        }
    }
    return OK;
}

/* As root, for httpd's user. What is wrong with it keeps no server down. */
static void make_store(apr_pool_t *p, server_rec *s,
                       const standby_store_t *store)
{
    struct stat is;
    uid_t user = geteuid() ? geteuid() : ap_unixd_config.user_id;

    if (!mkdir(store->directory, 0700) && !geteuid()
        && chown(store->directory, user, ap_unixd_config.group_id)) {
        rmdir(store->directory);
    }
    if (lstat(store->directory, &is)) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, errno, s, APLOGNO(12024)
                     "StandbyStore %s cannot be made: nothing is stored",
                     store->directory);
    }
    else if (!S_ISDIR(is.st_mode) || is.st_uid != user || is.st_mode & 077) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, s, APLOGNO(12025)
                     "StandbyStore %s: expected a directory of user %lu with"
                     " mode 700, got user %lu and mode %03o: nothing is stored",
                     store->directory, (unsigned long)user,
                     (unsigned long)is.st_uid, (unsigned)(is.st_mode & 0777));
    }
}

static int standby_post_config(apr_pool_t *pconf, apr_pool_t *plog,
                               apr_pool_t *ptemp, server_rec *s)
{
    const char *made = "";

    standby_request_init(pconf, s);
    standby_wall_init(s);
    if (!standby_status_init(pconf, s)) {
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    if (ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG) {
        return OK;
    }
    for (; s; s = s->next) {
        const standby_server_t *conf = STANDBY_SERVER(s);
        standby_store_t store;

        if (conf->store_directory && *conf->store_directory
            && strcmp(made, conf->store_directory)) {
            standby_store_of(conf, &store);
            make_store(ptemp, s, &store);
            made = conf->store_directory;
        }
    }
    return OK;
}

static void standby_child_init(apr_pool_t *p, server_rec *s)
{
    standby_engine_child(p);
}

static void standby_register_hooks(apr_pool_t *p)
{
    standby_register_filters();
    ap_hook_pre_config(standby_pre_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_check_config(standby_check_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_post_config(standby_post_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_child_init(standby_child_init, NULL, NULL, APR_HOOK_MIDDLE);
    /* behind mod_online_env, before mod_setenvif */
    ap_hook_post_read_request(standby_post_read_request, NULL, NULL,
                              APR_HOOK_FIRST);
    ap_hook_translate_name(standby_translate_name, NULL, NULL,
                           APR_HOOK_REALLY_FIRST);
    ap_hook_fixups(standby_fixups, NULL, NULL, APR_HOOK_FIRST);
    ap_hook_quick_handler(standby_quick_handler, NULL, NULL, APR_HOOK_FIRST);
    ap_hook_handler(standby_handler, NULL, NULL, APR_HOOK_REALLY_FIRST);
    ap_hook_log_transaction(standby_log_transaction, NULL, NULL,
                            APR_HOOK_LAST);
    ap_hook_insert_filter(standby_insert_filter, NULL, NULL, APR_HOOK_LAST);
    ap_hook_insert_error_filter(standby_error_filters, NULL, NULL,
                                APR_HOOK_LAST);
}

AP_DECLARE_MODULE(standby) = {
    STANDARD20_MODULE_STUFF,
    standby_create_dir,
    standby_merge_dir,
    standby_create_server,
    standby_merge_server,
    standby_commands,
    standby_register_hooks,
    0
};
