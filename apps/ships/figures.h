/* apps/ships/figures.h -- the figures of a ship, each with the source it comes from.
 *
 * For:      the printers of `starbase ships`. Figures that always come from one source together
 *           are one figure here, such as the six facings.
 * Spec:     11 §1.2 (sources).
 */
#ifndef SB_APPS_SHIPS_FIGURES_H
#define SB_APPS_SHIPS_FIGURES_H

#include <starbase/ship.h>

enum { SB_FIGURE_TEXT = 96 };

typedef struct sb_ship_figure {
    const char *part;                  /* name of a part; "ship" for the ship itself */
    bool        child;                 /* the part belongs to the last part that is none */
    const char *name;                  /* "position" */
    char        value[SB_FIGURE_TEXT]; /* "0 -1.5 -0.5, radius 1"; "" if it is unknown */
    uint8_t     source;                /* sb_figure_source; SB_SOURCE_NONE: unknown */
} sb_ship_figure;

typedef void (*sb_figure_visitor)(void *context, const sb_ship_figure *figure);

/* Calls `visit` with every figure that applies to the ship: the ship's own, then part by part in
 * list order, then the ammunition. */
void sb_ships_walk_figures(const sb_ship_class *ship, sb_figure_visitor visit, void *context);

#endif
