/* submit_many.c - fills a store with submissions, for the benchmark of its history.
 *
 * usage: submit_many STORE SUBMISSIONS NEW OLD [FIRST]
 * Submits those with the numbers from FIRST (0) on.  Each submission is a chain of NEW new actions and, beside it, the first OLD of an earlier one's.
 * Nothing is computed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pingo/store.h>

/* An arbitrary number that goes with another. */
static uint64_t mix(uint64_t z)
{
    z = (z + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The i-th action of a chain: its parents are the one before and the first. */
static size_t put_action(char *text, uint64_t chain, uint64_t i, uint64_t id)
{
    size_t n =
        (size_t)sprintf(text,
                        "{\"id\":%" PRIu64 ",\"name\":\"n%" PRIu64
                        "\",\"type\":\"external\",\"description\":\"%" PRIu64 "/%" PRIu64 "\"",
                        id, id, chain, i);
    if (i == 1)
        n += (size_t)sprintf(text + n, ",\"parentActions\":[{\"id\":%" PRIu64 "}]", id - 1);
    if (i > 1)
        n += (size_t)sprintf(text + n,
                             ",\"parentActions\":[{\"id\":%" PRIu64 "},{\"id\":%" PRIu64 "}]",
                             id - 1, id - i);
    return n + (size_t)sprintf(text + n, "},");
}

static size_t put_workflow(char *text, uint64_t submission, uint64_t fresh, uint64_t old)
{
    uint64_t chain = submission > 0 ? mix(submission) % submission : 0, id = 0;
    size_t n =
        (size_t)sprintf(text, "{\"name\":\"workflow%d\",\"actions\":[", (int)(submission % 300));
    for (uint64_t i = 0; submission > 0 && i < old; i++)
        n += put_action(text + n, chain, i, id++);
    for (uint64_t i = 0; i < fresh; i++)
        n += put_action(text + n, submission, i, id++);
    return n - 1 + (size_t)sprintf(text + n - 1, "]}");
}

int main(int argc, char **argv)
{
    struct pingo_store *store = NULL;
    struct pingo_submission submission = {.size = sizeof submission};
    struct pingo_error err = {0};
    char *text = NULL;
    int rc = 0;
    if (argc != 5 && argc != 6) {
        fprintf(stderr, "usage: submit_many STORE SUBMISSIONS NEW OLD [FIRST]\n");
        return 2;
    }
    uint64_t n = strtoull(argv[2], NULL, 10), fresh = strtoull(argv[3], NULL, 10);
    uint64_t old = strtoull(argv[4], NULL, 10), first = argc > 5 ? strtoull(argv[5], NULL, 10) : 0;
    if (fresh == 0 || old > fresh || (text = malloc((fresh + old + 1) * 300)) == NULL) {
        fprintf(stderr, "submit_many: NEW is at least 1, and OLD at most NEW\n");
        return 1;
    }
    rc = pingo_store_open(argv[1], NULL, &store, &err);
    for (uint64_t i = first; rc == 0 && i < first + n; i++)
        rc = pingo_store_submit(
            store, &(struct pingo_document){text, put_workflow(text, i, fresh, old), NULL}, NULL,
            &submission, &err);
    if (rc != 0)
        fprintf(stderr, "submit_many: %s\n", err.message);
    pingo_store_close(store);
    free(text);
    return rc != 0;
}
