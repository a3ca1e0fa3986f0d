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


/* mod_standby: directives, each with its check */

#include "standby.h"

#include "apr_lib.h"
#include "apr_network_io.h"
#include "apr_strings.h"
#include "http_core.h"

#include <stdlib.h>

#define MOST_LEVEL 65535
#define MOST_SECONDS 604800
#define DEFAULT_BYTES (APR_INT64_C(128) << 20)
#define DEFAULT_PAGES 20000
#define DEFAULT_PAGE (1 << 20)

static const apr_array_header_t *builtin_cookies, *builtin_parameters;

const apr_array_header_t *standby_builtin_cookies(void)
{
    return builtin_cookies;
}

const apr_array_header_t *standby_builtin_parameters(void)
{
    return builtin_parameters;
}

static apr_array_header_t *words(apr_pool_t *p, const char *const *from)
{
    apr_array_header_t *array = apr_array_make(p, 32, sizeof(const char *));

    for (; *from; ++from) {
        APR_ARRAY_PUSH(array, const char *) = *from;
    }
    return array;
}

void standby_make_builtin(apr_pool_t *p)
{
    /* what analytics and proxies set, and no application reads */
    static const char *const cookies[] = {
        "_ga", "_ga_*", "_gid", "_gat*", "_gcl_*", "_fbp", "_fbc", "_pk_*",
        "_hj*", "__utm*", "_clck", "_clsk", "_uetsid", "_uetvid", "__cf_bm",
        "_cfuvid", "cf_clearance", STANDBY_PASS "*", NULL
    };
    /* what tells where a visitor comes from */
    static const char *const parameters[] = {
        "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content",
        "utm_id", "utm_source_platform", "utm_creative_format",
        "utm_marketing_tactic", "mtm_campaign", "mtm_keyword", "mtm_kwd",
        "mtm_source", "mtm_medium", "mtm_content", "mtm_cid", "mtm_group",
        "mtm_placement", "pk_campaign", "pk_keyword", "pk_kwd", "pk_source",
        "pk_medium", "pk_content", "pk_cid", "fbclid", "gclid", "gclsrc",
        "dclid", "gbraid", "wbraid", "msclkid", "yclid", "twclid", "ttclid",
        "li_fat_id", "igshid", "mc_cid", "mc_eid", "_gl", NULL
    };

    builtin_cookies = words(p, cookies);
    builtin_parameters = words(p, parameters);
}

void *standby_create_server(apr_pool_t *p, server_rec *s)
{
    return apr_pcalloc(p, sizeof(standby_server_t));
}

#define INNER(member) \
    merged->member = inner->member ? inner->member : outer->member

void *standby_merge_server(apr_pool_t *p, void *of_outer, void *of_inner)
{
    standby_server_t *outer = of_outer, *inner = of_inner;
    standby_server_t *merged = apr_pcalloc(p, sizeof(*merged));

    INNER(level_name);
    merged->level_from = inner->level_from ? inner->level_from
                                           : outer->level_from;
    INNER(store_directory);
    INNER(most_bytes);
    INNER(most_pages);
    INNER(most_page);
    INNER(keyed_headers);
    INNER(volatile_headers);
    INNER(client_header);
    INNER(purge_from);
    INNER(crawlers);
    INNER(crawler_rates);
    INNER(shared_age);
    INNER(wall);
    INNER(wall_from);
    INNER(engines);
    INNER(pass_rate);
    INNER(network_rate);
    INNER(pass_lifetime);
    return merged;
}

void *standby_create_dir(apr_pool_t *p, char *dir)
{
    return apr_pcalloc(p, sizeof(standby_dir_t));
}

