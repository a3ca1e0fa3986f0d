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


/* mod_standby: what is counted, in memory that all children share, and shown by
 * mod_status. Figures for people: a count that is lost does no harm. */

#include "standby.h"

#include "apr_atomic.h"
#include "apr_general.h"
#include "apr_lib.h"
#include "apr_shm.h"
#include "apr_strings.h"
#include "http_core.h"
#include "http_log.h"
#include "http_main.h"
#include "http_protocol.h"
#include "mod_status.h"
#include "util_mutex.h"

/* To be raised with each change of memory_t */
#define MEMORY_FORM 2

#define NAMES 32
#define PAGES 32
#define NAME_LENGTH 48
#define PATH_LENGTH 128
#define TEXT_LENGTH 96
/* Builds after which one address alone is strange */
#define MANY_BUILDS 50

typedef struct {
    char name[NAME_LENGTH];
    apr_uint32_t count;
} name_t;

typedef struct {
    char path[PATH_LENGTH];
    char text[TEXT_LENGTH];
    apr_int64_t at;
    apr_uint32_t order;     /* of the last time; 0: empty */
} page_t;

typedef struct {
    unsigned char secret[STANDBY_SECRET];
    apr_uint32_t lock;              /* when somebody took it, 0: free */
    apr_uint32_t level;
    apr_uint32_t hits;
    apr_uint32_t builds;
    apr_uint32_t stored;
    apr_uint32_t proven;
    apr_uint32_t passed[STANDBY_REASONS];
    apr_uint32_t refused[STANDBY_REFUSALS];
    apr_uint32_t pages_seen;
    name_t headers[NAMES];
    name_t cookies[NAMES];
    page_t differs[PAGES];
    page_t reflects[PAGES];
    char client[NAME_LENGTH];       /* the only one so far */
    apr_uint32_t of_client;         /* builds */
    apr_uint32_t several;           /* there were others */
    apr_uint32_t wall[STANDBY_WALL_COUNTS];
    apr_uint32_t turned_away;       /* by the wall, and crawlers */
    apr_uint32_t turned_away_for;   /* tenths of a millisecond */
    name_t crawlers[NAMES];         /* classes, with those who were refused */
} shared_t;

/* What is shared and not shown */
typedef struct {
    shared_t figures;
    standby_rates_t rates;
    standby_known_t known;
} memory_t;

static shared_t *shared;
static memory_t *memory;

standby_rates_t *standby_shared_rates(void)
{
    return &memory->rates;
}

standby_known_t *standby_shared_known(void)
{
    return &memory->known;
}

const unsigned char *standby_secret(void)
{
    return shared->secret;
}

/* A lock for figures: taken at once or not at all, and from who was ended */
static int try_lock(void)
{
    apr_uint32_t now = (apr_uint32_t)apr_time_sec(apr_time_now()) | 1;
    apr_uint32_t since = apr_atomic_read32(&shared->lock);

    if (since && now - since < 3) {
        return 0;
    }
    return apr_atomic_cas32(&shared->lock, now, since) == since;
}

static void unlock(void)
{
    apr_atomic_set32(&shared->lock, 0);
}

/* Letters that may stand in a line */
static void set_text(char *to, apr_size_t size, const char *from)
{
    apr_size_t i;

    for (i = 0; from[i] && i + 1 < size; ++i) {
        unsigned char c = (unsigned char)from[i];

        to[i] = (c < ' ' || c == 0x7f) ? ' ' : (char)c;
    }
    to[i] = '\0';
}

/* The rarest name gives way to a new one */
static void count_name(name_t *names, const char *name)
{
    int i, rarest = 0;

    if (!try_lock()) {
        return;
    }
    for (i = 0; i < NAMES; ++i) {
        if (!strncasecmp(names[i].name, name, NAME_LENGTH - 1)) {
            ++names[i].count;
            unlock();
            return;
        }
        if (names[i].count < names[rarest].count) {
            rarest = i;
        }
    }
    set_text(names[rarest].name, NAME_LENGTH, name);
    names[rarest].count = 1;
    unlock();
}

static void note_page(page_t *pages, const char *path, const char *text,
                      apr_int64_t at)
{
    int i, oldest = 0;

    if (!try_lock()) {
        return;
    }
    for (i = 0; i < PAGES; ++i) {
        if (!strncmp(pages[i].path, path, PATH_LENGTH - 1)) {
            oldest = i;
            break;
        }
        if (pages[i].order < pages[oldest].order) {
            oldest = i;
        }
    }
    set_text(pages[oldest].path, PATH_LENGTH, path);
    set_text(pages[oldest].text, TEXT_LENGTH, text);
    pages[oldest].at = at;
    pages[oldest].order = ++shared->pages_seen;
    unlock();
}

