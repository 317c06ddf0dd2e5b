/* routes.h - the table of routes: one line each.
 *
 * ROUTE(method, pattern, role, by, handler, operation, names of the query) is a route without a body, BODY(..., most
 * bytes, type) one with.  The handlers lie in api/, one file a family; this declares them. */
#ifndef SERVE_ROUTES_H
#define SERVE_ROUTES_H

#include "serve/route/route.h"

/* What queries of several routes may have. */
#define SERVE_PAGE "limit|cursor"
#define SERVE_SUBMITS "strict|target*|force*|forceOutputs|baseDir"
#define SERVE_FAILURES "from|to|executor|node|user|name|" SERVE_PAGE

/* clang-format off */
#define SERVE_ROUTES(ROUTE, BODY)                                                                          \
    ROUTE("GET", "/healthz", NOBODY, LOOP, serve_api_healthz, "getHealth", NULL)                                 \
    ROUTE("GET", "/readyz", NOBODY, READER, serve_api_readyz, "getReadiness", NULL)                              \
    ROUTE("GET", "/version", NOBODY, LOOP, serve_api_version, "getVersion", NULL) \
    ROUTE("GET", "/metrics", VIEWER, READER, serve_api_metrics, "getMetrics", "") \
    ROUTE("POST", "/v1/page/code", ADMIN, READER, serve_api_page_code, "createPageCode", NULL) \
    ROUTE("POST", "/v1/page/token", NOBODY, LOOP, serve_api_page_token, "createPageToken", NULL) \
    ROUTE("GET", "/", NOBODY, LOOP, serve_api_index, "getPage", NULL) \
    ROUTE("GET", "/page/{version}/{file}", NOBODY, LOOP, serve_api_static, "getPageFile", NULL) \
    ROUTE("GET", "/page/{version}/{folder}/{file}", NOBODY, LOOP, serve_api_static, "getPageModule", NULL) \
    ROUTE("GET", "/openapi.json", NOBODY, READER, serve_api_openapi, "getOpenapi", NULL) \
    ROUTE("GET", "/v1/workflows", VIEWER, READER, serve_api_workflows, "listWorkflows", "state*|user|name|tag|since|until|oldestFirst|" SERVE_PAGE) \
    ROUTE("GET", "/v1/workflows/{workflow}", VIEWER, READER, serve_api_workflow, "getWorkflow", "") \
    ROUTE("GET", "/v1/workflows/{workflow}/text", VIEWER, READER, serve_api_text, "getWorkflowText", "") \
    ROUTE("GET", "/v1/workflows/{workflow}/groups", VIEWER, READER, serve_api_groups, "listGroups", "") \
    ROUTE("GET", "/v1/workflows/{workflow}/cost", VIEWER, READER, serve_api_cost, "getCost", "") \
    ROUTE("GET", "/v1/workflows/{workflow}/critical", VIEWER, READER, serve_api_critical, "listCriticalPath", "") \
    ROUTE("GET", "/v1/workflows/{workflow}/states", VIEWER, READER, serve_api_states, "getStates", "depths") \
    ROUTE("GET", "/v1/workflows/{workflow}/graph", VIEWER, READER, serve_api_graph, "listNeighbours", "around|hops|limit") \
    ROUTE("GET", "/v1/workflows/{workflow}/actions", VIEWER, READER, serve_api_actions, "listActions", "state*|name|action*|label*|" SERVE_PAGE) \
    ROUTE("GET", "/v1/workflows/{workflow}/attempts", VIEWER, READER, serve_api_attempts, "listWorkflowAttempts", SERVE_PAGE) \
    ROUTE("GET", "/v1/workflows/{workflow}/actions/{action}", VIEWER, READER, serve_api_action, "getAction", "") \
    ROUTE("GET", "/v1/workflows/{workflow}/actions/{action}/attempts", VIEWER, READER, serve_api_attempts, "listAttempts", SERVE_PAGE) \
    ROUTE("GET", "/v1/workflows/{workflow}/actions/{action}/attempts/{epoch}/stdout", VIEWER, READER, serve_api_stdout, "getAttemptStdout", "tail|follow|from") \
    ROUTE("GET", "/v1/workflows/{workflow}/actions/{action}/attempts/{epoch}/stderr", VIEWER, READER, serve_api_stderr, "getAttemptStderr", "tail|follow|from") \
    ROUTE("GET", "/v1/workflows/{workflow}/actions/{action}/stdout", VIEWER, READER, serve_api_stdout, "getStdout", "tail|follow|from") \
    ROUTE("GET", "/v1/workflows/{workflow}/actions/{action}/stderr", VIEWER, READER, serve_api_stderr, "getStderr", "tail|follow|from") \
    ROUTE("GET", "/v1/workflows/{workflow}/actions/{action}/why", VIEWER, READER, serve_api_why, "getWhy", "") \
    ROUTE("GET", "/v1/workflows/{workflow}/actions/{action}/ran", VIEWER, READER, serve_api_ran, "getRan", "") \
    ROUTE("GET", "/v1/workflows/{workflow}/actions/{action}/script", VIEWER, READER, serve_api_script, "getScript", "") \
    ROUTE("GET", "/v1/datasets", VIEWER, READER, serve_api_datasets, "listDatasets", "state*|user|workflow|name*|label*|minSize|maxSize|newer|older|all|sort|reverse|" SERVE_PAGE) \
    ROUTE("GET", "/v1/datasets/{dataset}", VIEWER, READER, serve_api_dataset, "getDataset", "") \
    ROUTE("GET", "/v1/datasets/{dataset}/provenance", VIEWER, READER, serve_api_provenance, "getProvenance", "depth|limit") \
    ROUTE("GET", "/v1/pool", VIEWER, READER, serve_api_pool, "getPool", "") \
    ROUTE("GET", "/v1/pool/evictions", VIEWER, READER, serve_api_evictions, "listEvictions", "since|until|dataset|" SERVE_PAGE) \
    ROUTE("GET", "/v1/pool/report", VIEWER, READER, serve_api_report, "getReport", "since|until|limit") \
    ROUTE("GET", "/v1/pool/decide", VIEWER, READER, serve_api_decide, "getDecision", "algorithm|free") \
    BODY("POST", "/v1/workflows", SUBMITTER, INTAKE, serve_api_submit, "submitWorkflow", SERVE_SUBMITS "|priority|tag|once", INT64_C(1) << 30, NULL) \
    BODY("POST", "/v1/plan", SUBMITTER, INTAKE, serve_api_plan, "planWorkflow", SERVE_SUBMITS "|why", INT64_C(1) << 30, NULL) \
    BODY("POST", "/v1/validate", SUBMITTER, READER, serve_api_validate, "validateWorkflow", "strict|baseDir", INT64_C(1) << 30, NULL) \
    BODY("PATCH", "/v1/workflows/{workflow}", ADMIN, WRITER, serve_api_set_priority, "setPriority", "", 65536, NULL) \
    ROUTE("POST", "/v1/workflows/{workflow}/rerun", SUBMITTER, INTAKE, serve_api_rerun, "rerunWorkflow", "") \
    ROUTE("POST", "/v1/workflows/{workflow}/kill", SUBMITTER, WRITER, serve_api_kill, "killWorkflow", "action*|label*") \
    ROUTE("POST", "/v1/workflows/{workflow}/pause", SUBMITTER, WRITER, serve_api_pause, "pauseWorkflow", "") \
    ROUTE("POST", "/v1/workflows/{workflow}/resume", SUBMITTER, WRITER, serve_api_resume, "resumeWorkflow", "") \
    ROUTE("POST", "/v1/workflows/{workflow}/keep", SUBMITTER, WRITER, serve_api_keep_workflow, "keepWorkflow", "") \
    ROUTE("POST", "/v1/workflows/{workflow}/release", SUBMITTER, WRITER, serve_api_release_workflow, "releaseWorkflow", "") \
    ROUTE("POST", "/v1/workflows/{workflow}/actions/{action}/kill", SUBMITTER, WRITER, serve_api_kill, "killAction", "") \
    ROUTE("PUT", "/v1/datasets/{dataset}/keep", SUBMITTER, WRITER, serve_api_keep, "keepDataset", "") \
    ROUTE("DELETE", "/v1/datasets/{dataset}/keep", SUBMITTER, WRITER, serve_api_unpin, "unpinDataset", "") \
    ROUTE("POST", "/v1/datasets/{dataset}/release", SUBMITTER, WRITER, serve_api_release, "releaseDataset", "") \
    ROUTE("DELETE", "/v1/datasets/{dataset}", SUBMITTER, WRITER, serve_api_remove, "removeDataset", "") \
    ROUTE("GET", "/v1/datasets/{dataset}/content", VIEWER, READER, serve_api_content, "getContent", "") \
    ROUTE("GET", "/v1/events", VIEWER, READER, serve_api_events, "streamEvents", "workflow|kind") \
    ROUTE("GET", "/v1/errors", VIEWER, READER, serve_api_errors, "listErrors", "from|to|by|step|error|executor|node|user|name|limit") \
    ROUTE("GET", "/v1/errors/attempts", VIEWER, READER, serve_api_failed_attempts, "listFailedAttempts", "error|" SERVE_FAILURES) \
    ROUTE("GET", "/v1/errors/{error}/attempts", VIEWER, READER, serve_api_error_attempts, "listErrorAttempts", SERVE_FAILURES) \
    ROUTE("GET", "/v1/usage", VIEWER, READER, serve_api_usage, "listUsage", "from|to|by|step|executor|node|user|limit") \
    ROUTE("GET", "/v1/shares", VIEWER, READER, serve_api_shares, "listShares", "") \
    BODY("PUT", "/v1/shares/{user}", ADMIN, WRITER, serve_api_set_share, "setShare", "", 65536, NULL) \
    ROUTE("GET", "/v1/archive", VIEWER, READER, serve_api_archive, "listArchive", "") \
    ROUTE("GET", "/v1/me", VIEWER, READER, serve_api_me, "getMe", NULL) \
    ROUTE("GET", "/v1/tokens", ADMIN, READER, serve_api_tokens, "listTokens", "all|" SERVE_PAGE) \
    BODY("POST", "/v1/tokens", ADMIN, WRITER, serve_api_make_token, "createToken", "", 65536, NULL) \
    ROUTE("DELETE", "/v1/tokens/{token}", ADMIN, WRITER, serve_api_revoke_token, "revokeToken", "") \
    ROUTE("GET", "/v1/audit", ADMIN, READER, serve_api_audit, "listAudit", "user|since|until|" SERVE_PAGE) \
    ROUTE("GET", "/ga4gh/wes/v1/service-info", VIEWER, READER, serve_api_wes_info, "GetServiceInfo", "") \
    ROUTE("GET", "/ga4gh/wes/v1/runs", VIEWER, READER, serve_api_wes_runs, "ListRuns", "page_size|page_token") \
    BODY("POST", "/ga4gh/wes/v1/runs", SUBMITTER, INTAKE, serve_api_wes_submit, "RunWorkflow", "", INT64_C(1) << 30, "multipart/form-data") \
    ROUTE("GET", "/ga4gh/wes/v1/runs/{run}", VIEWER, READER, serve_api_wes_run, "GetRunLog", "") \
    ROUTE("GET", "/ga4gh/wes/v1/runs/{run}/status", VIEWER, READER, serve_api_wes_status, "GetRunStatus", "") \
    ROUTE("POST", "/ga4gh/wes/v1/runs/{run}/cancel", SUBMITTER, WRITER, serve_api_wes_cancel, "CancelRun", "") \
    ROUTE("GET", "/ga4gh/wes/v1/runs/{run}/tasks", VIEWER, READER, serve_api_wes_tasks, "ListTasks", "page_size|page_token") \
    ROUTE("GET", "/ga4gh/wes/v1/runs/{run}/tasks/{task}", VIEWER, READER, serve_api_wes_task, "GetTask", "") \
    ROUTE("GET", "/v1/settings", ADMIN, READER, serve_api_settings, "listSettings", "") \
    BODY("PATCH", "/v1/settings", ADMIN, WRITER, serve_api_change_settings, "changeSettings", "", 65536, NULL)
/* clang-format on */

#define SERVE_DECLARE(method, pattern, role, by, handler, ...) void handler(struct serve_ask *ask);
SERVE_ROUTES(SERVE_DECLARE, SERVE_DECLARE)
#undef SERVE_DECLARE

#endif
