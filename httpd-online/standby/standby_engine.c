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
 * mod_standby: the search engines that are what they say. An address has a name
 * below the engine's domain, and the name has this address: the names are asked
 * for by a thread of their own, and no request waits for it. What it found is
 * kept for a while, in memory that all children share.
 */

#include "standby.h"

#include "apr_atomic.h"
#include "apr_strings.h"

#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#define WAITING 64              /* questions of a child at most */
/* Minutes for which an answer holds; as long as it was not found, the question is
 * not asked again */
#define YES_FOR 1440
#define NO_FOR 60
#define ASKED_FOR 2
#define NO_ANSWER_FOR 1

typedef struct {
    struct sockaddr_storage address;
    socklen_t length;
    apr_uint64_t who;
    char domains[STANDBY_DOMAINS];      /* each with a space behind it */
} question_t;

/* Without pools, as the thread may outlive those of the child */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static question_t questions[WAITING];
static int first, count, runs;
static volatile apr_uint32_t ends;

static apr_uint32_t this_minute(void)
{
    return (apr_uint32_t)(apr_time_sec(apr_time_now()) / 60);
}

/* ---- the thread ---- */

/* True if a name is one of the domains or below one */
static int is_below(const char *name, const char *domains)
{
    apr_size_t length = strlen(name), domain;

    if (length && name[length - 1] == '.') {
        --length;
    }
    for (; *domains; domains += domain + 1) {
        domain = strcspn(domains, " ");
        if (domain && length >= domain
            && !strncasecmp(name + length - domain, domains, domain)
            && (length == domain || name[length - domain - 1] == '.')) {
            return 1;
        }
    }
    return 0;
}

static int same_address(const struct sockaddr *a, const struct sockaddr *b)
{
    if (a->sa_family != b->sa_family) {
        return 0;
    }
    return a->sa_family == AF_INET
        ? !memcmp(&((const struct sockaddr_in *)a)->sin_addr,
                  &((const struct sockaddr_in *)b)->sin_addr,
                  sizeof(struct in_addr))
        : !memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr,
                  &((const struct sockaddr_in6 *)b)->sin6_addr,
                  sizeof(struct in6_addr));
}

/* Of no answer, or none yet, nothing is known: it is asked for again soon */
static standby_knowledge_t refused_by(int error)
{
    return error == EAI_AGAIN || error == EAI_SYSTEM || error == EAI_MEMORY
           ? STANDBY_ASKED : STANDBY_NO;
}

static standby_knowledge_t look_up(const question_t *question)
{
    const struct sockaddr *address = (const void *)&question->address;
    struct addrinfo hints, *found = NULL, *each;
    char name[NI_MAXHOST];
    int error, same = 0;

    error = getnameinfo(address, question->length, name, sizeof(name), NULL, 0,
                        NI_NAMEREQD);
    if (error || !is_below(name, question->domains)) {
        return refused_by(error);
    }
    memset(&hints, 0, sizeof(hints));
    hints.ai_family = address->sa_family;
    hints.ai_socktype = SOCK_STREAM;
    error = getaddrinfo(name, NULL, &hints, &found);
    if (error) {
        return refused_by(error);
    }
    for (each = found; each && !same; each = each->ai_next) {
        same = same_address(each->ai_addr, address);
    }
    freeaddrinfo(found);
    return same ? STANDBY_YES : STANDBY_NO;
}

static void *answer_questions(void *unused)
{
    question_t question;

    pthread_mutex_lock(&guard);
    for (;;) {
        standby_knowledge_t what;

        while (!count && !apr_atomic_read32(&ends)) {
            pthread_cond_wait(&work, &guard);
        }
        if (apr_atomic_read32(&ends)) {
            break;
        }
        question = questions[first];
        first = (first + 1) % WAITING;
        --count;
        pthread_mutex_unlock(&guard);
        what = look_up(&question);
        pthread_mutex_lock(&guard);
        if (!apr_atomic_read32(&ends)) {  /* else the shared memory may be gone */
            standby_learn(standby_shared_known(), question.who, what,
                          this_minute(), what == STANDBY_YES ? YES_FOR
                          : what == STANDBY_NO ? NO_FOR : NO_ANSWER_FOR);
        }
    }
    pthread_mutex_unlock(&guard);
    return unused;
}

