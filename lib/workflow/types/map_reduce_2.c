/* map_reduce_2.c - the action type "map-reduce-2": a MapReduce job by Hadoop's new interface,
 * org.apache.hadoop.mapreduce. */
#include "workflow/types/map_reduce.h"

static const struct pingo__workflow_map_reduce_class classes[] = {
    {"mapper", "mapreduce.job.map.class", true},
    {"reducer", "mapreduce.job.reduce.class", true},
    {"combiner", "mapreduce.job.combine.class", true},
    {"partitioner", "mapreduce.job.partitioner.class", true},
    {"inputFormat", "mapreduce.job.inputformat.class", true},
    {"outputFormat", "mapreduce.job.outputformat.class", true},
    {"outputKey", "mapreduce.job.output.key.class", false},
    {"outputValue", "mapreduce.job.output.value.class", false},
    {"mapOutputKey", "mapreduce.map.output.key.class", false},
    {"mapOutputValue", "mapreduce.map.output.value.class", false},
};

static const struct pingo__workflow_map_reduce interface = {
    .package = "org.apache.hadoop.mapreduce.",
    .other_package = "org.apache.hadoop.mapred.",
    .other_type = "map-reduce-1",
    .is_new = "true",
    .classes = classes,
    .nclasses = sizeof classes / sizeof classes[0],
};

static void validate(const struct pingo_action *action, struct pingo_problem_sink *sink,
                     const struct pingo_workflow_options *options)
{
    (void)options;
    pingo__workflow_map_reduce_validate(&interface, action, sink);
}

static int render(const struct pingo_field *fields, size_t nfields, struct pingo_job *job,
                  struct pingo_error *err)
{
    return pingo__workflow_map_reduce_render(&interface, fields, nfields, job, err);
}

static const struct pingo_key keys[] = {
    PINGO__MAP_REDUCE_KEYS,
    {.key = "combiner", .kinds = PINGO_KEY_TEXT},
    {.key = "mapper", .kinds = PINGO_KEY_TEXT, .required = true},
    {.key = "reducer", .kinds = PINGO_KEY_TEXT},
};

static const struct pingo_action_type map_reduce_2 = {
    .abi_version = PINGO_ACTION_TYPE_ABI,
    .name = "map-reduce-2",
    .keys = keys,
    .nkeys = sizeof keys / sizeof keys[0],
    .validate = validate,
    .render = render,
};

const struct pingo_action_type *pingo_action_type_map_reduce_2(void)
{
    return &map_reduce_2;
}
