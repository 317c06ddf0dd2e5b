/* parameters.c - a parameter with its default and its bounds, for people and for programs. */
#include "parameters.h"

#include <stdio.h>

void cli_parameter_print(const struct pingo_decision_parameter *p)
{
    printf("    %s=", p->name);
    if (p->kind == PINGO_PARAMETER_CHOICE)
        printf("%s", p->choices[(size_t)p->value]);
    else
        printf("%.16g", p->value);
    printf("  %s", p->meaning == NULL ? "" : p->meaning);
    if (p->kind != PINGO_PARAMETER_CHOICE)
        printf(" (%.16g to %.16g)", p->minimum, p->maximum);
    for (size_t k = 0; p->kind == PINGO_PARAMETER_CHOICE && p->choices[k] != NULL; k++)
        printf("%s%s", k == 0 ? " (" : ", ", p->choices[k]);
    printf("%s\n", p->kind == PINGO_PARAMETER_CHOICE ? ")" : "");
}

cJSON *cli_parameter_json(const struct pingo_decision_parameter *p)
{
    bool is_choice = p->kind == PINGO_PARAMETER_CHOICE;
    cJSON *o = cli_json_object(), *choices = is_choice ? cli_json_array() : NULL;
    cli_json_text(o, "name", p->name);
    cli_json_add(o, "default",
                 is_choice ? cJSON_CreateString(p->choices[(size_t)p->value])
                           : cJSON_CreateNumber(p->value));
    if (!is_choice) {
        cli_json_add(o, "minimum", cJSON_CreateNumber(p->minimum));
        cli_json_add(o, "maximum", cJSON_CreateNumber(p->maximum));
    }
    for (size_t k = 0; is_choice && p->choices[k] != NULL; k++)
        cli_json_add(choices, NULL, cJSON_CreateString(p->choices[k]));
    if (is_choice)
        cli_json_add(o, "choices", choices);
    cli_json_text(o, "meaning", p->meaning);
    return o;
}

const char *cli_algorithm_at(size_t i, const char **summary)
{
    const struct pingo_decision_algorithm *algorithm = pingo_decision_at(i);
    *summary = algorithm != NULL ? algorithm->summary : NULL;
    return algorithm != NULL ? algorithm->name : NULL;
}