void *standby_merge_dir(apr_pool_t *p, void *of_outer, void *of_inner)
{
    standby_dir_t *outer = of_outer, *inner = of_inner;
    standby_dir_t *merged = apr_pcalloc(p, sizeof(*merged));

    INNER(application);
    INNER(pages);
    INNER(except);
    INNER(namespaces);
    INNER(parameters);
    INNER(harmless_parameters);
    INNER(harmless_cookies);
    INNER(known_cookies);
    INNER(known_level);
    INNER(session_cookies);
    INNER(ages);
    INNER(types);
    INNER(statuses);
    INNER(masks);
    INNER(ignored_headers);
    INNER(time_headers);
    INNER(ignored_environment);
    INNER(open);
    INNER(public_paths);
    INNER(public_level);
    INNER(window);
    INNER(lifetime);
    return merged;
}

void standby_store_of(const standby_server_t *conf, standby_store_t *store)
{
    store->directory = conf->store_directory;
    store->most_bytes = conf->most_bytes ? conf->most_bytes : DEFAULT_BYTES;
    store->most_pages = conf->most_pages ? conf->most_pages : DEFAULT_PAGES;
}

int standby_age_on(const standby_dir_t *conf, int level, int early)
{
    static const standby_age_t usual[] = { { 3, 60, 45 }, { 4, 300, 240 } };
    const standby_age_t *ages = usual;
    int count = 2, i, best = -1;

    if (conf->ages) {
        ages = (const standby_age_t *)conf->ages->elts;
        count = conf->ages->nelts;
    }
    for (i = 0; i < count; ++i) {
        if (ages[i].level <= level
            && (best < 0 || ages[i].level >= ages[best].level)) {
            best = i;
        }
    }
    return best < 0 ? 0 : early ? ages[best].early : ages[best].seconds;
}

int standby_longest_age(const standby_dir_t *conf)
{
    int i, longest = 0;

    if (!conf->ages) {
        return standby_age_on(conf, MOST_LEVEL, 0);
    }
    for (i = 0; i < conf->ages->nelts; ++i) {
        int seconds = APR_ARRAY_IDX(conf->ages, i, standby_age_t).seconds;

        longest = seconds > longest ? seconds : longest;
    }
    return longest;
}

static int has_public;

int standby_has_public(void)
{
    return has_public;
}

int standby_public_age_on(const standby_dir_t *conf, int level, int early)
{
    int first = conf->ages ? MOST_LEVEL : 3, i;

    if (!conf->public_level || level < conf->public_level - 1) {
        return 0;
    }
    for (i = 0; conf->ages && i < conf->ages->nelts; ++i) {
        int of = APR_ARRAY_IDX(conf->ages, i, standby_age_t).level;

        first = of < first ? of : first;
    }
    return standby_age_on(conf, level > first ? level : first, early);
}

/* Of all sections: who has written in one may read in another */
static int longest_of_all;

int standby_longest_of_all(const standby_dir_t *conf)
{
    int longest = standby_longest_age(conf);

    return longest > longest_of_all ? longest : longest_of_all;
}

/* ---- checks; each returns what is wrong ---- */

static const char *wrong(cmd_parms *cmd, const char *expected, const char *got)
{
    return apr_psprintf(cmd->pool, "%s: expected %s, got \"%s\"",
                        cmd->cmd->name, expected, got);
}

static const char *whole_number(cmd_parms *cmd, const char *text, long least,
                                long most, const char *what, int *number)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (!apr_isdigit(*text) || *end || value < least || value > most) {
        return wrong(cmd, apr_psprintf(cmd->pool, "%s from %ld to %ld", what,
                                       least, most), text);
    }
    *number = (int)value;
    return NULL;
}

static const char *bytes(cmd_parms *cmd, const char *text, apr_off_t *number)
{
    char *end;
    apr_int64_t value = apr_strtoi64(text, &end, 10);
    int shift = 0;

    if (*end == 'K' || *end == 'M' || *end == 'G') {
        shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 30;
        ++end;
    }
    if (!apr_isdigit(*text) || *end || value < 1 || value > (1 << 30)
        || (value << shift) > (APR_INT64_C(1) << 40)) {
        return wrong(cmd, "a number of bytes such as 900000, 512K, 64M or 1G",
                     text);
    }
    *number = (apr_off_t)(value << shift);
    return NULL;
}

