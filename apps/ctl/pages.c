/* apps/ctl/pages.c -- docs/admin.md, made from the tables of commands and keys.
 *
 * For:      `make reference`; tests compare the page with what this prints.
 */
#include "ctl/ctl.h"

#include "admin/command.h"
#include "config/keys.h"

#include <string.h>

static void print_cell(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|') fputc('\\', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
}

static void print_command(FILE *out, const sb_command *c)
{
    char form[160];
    bool shell = (c->flags & SB_COMMAND_AT_SHELL) != 0, chat = (c->flags & SB_COMMAND_IN_CHAT) != 0;
    sb_command_form(c, form, sizeof form);
    fprintf(out, "| `");
    print_cell(out, form);
    fprintf(out, "` | %s | %s | ", shell ? chat ? "shell, chat" : "shell" : "chat",
            chat ? sb_role_words[c->least] : "operator");
    print_cell(out, c->help);
    fprintf(out, " |\n");
}

static void print_commands(FILE *out)
{
    fprintf(out, "| Command | Where | Least role in chat | What it does |\n"
                 "| --- | --- | --- | --- |\n");
    for (int i = 0; i < SB_COMMAND_COUNT; i++) print_command(out, &sb_commands[i]);
}

static void print_keys(FILE *out)
{
    fprintf(out, "| Key | A change counts | Values | What it does |\n| --- | --- | --- | --- |\n");
    for (const sb_key *key = sb_config_keys(); key->name; key++) {
        char range[240];
        sb_key_range_text(key, range, sizeof range);
        fprintf(out, "| `%s` | %s | ", key->name, sb_key_change_text((sb_key_change)key->change));
        print_cell(out, range);
        fprintf(out, " | ");
        print_cell(out, key->help);
        fprintf(out, " |\n");
    }
    for (const sb_table_key *table = sb_config_tables; table->name; table++) {
        fprintf(out, "| `%s` | %s | `", table->name, sb_key_change_text(table->change));
        print_cell(out, table->form);
        fprintf(out, "` | ");
        print_cell(out, table->help);
        fprintf(out, " |\n");
    }
}

static const char head[] =
    "# Commands and keys of a server\n"
    "\n"
    "Made by `make reference` from the tables in `src/admin/commands.c` and `src/config/keys.c`.\n"
    "\n"
    "## Three doors\n"
    "\n"
    "- `starbase ctl COMMAND`, on the server's machine, for root, the server's own user and "
    "members\n"
    "  of the group `starbase` (`sudo usermod -aG starbase USER`). Without a command it shows a\n"
    "  prompt with history and completion. The socket is `/run/starbase/INSTANCE.ctl`, or below\n"
    "  `$XDG_RUNTIME_DIR/starbase` if the server may not write there; the key `instance` names "
    "it.\n"
    "- The console: the terminal, or a pipe, in which `starbase serve` runs.\n"
    "- Chat: a player types `!COMMAND`. Everybody has the commands of players; more needs a role.\n"
    "\n"
    "Every command that changes something is a line of the log (`subsystem` `admin`, with `who`,\n"
    "`command`, `result`) and, with a store, a row of its table `audit`. *Who* is `ctl:USER`,\n"
    "`console`, `chat:NAME` or `vote`.\n"
    "\n"
    "## Roles\n"
    "\n"
    "`starbase ctl role Kirk admin` prints a code of six digits. The player Kirk types\n"
    "`!admin 123456` within 60 seconds, and has the role until they leave. The code is good once "
    "and\n"
    "only for that player; nobody else sees the line. After three wrong codes in a minute further\n"
    "ones are not looked at. `role` alone lists who has a role; `role Kirk none` takes it away.\n"
    "Other players do not see lines of a player with a role that begin with `!` (key\n"
    "`hide_commands`).\n"
    "\n"
    "## Naming a player and a time\n"
    "\n"
    "PLAYER is a name, the beginning of one if only one player fits, `#ID`, an id, or an address. "
    "If\n"
    "several players fit, the answer lists them. Quotes make a name of anything: `kick \"7\"`.\n"
    "FOR is a time such as `90s`, `10m`, `2h`, `7d`, `4w`, or `forever`; what looks "
    "like\n"
    "one but is none (`10min`, `2 hours`) is refused, in quotes it is a reason. With several rooms "
    "a\n"
    "number in front selects one: `2 say hello`, or `starbase ctl --room 2 say hello`.\n"
    "\n"
    "## Commands\n"
    "\n"
    "\"Shell\" is console and `starbase ctl`, where every command is allowed.\n"
    "\n";

static const char programs[] =
    "\n## For programs\n"
    "\n"
    "`starbase ctl --json COMMAND` prints a JSON object per line. Each has `time`, `level`,\n"
    "`subsystem`, `message`, perhaps `room`, and named values, such as `peer`, `player`, `score` "
    "for\n"
    "`players`. The last one is `{\"result\":\"fine\",\"status\":0}`; `status` is the exit status: "
    "0\n"
    "done, 1 (`negative`) not done, 2 (`usage`) not understood. A program may also speak with the\n"
    "socket: it sends a line per command and reads lines up to the one with `result`. `complete "
    "LINE`\n"
    "gives the words that may stand at the end of an unfinished LINE. After `follow` the log comes "
    "as\n"
    "it is written, even if `log_level` keeps events out of the log itself; a follower that is "
    "too\n"
    "slow gets an object with `\"event\":\"lost\"` and the number of `lines` that are missing.\n"
    "The server keeps 16 connections; one more ends the one that was silent longest and does not\n"
    "follow. Eight of them may follow: a ninth is refused, unless one of the eight lost lines and "
    "has\n"
    "read nothing for five seconds, which ends that one.\n"
    "\n"
    "## Keys\n"
    "\n"
    "`set KEY VALUE` changes a key until the next reload or start, unless the table says `after a\n"
    "restart`; `set KEY` shows it. The entries of a list are separated by commas, without braces; "
    "an\n"
    "entry with a comma needs quotes: `set motd \"Hello, all\", \"have fun\"`, in a shell "
    "`starbase "
    "ctl\n"
    "set motd '\"Hello, all\", \"have fun\"'` or `--set motd='...'`.\n"
    "`starbase serve --example` prints a file with all keys.\n"
    "\n";

void ctl_print_markdown(FILE *out)
{
    fputs(head, out);
    print_commands(out);
    fputs(programs, out);
    print_keys(out);
}
