/* tests/config/send_folder.h -- a folder for the key send_files that fits the vanilla manifest. */
#ifndef TESTS_CONFIG_SEND_FOLDER_H
#define TESTS_CONFIG_SEND_FOLDER_H

/* A new folder with one file of four bytes that has the name and the hash of a vanilla mission
 * script; the hash is easily inverted (spec 06 §6.2). Removed when the program ends. */
const char *send_folder(void);
/* The same file with another content. */
void send_folder_spoil(const char *folder);

#endif
