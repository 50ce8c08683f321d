/* src/load/script_values.h -- values of expressions in a hardpoint script.
 *
 * For:      hardpoint_script.c, which runs the calls that it understands.
 * Never:    calls a function of the script: on_call decides what a call gives.
 */
#ifndef SB_LOAD_SCRIPT_VALUES_H
#define SB_LOAD_SCRIPT_VALUES_H

#include "load/script_tokens.h"

enum {
    SB_SCRIPT_PATH_MAX = 6, /* names in a.b.c */
    SB_SCRIPT_ARGUMENTS_MAX = 8,
    SB_SCRIPT_DEPTH_MAX = 24, /* of nested expressions */
    SB_SCRIPT_VARIABLES_MAX = 2048,
};

typedef enum sb_value_kind {
    SB_VALUE_UNKNOWN, /* only running the script would tell */
    SB_VALUE_NONE,
    SB_VALUE_NUMBER,
    SB_VALUE_TEXT,
    SB_VALUE_POINT,    /* App.TGPoint3() */
    SB_VALUE_PROPERTY, /* the property number `index` */
    SB_VALUE_TEMPLATE, /* FindByName(`text`) */
    SB_VALUE_PARENT,   /* the module that the script builds on */
    SB_VALUE_OBJECT,   /* colours, modules: nothing of it matters */
} sb_value_kind;

typedef struct sb_script_value {
    sb_span text;
    double  number;
    float   point[3];
    size_t  index;
    uint8_t kind;     /* sb_value_kind */
    bool    is_whole; /* of a number: written as an integer; 3 / 2 is 1 then */
} sb_script_value;

/* A call such as a.b.c(x, y). */
typedef struct sb_script_call {
    sb_span          path[SB_SCRIPT_PATH_MAX]; /* the last one is the function */
    size_t           path_count;               /* 0 for a path that is too long */
    sb_script_value  base; /* the object before path[0] if it is the result of another call */
    bool             has_base;
    sb_script_value  arguments[SB_SCRIPT_ARGUMENTS_MAX];
    size_t           argument_count; /* those beyond the maximum are left out */
    uint32_t         line;
    sb_script_value *object; /* the variable path[0], or NULL */
} sb_script_call;

typedef struct sb_script_variable {
    sb_span         name;
    sb_script_value value;
} sb_script_variable;

/* Variables, and the tokens of the expression that is read. Starts with zeros. */
typedef struct sb_script_values {
    sb_script_variable variables[SB_SCRIPT_VARIABLES_MAX]; /* hashed; an empty name is free */
    size_t             variable_count;
    const sb_token    *at, *end;
    bool               is_bad; /* the expression is none */
    unsigned           depth;
    void              *context;
    sb_script_value (*on_call)(void *context, const sb_script_call *call);
} sb_script_values;

/* Reads the expression at v->at, which must not pass v->end. */
sb_script_value sb_script_value_read(sb_script_values *v);
/* NULL: no such variable. */
sb_script_value *sb_script_variable_find(sb_script_values *v, sb_span name);
/* False: there are too many variables. */
bool sb_script_variable_set(sb_script_values *v, sb_span name, sb_script_value value);

#endif
