/* cjson.c - the two functions of cJSON that value.c calls, for programs that go to machines where it is not installed.
 *
 * What always holds: the text is a value that document.c has checked, with what follows it; so it is not checked again,
 * and ends by itself. */
#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "json/document.h"
#include "json/scan.h"

void cJSON_Delete(cJSON *n)
{
    while (n) {
        cJSON *next = n->next;
        if (n->child) { /* what is below goes first, without a stack */
            n->child->prev->next = next;
            next = n->child;
        }
        free(n->valuestring);
        free(n->string);
        free(n);
        n = next;
    }
}

/* Yours; NULL: no memory. */
static char *take_string(struct pingo__json_scan *s)
{
    struct pingo__json_token token;
    struct pingo__arena arena = {0};
    size_t length;
    const char *text =
        pingo__json_scan_string(s, &token) ? pingo__json_decode(s, &token, &arena, &length) : NULL;
    char *copy = text ? strdup(text) : NULL;
    pingo__arena_clear(&arena);
    return copy;
}

/* Numbers and words are shorter than this. */
static void take_word(struct pingo__json_scan *s, cJSON *n)
{
    char word[PINGO__JSON_NUMBER_LENGTH + 1];
    size_t length = 0;
    while (s->at < s->length && length + 1 < sizeof word &&
           strchr("+-.0123456789eEtrufalsn", s->text[s->at]) && s->text[s->at])
        word[length++] = s->text[s->at++];
    word[length] = '\0';
    n->type = *word == 't'   ? cJSON_True
              : *word == 'f' ? cJSON_False
              : *word == 'n' ? cJSON_NULL
                             : cJSON_Number;
    if (n->type == cJSON_Number)
        n->valuedouble = strtod(word, NULL);
}

static cJSON *add(cJSON *parent)
{
    cJSON *n = calloc(1, sizeof *n);
    if (!n || !parent)
        return n;
    n->prev = parent->child ? parent->child->prev : n;
    if (parent->child)
        parent->child->prev->next = n;
    else
        parent->child = n;
    parent->child->prev = n;
    return n;
}

static char next(struct pingo__json_scan *s)
{
    pingo__json_skip_space(s);
    return s->text[s->at];
}

/* A value, and if it has any below, what opens it alone.  NULL: no memory. */
static cJSON *take_value(struct pingo__json_scan *s, cJSON *parent)
{
    char *key = NULL;
    bool has_key = parent && parent->type == cJSON_Object, fine = true;
    if (has_key) {
        key = next(s) ? take_string(s) : NULL;
        if (!key)
            return NULL;
        next(s);
        s->at++; /* the colon */
    }
    cJSON *n = add(parent);
    if (!n) {
        free(key);
        return NULL;
    }
    n->string = key;
    char c = next(s);
    if (c == '{' || c == '[') {
        n->type = c == '{' ? cJSON_Object : cJSON_Array;
        s->at++;
    } else if (c == '"') {
        n->type = cJSON_String;
        fine = (n->valuestring = take_string(s));
    } else
        take_word(s, n);
    if (fine || parent)
        return fine ? n : NULL;
    cJSON_Delete(n);
    return NULL;
}

cJSON *cJSON_ParseWithLengthOpts(const char *text, size_t length, const char **end, cJSON_bool whole)
{
    struct pingo__json_scan s = {.text = text, .length = length};
    cJSON *open[PINGO__JSON_DEPTH + 1], *root = take_value(&s, NULL);
    size_t depth = 0;
    (void)whole;
    for (cJSON *n = root; n;) {
        if (n->type == cJSON_Object || n->type == cJSON_Array)
            open[depth++] = n;
        while (depth > 0 && (next(&s) == '}' || next(&s) == ']')) {
            s.at++;
            depth--;
        }
        if (depth == 0)
            break;
        s.at += next(&s) == ',';
        if (!(n = take_value(&s, open[depth - 1]))) {
            cJSON_Delete(root);
            root = NULL;
        }
    }
    if (end)
        *end = text + s.at;
    return root;
}
