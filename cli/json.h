/* json.h - one JSON document, printed element by element in constant memory.
 *
 * Small values are built with cJSON and printed at once; what may be long, the
 * arrays of actions and datasets, is opened and closed here.  Numbers of 64 bits
 * lose no digit; bytes that are not UTF-8 become U+FFFD. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cJSON.h>
#include <pingo/digest.h>

#define CLI_JSON_DEPTH 8

struct cli_json {
    FILE *out;
    int depth;
    bool filled[CLI_JSON_DEPTH + 1]; /* this level has an element already */
    char closing[CLI_JSON_DEPTH];
};

void cli_json_begin(struct cli_json *json, FILE *out);
/* bracket: '{' or '['.  key: NULL within an array and at the top. */
void cli_json_open(struct cli_json *json, const char *key, char bracket);
void cli_json_close(struct cli_json *json); /* the last one ends the document with a newline */
/* Prints item and frees it. */
void cli_json_item(struct cli_json *json, const char *key, cJSON *item);
/* Prints the members of object into the object that is open, and frees it. */
void cli_json_members(struct cli_json *json, cJSON *object);
/* A whole document. */
void cli_json_print(FILE *out, cJSON *item);

/* Building; they end the program with status 9 where there is no memory. */
cJSON *cli_json_object(void);
cJSON *cli_json_array(void);
void cli_json_add(cJSON *object, const char *key, cJSON *item);       /* key NULL: into an array */
void cli_json_text(cJSON *object, const char *key, const char *text); /* NULL: null */
void cli_json_flag(cJSON *object, const char *key, bool flag);
void cli_json_null(cJSON *object, const char *key);
void cli_json_int(cJSON *object, const char *key, int64_t value);
void cli_json_known(cJSON *object, const char *key, int64_t value);  /* -1: null */
void cli_json_time(cJSON *object, const char *key, int64_t time_ms); /* -1: null */
void cli_json_hash(cJSON *object, const char *key, const struct pingo_hash *hash);
void cli_json_content(cJSON *object, const char *key, const struct pingo_hash *hash); /* zero: null */

#endif
