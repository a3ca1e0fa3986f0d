/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To be loaded before httpd: a resolver and a source of random bytes that fail. STRANGE names a directory. While it holds the file `slow`,
 * no name is found; while it holds `down`, each question ends with EAI_AGAIN. With STRANGE_RANDOM there are no 16 random bytes.
 */
#include <dlfcn.h>
#include <limits.h>
#include <netdb.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int says(const char *what)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", getenv("STRANGE"), what);
    return !access(path, F_OK);
}

int getnameinfo(const struct sockaddr *address, socklen_t length, char *host, socklen_t host_length, char *service,
                socklen_t service_length, int flags)
{
    int (*real)(const struct sockaddr *, socklen_t, char *, socklen_t, char *, socklen_t, int) = dlsym(RTLD_NEXT, "getnameinfo");

    if (!(flags & NI_NAMEREQD)) {
        return real(address, length, host, host_length, service, service_length, flags);
    }
    while (says("slow")) {
        usleep(20000);
    }
    return says("down") ? EAI_AGAIN : real(address, length, host, host_length, service, service_length, flags);
}

int apr_generate_random_bytes(unsigned char *bytes, size_t length)
{
    int (*real)(unsigned char *, size_t) = dlsym(RTLD_NEXT, "apr_generate_random_bytes");

    return length == 16 && getenv("STRANGE_RANDOM") ? 20014 : real(bytes, length);
}
