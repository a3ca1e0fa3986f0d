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
 * mod_standby: the wall. While it is up, who shows nothing gets what is in the
 * store, and for all else a page that sets a cookie and asks again: the pass. A
 * pass belongs to a network and has a rate, so that keeping it gains a crawler
 * little.
 *
 * Members, whoever sends something, and what the configuration names do not
 * meet it; nor does what another file than the application answers.
 */

#include "standby.h"

#include "apr_strings.h"
#include "http_core.h"
#include "http_protocol.h"

#define PASS_RATE 60
#define NETWORK_RATE 600
#define PASS_LIFETIME 3600
/* Seconds after which who has no pass yet asks again */
#define SOON 1

const char *const standby_wall_counts[STANDBY_WALL_COUNTS] = {
    "met", "limited", "stored", "pass", "engine", "open"
};

static int has_wall;

void standby_wall_init(server_rec *s)
{
    has_wall = 0;
    for (; s; s = s->next) {
        const standby_server_t *conf = STANDBY_SERVER(s);

        has_wall = has_wall || (conf->wall && conf->wall != STANDBY_WALL_OFF);
    }
}

int standby_has_wall(void)
{
    return has_wall;
}

int standby_wall_is_up(request_rec *r, int level)
{
    const standby_server_t *conf = STANDBY_SERVER(r->server);
    const char *flag = apr_table_get(r->subprocess_env, STANDBY_WALL);

    return conf->wall && conf->wall != STANDBY_WALL_OFF
           && ((conf->wall > 0 && level >= conf->wall)
               || (flag && !strcmp(flag, "1")));
}

/* ---- who is behind it ---- */

/* A note on the request that came over the connection: it was let through, and
 * so is what httpd makes of it */
#define LET_THROUGH "standby-let-through"

/* A part of a page, or where a page that was let through leads on. An error that
 * leads to the application is no way around the wall. */
static int is_inner(request_rec *r)
{
    return r->main || apr_table_get(standby_first(r)->notes, LET_THROUGH);
}

/* Without a list of its own, a site has what most sites have: feeds, what tells
 * machines about the site, APIs, and what services call */
static int is_open(request_rec *r, const standby_dir_t *conf)
{
    static const char *const usual[] = {
        "*/feed", "*/feed/", "/rss", "/rss/", "/atom", "/atom/", "*.rss",
        "*.atom", "*.xml", "*/robots.txt", "/.well-known/*", "/health",
        "/healthz", "/ping", "*/api/*", "*/wp-json/*", "*/wc-api/*",
        "*/graphql", "*/webhook", "*/webhook/*", "*/webhooks/*", "*/callback",
        "*/callback/*", "*/ipn", "*/ipn/*", NULL
    };
    const char *uri = standby_first(r)->unparsed_uri, *path, *query;
    int i;

    if (!uri) {
        return 0;
    }
    query = ap_strchr_c(uri, '?');
    path = standby_plain_path(r->pool, query ? apr_pstrmemdup(r->pool, uri,
                                                              query - uri)
                                             : uri);
    if (!path || conf->open) {
        return path && standby_matches_any(conf->open, path, 1);
    }
    for (i = 0; usual[i]; ++i) {
        if (standby_matches(usual[i], path, 1)) {
            return 1;
        }
    }
    return 0;
}

static int is_from(request_rec *r, const apr_array_header_t *networks)
{
    int i;

    for (i = 0; networks && i < networks->nelts; ++i) {
        if (apr_ipsubnet_test(APR_ARRAY_IDX(networks, i, apr_ipsubnet_t *),
                              r->useragent_addr)) {
            return 1;
        }
    }
    return 0;
}

/* Each server has a name of its own for its passes: behind a balancer, those of
 * several servers do not replace each other */
static const char *pass_name(apr_pool_t *p)
{
    return apr_psprintf(p, STANDBY_PASS "%06x",
                        (unsigned)(standby_pass_hash("name", "",
                                                     standby_secret())
                                   & 0xffffff));
}

static apr_uint32_t seconds_now(void)
{
    return (apr_uint32_t)apr_time_sec(apr_time_now());
}

static apr_uint32_t lifetime_of(const standby_server_t *conf)
{
    return conf->pass_lifetime ? conf->pass_lifetime : PASS_LIFETIME;
}

static int has_pass(request_rec *r, const apr_array_header_t *cookies,
                    const char *client, apr_uint64_t *number)
{
    const char *name = pass_name(r->pool);
    int i;

    for (i = 0; cookies && i < cookies->nelts; ++i) {
        const standby_pair_t *pair = &APR_ARRAY_IDX(cookies, i,
                                                    standby_pair_t);

        if (!strcmp(pair->name, name)
            && standby_pass_holds(pair->value, seconds_now(),
                                  lifetime_of(STANDBY_SERVER(r->server)),
                                  client, standby_secret(), number)) {
            return 1;
        }
    }
    return 0;
}

