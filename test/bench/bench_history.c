/* bench_history.c - how long a history takes to load, and how much memory it holds.
 *
 * usage: bench_history write FILE [SUBMISSIONS [NEW [OLD]]]
 *        bench_history read FILE
 *        bench_history store DIRECTORY
 * The first makes SUBMISSIONS (100,000) lines of the exchange format, each with NEW (10) new actions
 * and up to OLD (5) from before, one or two parents an action.  The others load such a text or a
 * store, and print how long it took, how long a question takes and what lies in memory, with the
 * share of what is allowed for a million actions: 5 s and 300 MB. */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pingo/history.h>
#include <pingo/store.h>

#define SECONDS_MAX 5.0
#define BYTES_MAX 300e6

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

/* A line of /proc/self/status, in bytes.  Of this program alone: rusage would count what started it. */
static double status_bytes(const char *key)
{
    char line[128], format[32];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    snprintf(format, sizeof format, "%s: %%ld", key);
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, format, &kib) == 1)
            break;
    if (status != NULL)
        fclose(status);
    return (double)kib * 1024;
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

static int write_text(int argc, char **argv)
{
    uint64_t n = argc > 3 ? strtoull(argv[3], NULL, 10) : 100000;
    uint64_t fresh = argc > 4 ? strtoull(argv[4], NULL, 10) : 10;
    uint64_t old = argc > 5 ? strtoull(argv[5], NULL, 10) : 5;
    char *line = old > fresh || fresh == 0 ? NULL : malloc((fresh + old + 1) * 512);
    FILE *file = line == NULL ? NULL : fopen(argv[2], "wb");
    int status = file == NULL;
    for (uint64_t i = 0; i < n && status == 0; i++) {
        size_t length = put_line(line, i, fresh, old);
        status = fwrite(line, 1, length, file) != length;
    }
    if (file != NULL && fclose(file) != 0)
        status = 1;
    if (status != 0)
        perror(argv[2]);
    free(line);
    return status;
}

static int read_text(const char *path, struct pingo_history **history, struct pingo_error *err)
{
    FILE *file = fopen(path, "rb");
    char *line = NULL;
    size_t capacity = 0, number = 0;
    ssize_t length;
    int rc = file == NULL ? PINGO_EIO : pingo_history_new(history, err);
    while (rc == 0 && (length = getline(&line, &capacity, file)) > 0)
        rc = pingo_history_read_line(*history, line, (size_t)length, ++number, err);
    if (file == NULL)
        perror(path);
    else
        fclose(file);
    free(line);
    return rc;
}

static int read_store(const char *directory, struct pingo_history **history, struct pingo_error *err)
{
    struct pingo_store *store = NULL;
    int rc = pingo_store_open(directory, NULL, &store, err);
    if (rc == 0)
        rc = pingo_store_history(store, NULL, history, err);
    pingo_store_close(store);
    return rc;
}

static int show(const struct pingo_history *history, double took_ms, double before,
                struct pingo_error *err)
{
    struct pingo_history_query query = {.version = 1, .by = PINGO_HISTORY_BY_HOUR};
    double begin = now_ms(), peak = status_bytes("VmHWM") - before;
    size_t rows = 0, held = mallinfo2().uordblks + mallinfo2().hblkhd;
    int rc = pingo_history_query(history, &query, count_row, &rows, err);
    if (rc != 0)
        return rc;
    printf("  %" PRIu32 " actions, %" PRIu32 " submissions, %" PRIu64 " mentions, %zu edges\n",
           pingo_history_count_actions(history), pingo_history_count_submissions(history),
           pingo_history_count_mentions(history), pingo_history_count_edges(history));
    printf("  loaded in %.2f s (%.2f of what is allowed); held %.1f MB, peak %.1f MB (%.2f)\n",
           took_ms / 1e3, took_ms / 1e3 / SECONDS_MAX, (double)held / 1e6, peak / 1e6,
           peak / BYTES_MAX);
    printf("  a question by hour: %zu rows in %.0f ms\n", rows, now_ms() - begin);
    return 0;
}

int main(int argc, char **argv)
{
    struct pingo_history *history = NULL;
    struct pingo_error err = {0};
    double before = status_bytes("VmRSS"), begin = now_ms();
    int rc;
    if (argc > 2 && strcmp(argv[1], "write") == 0)
        return write_text(argc, argv);
    if (argc == 3 && strcmp(argv[1], "read") == 0) {
        rc = read_text(argv[2], &history, &err);
    } else if (argc == 3 && strcmp(argv[1], "store") == 0) {
        rc = read_store(argv[2], &history, &err);
    } else {
        fprintf(stderr, "usage: bench_history write FILE [SUBMISSIONS [NEW [OLD]]] | read FILE |"
                        " store DIRECTORY\n");
        return 2;
    }
    if (rc == 0)
        rc = show(history, now_ms() - begin, before, &err);
    if (rc != 0)
        fprintf(stderr, "bench_history: %s\n", err.message);
    pingo_history_free(history);
    return rc != 0;
}
