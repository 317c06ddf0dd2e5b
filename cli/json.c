/* json.c - one JSON document, printed element by element. */
#include "json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exit.h"
#include "message.h"
#include "text.h"

static void *there(void *pointer)
{
    if (pointer == NULL) {
        cli_message("memory could not be had");
        exit(CLI_INTERNAL);
    }
    return pointer;
}

static cJSON *text_item(const char *text)
{
    if (text == NULL)
        return there(cJSON_CreateNull());
    const char *p = text;
    if (pingo__text_is_utf8(text, strlen(text)))
        return there(cJSON_CreateString(text));
    char *mended = cli_alloc(strlen(text) * 3 + 1);
    size_t at = 0;
    while (*p != '\0') {
        size_t n = pingo__text_utf8_next(p, strnlen(p, 4));
        memcpy(mended + at, n > 0 ? p : "\xef\xbf\xbd", n > 0 ? n : 3);
        at += n > 0 ? n : 3;
        p += n > 0 ? n : 1;
    }
    mended[at] = '\0';
    cJSON *item = there(cJSON_CreateString(mended));
    free(mended);
    return item;
}

void cli_json_begin(struct cli_json *json, FILE *out)
{
    memset(json, 0, sizeof *json);
    json->out = out;
}

static void print_item(FILE *out, cJSON *item)
{
    char *text = there(cJSON_PrintUnformatted(item));
    fputs(text, out);
    cJSON_free(text);
}

/* What stands before an element: a comma, and in an array a new line. */
static void lead(struct cli_json *json, const char *key)
{
    if (json->filled[json->depth])
        putc(',', json->out);
    json->filled[json->depth] = true;
    if (key != NULL) {
        cJSON *name = text_item(key);
        print_item(json->out, name);
        putc(':', json->out);
        cJSON_Delete(name);
    } else if (json->depth > 0) {
        putc('\n', json->out);
    }
}

void cli_json_open(struct cli_json *json, const char *key, char bracket)
{
    assert(json->depth < CLI_JSON_DEPTH);
    lead(json, key);
    putc(bracket, json->out);
    json->closing[json->depth++] = bracket == '{' ? '}' : ']';
    json->filled[json->depth] = false;
}

void cli_json_close(struct cli_json *json)
{
    assert(json->depth > 0);
    json->depth--;
    if (json->closing[json->depth] == ']' && json->filled[json->depth + 1])
        putc('\n', json->out);
    putc(json->closing[json->depth], json->out);
    if (json->depth == 0)
        putc('\n', json->out);
}

void cli_json_item(struct cli_json *json, const char *key, cJSON *item)
{
    lead(json, key);
    print_item(json->out, item);
    cJSON_Delete(item);
}

void cli_json_members(struct cli_json *json, cJSON *object)
{
    for (cJSON *member = object->child; member != NULL; member = member->next) {
        lead(json, member->string);
        print_item(json->out, member);
    }
    cJSON_Delete(object);
}

void cli_json_print(FILE *out, cJSON *item)
{
    print_item(out, item);
    putc('\n', out);
    cJSON_Delete(item);
}

cJSON *cli_json_object(void)
{
    return there(cJSON_CreateObject());
}

cJSON *cli_json_array(void)
{
    return there(cJSON_CreateArray());
}

void cli_json_add(cJSON *object, const char *key, cJSON *item)
{
    cJSON_bool added =
        key != NULL ? cJSON_AddItemToObject(object, key, item) : cJSON_AddItemToArray(object, item);
    there(added ? object : NULL);
}

void cli_json_text(cJSON *object, const char *key, const char *text)
{
    cli_json_add(object, key, text_item(text));
}

void cli_json_flag(cJSON *object, const char *key, bool flag)
{
    cli_json_add(object, key, there(cJSON_CreateBool(flag)));
}

void cli_json_null(cJSON *object, const char *key)
{
    cli_json_add(object, key, there(cJSON_CreateNull()));
}

void cli_json_int(cJSON *object, const char *key, int64_t value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    cli_json_add(object, key, there(cJSON_CreateRaw(digits)));
}

void cli_json_known(cJSON *object, const char *key, int64_t value)
{
    if (value < 0)
        cli_json_null(object, key);
    else
        cli_json_int(object, key, value);
}

void cli_json_time(cJSON *object, const char *key, int64_t time_ms)
{
    char text[PINGO__UNITS_SIZE];
    if (time_ms >= 0)
        pingo__times_print(text, time_ms);
    cli_json_text(object, key, time_ms >= 0 ? text : NULL);
}

void cli_json_hash(cJSON *object, const char *key, const struct pingo_hash *hash)
{
    char hex[PINGO_HASH_HEX_SIZE];
    pingo_hash_to_hex(hash, hex);
    cli_json_text(object, key, hex);
}

void cli_json_content(cJSON *object, const char *key, const struct pingo_hash *hash)
{
    if (cli_hash_is_zero(hash))
        cli_json_null(object, key);
    else
        cli_json_hash(object, key, hash);
}
