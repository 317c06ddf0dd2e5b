/* bench_history.c - how long a history takes to load, and how much memory it holds.
 *
 * usage: bench_history [SUBMISSIONS] [NEW] [OLD]
 * Makes SUBMISSIONS (100,000) lines of the exchange format, each with NEW (10) new actions and up to OLD
 * (5) from before, two parents an action; prints how long reading takes, how long a question and
 * what lies in memory.  Built as test/bench/plan.c is. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pingo/history.h>

static uint64_t seed = 1;

static uint64_t next(void)
{
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Of this program alone: rusage would count what started it as well. */
static long resident_kib(void)
{
    char line[128];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "VmRSS: %ld", &kib) == 1)
            break;
    if (status != NULL)
        fclose(status);
    return kib;
}

static void hash_text(uint64_t number, char *text)
{
    uint64_t x = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < 4; i++) {
        x ^= x >> 29;
        x *= UINT64_C(0xbf58476d1ce4e5b9);
        x ^= x >> 32;
        snprintf(text + 16 * i, 17, "%016" PRIx64, x);
    }
}

/* An action's parents are a function of its number, so that they are the same each time. */
static size_t put_action(char *line, uint64_t number, uint64_t first)
{
    char hash[65], one[65], two[65];
    size_t n;
    hash_text(number, hash);
    n = (size_t)sprintf(line, "{\"hash\":\"%s\",\"parents\":[", hash);
    if (number > first) {
        hash_text(number - 1, one);
        hash_text(first, two);
        n += (size_t)sprintf(line + n, number - 1 == first ? "\"%s\"" : "\"%s\",\"%s\"", one, two);
    }
    return n + (size_t)sprintf(line + n,
                               "],\"sizeBytes\":%" PRIu64 ",\"computeMs\":%" PRIu64
                               ",\"leaf\":false,\"forced\":false,\"decision\":\"compute\"},",
                               number * 7919 % 1000000007, number * 104729 % 600000);
}

/* One line: a chain of new actions, and the head of an older chain, which is closed under ancestors. */
static size_t put_line(char *line, uint64_t submission, uint64_t fresh, uint64_t old)
{
    size_t n =
        (size_t)sprintf(line,
                        "{\"at\":\"2026-01-%02dT%02d:%02d:00.000Z\",\"user\":\"user%d\","
                        "\"workflow\":\"workflow%d\",\"actions\":[",
                        (int)(submission / 4000 % 28) + 1, (int)(submission / 167 % 24),
                        (int)(submission % 60), (int)(submission % 20), (int)(submission % 300));
    uint64_t chain = submission > 0 ? next() % submission : 0;
    for (uint64_t i = 0; submission > 0 && i < old; i++)
        n += put_action(line + n, chain * fresh + i, chain * fresh);
    for (uint64_t i = 0; i < fresh; i++)
        n += put_action(line + n, submission * fresh + i, submission * fresh);
    return n - 1 + (size_t)sprintf(line + n - 1, "]}\n");
}

static int count_row(void *context, const struct pingo_history_row *row)
{
    (void)row;
    ++*(size_t *)context;
    return 0;
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
    uint64_t fresh = argc > 2 ? strtoull(argv[2], NULL, 10) : 10;
    uint64_t old = argc > 3 ? strtoull(argv[3], NULL, 10) : 5;
    char *line = malloc((fresh + old + 1) * 512);
    struct pingo_history *history = NULL;
    struct pingo_history_query query = {.version = 1, .by = PINGO_HISTORY_BY_HOUR};
    struct pingo_error err = {0};
    double spent = 0, bytes = 0, begin;
    long before = resident_kib();
    size_t rows = 0;
    int status = 1;
    if (line == NULL || old > fresh || pingo_history_new(&history, &err) != 0)
        goto out;
    for (uint64_t i = 0; i < n; i++) {
        size_t length = put_line(line, i, fresh, old);
        begin = now_ms();
        if (pingo_history_read_line(history, line, length, i + 1, &err) != 0)
            goto out;
        spent += now_ms() - begin;
        bytes += (double)length;
    }
    printf("history: %" PRIu32 " actions, %" PRIu32 " submissions, %" PRIu64
           " mentions, %zu edges\n",
           pingo_history_count_actions(history), pingo_history_count_submissions(history),
           pingo_history_count_mentions(history), pingo_history_count_edges(history));
    printf("read: %.0f MB of text in %.2f s\n", bytes / 1e6, spent / 1e3);
    printf("memory: %.1f MB held, %.1f MB resident\n", (double)pingo_history_memory(history) / 1e6,
           (double)(resident_kib() - before) * 1024 / 1e6);
    begin = now_ms();
    if (pingo_history_query(history, &query, count_row, &rows, &err) != 0)
        goto out;
    printf("a question by hour: %zu rows in %.0f ms\n", rows, now_ms() - begin);
    status = 0;
out:
    if (status != 0)
        fprintf(stderr, "%s\n", err.message);
    pingo_history_free(history);
    free(line);
    return status;
}
