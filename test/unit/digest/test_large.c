/* Large workflows: nothing recurses by depth, and the work is linear. */
#include "unit/digest/workflows.h"
#include "unit/share.h"

enum { MANY = SHARE(100000, 20000) };

static char *text;
static size_t used, size;

static void start(void)
{
    size = (size_t)64 << 20;
    text = malloc(size);
    assert_non_null(text);
    used = (size_t)snprintf(text, size, "{\"name\": \"large\", \"actions\": [");
}

#define ADD(...)                                                                                   \
    do {                                                                                           \
        used += (size_t)snprintf(text + used, size - used, __VA_ARGS__);                           \
        assert_true(used < size);                                                                  \
    } while (0)

static struct pingo_workflow *finish(void)
{
    struct pingo_workflow *workflow;

    ADD("]}");
    workflow = parse_in(text, "/");
    free(text);
    return workflow;
}

static void test_large__long_chain(void **state)
{
    struct pingo_workflow *workflow;
    struct pingo_digests *digests;
    struct pingo_hash above = {{0}};

    (void)state;
    start();
    for (int i = MANY - 1; i >= 0; i--) {
        ADD("%s{\"id\":%d,\"name\":\"n\",\"type\":\"external\",\"description\":\"x\"",
            i == MANY - 1 ? "" : ",\n", i);
        if (i > 0)
            ADD(",\"parentActions\":[{\"id\":%d}]", i - 1);
        ADD("}");
    }
    workflow = finish();
    digests = digest(workflow);
    for (int64_t id = 0; id < MANY; id++) {
        size_t i = pingo_workflow_find(workflow, id), length;
        const char *bytes = pingo_digests_description(digests, i, &length);

        if (id > 0) /* its parent's hash is the end of its description */
            assert_memory_equal(bytes + length - PINGO_HASH_SIZE, above.bytes, PINGO_HASH_SIZE);
        above = *pingo_digests_hash(digests, i);
    }
    pingo_digests_free(digests);
    pingo_workflow_free(workflow);
}

static void test_large__action_with_many_parents(void **state)
{
    struct pingo_workflow *workflow;
    struct pingo_digests *digests;
    struct pingo_description *d = NULL;
    const struct pingo_described_parent *parents;
    size_t length, n;
    const void *bytes;

    (void)state;
    start();
    for (int i = 0; i < MANY; i++)
        ADD("{\"id\":%d,\"name\":\"n\",\"type\":\"external\",\"description\":\"%d\"},\n", i, i);
    ADD("{\"id\":%d,\"name\":\"all\",\"type\":\"external\",\"description\":\"all\","
        "\"parentActions\":[",
        MANY);
    for (int i = 0; i < MANY; i++)
        ADD("%s{\"id\":%d,\"as\":\"r%d\"}", i == 0 ? "" : ",", i, (i * 7919) % MANY);
    ADD("]}");
    workflow = finish();
    digests = digest(workflow);
    bytes = pingo_digests_description(digests, MANY, &length);
    assert_int_equal(pingo_description_decode(bytes, length, &d, NULL), 0);
    parents = pingo_description_parents(d, &n);
    assert_int_equal(n, MANY);
    for (size_t i = 0; i < n; i++) {
        int k = atoi(parents[i].role + 1), id = 0;

        assert_true(i == 0 || strcmp(parents[i - 1].role, parents[i].role) < 0);
        if (i % 1000 != 0)
            continue;
        while ((id * 7919) % MANY != k)
            id++;
        assert_true(same_hash(&parents[i].hash, pingo_digests_hash(digests, (size_t)id)));
    }
    pingo_description_free(d);
    pingo_digests_free(digests);
    pingo_workflow_free(workflow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large__long_chain),
        cmocka_unit_test(test_large__action_with_many_parents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
