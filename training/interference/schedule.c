/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule.h"

#include "parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORD_MAX 63
#define EXPONENTIAL_CUT 5.0
#define SHORTEST_PHASE_NS 1000000 /* a shorter draw could not be gated in time anyway */

struct schedule schedule_fixed(const char *text)
{
    struct schedule s = {0};
    const char *p = text;

    for (;;) {
        char time[WORD_MAX + 1], word[WORD_MAX + 1];
        int used = 0;
        if (sscanf(p, " %63[^ ,] %63[a-z] %n", time, word, &used) != 2 || !used)
            die(EXIT_USAGE, "-s '%s': expected phases such as '240s on, 240s off'", text);
        if (strcmp(word, "on") != 0 && strcmp(word, "off") != 0)
            die(EXIT_USAGE, "-s '%s': '%s' must be on or off", text, word);
        if (s.count == SCHEDULE_MAX_PHASES)
            die(EXIT_USAGE, "-s: more than %d phases", SCHEDULE_MAX_PHASES);
        s.phases[s.count++] =
            (struct phase){.on = strcmp(word, "on") == 0, .duration = parse_duration("-s", time)};
        p += used;
        if (!*p)
            return s;
        if (*p++ != ',')
            die(EXIT_USAGE, "-s '%s': expected a comma before '%s'", text, p - 1);
    }
}

static struct law read_law(const char *option, const char *word)
{
    struct law law = {0};
    const char *value;
    char low[WORD_MAX + 1];

    if (strncmp(word, "on=", 3) == 0)
        law.on = 1;
    else if (strncmp(word, "off=", 4) != 0)
        die(EXIT_USAGE, "%s: '%s' must start with on= or off=", option, word);
    word = strchr(word, '=') + 1;
    value = strchr(word, ':');
    if (!value)
        die(EXIT_USAGE, "%s: '%s' must be exp:MEAN, uniform:LOW-HIGH or fixed:TIME", option, word);
    value++;
    if (strncmp(word, "exp:", 4) == 0) {
        law.distribution = EXPONENTIAL;
        law.a = parse_duration(option, value);
    } else if (strncmp(word, "fixed:", 6) == 0) {
        law.distribution = FIXED;
        law.a = parse_duration(option, value);
    } else if (strncmp(word, "uniform:", 8) == 0) {
        const char *dash = strchr(value, '-');
        if (!dash)
            die(EXIT_USAGE, "%s: '%s' must be uniform:LOW-HIGH", option, word);
        snprintf(low, sizeof low, "%.*s", (int)(dash - value), value);
        law.distribution = UNIFORM;
        law.a = parse_duration(option, low);
        law.b = parse_duration(option, dash + 1);
        if (law.b < law.a)
            die(EXIT_USAGE, "%s: '%s' has its upper bound below its lower one", option, word);
    } else {
        die(EXIT_USAGE, "%s: '%s' must be exp:MEAN, uniform:LOW-HIGH or fixed:TIME", option, word);
    }
    return law;
}

struct schedule schedule_stochastic(const char *text, uint64_t seed)
{
    static const char OPTION[] = "--stochastic";
    struct schedule s = {.stochastic = 1, .count = 2, .random = seed};
    char first[WORD_MAX + 1], second[WORD_MAX + 1], more[2];

    if (sscanf(text, " %63s %63s %1s", first, second, more) != 2)
        die(EXIT_USAGE, "%s '%s': expected two laws such as 'on=exp:60s off=exp:120s'", OPTION, text);
    s.laws[0] = read_law(OPTION, first);
    s.laws[1] = read_law(OPTION, second);
    if (s.laws[0].on == s.laws[1].on)
        die(EXIT_USAGE, "%s '%s': one law must be for on, the other for off", OPTION, text);
    return s;
}

/* splitmix64, then 53 bits as a number in (0, 1). */
static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

static int64_t draw(const struct law *law, uint64_t *state)
{
    double u, value = (double)law->a;

    if (law->distribution == FIXED)
        return law->a;
    u = uniform(state);
    if (law->distribution == UNIFORM)
        value += u * (double)(law->b - law->a);
    else
        value *= fmin(-log(u), EXPONENTIAL_CUT);
    return (int64_t)fmax(value, SHORTEST_PHASE_NS);
}

struct phase schedule_next(struct schedule *s)
{
    int i = s->next;
    s->next = (i + 1) % s->count;
    if (!s->stochastic)
        return s->phases[i];
    return (struct phase){.on = s->laws[i].on, .duration = draw(&s->laws[i], &s->random)};
}
