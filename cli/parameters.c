/* parameters.c - a parameter with its default and its bounds. */
#include "parameters.h"

#include <stdio.h>

void cli_parameter_print(const struct pingo_decision_parameter *p)
{
    printf("    %s=", p->name);
    if (p->kind == PINGO_PARAMETER_CHOICE)
        printf("%s", p->choices[(size_t)p->value]);
    else
        printf("%.16g", p->value);
    printf("  %s", p->meaning ? p->meaning : "");
    if (p->kind != PINGO_PARAMETER_CHOICE)
        printf(" (%.16g to %.16g)", p->minimum, p->maximum);
    for (size_t k = 0; p->kind == PINGO_PARAMETER_CHOICE && p->choices[k]; k++)
        printf("%s%s", k == 0 ? " (" : ", ", p->choices[k]);
    printf("%s\n", p->kind == PINGO_PARAMETER_CHOICE ? ")" : "");
}

const char *cli_algorithm_at(size_t i, const char **summary)
{
    const struct pingo_decision_algorithm *algorithm = pingo_decision_at(i);
    *summary = algorithm ? algorithm->summary : NULL;
    return algorithm ? algorithm->name : NULL;
}
