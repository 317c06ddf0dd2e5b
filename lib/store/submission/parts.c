/* parts.c - see parts.h.
 *
 * What always holds: the nodes of a part have numbers one after the other, from the part's own on; its digest is of all
 * that is written of them, but of no position: a part may begin anywhere. */
#include "store/submission/parts.h"

#include <string.h>

#include "base/error.h"
#include "digest/originals.h"
#include "digest/sha256.h"
#include "store/submission/labels.h"
#include "workflow/resources.h"

/* One in 256 hashes begins with a zero, and ends a part that is not too small. */
enum { PART_LEAST = 64, PART_MOST = 1024 };

#define ITSELF(F, T)                                                                               \
    PINGO__NODE_ITSELF(F, T, node.)                                                                \
    F(T, MAYBE, node.resources, "resources") F(T, BYTES, packed.bytes, "parents")
#define ROW(F, T) F(T, INT, node.id, "id") ITSELF(F, T)
PINGO__KIND(itself, struct pingo__store_whole_node, ITSELF);
PINGO__KIND(rows, struct pingo__store_whole_node, ROW);

struct filling {
    struct pingo__store_db *db;
    int64_t graph, first;
    const struct pingo__store_node_source *source;
    struct pingo__store_whole_node *nodes; /* of the part; all below is of it, too */
    size_t n;
    struct pingo__arena arena;
    struct pingo__buffer bytes, packed; /* what its digest is of; the parents of a node */
};

/* ---- a new part ------------------------------------------------------------------------ */

static int insert_node(struct filling *f, struct pingo__store_whole_node *w, struct pingo_error *err)
{
    int rc = pingo__store_db_put(
        f->db,
        "INSERT INTO node(id, user_id, name, type, hash, leaf, forced, keep, sandbox, retries,"
        " cpus, memory_mb, time_limit_s, output_path, executor, executor_options, resources,"
        " parents) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        &rows, w, err);
    for (size_t i = 0; !rc && i < w->ninputs; i++)
        rc = pingo__db_write(
            f->db, err, "INSERT INTO input(node, ordinal, kind, name, path) VALUES(?, ?, ?, ?, ?)",
            INT(w->node.id), INT((int64_t)i), INT(w->inputs[i].kind), TEXT(w->inputs[i].name),
            TEXT(w->inputs[i].path));
    return rc ? rc : pingo__store_labels_insert(f->db, w->node.id, w->labels, w->nlabels, err);
}

static int insert_part(struct filling *f, const struct pingo_hash *digest, int64_t *part,
                       struct pingo_error *err)
{
    *part = 1;
    int rc = pingo__db_number(f->db, err, part, "SELECT max(id) + 1 FROM node", NONE);
    if (!rc)
        rc = pingo__db_write(f->db, err, "INSERT INTO part(id, digest) VALUES(?, ?)", INT(*part),
                             HASH(digest));
    for (size_t i = 0; !rc && i < f->n; i++) {
        f->nodes[i].node.id = *part + (int64_t)i;
        rc = insert_node(f, &f->nodes[i], err);
    }
    return rc;
}

static int end_part(struct filling *f, struct pingo_error *err)
{
    struct pingo_hash digest;
    int64_t part = 0;
    if (f->bytes.failed)
        return pingo__fail_memory(err);
    pingo__digest_sha256(f->bytes.data, f->bytes.length, &digest);
    int rc =
        pingo__db_number(f->db, err, &part, "SELECT id FROM part WHERE digest = ?", HASH(&digest));
    if (!rc && !part)
        rc = insert_part(f, &digest, &part, err);
    if (!rc)
        rc = pingo__db_write(f->db, err,
                             "INSERT INTO graph_part(graph, first, part, n) VALUES(?, ?, ?, ?)",
                             INT(f->graph), INT(f->first), INT(part), INT((int64_t)f->n));
    f->first += (int64_t)f->n;
    f->n = 0;
    pingo__buffer_reset(&f->bytes);
    pingo__arena_reset(&f->arena);
    return rc;
}

/* ---- nodes ------------------------------------------------------------------------------ */

static int pack_parents(struct filling *f, struct pingo__store_whole_node *w,
                        struct pingo_error *err)
{
    pingo__buffer_reset(&f->packed);
    pingo__store_parents_pack(w->parents, w->nparents, (size_t)w->node.position, &f->packed);
    w->packed.n = f->packed.length;
    if (w->packed.n)
        w->packed.bytes = pingo__arena_text(&f->arena, f->packed.data, w->packed.n);
    return f->packed.failed || (w->packed.n && !w->packed.bytes) ? pingo__fail_memory(err) : 0;
}

/* Below the base directory it is kept from there on: the same workflow elsewhere is the same part. */
static const char *shorten(const struct filling *f, const char *path)
{
    size_t n = strlen(f->source->base_dir);
    bool is_below = n && path && strncmp(path, f->source->base_dir, n) == 0 && path[n] == '/' &&
                    path[n + 1] && path[n + 1] != '/';
    return is_below ? path + n + 1 : path;
}

static int shorten_paths(struct filling *f, struct pingo__store_whole_node *w,
                         struct pingo_error *err)
{
    struct pingo__store_node_input *inputs =
        pingo__arena_array(&f->arena, w->ninputs, sizeof *inputs);
    if (!inputs)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < w->ninputs; i++) {
        inputs[i] = w->inputs[i];
        inputs[i].path = shorten(f, inputs[i].path);
    }
    w->inputs = inputs;
    return 0;
}

