/* plan.c - how long the library takes from text to plan, without any store.
 *
 * usage: plan FILE
 * Prints the milliseconds of each step and the peak of resident memory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pingo/plan.h>

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Of this program alone: rusage would count what started it as well. */
static long peak_kib(void)
{
    char line[128];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "VmHWM: %ld", &kib) == 1)
            break;
    if (status != NULL)
        fclose(status);
    return kib;
}

static char *read_file(const char *path, size_t *length)
{
    char *text = NULL;
    long size = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 &&
        fseek(file, 0, SEEK_SET) == 0 && (text = malloc((size_t)size)) != NULL &&
        fread(text, 1, (size_t)size, file) != (size_t)size) {
        free(text);
        text = NULL;
    }
    fclose(file);
    *length = (size_t)size;
    return text;
}

int main(int argc, char **argv)
{
    struct pingo_error err = {0};
    struct pingo_workflow *workflow = NULL;
    struct pingo_originals *originals = NULL;
    struct pingo_digests *digests = NULL;
    struct pingo_plan_entry *entries = NULL;
    size_t length = 0, count = 0;
    double at[4] = {0};
    int rc = PINGO_EIO;

    if (argc != 2) {
        fprintf(stderr, "usage: plan FILE\n");
        return 2;
    }
    char *text = read_file(argv[1], &length);
    if (text == NULL) {
        fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    at[0] = now_ms();
    if ((rc = pingo_workflow_parse(&(struct pingo_document){text, length, NULL}, NULL, &workflow,
                                   &err)) != 0)
        goto out;
    count = pingo_workflow_count(workflow);
    free(text);
    text = NULL;
    at[1] = now_ms();
    if ((rc = pingo_originals_identify(workflow, NULL, &originals, &err)) != 0)
        goto out;
    if ((rc = pingo_workflow_hash(workflow, originals, &digests, &err)) != 0)
        goto out;
    at[2] = now_ms();
    if ((entries = calloc(count, sizeof *entries)) == NULL) {
        rc = PINGO_ENOMEM;
        goto out;
    }
    rc = pingo_plan(workflow, digests, NULL, entries, &err);
    at[3] = now_ms();
    if (rc != 0)
        goto out;
    printf("  %8zu actions  parse %7.1f ms  hash %7.1f ms  plan %7.1f ms  %5.0f MB  %zu compute\n",
           count, at[1] - at[0], at[2] - at[1], at[3] - at[2], (double)peak_kib() * 1024 / 1e6,
           pingo_plan_sum(entries, count).compute);
out:
    if (rc != 0)
        fprintf(stderr, "%s: %s\n", argv[1], err.message[0] ? err.message : pingo_error_text(rc));
    free(text);
    free(entries);
    pingo_digests_free(digests);
    pingo_originals_free(originals);
    pingo_workflow_free(workflow);
    return rc != 0;
}
