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
 * @file  reconfigure_copies.h
 * @brief Online reconfiguration, private to httpd: something in shared memory
 *        that one process changes and any thread of any process reads
 *
 * There are two copies of it and a number.  The copy of an odd or of an even
 * number is the current one; the other is written next.  So a reader that finds
 * the number unchanged after it has copied has a consistent copy, and it never
 * waits for a writer that was killed in the middle.
 */

#ifndef AP_SERVER_RECONFIGURE_COPIES_H
#define AP_SERVER_RECONFIGURE_COPIES_H

#include "apr.h"
#include "apr_atomic.h"
#define APR_WANT_MEMFUNC
#include "apr_want.h"

/* What is not atomic may be read and written by the processor in another order
 * than it is written here, where nothing forbids that; on ARM it is.  Reads
 * before an acquire fence happen before what comes after it, writes after a
 * release fence happen after what came before it.
 */
#if defined(__GNUC__) || defined(__clang__)
#define RECONFIGURE_ACQUIRE() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define RECONFIGURE_RELEASE() __atomic_thread_fence(__ATOMIC_RELEASE)
#else
#define RECONFIGURE_ACQUIRE() reconfigure_fence()
#define RECONFIGURE_RELEASE() reconfigure_fence()
static APR_INLINE void reconfigure_fence(void)
{
    apr_uint32_t word = 0;

    apr_atomic_inc32(&word); /* a barrier wherever APR has atomics */
}
#endif

/** Copy the current one */
static APR_INLINE void reconfigure_copies_read(apr_uint32_t *number,
                                               const void *copies,
                                               apr_size_t size, void *to)
{
    apr_uint32_t n;

    do {
        n = apr_atomic_read32(number);
        RECONFIGURE_ACQUIRE();
        memcpy(to, (const char *)copies + (n & 1) * size, size);
        RECONFIGURE_ACQUIRE();
    } while (apr_atomic_read32(number) != n);
}

/** Make this the current one; by one process, and one thread of it */
static APR_INLINE void reconfigure_copies_write(apr_uint32_t *number,
                                                void *copies, apr_size_t size,
                                                const void *from)
{
    apr_uint32_t n = apr_atomic_read32(number) + 1;

    /* Who sees anything of this sees that the number before is gone */
    RECONFIGURE_RELEASE();
    memcpy((char *)copies + (n & 1) * size, from, size);
    RECONFIGURE_RELEASE();
    apr_atomic_inc32(number);
}

#endif /* AP_SERVER_RECONFIGURE_COPIES_H */