static int is_word(const char *text, const char *more)
{
    for (; *text; ++text) {
        if (!apr_isalnum(*text) && !strchr(more, *text)) {
            return 0;
        }
    }
    return 1;
}

/* Where in the structure the list is, as cmd_data of each directive */
#define AT(type, member) ((void *)APR_OFFSETOF(type, member))

static apr_array_header_t **list_at(void *conf, cmd_parms *cmd)
{
    return (apr_array_header_t **)((char *)conf + (apr_size_t)cmd->info);
}

/* The first of a section's lines begins a new list, others add to it */
static apr_array_header_t *list_of(void *conf, cmd_parms *cmd, int size)
{
    apr_array_header_t **list = list_at(conf, cmd);

    if (!*list) {
        *list = apr_array_make(cmd->pool, 8, size);
    }
    return *list;
}

static const char *add_word(cmd_parms *cmd, void *conf, const char *word,
                            const char *what, const char *letters)
{
    if (!*word || !is_word(word, letters)) {
        return wrong(cmd, what, word);
    }
    APR_ARRAY_PUSH(list_of(conf, cmd, sizeof(const char *)), const char *)
        = word;
    return NULL;
}

/* ---- of a server ---- */

static const char *set_level(cmd_parms *cmd, void *dummy, const char *kind,
                             const char *name)
{
    standby_server_t *conf = STANDBY_SERVER(cmd->server);

    if (!strcasecmp(kind, "file")) {
        if (!ap_os_is_path_absolute(cmd->pool, name)) {
            return wrong(cmd, "the absolute path of a file", name);
        }
        conf->level_from = STANDBY_LEVEL_FILE;
    }
    else if (!strcasecmp(kind, "variable")) {
        if (!*name || !is_word(name, "_")) {
            return wrong(cmd, "the name of a variable", name);
        }
        conf->level_from = STANDBY_LEVEL_VARIABLE;
    }
    else {
        return wrong(cmd, "\"file PATH\" or \"variable NAME\"", kind);
    }
    conf->level_name = name;
    return NULL;
}

static const char *set_store(cmd_parms *cmd, void *dummy, const char *path)
{
    standby_server_t *conf = STANDBY_SERVER(cmd->server);
    apr_size_t length = strlen(path);

    if (!strcasecmp(path, "off")) {
        conf->store_directory = "";
        return NULL;
    }
    if (!ap_os_is_path_absolute(cmd->pool, path) || length < 2) {
        return wrong(cmd, "\"off\" or the absolute path of a directory", path);
    }
    conf->store_directory = path[length - 1] == '/'
        ? apr_pstrmemdup(cmd->pool, path, length - 1) : path;
    return NULL;
}

static const char *set_store_limit(cmd_parms *cmd, void *dummy,
                                   const char *most, const char *pages)
{
    standby_server_t *conf = STANDBY_SERVER(cmd->server);
    int number = 0;
    const char *problem = bytes(cmd, most, &conf->most_bytes);

    if (problem || (problem = whole_number(cmd, pages, 64, 10000000,
                                           "a number of pages", &number))) {
        return problem;
    }
    conf->most_pages = number;
    return NULL;
}

static const char *set_most_page(cmd_parms *cmd, void *dummy, const char *most)
{
    standby_server_t *conf = STANDBY_SERVER(cmd->server);
    const char *problem = bytes(cmd, most, &conf->most_page);

    return problem ? problem : conf->most_page > (64 << 20)
        ? wrong(cmd, "at most 64M", most) : NULL;
}

static const char *add_server_header(cmd_parms *cmd, void *dummy,
                                     const char *name)
{
    if (!strcasecmp(name, "Cookie") || !strcasecmp(name, "Authorization")
        || !strcasecmp(name, "Content-Length")
        || !strcasecmp(name, "Transfer-Encoding") || *name == '*') {
        return wrong(cmd, "a header that does not say who somebody is and that"
                     " brings no body", name);
    }
    return add_word(cmd, STANDBY_SERVER(cmd->server), name,
                    "the name of a request header", "-_*");
}

