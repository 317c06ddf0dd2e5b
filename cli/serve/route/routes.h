/* routes.h - the table of routes: one line each.
 *
 * ROUTE(method, pattern, role, by, handler, operation) is a route without a body, BODY(..., most bytes, types) one
 * with.  The handlers lie in api/, one file a family; this declares them. */
#ifndef SERVE_ROUTES_H
#define SERVE_ROUTES_H

#include "serve/route/route.h"

/* clang-format off */
#define SERVE_ROUTES(ROUTE, BODY)                                                                          \
    ROUTE("GET", "/healthz", NOBODY, LOOP, serve_api_healthz, "getHealth")                                 \
    ROUTE("GET", "/readyz", NOBODY, READER, serve_api_readyz, "getReadiness")                              \
    ROUTE("GET", "/version", NOBODY, LOOP, serve_api_version, "getVersion") \
    ROUTE("GET", "/metrics", VIEWER, READER, serve_api_metrics, "getMetrics") \
    ROUTE("POST", "/v1/page/code", ADMIN, READER, serve_api_page_code, "createPageCode") \
    ROUTE("POST", "/v1/page/token", NOBODY, LOOP, serve_api_page_token, "createPageToken") \
    ROUTE("GET", "/", NOBODY, LOOP, serve_api_index, "getPage") \
    ROUTE("GET", "/page/{version}/{file}", NOBODY, LOOP, serve_api_static, "getPageFile") \
    ROUTE("GET", "/page/{version}/{folder}/{file}", NOBODY, LOOP, serve_api_static, "getPageModule") \
    ROUTE("GET", "/openapi.json", NOBODY, READER, serve_api_openapi, "getOpenapi") \
    ROUTE("GET", "/v1/workflows", VIEWER, READER, serve_api_workflows, "listWorkflows") \
    ROUTE("GET", "/v1/workflows/{workflow}", VIEWER, READER, serve_api_workflow, "getWorkflow") \
    ROUTE("GET", "/v1/workflows/{workflow}/text", VIEWER, READER, serve_api_text, "getWorkflowText") \
    ROUTE("GET", "/v1/workflows/{workflow}/groups", VIEWER, READER, serve_api_groups, "listGroups") \
    ROUTE("GET", "/v1/workflows/{workflow}/cost", VIEWER, READER, serve_api_cost, "getCost") \
    ROUTE("GET", "/v1/workflows/{workflow}/critical", VIEWER, READER, serve_api_critical, "listCriticalPath") \
    ROUTE("GET", "/v1/workflows/{workflow}/states", VIEWER, READER, serve_api_states, "getStates") \
    ROUTE("GET", "/v1/workflows/{workflow}/graph", VIEWER, READER, serve_api_graph, "listNeighbours") \
    ROUTE("GET", "/v1/workflows/{workflow}/actions", VIEWER, READER, serve_api_actions, "listActions") \
    ROUTE("GET", "/v1/workflows/{workflow}/attempts", VIEWER, READER, serve_api_attempts, "listWorkflowAttempts") \
    ROUTE("GET", "/v1/workflows/{workflow}/actions/{action}", VIEWER, READER, serve_api_action, "getAction") \
    ROUTE("GET", "/v1/workflows/{workflow}/actions/{action}/attempts", VIEWER, READER, serve_api_attempts, "listAttempts") \
    ROUTE("GET", "/v1/workflows/{workflow}/actions/{action}/attempts/{epoch}/stdout", VIEWER, READER, serve_api_stdout, "getAttemptStdout") \
    ROUTE("GET", "/v1/workflows/{workflow}/actions/{action}/attempts/{epoch}/stderr", VIEWER, READER, serve_api_stderr, "getAttemptStderr") \
    ROUTE("GET", "/v1/workflows/{workflow}/actions/{action}/stdout", VIEWER, READER, serve_api_stdout, "getStdout") \
    ROUTE("GET", "/v1/workflows/{workflow}/actions/{action}/stderr", VIEWER, READER, serve_api_stderr, "getStderr") \
    ROUTE("GET", "/v1/workflows/{workflow}/actions/{action}/why", VIEWER, READER, serve_api_why, "getWhy") \
    ROUTE("GET", "/v1/workflows/{workflow}/actions/{action}/script", VIEWER, READER, serve_api_script, "getScript") \
    ROUTE("GET", "/v1/datasets", VIEWER, READER, serve_api_datasets, "listDatasets") \
    ROUTE("GET", "/v1/datasets/{dataset}", VIEWER, READER, serve_api_dataset, "getDataset") \
    ROUTE("GET", "/v1/datasets/{dataset}/provenance", VIEWER, READER, serve_api_provenance, "getProvenance") \
    ROUTE("GET", "/v1/pool", VIEWER, READER, serve_api_pool, "getPool") \
    ROUTE("GET", "/v1/pool/evictions", VIEWER, READER, serve_api_evictions, "listEvictions") \
    ROUTE("GET", "/v1/pool/report", VIEWER, READER, serve_api_report, "getReport") \
    ROUTE("GET", "/v1/pool/decide", VIEWER, READER, serve_api_decide, "getDecision") \
    BODY("POST", "/v1/workflows", SUBMITTER, INTAKE, serve_api_submit, "submitWorkflow", INT64_C(1) << 30, NULL) \
    BODY("POST", "/v1/plan", SUBMITTER, INTAKE, serve_api_plan, "planWorkflow", INT64_C(1) << 30, NULL) \
    BODY("POST", "/v1/validate", SUBMITTER, READER, serve_api_validate, "validateWorkflow", INT64_C(1) << 30, NULL) \
    BODY("PATCH", "/v1/workflows/{workflow}", ADMIN, WRITER, serve_api_set_priority, "setPriority", 65536, NULL) \
    ROUTE("POST", "/v1/workflows/{workflow}/rerun", SUBMITTER, INTAKE, serve_api_rerun, "rerunWorkflow") \
    ROUTE("POST", "/v1/workflows/{workflow}/kill", SUBMITTER, WRITER, serve_api_kill, "killWorkflow") \
    ROUTE("POST", "/v1/workflows/{workflow}/pause", SUBMITTER, WRITER, serve_api_pause, "pauseWorkflow") \
    ROUTE("POST", "/v1/workflows/{workflow}/resume", SUBMITTER, WRITER, serve_api_resume, "resumeWorkflow") \
    ROUTE("POST", "/v1/workflows/{workflow}/keep", SUBMITTER, WRITER, serve_api_keep_workflow, "keepWorkflow") \
    ROUTE("POST", "/v1/workflows/{workflow}/release", SUBMITTER, WRITER, serve_api_release_workflow, "releaseWorkflow") \
    ROUTE("POST", "/v1/workflows/{workflow}/actions/{action}/kill", SUBMITTER, WRITER, serve_api_kill, "killAction") \
    ROUTE("PUT", "/v1/datasets/{dataset}/keep", SUBMITTER, WRITER, serve_api_keep, "keepDataset") \
    ROUTE("DELETE", "/v1/datasets/{dataset}/keep", SUBMITTER, WRITER, serve_api_release, "unpinDataset") \
    ROUTE("POST", "/v1/datasets/{dataset}/release", SUBMITTER, WRITER, serve_api_release, "releaseDataset") \
    ROUTE("DELETE", "/v1/datasets/{dataset}", SUBMITTER, WRITER, serve_api_remove, "removeDataset") \
    ROUTE("GET", "/v1/datasets/{dataset}/content", VIEWER, READER, serve_api_content, "getContent") \
    ROUTE("GET", "/v1/events", VIEWER, READER, serve_api_events, "streamEvents") \
    ROUTE("GET", "/v1/errors", VIEWER, READER, serve_api_errors, "listErrors") \
    ROUTE("GET", "/v1/errors/attempts", VIEWER, READER, serve_api_failed_attempts, "listFailedAttempts") \
    ROUTE("GET", "/v1/errors/{error}/attempts", VIEWER, READER, serve_api_error_attempts, "listErrorAttempts") \
    ROUTE("GET", "/v1/usage", VIEWER, READER, serve_api_usage, "listUsage") \
    ROUTE("GET", "/v1/shares", VIEWER, READER, serve_api_shares, "listShares") \
    BODY("PUT", "/v1/shares/{user}", ADMIN, WRITER, serve_api_set_share, "setShare", 65536, NULL) \
    ROUTE("GET", "/v1/archive", VIEWER, READER, serve_api_archive, "listArchive") \
    ROUTE("GET", "/v1/me", VIEWER, READER, serve_api_me, "getMe") \
    ROUTE("GET", "/v1/tokens", ADMIN, READER, serve_api_tokens, "listTokens") \
    BODY("POST", "/v1/tokens", ADMIN, WRITER, serve_api_make_token, "createToken", 65536, NULL) \
    ROUTE("DELETE", "/v1/tokens/{token}", ADMIN, WRITER, serve_api_revoke_token, "revokeToken") \
    ROUTE("GET", "/v1/audit", ADMIN, READER, serve_api_audit, "listAudit") \
    ROUTE("GET", "/ga4gh/wes/v1/service-info", VIEWER, READER, serve_api_wes_info, "GetServiceInfo") \
    ROUTE("GET", "/ga4gh/wes/v1/runs", VIEWER, READER, serve_api_wes_runs, "ListRuns") \
    BODY("POST", "/ga4gh/wes/v1/runs", SUBMITTER, INTAKE, serve_api_wes_submit, "RunWorkflow", INT64_C(1) << 30, "multipart/form-data") \
    ROUTE("GET", "/ga4gh/wes/v1/runs/{run}", VIEWER, READER, serve_api_wes_run, "GetRunLog") \
    ROUTE("GET", "/ga4gh/wes/v1/runs/{run}/status", VIEWER, READER, serve_api_wes_status, "GetRunStatus") \
    ROUTE("POST", "/ga4gh/wes/v1/runs/{run}/cancel", SUBMITTER, WRITER, serve_api_wes_cancel, "CancelRun") \
    ROUTE("GET", "/ga4gh/wes/v1/runs/{run}/tasks", VIEWER, READER, serve_api_wes_tasks, "ListTasks") \
    ROUTE("GET", "/ga4gh/wes/v1/runs/{run}/tasks/{task}", VIEWER, READER, serve_api_wes_task, "GetTask") \
    ROUTE("GET", "/v1/settings", ADMIN, READER, serve_api_settings, "listSettings") \
    BODY("PATCH", "/v1/settings", ADMIN, WRITER, serve_api_change_settings, "changeSettings", 65536, NULL)
/* clang-format on */

#define SERVE_DECLARE(method, pattern, role, by, handler, ...)                                     \
    void handler(struct serve_worker *worker, const struct serve_request *request,                 \
                 struct serve_answer *answer);
SERVE_ROUTES(SERVE_DECLARE, SERVE_DECLARE)
#undef SERVE_DECLARE

#endif
