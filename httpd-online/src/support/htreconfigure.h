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
 * @file  htreconfigure.h
 * @brief htreconfigure: its parts
 *
 * One process, one thread.  It needs nothing of httpd but the parser of the
 * file of tunables and what the parent tells in its state file.
 */

#ifndef HTRECONFIGURE_H
#define HTRECONFIGURE_H

#include "apr.h"
#include "apr_pools.h"
#include "apr_tables.h"
#include "../server/reconfigure_file.h"

/** A NAME=value pair of the command line */
typedef struct {
    const char *name;
    const char *value;
} assignment_t;

/* The file of tunables: htreconfigure_file.c */

/**
 * Replace or append lines, keeping all others as they are.
 * @param p       Pool for the new text
 * @param text    The text of a tunables file
 * @param len     Its length
 * @param pairs   Array of assignment_t
 * @param newlen  Set to the length of the new text
 * @return The new text; ap_reconfigure_parse() tells whether it is any good
 */
const char *htreconfigure_edit(apr_pool_t *p, const char *text, apr_size_t len,
                               const apr_array_header_t *pairs,
                               apr_size_t *newlen);

/**
 * Write the text to a new file with the owner and mode of the old one and put
 * it in the old one's place: a reader sees the one or the other.  If the
 * process is killed meanwhile, no other file is left, or one that the next call
 * removes.  Only a file that is mounted by itself is written itself.
 * @return NULL or what is wrong
 */
const char *htreconfigure_replace(apr_pool_t *p, const char *fname,
                                  const char *text, apr_size_t len);

/* The running server, by its state file: htreconfigure_server.c */

/** Open the file if the process pid has locked it; NULL or what is wrong */
const char *server_open(apr_pool_t *p, const char *name, pid_t pid,
                        int *fd, uid_t *owner);

/** Read the file. @return NULL or what is wrong */
const char *server_read(int fd, reconfigure_state_t *state);

/** Signal the server if it still holds its lock. @return 0, or -1 */
int server_signal(int fd, pid_t pid);

/** Wait until no other command reconfigures this server.
 * @return 1, or 0 if that took too long */
int server_lock(int fd, apr_interval_time_t timeout);

#endif /* HTRECONFIGURE_H */
