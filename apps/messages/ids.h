/* apps/messages/ids.h -- prints the class ids of the engine.
 *
 * For:      `starbase messages --ids`.
 */
#ifndef SB_APPS_MESSAGES_IDS_H
#define SB_APPS_MESSAGES_IDS_H

#include <stdbool.h>

/* One line per id, in ascending order: the id, its kind, its name. */
void sb_messages_print_ids(bool as_json);

#endif
