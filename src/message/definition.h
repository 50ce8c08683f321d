/* src/message/definition.h -- shows and builds messages of mods by their definitions.
 *
 * For:      message.c; starbase/definition.h has the structs.
 */
#ifndef SB_MESSAGE_DEFINITION_H
#define SB_MESSAGE_DEFINITION_H

#include <starbase/definition.h>

#endif