/* The page is as it should be again */
static void forget_page(page_t *pages, const char *path)
{
    int i;

    for (i = 0; i < PAGES; ++i) {
        if (pages[i].order && !strncmp(pages[i].path, path, PATH_LENGTH - 1)
            && try_lock()) {
            pages[i].path[0] = '\0';
            pages[i].order = 0;
            unlock();
            return;
        }
    }
}

void standby_count_passed(standby_reason_t reason, const char *name)
{
    apr_atomic_inc32(&shared->passed[reason]);
    if (name && reason == STANDBY_HEADER) {
        count_name(shared->headers, name);
    }
    else if (name && reason == STANDBY_COOKIE) {
        count_name(shared->cookies, name);
    }
}

void standby_count_refused(standby_refusal_t refusal, const char *path,
                           const char *what)
{
    apr_atomic_inc32(&shared->refused[refusal]);
    if (refusal == STANDBY_REFLECTS) {
        note_page(shared->reflects, path, what, 0);
    }
}

void standby_count_hit(void)
{
    apr_atomic_inc32(&shared->hits);
}

void standby_count_build(const char *client)
{
    apr_atomic_inc32(&shared->builds);
    if (apr_atomic_read32(&shared->several) || !try_lock()) {
        return;
    }
    if (!shared->client[0]) {
        set_text(shared->client, NAME_LENGTH, client);
    }
    if (strncmp(shared->client, client, NAME_LENGTH - 1)) {
        shared->several = 1;
    }
    ++shared->of_client;
    unlock();
}

void standby_count_stored(const standby_result_t *result, const char *path,
                          const char *text)
{
    if (result->outcome == STANDBY_FAILED) {
        standby_count_refused(STANDBY_NOT_STORED, path, "");
        return;
    }
    apr_atomic_inc32(&shared->stored);
    if (result->outcome == STANDBY_PROVEN) {
        apr_atomic_inc32(&shared->proven);
        forget_page(shared->differs, path);
    }
    else if (result->outcome == STANDBY_DIFFERS) {
        note_page(shared->differs, path, text, result->differs_at);
    }
}

void standby_count_wall(standby_wall_count_t what)
{
    apr_atomic_inc32(&shared->wall[what]);
}

/* As mod_status counts it beside the others */
void standby_count_turned_away(apr_time_t lasted)
{
    apr_atomic_inc32(&shared->turned_away);
    apr_atomic_add32(&shared->turned_away_for,
                     lasted > 0 ? (apr_uint32_t)((lasted + 50) / 100) : 0);
}

void standby_count_crawler(const char *name)
{
    count_name(shared->crawlers, name);
}

void standby_set_level_seen(int level)
{
    if (shared->level != (apr_uint32_t)level) {
        apr_atomic_set32(&shared->level, level);
    }
}

/* ---- what people see ---- */

typedef struct {
    request_rec *r;
    int html;
} view_t;

static void show(const view_t *view, const char *name, const char *value)
{
    request_rec *r = view->r;

    if (view->html) {
        ap_rprintf(r, "<dt>%s: %s</dt>\n", ap_escape_html(r->pool, name),
                   ap_escape_html(r->pool, value));
    }
    else {
        ap_rprintf(r, "%s: %s\n", name, value);
    }
}

static void show_count(const view_t *view, const char *name, const char *what,
                       apr_uint32_t count)
{
    show(view, name, what ? apr_psprintf(view->r->pool, "%s=%u", what, count)
                          : apr_psprintf(view->r->pool, "%u", count));
}

static void show_names(const view_t *view, const char *name,
                       const name_t *names)
{
    int i;

    for (i = 0; i < NAMES; ++i) {
        if (names[i].count) {
            show_count(view, name, names[i].name, names[i].count);
        }
    }
}

/* Of the first virtual host that has one */
static const char *store_state(request_rec *r)
{
    standby_store_t store;
    const char *problem;
    server_rec *s;

    for (s = ap_server_conf; s; s = s->next) {
        const standby_server_t *conf = STANDBY_SERVER(s);

        if (conf->store_directory && *conf->store_directory) {
            standby_store_of(conf, &store);
            problem = standby_store_problem(r->pool, &store);
            return problem ? problem : "ok";
        }
    }
    return "off";
}

static void show_pages(const view_t *view, const char *name, const page_t *pages,
                       int differs)
{
    apr_pool_t *p = view->r->pool;
    int i;

    for (i = 0; i < PAGES; ++i) {
        const page_t *page = &pages[i];

        if (!page->order) {
            continue;
        }
        show(view, name, !differs ? apr_psprintf(p, "%s %s", page->path,
                                                 page->text)
             : page->at < 0 ? apr_psprintf(p, "%s in its headers", page->path)
             : apr_psprintf(p, "%s at byte %" APR_INT64_T_FMT ": %s",
                            page->path, page->at, page->text));
    }
}