static const char *set_client_header(cmd_parms *cmd, void *dummy,
                                     const char *name)
{
    if (!*name || !is_word(name, "-_")) {
        return wrong(cmd, "the name of a request header", name);
    }
    STANDBY_SERVER(cmd->server)->client_header = name;
    return NULL;
}

static const char *add_network(cmd_parms *cmd, void *dummy,
                               const char *address)
{
    apr_array_header_t *list = list_of(STANDBY_SERVER(cmd->server), cmd,
                                       sizeof(apr_ipsubnet_t *));
    char *copy = apr_pstrdup(cmd->pool, address), *slash = strchr(copy, '/');
    apr_ipsubnet_t *subnet;

    if (!strcasecmp(address, "none")) {
        return NULL;
    }
    if (slash) {
        *slash++ = '\0';
    }
    if (apr_ipsubnet_create(&subnet, copy, slash, cmd->pool) != APR_SUCCESS) {
        return wrong(cmd, "\"none\" or an address such as 10.0.0.5 or"
                     " 10.0.0.0/8", address);
    }
    APR_ARRAY_PUSH(list, apr_ipsubnet_t *) = subnet;
    return NULL;
}

static const char *set_crawler_rate(cmd_parms *cmd, void *dummy,
                                    const char *name, const char *level,
                                    const char *per_minute)
{
    standby_server_t *conf = STANDBY_SERVER(cmd->server);
    standby_crawler_rate_t rate = { name, 0, 0 };
    const char *problem = whole_number(cmd, level, 1, MOST_LEVEL, "a level",
                                       &rate.level);

    if (problem || (problem = whole_number(cmd, per_minute, 0,
                                           STANDBY_MOST_RATE,
                                           "requests a minute",
                                           &rate.per_minute))) {
        return problem;
    }
    if (!conf->crawler_rates) {
        conf->crawler_rates = apr_array_make(cmd->pool, 4, sizeof(rate));
    }
    APR_ARRAY_PUSH(conf->crawler_rates, standby_crawler_rate_t) = rate;
    return NULL;
}

/* A number as the name of a class: from this level on it is refused */
static const char *add_crawler(cmd_parms *cmd, void *dummy, const char *name,
                               const char *word)
{
    standby_server_t *conf = STANDBY_SERVER(cmd->server);
    const standby_name_t crawler = { word, name };
    int level;
    const char *problem = apr_isdigit(*name)
        ? whole_number(cmd, name, 1, MOST_LEVEL, "a level", &level)
        : !apr_isalpha(*name) || !is_word(name, "-_")
        ? wrong(cmd, "a level or the name of a class", name) : NULL;

    if (problem) {
        return problem;
    }
    if (strlen(word) < 3) {
        return wrong(cmd, "a word of a user agent, of 3 letters or more", word);
    }
    if (!conf->crawlers) {
        conf->crawlers = apr_array_make(cmd->pool, 16, sizeof(crawler));
    }
    APR_ARRAY_PUSH(conf->crawlers, standby_name_t) = crawler;
    return NULL;
}

/* ---- the wall ---- */

static const char *set_wall(cmd_parms *cmd, void *dummy, const char *when)
{
    standby_server_t *conf = STANDBY_SERVER(cmd->server);

    conf->wall = !strcasecmp(when, "off") ? STANDBY_WALL_OFF
                 : !strcasecmp(when, "flag") ? STANDBY_WALL_FLAG : 0;
    return !conf->wall && whole_number(cmd, when, 1, MOST_LEVEL, "a level",
                                       &conf->wall)
           ? wrong(cmd, apr_psprintf(cmd->pool, "\"off\", \"flag\" or a level"
                                     " from 1 to %d", MOST_LEVEL), when) : NULL;
}

