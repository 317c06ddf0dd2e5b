/* openapi.c - the document of the API: what openapi.pl has made of it when this was built, and the schemas of what the
 * views write. */
#include "serve/api/ask.h"
#include "serve/route/routes.h"

#include <stdio.h>
#include <string.h>

extern const char serve_openapi[];
#define PLACE "\"@VIEWS@\": {}"

/* By what name a schema refers to a view; of a list there is NAMEPage too. */
static const struct {
    const char *name, *page;
    const struct pingo__view_table *view;
} views[] = {
    {"Workflow", "WorkflowPage", &pingo__view_workflow},
    {"Group", "GroupPage", &pingo__view_group},
    {"Cost", NULL, &pingo__view_cost},
    {"CriticalStep", "CriticalStepPage", &pingo__view_critical},
    {"Neighbour", "NeighbourPage", &pingo__view_neighbour},
    {"Action", "ActionPage", &pingo__view_action},
    {"Attempt", "AttemptPage", &pingo__view_attempt},
    {"Ran", NULL, &pingo__view_ran},
    {"Why", NULL, &pingo__view_why},
    {"Dataset", "DatasetPage", &pingo__view_dataset},
    {"Origin", NULL, &pingo__view_origin},
    {"Usage", NULL, &pingo__view_usage},
    {"Eviction", "EvictionPage", &pingo__view_eviction},
    {"Report", NULL, &pingo__view_report},
    {"Decision", NULL, &pingo__view_decision},
    {"Submission", NULL, &pingo__view_submitted},
    {"Plan", NULL, &pingo__view_plan},
    {"Verdict", NULL, &pingo__view_verdict},
    {"Killed", NULL, &pingo__view_killed},
    {"Paused", NULL, &pingo__view_paused},
    {"Kept", NULL, &pingo__view_kept},
    {"Released", NULL, &pingo__view_released},
    {"Removed", NULL, &pingo__view_removed},
    {"Setting", "SettingPage", &pingo__view_setting},
    {"Change", NULL, &pingo__view_change},
    {"Token", "TokenPage", &pingo__view_token},
    {"Audit", "AuditPage", &pingo__view_audit},
    {"NewToken", NULL, &pingo__view_token_made},
    {"RevokedToken", NULL, &pingo__view_token_revoked},
    {"Error", "ErrorPage", &pingo__view_errors},
    {"FailedAttempt", "FailedAttemptPage", &pingo__view_failed},
    {"Used", "UsedPage", &pingo__view_used},
    {"ArchiveFile", "ArchivePage", &pingo__view_archive_file},
    {"Share", "SharePage", &pingo__view_share},
    {"Me", NULL, &pingo__view_me},
    {"Version", NULL, &pingo__view_server},
    {"Status", NULL, &pingo__view_health},
    {"WorkflowProblem", NULL, &pingo__view_problem},
};

static void put_page(struct pingo__writer *w, const char *name, const char *page)
{
    char schema[320];
    snprintf(
        schema, sizeof schema,
        "{\"type\":\"object\",\"properties\":{\"items\":{\"type\":\"array\",\"items\":{\"$ref\":"
        "\"#/components/schemas/%s\"}},\"next\":{\"type\":[\"string\",\"null\"]}},"
        "\"required\":[\"items\",\"next\"],\"additionalProperties\":false}",
        name);
    pingo__writer_raw(w, page, schema);
}

static void put_schemas(struct pingo__writer *w)
{
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        pingo__view_schema_of(w, views[i].name, views[i].view);
        if (views[i].page)
            put_page(w, views[i].name, views[i].page);
    }
}

void serve_api_openapi(struct serve_ask *ask)
{
    struct pingo__buffer *body = &ask->answer->body;
    struct pingo__writer w = {0};
    const char *place = strstr(serve_openapi, PLACE);
    pingo__buffer_append(body, serve_openapi, (size_t)(place - serve_openapi));
    pingo__writer_open(&w, NULL, PINGO__WRITER_OBJECT);
    put_schemas(&w);
    if (!w.out.failed) /* without its brace; the other is that of the file */
        pingo__buffer_append(body, w.out.data + 1, w.out.length - 1);
    body->failed = body->failed || w.out.failed;
    pingo__writer_clear(&w);
    pingo__buffer_text(body, place + strlen(PLACE));
}
