/* map_reduce_property.c - whose a property of Hadoop's is, by its newer and its older names.
 *
 * A property that is not here is the action's, and hashed as it is written. */
#include <string.h>

#include "workflow/types/map_reduce.h"

#define KEYS PINGO__PROPERTY_KEYS
#define RUNS PINGO__PROPERTY_RUNS
#define OPTIONS PINGO__PROPERTY_OPTIONS

/* A name that ends with '*' stands for all that begin so.  Names that end alike in both lists of Hadoop's stand once
 * for each. */
static const struct {
    const char *name;
    enum pingo__workflow_property_owner owner;
    const char *key;
} properties[] = {
    {"mapred.mapper.class", KEYS, "mapper"},
    {"mapreduce.job.map.class", KEYS, "mapper"},
    {"mapreduce.map.class", KEYS, "mapper"},
    {"mapred.map.runner.class", KEYS, "streaming"},
    {"stream.map.streamprocessor", KEYS, "mapper"},
    {"stream.reduce.streamprocessor", KEYS, "reducer"},
    {"stream.combine.streamprocessor", KEYS, "combiner"},
    {"mapred.reducer.class", KEYS, "reducer"},
    {"mapreduce.job.reduce.class", KEYS, "reducer"},
    {"mapreduce.reduce.class", KEYS, "reducer"},
    {"mapred.combiner.class", KEYS, "combiner"},
    {"mapreduce.job.combine.class", KEYS, "combiner"},
    {"mapreduce.combine.class", KEYS, "combiner"},
    {"mapred.partitioner.class", KEYS, "partitioner"},
    {"mapreduce.job.partitioner.class", KEYS, "partitioner"},
    {"mapreduce.partitioner.class", KEYS, "partitioner"},
    {"mapred.input.format.class", KEYS, "inputFormat"},
    {"mapreduce.job.inputformat.class", KEYS, "inputFormat"},
    {"mapreduce.inputformat.class", KEYS, "inputFormat"},
    {"mapred.output.format.class", KEYS, "outputFormat"},
    {"mapreduce.job.outputformat.class", KEYS, "outputFormat"},
    {"mapreduce.outputformat.class", KEYS, "outputFormat"},
    {"mapred.output.key.class", KEYS, "outputKey"},
    {"mapreduce.job.output.key.class", KEYS, "outputKey"},
    {"mapred.output.value.class", KEYS, "outputValue"},
    {"mapreduce.job.output.value.class", KEYS, "outputValue"},
    {"mapred.mapoutput.key.class", KEYS, "mapOutputKey"},
    {"mapreduce.map.output.key.class", KEYS, "mapOutputKey"},
    {"mapred.mapoutput.value.class", KEYS, "mapOutputValue"},
    {"mapreduce.map.output.value.class", KEYS, "mapOutputValue"},
    {"mapred.reduce.tasks", KEYS, "reduces"},
    {"mapreduce.job.reduces", KEYS, "reduces"},
    {"mapred.mapper.new-api", KEYS, "type"},
    {"mapred.reducer.new-api", KEYS, "type"},
    {"mapred.input.dir", KEYS, "input"},
    {"mapreduce.input.fileinputformat.inputdir", KEYS, "input"},
    {"mapred.jar", KEYS, "jar"},
    {"mapreduce.job.jar", KEYS, "jar"},
    {"tmpjars", KEYS, "libs"},
    {"mapred.job.classpath.*", KEYS, "libs"},
    {"mapreduce.job.classpath.*", KEYS, "libs"},
    {"mapred.cache.*", KEYS, "inputs"},
    {"mapreduce.job.cache.*", KEYS, "inputs"},
    {"tmpfiles", KEYS, "inputs"},
    {"tmparchives", KEYS, "inputs"},
    {"mapred.output.dir", RUNS, NULL},
    {"mapreduce.output.fileoutputformat.outputdir", RUNS, NULL},
    {"mapred.job.name", RUNS, NULL},
    {"mapreduce.job.name", RUNS, NULL},
    {"mapreduce.job.tags", RUNS, NULL},
    {"mapreduce.job.user.name", RUNS, NULL},
    {"user.name", RUNS, NULL},
    {"mapred.working.dir", RUNS, NULL},
    {"mapreduce.job.working.dir", RUNS, NULL},
    {"mapreduce.job.dir", RUNS, NULL},
    {"mapreduce.framework.name", RUNS, NULL},
    {"mapred.job.tracker", RUNS, NULL},
    {"mapreduce.jobtracker.*", RUNS, NULL},
    {"fs.default.name", RUNS, NULL},
    {"fs.defaultFS", RUNS, NULL},
    {"yarn.app.mapreduce.am.staging-dir*", RUNS, NULL},
    {"yarn.resourcemanager.*", RUNS, NULL},
    {"mapreduce.jobhistory.*", RUNS, NULL},
    {"mapreduce.fileoutputcommitter.algorithm.version", RUNS, NULL},
    {"mapreduce.fileoutputcommitter.marksuccessfuljobs", RUNS, NULL},
    {"mapreduce.job.end-notification.*", RUNS, NULL},
    {"job.end.*", RUNS, NULL},
    {"pingo.*", RUNS, NULL},
    {"mapred.job.queue.name", OPTIONS, NULL},
    {"mapreduce.job.queuename", OPTIONS, NULL},
    {"mapred.job.priority", OPTIONS, NULL},
    {"mapreduce.job.priority", OPTIONS, NULL},
    {"mapred.child.java.opts", OPTIONS, NULL},
    {"mapreduce.map.java.opts", OPTIONS, NULL},
    {"mapreduce.reduce.java.opts", OPTIONS, NULL},
    {"mapreduce.map.memory.mb", OPTIONS, NULL},
    {"mapreduce.reduce.memory.mb", OPTIONS, NULL},
    {"mapreduce.map.cpu.vcores", OPTIONS, NULL},
    {"mapreduce.reduce.cpu.vcores", OPTIONS, NULL},
    {"mapreduce.map.resource.*", OPTIONS, NULL},
    {"mapreduce.reduce.resource.*", OPTIONS, NULL},
    {"mapreduce.map.maxattempts", OPTIONS, NULL},
    {"mapreduce.reduce.maxattempts", OPTIONS, NULL},
    {"mapreduce.map.speculative", OPTIONS, NULL},
    {"mapreduce.reduce.speculative", OPTIONS, NULL},
    {"mapreduce.am.max-attempts", OPTIONS, NULL},
    {"mapreduce.job.ubertask.*", OPTIONS, NULL},
    {"mapreduce.job.node-label-expression", OPTIONS, NULL},
    {"yarn.app.mapreduce.am.*", OPTIONS, NULL},
};

enum pingo__workflow_property_owner pingo__workflow_property_owner(const char *property,
                                                                   const char **key)
{
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        const char *name = properties[i].name;
        size_t n = strlen(name);
        if (name[n - 1] == '*' ? strncmp(property, name, n - 1) != 0 : strcmp(property, name) != 0)
            continue;
        *key = properties[i].key;
        return properties[i].owner;
    }
    *key = NULL;
    return PINGO__PROPERTY_FREE;
}