/* With the first question, so that a child that has none has no thread. Signals
 * are for the others. */
static int start_thread(void)
{
    sigset_t all, before;
    pthread_attr_t detached;
    pthread_t thread;

    if (runs) {
        return 1;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    runs = !pthread_create(&thread, &detached, answer_questions, NULL);
    pthread_attr_destroy(&detached);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return runs;
}

/* Nobody is waited for: a child of prefork comes here in a signal's handler, and
 * may have been interrupted while it asked */
static apr_status_t end_thread(void *unused)
{
    apr_atomic_set32(&ends, 1);
    if (!pthread_mutex_trylock(&guard)) {
        pthread_cond_signal(&work);
        pthread_mutex_unlock(&guard);
    }
    return APR_SUCCESS;
}

void standby_engine_child(apr_pool_t *p)
{
    apr_pool_cleanup_register(p, NULL, end_thread, apr_pool_cleanup_null);
}

/* A client of IPv4 has an address of IPv6 where httpd listens for both: there is
 * no name of that one */
static void put_address(question_t *question, const apr_sockaddr_t *address)
{
    struct sockaddr_in *to = (void *)&question->address;
    const struct sockaddr_in6 *from = (const void *)&address->sa;

    if (address->family == AF_INET6
        && IN6_IS_ADDR_V4MAPPED(&from->sin6_addr)) {
        to->sin_family = AF_INET;
        memcpy(&to->sin_addr, &from->sin6_addr.s6_addr[12],
               sizeof(to->sin_addr));
        question->length = sizeof(*to);
        return;
    }
    memcpy(&question->address, &address->sa, address->salen);
    question->length = address->salen;
}

/* A question for which there is no room now is asked again with the next
 * request */
static void ask(request_rec *r, apr_uint64_t who, const char *domains)
{
    question_t *question;

    pthread_mutex_lock(&guard);
    if (!apr_atomic_read32(&ends) && count < WAITING && start_thread()
        && standby_learn(standby_shared_known(), who, STANDBY_ASKED,
                         this_minute(), ASKED_FOR)) {
        question = &questions[(first + count++) % WAITING];
        memset(question, 0, sizeof(*question));
        put_address(question, r->useragent_addr);
        question->who = who;
        apr_cpystrn(question->domains, domains, STANDBY_DOMAINS);
        pthread_cond_signal(&work);
    }
    pthread_mutex_unlock(&guard);
}

int standby_is_engine(request_rec *r, const standby_server_t *conf)
{
    static const standby_name_t usual[] = {
        { "Google", "googlebot.com google.com " },
        { "bingbot", "search.msn.com " },
        { "Applebot", "applebot.apple.com " },
        { "Yandex", "yandex.ru yandex.net yandex.com " },
        { "Baiduspider", "baidu.com baidu.jp " },
        { "Slurp", "crawl.yahoo.net " },
        { "SeznamBot", "seznam.cz " }
    };
    const char *agent = apr_table_get(r->headers_in, "User-Agent");
    const standby_name_t *names = usual;
    int i, all = sizeof(usual) / sizeof(usual[0]);

    if (conf->engines) {
        names = (const standby_name_t *)conf->engines->elts;
        all = conf->engines->nelts;
    }
    for (i = 0; agent && i < all; ++i) {
        apr_uint64_t who;
        standby_knowledge_t what;

        if (!ap_strcasestr(agent, names[i].word)) {
            continue;
        }
        /* hosts of other domains have another answer */
        who = standby_pass_hash("domains", names[i].of, standby_secret());
        who = standby_pass_hash(apr_psprintf(r->pool,
                                             "%" APR_UINT64_T_HEX_FMT, who),
                                r->useragent_ip, standby_secret());
        what = standby_known(standby_shared_known(), who, this_minute());
        if (what == STANDBY_YES) {
            return 1;
        }
        if (what == STANDBY_UNKNOWN) {
            ask(r, who, names[i].of);
        }
    }
    return 0;
}