static const char *set_wall_rate(cmd_parms *cmd, void *dummy, const char *pass,
                                 const char *network)
{
    standby_server_t *conf = STANDBY_SERVER(cmd->server);
    const char *problem = whole_number(cmd, pass, 1, STANDBY_MOST_RATE,
                                       "requests a minute", &conf->pass_rate);

    return problem ? problem : whole_number(cmd, network, conf->pass_rate,
                                            STANDBY_MOST_RATE,
                                            "requests a minute",
                                            &conf->network_rate);
}

static const char *set_wall_pass(cmd_parms *cmd, void *dummy,
                                 const char *seconds)
{
    return whole_number(cmd, seconds, 1, MOST_SECONDS, "seconds",
                        &STANDBY_SERVER(cmd->server)->pass_lifetime);
}

static const char *add_engine(cmd_parms *cmd, void *dummy, const char *word,
                              const char *domain)
{
    standby_server_t *conf = STANDBY_SERVER(cmd->server);
    standby_name_t *engine = NULL;

    if (strlen(word) < 3) {
        return wrong(cmd, "a word of a user agent, of 3 letters or more", word);
    }
    if (!*domain || *domain == '.' || !is_word(domain, "-.")) {
        return wrong(cmd, "a domain such as googlebot.com", domain);
    }
    if (!conf->engines) {
        conf->engines = apr_array_make(cmd->pool, 8, sizeof(*engine));
    }
    if (conf->engines->nelts) {
        engine = &APR_ARRAY_IDX(conf->engines, conf->engines->nelts - 1,
                                standby_name_t);
    }
    if (!engine || strcmp(engine->word, word)) {
        engine = apr_array_push(conf->engines);
        engine->word = word;
        engine->of = "";
    }
    engine->of = apr_pstrcat(cmd->pool, engine->of, domain, " ",
                                  NULL);
    return strlen(engine->of) < STANDBY_DOMAINS ? NULL
           : apr_psprintf(cmd->pool, "%s: at most %d letters of domains for"
                          " \"%s\"", cmd->cmd->name, STANDBY_DOMAINS - 1, word);
}

static const char *set_shared_age(cmd_parms *cmd, void *dummy, const char *how)
{
    standby_server_t *conf = STANDBY_SERVER(cmd->server);

    conf->shared_age = !strcasecmp(how, "keep") ? 1
                       : !strcasecmp(how, "rewrite") ? 2 : 0;
    return conf->shared_age ? NULL : wrong(cmd, "\"keep\" or \"rewrite\"", how);
}

/* ---- of a directory ---- */

static const char *set_application(cmd_parms *cmd, void *of_dir,
                                   const char *path)
{
    standby_dir_t *conf = of_dir;
    apr_finfo_t is;

    if (!strcasecmp(path, "off")) {
        conf->application = "";
        return NULL;
    }
    if (!ap_os_is_path_absolute(cmd->pool, path)) {
        return wrong(cmd, "\"off\" or the absolute path of the file that builds"
                     " the pages", path);
    }
    if (apr_stat(&is, path, APR_FINFO_TYPE, cmd->temp_pool) != APR_SUCCESS
        || is.filetype != APR_REG) {
        return wrong(cmd, "a file that is there, the one that builds the pages",
                     path);
    }
    conf->application = path;
    return NULL;
}

static const char *add_path(cmd_parms *cmd, void *conf, const char *pattern)
{
    if (*pattern != '/' && *pattern != '*') {
        return wrong(cmd, "a pattern of a path that begins with / or *",
                     pattern);
    }
    APR_ARRAY_PUSH(list_of(conf, cmd, sizeof(const char *)), const char *)
        = pattern;
    return NULL;
}