static void let_through(request_rec *r, standby_wall_count_t as)
{
    standby_count_wall(as);
    apr_table_setn(standby_first(r)->notes, LET_THROUGH, "1");
}

void standby_meet_wall(request_rec *r, standby_meeting_t *meeting)
{
    const standby_server_t *conf = STANDBY_SERVER(r->server);
    standby_cookies_t cookies;

    memset(meeting, 0, sizeof(*meeting));
    if (is_inner(r) || !standby_is_reading(r)
        || standby_first(r)->method_number != M_GET
        || standby_is_person(r)
        || apr_table_get(r->headers_in, "Authorization")) {
        return;
    }
    standby_read_cookies(r, &cookies);
    if (cookies.who != STANDBY_NO_COOKIE) {
        return;
    }
    if (is_open(r, STANDBY_DIR(r)) || is_from(r, conf->wall_from)) {
        let_through(r, STANDBY_WALL_OPEN);
        return;
    }
    if (standby_is_engine(r, conf)) {
        let_through(r, STANDBY_WALL_ENGINE);
        return;
    }
    meeting->client = standby_network(r->pool, standby_client(r));
    meeting->gate = has_pass(r, cookies.harmless, meeting->client,
                             &meeting->pass) ? STANDBY_GATE_PASS
                                             : STANDBY_GATE_WALL;
}

int standby_take_pass(request_rec *r, standby_meeting_t *meeting)
{
    const standby_server_t *conf = STANDBY_SERVER(r->server);
    standby_rates_t *rates = standby_shared_rates();
    apr_uint32_t now = (apr_uint32_t)apr_time_as_msec(apr_time_now());
    const char *pass = apr_psprintf(r->pool, "%" APR_UINT64_T_HEX_FMT,
                                    meeting->pass);

    meeting->wait = standby_rate_take(
        rates, standby_pass_hash("rate of pass", pass, standby_secret()),
        conf->pass_rate ? conf->pass_rate : PASS_RATE, now);
    if (!meeting->wait) {
        meeting->wait = standby_rate_take(
            rates, standby_pass_hash("rate of network", meeting->client,
                                     standby_secret()),
            conf->network_rate ? conf->network_rate : NETWORK_RATE, now);
    }
    if (!meeting->wait) {
        let_through(r, STANDBY_WALL_PASS);
    }
    return !meeting->wait;
}

/* ---- the page ---- */

static void give_pass(request_rec *r, const char *client)
{
    const standby_server_t *conf = STANDBY_SERVER(r->server);
    /* no two requests of a connection have one time */
    apr_uint64_t number = standby_pass_hash(
        "number", apr_psprintf(r->pool, "%" APR_TIME_T_FMT " %ld %s",
                               apr_time_now(), r->connection->id, client),
        standby_secret());

    apr_table_addn(r->err_headers_out, "Set-Cookie",
                   apr_psprintf(r->pool, "%s=%s; Path=/; Max-Age=%u; HttpOnly;"
                                " SameSite=Lax%s", pass_name(r->pool),
                                standby_pass_make(r->pool, seconds_now(),
                                                  number, client,
                                                  standby_secret()),
                                lifetime_of(conf),
                                strcmp(ap_http_scheme(r), "https")
                                ? "" : "; Secure"));
}

/* It holds nothing of the request: a browser that asks for it again knows what
 * it asked for */
int standby_show_wall(request_rec *r, const standby_meeting_t *meeting)
{
    int seconds = meeting->gate == STANDBY_GATE_PASS ? meeting->wait : SOON;

    if (meeting->gate == STANDBY_GATE_PASS) {
        standby_count_wall(STANDBY_WALL_LIMITED);
    }
    else {
        standby_count_wall(STANDBY_WALL_MET);
        give_pass(r, meeting->client);
    }
    standby_say(r, "wall");
    apr_table_setn(standby_first(r)->notes, STANDBY_TURNED_AWAY, "1");
    r->status = HTTP_SERVICE_UNAVAILABLE;
    r->no_local_copy = 1;
    ap_set_content_type(r, "text/html; charset=utf-8");
    apr_table_setn(r->err_headers_out, "Retry-After",
                   apr_itoa(r->pool, seconds));
    apr_table_setn(r->err_headers_out, "Cache-Control", "no-store");
    ap_rprintf(r, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
               "<meta charset=\"utf-8\">\n"
               "<meta http-equiv=\"refresh\" content=\"%d\">\n"
               "<title>One moment, please</title>\n</head>\n<body>\n"
               "<h1>One moment, please</h1>\n"
               "<p>This site is asked for more than it can answer. This page"
               " asks again by itself.</p>\n"
               "<p>If it stays, allow cookies for this site, or come back in a"
               " few minutes. <a href=\"\">Ask again</a></p>\n"
               "</body>\n</html>\n", seconds);
    return OK;
}
