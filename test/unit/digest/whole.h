/* whole.h - a workflow with an action that has one of everything, and one below it. */
#ifndef TEST_DIGEST_WHOLE_H
#define TEST_DIGEST_WHOLE_H

#include "unit/digest/workflows.h"

/* One of everything; action 7 is the one that is looked at. */
static const char whole[] =
    "{\"name\": \"w\", \"env\": {\"E\": \"e\", \"B\": \"lost\"}, \"actions\": [\n"
    " {\"id\": 1, \"name\": \"one\", \"type\": \"external\", \"description\": \"first\"},\n"
    " {\"id\": 2, \"name\": \"two\", \"type\": \"external\", \"description\": \"second\"},\n"
    " {\"id\": 7, \"name\": \"it\", \"type\": \"command-line\",\n"
    "  \"command\": [\"sort\", \"in/left\", \"in/right\"],\n"
    "  \"env\": {\"A\": \"a\", \"B\": \"b\"}, \"output\": \"out\", \"salt\": \"s\",\n"
    "  \"isManaged\": false, \"outputPath\": \"results/r\",\n"
    "  \"parentActions\": [{\"id\": 1, \"as\": \"left\"}, {\"id\": 2, \"as\": \"right\"}],\n"
    "  \"inputs\": [{\"name\": \"x\", \"uri\": \"u\", \"version\": \"1\"},\n"
    "    {\"name\": \"y\", \"path\": \"p\", \"sha256\": "
    "\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"}],\n"
    "  \"tools\": [\"sh\", \"/bin/cat\"], \"retries\": 1, \"keep\": true,\n"
    "  \"resources\": {\"cpus\": 1}},\n"
    " {\"id\": 8, \"name\": \"child\", \"type\": \"external\", \"description\": \"x\",\n"
    "  \"parentActions\": [{\"id\": 7}]}\n"
    "]}\n";

#endif