static const char *add_public(cmd_parms *cmd, void *of_dir, const char *level,
                              const char *pattern)
{
    standby_dir_t *conf = of_dir;
    int number = 0;
    const char *problem = whole_number(cmd, level, 0, MOST_LEVEL, "a level",
                                       &number);

    if (problem) {
        return problem;
    }
    if (conf->public_level && conf->public_level != number + 1) {
        return wrong(cmd, apr_psprintf(cmd->pool, "the same level, %d, for all"
                                       " of a section", conf->public_level - 1),
                     level);
    }
    conf->public_level = number + 1;
    has_public = 1;
    return add_path(cmd, conf, pattern);
}

static const char *add_exception(cmd_parms *cmd, void *conf,
                                 const char *pattern)
{
    if (!*pattern) {
        return wrong(cmd, "a pattern of a path or of a parameter's value",
                     pattern);
    }
    APR_ARRAY_PUSH(list_of(conf, cmd, sizeof(const char *)), const char *)
        = pattern;
    return NULL;
}

static const char *add_namespace(cmd_parms *cmd, void *conf, const char *name)
{
    if (!*name || strpbrk(name, ": /*")) {
        return wrong(cmd, "a name without colon, space, slash and *, such as"
                     " User_talk", name);
    }
    APR_ARRAY_PUSH(list_of(conf, cmd, sizeof(const char *)), const char *)
        = name;
    return NULL;
}

static const char *add_parameter(cmd_parms *cmd, void *conf, const char *name)
{
    if (!strcmp(name, "*")) {
        return wrong(cmd, "a parameter's name such as page", name);
    }
    return add_word(cmd, conf, name, "a parameter's name such as page",
                    "-_.*[]");
}

static const char *add_cookie(cmd_parms *cmd, void *conf, const char *name)
{
    if (!strcmp(name, "*")) {
        return wrong(cmd, "a cookie's name such as theme", name);
    }
    return add_word(cmd, conf, name, "a cookie's name such as theme",
                    "-_.*!#$%&'+^`|~");
}

static const char *add_known_cookie(cmd_parms *cmd, void *of_dir,
                                    const char *level, const char *name)
{
    standby_dir_t *conf = of_dir;
    int number = 0;
    const char *problem = whole_number(cmd, level, 1, MOST_LEVEL, "a level",
                                       &number);

    if (problem) {
        return problem;
    }
    if (conf->known_level && conf->known_level != number) {
        return wrong(cmd, apr_psprintf(cmd->pool, "the same level, %d, for all"
                                       " of a section", conf->known_level),
                     level);
    }
    conf->known_level = number;
    return add_cookie(cmd, conf, name);
}

static const char *add_age(cmd_parms *cmd, void *of_dir, const char *level,
                           const char *seconds, const char *early)
{
    standby_dir_t *conf = of_dir;
    standby_age_t age = { 0, 0, 0 };
    const char *problem = whole_number(cmd, level, 1, MOST_LEVEL, "a level",
                                       &age.level);

    if (problem || (problem = whole_number(cmd, seconds, 1, MOST_SECONDS,
                                           "seconds", &age.seconds))) {
        return problem;
    }
    age.early = age.seconds;
    if (early && (problem = whole_number(cmd, early, 1, age.seconds,
                                         "seconds", &age.early))) {
        return problem;
    }
    if (!conf->ages) {
        conf->ages = apr_array_make(cmd->pool, 2, sizeof(age));
    }
    APR_ARRAY_PUSH(conf->ages, standby_age_t) = age;
    longest_of_all = age.seconds > longest_of_all ? age.seconds : longest_of_all;
    return NULL;
}

static const char *add_type(cmd_parms *cmd, void *conf, const char *type)
{
    if (!strchr(type, '/')) {
        return wrong(cmd, "a type such as text/html", type);
    }
    return add_word(cmd, conf, type, "a type such as text/html", "/+-.");
}

static const char *add_status(cmd_parms *cmd, void *conf, const char *status)
{
    int number = 0;
    const char *problem = whole_number(cmd, status, 200, 299,
                                       "a status of success", &number);

    if (!problem && (number == 204 || number == 206)) {
        problem = wrong(cmd, "a status with a whole page", status);
    }
    if (!problem) {
        APR_ARRAY_PUSH(list_of(conf, cmd, sizeof(int)), int) = number;
    }
    return problem;
}