static int show_status(request_rec *r, int flags)
{
    shared_t *seen = apr_pmemdup(r->pool, shared, sizeof(*seen));
    view_t view;
    int i;

    view.r = r;
    view.html = !(flags & AP_STATUS_SHORT);
    if (view.html) {
        ap_rputs("<hr />\n<h1>Stand-by cache</h1>\n<dl>\n", r);
    }
    show(&view, "StandbyStore", store_state(r));
    show_count(&view, "StandbyLevel", NULL, seen->level);
    show_count(&view, "StandbyHits", NULL, seen->hits);
    show_count(&view, "StandbyBuilds", NULL, seen->builds);
    show_count(&view, "StandbyStored", NULL, seen->stored);
    show_count(&view, "StandbyProven", NULL, seen->proven);
    for (i = 1; i < STANDBY_REASONS; ++i) {
        if (seen->passed[i]) {
            show_count(&view, "StandbyPassed", standby_reasons[i],
                       seen->passed[i]);
        }
    }
    for (i = 1; i < STANDBY_REFUSALS; ++i) {
        if (seen->refused[i]) {
            show_count(&view, "StandbyRefused", standby_refusals[i],
                       seen->refused[i]);
        }
    }
    if (standby_has_wall()) {
        const char *flag = apr_table_get(r->subprocess_env, STANDBY_WALL);

        show(&view, "StandbyWallFlag", flag && !strcmp(flag, "1") ? "1" : "0");
    }
    for (i = 0; i < STANDBY_WALL_COUNTS; ++i) {
        if (seen->wall[i]) {
            show_count(&view, "StandbyWall", standby_wall_counts[i],
                       seen->wall[i]);
        }
    }
    show_count(&view, "StandbyTurnedAway", NULL, seen->turned_away);
    show_count(&view, "StandbyTurnedAwayDuration", NULL,
               seen->turned_away_for / 10);
    show_names(&view, "StandbyCrawler", seen->crawlers);
    show_names(&view, "StandbyHeader", seen->headers);
    show_names(&view, "StandbyCookie", seen->cookies);
    show_pages(&view, "StandbyDiffers", seen->differs, 1);
    show_pages(&view, "StandbyReflects", seen->reflects, 0);
    show(&view, "StandbyTwins", seen->several || seen->of_client < MANY_BUILDS
         ? "ok" : apr_psprintf(r->pool, "all builds came from one address (%s)",
                               seen->client));
    if (view.html) {
        ap_rputs("</dl>\n", r);
    }
    return OK;
}

/* Once, by the parent; it is kept over restarts, and so are proofs. Another build
 * of the module, which an upgrade brings, has other memory. */
int standby_status_init(apr_pool_t *pconf, server_rec *s)
{
    char key[64];
    memory_t **retained = NULL;
    apr_shm_t *shm;
    apr_status_t rv;

    APR_OPTIONAL_HOOK(ap, status_hook, show_status, NULL, NULL,
                      APR_HOOK_MIDDLE);
    apr_snprintf(key, sizeof(key), "mod_standby %d %" APR_SIZE_T_FMT,
                 MEMORY_FORM, sizeof(*memory));
    apr_pool_userdata_get((void **)&retained, key, s->process->pool);
    if (retained) {
        memory = *retained;
        shared = &memory->figures;
        return 1;
    }
    rv = apr_shm_create(&shm, sizeof(*memory), NULL, s->process->pool);
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_ERR, rv, s, APLOGNO(12020)
                     "StandbyStore: no shared memory; each child counts for"
                     " itself");
        memory = apr_pcalloc(s->process->pool, sizeof(*memory));
    }
    else {
        memory = apr_shm_baseaddr_get(shm);
        memset(memory, 0, sizeof(*memory));
    }
    shared = &memory->figures;
    rv = apr_generate_random_bytes(shared->secret, sizeof(shared->secret));
    if (rv != APR_SUCCESS) {
        ap_log_error(APLOG_MARK, APLOG_STARTUP | APLOG_ERR, rv, s,
                     APLOGNO(12027) "mod_standby: no random bytes for the secret"
                     " of its store and its wall, which everybody could guess"
                     " then; is there a /dev/urandom?");
        return 0;
    }
    retained = apr_palloc(s->process->pool, sizeof(*retained));
    *retained = memory;
    apr_pool_userdata_setn(retained, apr_pstrdup(s->process->pool, key),
                           apr_pool_cleanup_null, s->process->pool);
    return 1;
}
