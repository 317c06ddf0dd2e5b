/* functions.h - the functions of this program that workflows may name, and their action type. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <stdio.h>

#include <pingo/action_type.h>

struct function {
    const char *name;
    void (*run)(FILE *in, FILE *out); /* called once for each input */
};

const struct function *find_function(const char *name); /* NULL: there is none */
extern const struct pingo_action_type text_type;

#endif
