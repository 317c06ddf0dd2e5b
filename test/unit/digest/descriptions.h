/* descriptions.h - an action with one of everything, and the description of it, decoded. */
#ifndef TEST_DIGEST_DESCRIPTIONS_H
#define TEST_DIGEST_DESCRIPTIONS_H

#include "unit/digest/workflows.h"

static const char text_before[] =
    "{\"name\": \"w\", \"actions\": [\n"
    " {\"id\": 1, \"name\": \"one\", \"type\": \"external\", \"description\": \"first\"},\n"
    " {\"id\": 7, \"name\": \"it\", \"type\": \"command-line\",\n"
    "  \"command\": [\"sort\", \"-k\", \"it's 2\", \"\"],\n"
    "  \"env\": {\"A\": \"a\", \"B\": \"b\"}, \"output\": \"out\", \"salt\": \"\",\n"
    "  \"isManaged\": false, \"outputPath\": \"results/r\",\n"
    "  \"parentActions\": [{\"id\": 1, \"as\": \"left\"}, {\"id\": 1, \"as\": \"right\"}],\n"
    "  \"inputs\": [{\"name\": \"x\", \"uri\": \"u\", \"version\": \"1\"},\n"
    "    {\"name\": \"dir\", \"path\": \"/etc/skel\"},\n"
    "    {\"name\": \"s\", \"path\": \"/etc/passwd\", \"identity\": \"stat\"},\n"
    "    {\"name\": \"y\", \"path\": \"p\", \"sha256\": "
    "\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"}],\n"
    "  \"tools\": [\"sh\"], \"versions\": [[\"echo\", \"2\"], [\"echo\", \"1\", \"\"], "
    "[\"echo\", \"1\"]]}]}\n";

/* The description of the action of this id. */
static inline struct pingo_description *describe(const char *text, int64_t id)
{
    struct pingo_workflow *workflow = parse_in(text, "/base");
    struct pingo_digests *digests = digest(workflow);
    struct pingo_description *description = NULL;
    struct pingo_error error = {0};
    size_t length;
    const void *bytes =
        pingo_digests_description(digests, pingo_workflow_find(workflow, id), &length);

    if (pingo_description_decode(bytes, length, &description, &error) != 0)
        fail_msg("%s", error.message);
    pingo_digests_free(digests);
    pingo_workflow_free(workflow);
    return description;
}

#endif
