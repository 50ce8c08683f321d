/* src/load/hardpoint_script.h -- reads the hardpoint script of a ship as text.
 *
 * For:      `starbase ships import`. A hardpoint script is a Python module that creates properties,
 *           sets their figures, registers them, and adds them to a ship in LoadPropertySet:
 *
 *               Hull = App.HullProperty_Create("Hull")
 *               Hull.SetMaxCondition(4000.0)
 *               App.g_kModelPropertyManager.RegisterLocalTemplate(Hull)
 *
 *               def LoadPropertySet(pObj):
 *                   prop = App.g_kModelPropertyManager.FindByName("Hull", ...)
 *                   if (prop != None):
 *                       pObj.AddToSet("Scene Root", prop)
 *
 * May use:  lua_table.h for memory and errors.
 * Never:    runs the script or opens a file that the script names. Whatever is not understood
 *           becomes a note with its line.
 * Spec:     03 §10, 04 §5, 11.
 */
#ifndef SB_LOAD_HARDPOINT_SCRIPT_H
#define SB_LOAD_HARDPOINT_SCRIPT_H

#include "load/hardpoint_properties.h"
#include "load/lua_table.h"

enum {
    SB_SCRIPT_PROPERTIES_MAX = 512, /* created, and added to a ship */
    SB_SCRIPT_TORPEDOES_MAX = 32,   /* slots of a torpedo system */
    SB_SCRIPT_NOTES_MAX = 200,
    SB_SCRIPT_NAME_MAX = 63,
    SB_SCRIPT_MODULE_MAX = 127,
};

typedef struct sb_script_property {
    const sb_property_class *class; /* NULL: a class that we do not know */
    const char *name;               /* UTF-8 */
    const char *file;               /* in which it is created */
    uint32_t    line;
    bool        is_registered;
    float       figures[SB_SCRIPT_FIGURE_COUNT]; /* NAN: not set */
    const char *text; /* the ship's name, or the module of a cannon; NULL: not set */
} sb_script_property;

/* A kind of torpedo of a system: SetMaxTorpedoes, SetTorpedoScript. */
typedef struct sb_script_torpedo {
    const sb_script_property *system;
    unsigned                  slot;
    float                     count;  /* NAN: not set */
    const char               *script; /* NULL: not set */
} sb_script_torpedo;

typedef struct sb_script_added {
    const char *name; /* of a property */
    uint32_t    line;
} sb_script_added;

/* Something in the script that was left out. Equal notes are one note with a count. */
typedef struct sb_script_note {
    char        subject[SB_SCRIPT_NAME_MAX + 1];
    const char *reason;
    unsigned    count;
    const char *file; /* and line of the first; line 0: not about one line */
    uint32_t    line;
} sb_script_note;

/* The reason of the notes about looks and sounds, of which every script has many. */
extern const char sb_script_without_effect[];

typedef struct sb_hardpoint_script {
    sb_data            *data;
    const char         *file;       /* of the script read last */
    sb_script_property *properties; /* of this script and its parents */
    size_t              property_count;
    sb_script_added    *added; /* in the order of adding */
    size_t              added_count;
    sb_script_torpedo   torpedoes[SB_SCRIPT_TORPEDOES_MAX];
    size_t              torpedo_count;
    sb_script_note      notes[SB_SCRIPT_NOTES_MAX];
    size_t              note_count;
    unsigned            notes_lost;  /* above SB_SCRIPT_NOTES_MAX */
    const char         *parent;      /* "keldon": the script that this one builds on; NULL: none */
    uint32_t            parent_line; /* where it is imported */
    bool                is_parent_read;
} sb_hardpoint_script;

/* A property without a name, on which nothing is set. */
void sb_script_property_init(sb_script_property *p);

/* `data` owns everything that is read and must outlive the script. SB_OS_ERROR: out of memory. */
SB_MUST_USE sb_result sb_hardpoint_script_init(sb_hardpoint_script *script, sb_data *data);
/* Reads one script. If it builds on another script, that one must be read first into the same
 * `script`; otherwise script->parent names it and script->is_parent_read is false. Results as
 * sb_data_load_table. */
SB_MUST_USE sb_result sb_hardpoint_script_read(sb_hardpoint_script *script, sb_data_source source);
/* The properties of the ship in the order of adding, each once. Returns their number. */
size_t sb_hardpoint_script_list(sb_hardpoint_script      *script,
                                const sb_script_property *out[SB_SCRIPT_PROPERTIES_MAX]);
/* The text between two quotes of a script as UTF-8, cut after `max_bytes`; lent until sb_data_free.
 * NULL: out of memory. */
const char *sb_hardpoint_script_keep_text(sb_hardpoint_script *script, sb_span text,
                                          size_t max_bytes);
/* Append a note about a line of the current script or about a property, or count it if there is an
 * equal one. `reason` must stay valid. */
void sb_hardpoint_script_note(sb_hardpoint_script *script, sb_span subject, uint32_t line,
                              const char *reason);
void sb_hardpoint_script_note_property(sb_hardpoint_script *script, const sb_script_property *p,
                                       sb_span subject, const char *reason);

#endif
