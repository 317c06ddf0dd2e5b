/* layout.c - see layout.h. */
#include "executor/hadoop/layout.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"
#define PORT_MAX 65535

void pingo__executor_hadoop_in_attempt(char path[PINGO__HADOOP_PATH_SIZE], struct pingo_job_key key,
                                       const char *what)
{
    char name[PINGO__NAME_SIZE];
    pingo__name_attempt(name, key.action, key.epoch);
    snprintf(path, PINGO__HADOOP_PATH_SIZE, "%s%s%s", name, *what ? "/" : "", what);
}

void pingo__executor_hadoop_in_bundle(char path[PINGO__HADOOP_PATH_SIZE], const char *application,
                                      const char *what)
{
    snprintf(path, PINGO__HADOOP_PATH_SIZE, "bundles/%s%s%s", application, *what ? "/" : "", what);
}

static bool is_made_of(const char *text, size_t n, const char *of)
{
    return n > 0 && strspn(text, of) >= n;
}

/* Behind a number of at most 19 digits, and the character that follows it; NULL: there is none. */
static const char *past_number(const char *text, char end)
{
    size_t n = strspn(text, DIGITS);
    return n > 0 && n < 20 && text[n] == end ? text + n + (end != '\0') : NULL;
}

bool pingo__executor_hadoop_is_application(const char *id)
{
    static const char head[] = "application_";
    const char *at = strncmp(id, head, strlen(head)) == 0 ? id + strlen(head) : NULL;
    return at && strlen(id) < PINGO__HADOOP_ID_SIZE && (at = past_number(at, '_')) &&
           past_number(at, '\0');
}

/* container_[eEPOCH_]CLUSTER_APPLICATION_ATTEMPT_NUMBER */
bool pingo__executor_hadoop_application_of(const char *container,
                                           char application[PINGO__HADOOP_ID_SIZE])
{
    static const char head[] = "container_";
    const char *at = container, *behind;
    if (strlen(at) >= PINGO__HADOOP_ID_SIZE || strncmp(at, head, strlen(head)) != 0)
        return false;
    at += strlen(head);
    if (*at == 'e' && !(at = past_number(at + 1, '_')))
        return false;
    if (!(behind = past_number(at, '_')) || !(behind = past_number(behind, '_')))
        return false;
    snprintf(application, PINGO__HADOOP_ID_SIZE, "application_%.*s", (int)(behind - at - 1), at);
    return (behind = past_number(behind, '_')) && past_number(behind, '\0');
}

static bool is_valid(const struct pingo__executor_hadoop_owner *owner)
{
    char application[PINGO__HADOOP_ID_SIZE];
    return memchr(owner->container, '\0', sizeof owner->container) &&
           memchr(owner->node, '\0', sizeof owner->node) &&
           pingo__executor_hadoop_application_of(owner->container, application) &&
           is_made_of(owner->node, strlen(owner->node), LETTERS DIGITS ".-_") && owner->port > 0 &&
           owner->port <= PORT_MAX && owner->web_port >= 0 && owner->web_port <= PORT_MAX;
}

bool pingo__executor_hadoop_owner_name(const struct pingo__executor_hadoop_owner *owner,
                                       char name[256])
{
    return is_valid(owner) &&
           snprintf(name, 256, PINGO__HADOOP_STARTED "%s.%s.%d.%d", owner->container, owner->node,
                    owner->port, owner->web_port) < 256;
}

bool pingo__executor_hadoop_owner_parse(const char *name, struct pingo__executor_hadoop_owner *owner)
{
    char text[256], *node;
    int64_t ports[2];
    size_t head = strlen(PINGO__HADOOP_STARTED);
    *owner = (struct pingo__executor_hadoop_owner){.port = 0};
    if (strncmp(name, PINGO__HADOOP_STARTED, head) != 0 || strlen(name) >= sizeof text)
        return false;
    snprintf(text, sizeof text, "%s", name + head);
    for (size_t i = 2; i-- > 0;) { /* a node's name may have dots, too */
        char *dot = strrchr(text, '.');
        if (!dot || !pingo__text_to_int64(dot + 1, 0, PORT_MAX, &ports[i]))
            return false;
        *dot = '\0';
    }
    if (!(node = strchr(text, '.')) || node - text >= PINGO__HADOOP_ID_SIZE)
        return false;
    snprintf(owner->container, sizeof owner->container, "%.*s", (int)(node - text), text);
    snprintf(owner->node, sizeof owner->node, "%s", node + 1);
    owner->port = (int)ports[0];
    owner->web_port = (int)ports[1];
    return is_valid(owner);
}

bool pingo__executor_hadoop_bell_parse(const char *name, struct pingo_job_key *key, bool *ended)
{
    *ended = strncmp(name, PINGO__HADOOP_ENDED, strlen(PINGO__HADOOP_ENDED)) == 0;
    if (!*ended && strncmp(name, PINGO__HADOOP_STARTED, strlen(PINGO__HADOOP_STARTED)) != 0)
        return false;
    return pingo__name_is_attempt(strchr(name, '.') + 1, &key->action, &key->epoch);
}