static void append_text(struct pingo__buffer *b, const char *text)
{
    pingo__buffer_char(b, text ? '=' : '-');
    pingo__buffer_counted(b, text, text ? strlen(text) : 0);
}

static int add_node(struct filling *f, struct pingo_error *err)
{
    struct pingo__store_whole_node *w = &f->nodes[f->n];
    int64_t position = f->first + (int64_t)f->n;
    memset(w, 0, sizeof *w);
    int rc = f->source->read(f->source->context, (size_t)position, &f->arena, w, err);
    w->node.position = position;
    if (!rc)
        rc = pack_parents(f, w, err);
    if (!rc && w->ninputs)
        rc = shorten_paths(f, w, err);
    if (rc)
        return rc;
    pingo__store_db_append(&f->bytes, &itself, w);
    pingo__buffer_u32(&f->bytes, (uint32_t)w->ninputs);
    for (size_t i = 0; i < w->ninputs; i++) {
        pingo__buffer_u32(&f->bytes, (uint32_t)w->inputs[i].kind);
        append_text(&f->bytes, w->inputs[i].name);
        append_text(&f->bytes, w->inputs[i].path);
    }
    pingo__buffer_u32(&f->bytes, (uint32_t)w->nlabels);
    for (size_t i = 0; i < w->nlabels; i++)
        append_text(&f->bytes, w->labels[i]);
    f->n++;
    return 0;
}

int pingo__store_graph_fill(struct pingo__store_db *db, int64_t graph,
                            const struct pingo__store_node_source *source, struct pingo_error *err)
{
    struct pingo__arena nodes = {0};
    struct filling f = {.db = db,
                        .graph = graph,
                        .source = source,
                        .nodes = pingo__arena_array(&nodes, PART_MOST, sizeof *f.nodes)};
    int rc = f.nodes ? 0 : pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < source->n; i++) {
        rc = add_node(&f, err);
        bool is_end = i + 1 == source->n || f.n == PART_MOST ||
                      (f.n >= PART_LEAST && f.nodes[f.n - 1].node.hash.bytes[0] == 0);
        if (!rc && is_end)
            rc = end_part(&f, err);
    }
    pingo__buffer_clear(&f.bytes);
    pingo__buffer_clear(&f.packed);
    pingo__arena_clear(&f.arena);
    pingo__arena_clear(&nodes);
    return rc;
}

/* ---- the actions of a workflow ------------------------------------------------------------ */

/* Few have any. */
static int resources_of(const struct pingo_action *a, struct pingo__arena *arena,
                        struct pingo__store_whole_node *w, struct pingo_error *err)
{
    struct pingo__buffer text = {0};
    pingo__workflow_resources_print(&text, a, true);
    if (text.length)
        w->node.resources = pingo__arena_text(arena, text.data, text.length);
    bool failed = text.failed || (text.length && !w->node.resources);
    pingo__buffer_clear(&text);
    return failed ? pingo__fail_memory(err) : 0;
}

static int inputs_of(const struct pingo_action *a, struct pingo__arena *arena,
                     struct pingo__store_whole_node *w, struct pingo_error *err)
{
    if (a->ninputs + a->ntools == 0)
        return 0;
    struct pingo__store_node_input *to =
        pingo__arena_array(arena, a->ninputs + a->ntools, sizeof *to);
    if (!to)
        return pingo__fail_memory(err);
    w->inputs = to;
    for (size_t i = 0; i < a->ninputs; i++) {
        const struct pingo_input *in = &a->inputs[i];
        if (in->path) /* a URI is the command's business */
            to[w->ninputs++] = (struct pingo__store_node_input){
                (int)pingo__digest_original_kind_of(in), in->name, in->path};
    }
    for (size_t i = 0; i < a->ntools; i++)
        to[w->ninputs++] = (struct pingo__store_node_input){PINGO__ORIGINAL_TOOL, a->tools[i], NULL};
    return 0;
}

int pingo__store_node_of_action(void *context, size_t position, struct pingo__arena *arena,
                                struct pingo__store_whole_node *w, struct pingo_error *err)
{
    const struct pingo__store_workflow_source *s = context;
    const struct pingo_action *a = pingo_workflow_action(s->workflow, position);
    *w = (struct pingo__store_whole_node){.node = {.user_id = a->id,
                                                   .name = a->name,
                                                   .type = pingo_action_type_name(a),
                                                   .hash = s->hashes[position],
                                                   .is_leaf = a->is_leaf,
                                                   .is_forced = a->force_computation,
                                                   .keep = a->keep,
                                                   .sandbox = a->more->sandbox,
                                                   .retries = a->retries,
                                                   .cpus = a->cpus,
                                                   .memory_mb = a->memory_mb,
                                                   .time_limit_s = a->time_limit_seconds,
                                                   .output_path = a->output_path,
                                                   .executor = a->more->executor,
                                                   .executor_options = a->more->executor_options},
                                          .parents = a->parents,
                                          .nparents = a->nparents,
                                          .labels = a->more->labels,
                                          .nlabels = a->more->nlabels};
    int rc = resources_of(a, arena, w, err);
    return rc ? rc : inputs_of(a, arena, w, err);
}