static const char *add_mask(cmd_parms *cmd, void *of_dir, const char *begin,
                            const char *end)
{
    standby_dir_t *conf = of_dir;
    standby_mask_t *mask;

    if (strlen(begin) < STANDBY_LEAST_MASK) {
        return wrong(cmd, apr_psprintf(cmd->pool, "a text of at least %d"
                                       " letters before what is not compared",
                                       STANDBY_LEAST_MASK), begin);
    }
    if (!*end) {
        return wrong(cmd, "a text behind what is not compared", end);
    }
    if (!conf->masks) {
        conf->masks = apr_array_make(cmd->pool, 4, sizeof(*mask));
    }
    if (conf->masks->nelts == STANDBY_MOST_MASKS) {
        return apr_psprintf(cmd->pool, "%s: at most %d of a section",
                            cmd->cmd->name, STANDBY_MOST_MASKS);
    }
    mask = apr_array_push(conf->masks);
    mask->begin = begin;
    mask->end = end;
    return NULL;
}

static const char *add_answer_header(cmd_parms *cmd, void *conf,
                                     const char *name)
{
    if (!strcasecmp(name, "Set-Cookie") || !strcasecmp(name, "Cache-Control")
        || !strcasecmp(name, "Vary") || !strcmp(name, "*")) {
        return wrong(cmd, "a header that does not say whose an answer is",
                     name);
    }
    return add_word(cmd, conf, name, "the name of an answer's header", "-_*");
}

static const char *add_variable(cmd_parms *cmd, void *conf, const char *name)
{
    if (!strcmp(name, "*")) {
        return wrong(cmd, "the name of a variable", name);
    }
    return add_word(cmd, conf, name, "the name of a variable", "-_*");
}

static const char *set_twins(cmd_parms *cmd, void *of_dir, const char *window,
                             const char *lifetime)
{
    standby_dir_t *conf = of_dir;
    const char *problem = whole_number(cmd, window, 1, MOST_SECONDS, "seconds",
                                       &conf->window);

    return problem ? problem : whole_number(cmd, lifetime, 1, MOST_SECONDS,
                                            "seconds", &conf->lifetime);
}

#define EACH RSRC_CONF | ACCESS_CONF
#define DIR_LIST(name, check, member, text) \
    AP_INIT_ITERATE(name, check, AT(standby_dir_t, member), EACH, text)
#define DIR_PAIRS(name, check, member, text) \
    AP_INIT_ITERATE2(name, check, AT(standby_dir_t, member), EACH, text)
#define SERVER_LIST(name, check, member, text) \
    AP_INIT_ITERATE(name, check, AT(standby_server_t, member), RSRC_CONF, text)

