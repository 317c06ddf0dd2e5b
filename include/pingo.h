/* pingo.h - the umbrella: everything a program that uses Pingo includes.
 *
 * Who writes an executor includes <pingo/executor.h> as well, who adds an
 * action type <pingo/action_type.h>. */
#ifndef PINGO_H
#define PINGO_H

#include <pingo/access.h>
#include <pingo/archive.h>
#include <pingo/dataset.h>
#include <pingo/decision.h>
#include <pingo/digest.h>
#include <pingo/error.h>
#include <pingo/feed.h>
#include <pingo/history.h>
#include <pingo/plan.h>
#include <pingo/pool.h>
#include <pingo/query.h>
#include <pingo/scheduler.h>
#include <pingo/state.h>
#include <pingo/store.h>
#include <pingo/summary.h>
#include <pingo/users.h>
#include <pingo/version.h>
#include <pingo/workflow.h>

#endif
