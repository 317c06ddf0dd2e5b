/* access.c - what tokens and the audit look like. */
#include <string.h>

#include "view/columns.h"
#include "view/views.h"

#define ROW struct pingo_token
static const struct pingo__view_column tokens[] = {
    COLUMN("name", TEXT, name, "its name", HEADED("NAME", -16), .cut = 23),
    COLUMN("user", TEXT, user, "for whom it speaks", HEADED("USER", -12), .cut = 23),
    COLUMN("role", NAME, role, "what he may", .names = pingo__view_role_name, HEADED("ROLE", -10)),
    COLUMN("createdAt", TIME, created_ms, "when it was made", HEADED("CREATED", -20)),
    COLUMN("expiresAt", TIME, expires_ms, "when it ends; null: never", MISSING,
           HEADED("EXPIRES", -20)),
    COLUMN("usedAt", TIME, used_ms, "when it was used last, within the hour; null: not yet",
           MISSING, HEADED("USED", -20)),
    COLUMN("revokedAt", TIME, revoked_ms, "when it was revoked; null: it was not", MISSING,
           HEADED("REVOKED", -20)),
};
const struct pingo__view_table pingo__view_token = VIEW("token", tokens, ROW);
#undef ROW

int pingo__view_take_made(void *made, const struct pingo_token *token)
{
    struct pingo__view_made_token *m = made;
    if (strcmp(m->name, token->name) == 0)
        m->token = *token;
    return 0;
}

#define ROW struct pingo__view_made_token
static const struct pingo__view_column made[] = {
    COLUMN("token", TEXT, text, "what to send with each request; it is not told again"),
    COLUMN("name", TEXT, token.name, "its name"),
    COLUMN("user", TEXT, token.user, "for whom it speaks"),
    COLUMN("role", NAME, token.role, "what he may", .names = pingo__view_role_name),
};
const struct pingo__view_table pingo__view_token_made = VIEW_TEXT("token", made, ROW, "{token}");
static const struct pingo__view_column revoked[] = {
    COLUMN("revoked", TEXT, text, "the name of the token that is good for nothing now"),
};
const struct pingo__view_table pingo__view_token_revoked =
    VIEW_TEXT("revoked", revoked, ROW, "{revoked} is good for nothing any more");
#undef ROW

#define ROW struct pingo__view_me
static const struct pingo__view_column me[] = {
    COLUMN("user", TEXT, user, "the user as whom changes are made; null: it is not known who asks",
           MISSING),
    COLUMN("role", NAME, role, "what he may", .names = pingo__view_role_name),
};
const struct pingo__view_table pingo__view_me = VIEW("me", me, ROW);
#undef ROW

#define ROW struct pingo__view_way_in
static const struct pingo__view_column way_in[] = {
    COLUMN("code", TEXT, code, "what the page shows once, within a minute, for a token of its own"),
    COLUMN("url", TEXT, url, "the address of the page, with it"),
};
const struct pingo__view_table pingo__view_way_in = VIEW_TEXT("way_in", way_in, ROW, "{url}");
#undef ROW

#define ROW struct pingo_audit
static const struct pingo__view_column audits[] = {
    COLUMN("at", TIME, at_ms, "when"),
    COLUMN("user", TEXT, user, "who"),
    COLUMN("way", TEXT, way, "by which way he came in, such as \"socket\" or \"token laptop\""),
    COLUMN("verb", TEXT, verb, "what he did, such as \"submit\" or \"kill\""),
    COLUMN("object", TEXT, object, "with what, such as \"workflow 7\""),
    COLUMN("result", TEXT, result, "\"done\", or why it was not"),
};
const struct pingo__view_table pingo__view_audit = VIEW("audit", audits, ROW);
#undef ROW
