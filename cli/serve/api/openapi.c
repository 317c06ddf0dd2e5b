/* openapi.c - the document of the API: openapi.json, with the schemas of what the views write in it. */
#include "serve/api/ask.h"
#include "serve/route/routes.h"

#include <stdio.h>
#include <string.h>

/* The file as it is, with a NUL behind it. */
extern const char serve_openapi[];
__asm__(".pushsection .rodata\n"
        ".hidden serve_openapi\n"
        ".global serve_openapi\n"
        "serve_openapi:\n"
        ".incbin \"cli/serve/api/openapi.json\"\n"
        ".byte 0\n"
        ".popsection\n");

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

/* The schemas stand where the file has a place for them. */
void serve_api_openapi(struct serve_ask *ask)
{
    static const char place[] = "\"@VIEWS@\": {}";
    const char *at = strstr(serve_openapi, place);
    struct pingo__writer w = {0};
    pingo__writer_open(&w, NULL, PINGO__WRITER_OBJECT);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        pingo__view_schema_of(&w, views[i].name, views[i].view);
        if (views[i].page)
            put_page(&w, views[i].name, views[i].page);
    }
    pingo__buffer_append(&ask->answer->body, serve_openapi, (size_t)(at - serve_openapi));
    if (!w.out.failed) /* without its brace; the other is that of the file */
        pingo__buffer_append(&ask->answer->body, w.out.data + 1, w.out.length - 1);
    ask->answer->body.failed = ask->answer->body.failed || w.out.failed;
    pingo__buffer_text(&ask->answer->body, at + sizeof place - 1);
    pingo__writer_clear(&w);
}