const command_rec standby_commands[] = {
    AP_INIT_TAKE2("StandbyLevel", set_level, NULL, RSRC_CONF,
        "where the mitigation level comes from: file PATH, or variable NAME"),
    AP_INIT_TAKE1("StandbyStore", set_store, NULL, RSRC_CONF,
        "the directory in which pages are stored, or off"),
    AP_INIT_TAKE2("StandbyStoreLimit", set_store_limit, NULL, RSRC_CONF,
        "bytes and pages that the store holds at most"),
    AP_INIT_TAKE1("StandbyMaxPage", set_most_page, NULL, RSRC_CONF,
        "bytes of a page that is stored at most"),
    SERVER_LIST("StandbyKeyedHeaders", add_server_header, keyed_headers,
        "request headers of which each value is another page"),
    SERVER_LIST("StandbyVolatileHeaders", add_server_header, volatile_headers,
        "request headers that differ for each request, and make no other page"),
    AP_INIT_TAKE1("StandbyClientHeader", set_client_header, NULL, RSRC_CONF,
        "the request header that tells visitors apart"),
    SERVER_LIST("StandbyPurgeFrom", add_network, purge_from,
        "addresses from which PURGE takes a page away, or none"),
    AP_INIT_ITERATE2("StandbyCrawlers", add_crawler, NULL, RSRC_CONF,
        "a class, or the level from which on it is refused, and words of the"
        " user agents of its crawlers"),
    AP_INIT_TAKE3("StandbyCrawlerRate", set_crawler_rate, NULL, RSRC_CONF,
        "a class of crawlers, a level, and the requests a minute that it has"
        " from that level on"),
    AP_INIT_TAKE1("StandbyWall", set_wall, NULL, RSRC_CONF,
        "the level from which on visitors without a cookie get stored pages"
        " only, flag or off"),
    AP_INIT_TAKE2("StandbyWallRate", set_wall_rate, NULL, RSRC_CONF,
        "requests a minute with one pass, and from one network"),
    AP_INIT_TAKE1("StandbyWallPass", set_wall_pass, NULL, RSRC_CONF,
        "seconds for which a pass holds"),
    SERVER_LIST("StandbyWallFrom", add_network, wall_from,
        "addresses that do not meet the wall, or none"),
    AP_INIT_ITERATE2("StandbyWallEngines", add_engine, NULL, RSRC_CONF,
        "a word of a search engine's user agent, and the domains of its"
        " addresses' names"),
    AP_INIT_TAKE1("StandbySharedAge", set_shared_age, NULL, RSRC_CONF,
        "whether an s-maxage is passed on: keep or rewrite"),
    AP_INIT_TAKE1("StandbyApplication", set_application, NULL, EACH,
        "the file that builds the pages, or off"),
    DIR_LIST("StandbyPages", add_path, pages,
        "paths of pages that may be stored"),
    DIR_PAIRS("StandbyPublic", add_public, public_paths,
        "a level, and paths whose answers everybody gets from that level on, if"
        " the application says that they are public"),
    DIR_LIST("StandbyWallOpen", add_path, open,
        "paths that do not meet the wall"),
    DIR_LIST("StandbyExcept", add_exception, except,
        "paths and values of parameters of pages that are never stored"),
    DIR_LIST("StandbyNamespaces", add_namespace, namespaces,
        "what may stand before a colon"),
    DIR_LIST("StandbyParameters", add_parameter, parameters,
        "parameters that make another page"),
    DIR_LIST("StandbyHarmlessParameters", add_parameter, harmless_parameters,
        "further parameters that change nothing"),
    DIR_LIST("StandbyHarmlessCookies", add_cookie, harmless_cookies,
        "further cookies that the application does not read"),
    DIR_PAIRS("StandbyKnownCookies", add_known_cookie, known_cookies,
        "a level, and cookies of visitors who are known by name only and are"
        " served as anonymous from that level on"),
    DIR_LIST("StandbySessionCookies", add_cookie, session_cookies,
        "cookies of members, for logs"),
    AP_INIT_TAKE23("StandbyAge", add_age, NULL, EACH,
        "a level, the seconds that a page may be old from there on, and those"
        " after which a few visitors have it built"),
    DIR_LIST("StandbyTypes", add_type, types, "types that are stored"),
    DIR_LIST("StandbyStatuses", add_status, statuses,
        "statuses that are stored"),
    AP_INIT_TAKE2("StandbyMask", add_mask, NULL, EACH,
        "texts before and behind what is not compared"),
    DIR_LIST("StandbyIgnoreAnswerHeaders", add_answer_header, ignored_headers,
        "headers of answers that are neither compared nor stored"),
    DIR_LIST("StandbyTimeHeaders", add_answer_header, time_headers,
        "headers of answers that are times: their figures are not compared"),
    DIR_LIST("StandbyIgnoreEnvironment", add_variable, ignored_environment,
        "variables that make no other page"),
    AP_INIT_TAKE2("StandbyTwins", set_twins, NULL, EACH,
        "seconds within which two builds are compared, and for which a proof"
        " holds"),
    { NULL }
};
