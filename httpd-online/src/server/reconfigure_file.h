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


/**
 * @file  reconfigure_file.h
 * @brief Online reconfiguration, private to the core: the tunables file and
 *        the state file
 *
 * What parses is functions of their arguments, for any thread of any process,
 * and needs nothing but APR.
 */

#ifndef AP_SERVER_RECONFIGURE_FILE_H
#define AP_SERVER_RECONFIGURE_FILE_H

#include "apr.h"
#include "apr_pools.h"
#include "apr_tables.h"
#include "ap_reconfigure.h"

#ifdef AP_HAVE_RECONFIGURE
#include <sys/types.h>
#include <unistd.h>
#endif

/** Names and bounds that the values in a tunables file are checked against. */
typedef struct {
    int threads_per_child;  /**< lower bound of MaxRequestWorkers; 0: unknown,
                             *   the bounds aren't checked */
    int server_limit;       /**< server_limit * threads_per_child is the upper
                             *   bound of MaxRequestWorkers */
    int children;           /**< running children, each needs a worker; or 0 */
    int max_workers;        /**< MaxRequestWorkers that the server runs with */
    int held;               /**< workers that are held for long: a lower one
                             *   must leave some beside these; or 0 */
    int nvariables;         /**< number of declared variables */
    const char *names[AP_RECONFIGURE_MAX_VARIABLES];
} reconfigure_limits_t;

/** The values in a tunables file, -1 for those that aren't there. */
typedef struct {
    int max_workers;
    int keep_alive_timeout_ms;
    int variables[AP_RECONFIGURE_MAX_VARIABLES];
} reconfigure_values_t;

/** Largest tunables file that is read, in bytes */
#define RECONFIGURE_FILE_MAX (64 * 1024)

/** Longest KeepAliveTimeout: an hour, so that the upper half of the 64-bit
 * microseconds never changes and a 32-bit platform reads no torn value */
#define RECONFIGURE_MAX_TIMEOUT_MS (3600 * 1000)

/**
 * Parse the text of a tunables file, all or nothing.
 * @param p       Pool for the message
 * @param fname   Name of the file, for the message
 * @param text    The text, need not be terminated
 * @param len     Its length
 * @param limits  Names and bounds to check against
 * @param values  Set on success only
 * @return NULL, or what is wrong, with file and line
 */
const char *ap_reconfigure_parse(apr_pool_t *p, const char *fname,
                                 const char *text, apr_size_t len,
                                 const reconfigure_limits_t *limits,
                                 reconfigure_values_t *values);

#ifdef AP_HAVE_RECONFIGURE
/**
 * Find the file that a name stands for, over symbolic links that belong to root
 * or to the user who has started the server.
 * @param fname Set to the name of what is no symbolic link, or isn't there
 * @return NULL, or what is wrong
 */
const char *ap_reconfigure_resolve(apr_pool_t *p, const char **fname,
                                uid_t server);

/**
 * Read a tunables file, if it can be trusted: a regular file that belongs to
 * root or to the user who has started the server, and that nobody else may
 * write.  Symbolic links are followed as ap_reconfigure_resolve() does.
 * @return NULL, or what is wrong
 */
const char *ap_reconfigure_read(apr_pool_t *p, const char *fname, uid_t server,
                                const char **text, apr_size_t *len);
#endif

/** One word of a line */
typedef struct {
    const char *s;
    apr_size_t len;
} reconfigure_word_t;

/** Cut the next word off, which is empty at the end of the line */
reconfigure_word_t ap_reconfigure_next_word(const char **pos, const char *end);

/** Cut the next line off. @return Its begin; *pos is its end, without that of
 * the line, *next the begin of the line after it */
const char *ap_reconfigure_next_line(const char **pos, const char *end,
                                     const char **next);

/** Is this the name of a directive that a tunables file may hold?
 * @return The canonical name or NULL
 */
const char *ap_reconfigure_directive_name(const char *name);

/** Is this a well-formed name of a variable? @return NULL or why not */
const char *ap_reconfigure_check_variable(const char *name);

/** What others wrote, as it may be shown in a message: short, printable */
const char *ap_reconfigure_show(apr_pool_t *p, const char *text,
                                apr_size_t len);

/** Parse digits from 0 to max; -1 if there is anything else */
int ap_reconfigure_parse_number(const char *s, apr_size_t len, int max);

#ifdef AP_HAVE_RECONFIGURE
/*****************************************************************
 * The state file
 *
 * <PidFile>.reconfigure tells a command about the running server: that it takes
 * AP_SIG_RECONFIGURE, and what became of it.
 * The parent process holds a lock on it as long as it lives, so that neither
 * a stale file nor a stale or foreign pid is ever mistaken for a server that
 * takes the signal.
 */

/** What the parent tells */
typedef struct {
    pid_t pid;
    int threads_per_child;
    int server_limit;
    int children;           /**< running children */
    apr_uint32_t handled;   /**< signals, accepted or refused */
    apr_uint32_t accepted;  /**< reconfigurations */
    apr_uint32_t pending;   /**< children that have not acknowledged */
    apr_uint32_t owed;      /**< workers that are busy beyond MaxRequestWorkers
                             *   since it was lowered */
    int refused;            /**< was the last one refused? */
    char message[400];      /**< why */
    char file[1024];        /**< ReconfigureFile */
    apr_uint32_t max_workers;
    apr_uint32_t keep_alive_timeout_ms;
    int nvariables;
    struct {
        char name[AP_RECONFIGURE_MAX_NAME + 1];
        apr_uint32_t value;
    } variables[AP_RECONFIGURE_MAX_VARIABLES];
} reconfigure_state_t;

/** What the state file has after the name of the PidFile */
#define RECONFIGURE_STATE_SUFFIX ".reconfigure"

/** Most bytes of a state file */
#define RECONFIGURE_STATE_MAX 8192

/* Bytes of the file are locked, not for what they hold: */
#define RECONFIGURE_SERVER_BYTE  0  /**< by the parent while it lives */
#define RECONFIGURE_COMMAND_BYTE 1  /**< by a command while it works */
#define RECONFIGURE_FORCE_BYTE   2  /**< by a command whose change is to be made
                                     *   although workers are held */

/** Lock a byte, or (F_GETLK) ask who has. @return As fcntl(); *holder, if not
 * NULL, is set to the process that has it, or 0 */
int ap_reconfigure_state_try_lock(int fd, int cmd, off_t byte, pid_t *holder);

/** Create and lock the file; NULL or what is wrong. The parent, once. */
const char *ap_reconfigure_state_create(apr_pool_t *p, const char *name,
                                        int *fd);

/** Write the file; the parent */
void ap_reconfigure_state_write(int fd, const reconfigure_state_t *state);

/** Remove and close the file; the parent */
void ap_reconfigure_state_remove(int fd, const char *name);

/** Is this still the file of that name? */
int ap_reconfigure_state_is_named(int fd, const char *name);
#endif /* AP_HAVE_RECONFIGURE */

#endif /* AP_SERVER_RECONFIGURE_FILE_H */
