/* tests/inspect/json/error_test.c -- lines that are refused, and the error messages. */
#include "inspect/json/line.h"

#include "test.h"

#include <string.h>

static sb_arena         arena;
static sb_json_defaults defaults;
static sb_json_error    error;
static uint8_t          out[1 << 17];

/* The lines in this file have ' in place of ", to be readable in C. */
static sb_result encode(const char *json, size_t *size)
{
    static char line[1 << 12];
    size_t      length = strlen(json);
    CHECK(length < sizeof line);
    for (size_t i = 0; i <= length; i++) line[i] = (char)(json[i] == '\'' ? '"' : json[i]);
    sb_result result =
        sb_json_encode_line(line, length, &defaults, &arena, out, sizeof out, size, &error);
    sb_arena_free(&arena);
    return result;
}

typedef struct refused {
    const char *json, *text;
} refused;

static void check_refused(const refused *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t size;
        if (encode(cases[i].json, &size) == SB_OK) FAIL("%s\n    was accepted", cases[i].json);
        CHECK_TEXT(error.text, cases[i].text);
        CHECK_EQ(size, 0);
    }
}

#define CHECK_REFUSED(table) check_refused(table, sizeof table / sizeof *table)

static void check_accepted(const char *const *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t size;
        if (encode(lines[i], &size) != SB_OK) FAIL("%s\n    %s", lines[i], error.text);
    }
}

#define CHECK_ACCEPTED(table) check_accepted(table, sizeof table / sizeof *table)

/* clang-format off */

TEST(errors_have_the_path_and_the_reason)
{
    static const refused cases[] = {
        { "{'name':'CHAT'", "column 14: '}' expected near end of file" },
        { "[1]", "not an object" },
        { "{'name':'CHAT','name':'CHAT'}", "column 21: duplicate object key near '\"name\"'" },
        { "{}", "opcode: missing, and so is \"name\"" },
        { "{'opcode':300}", "opcode: 300 is not in 0..255" },
        { "{'opcode':4}", "opcode: no message has this opcode" },
        { "{'opcode':'Chatter'}", "opcode: \"Chatter\" is not a message" },
        { "{'name':7}", "name: 7 is not a message" },
        { "{'opcode':28,'name':'CHAT'}", "name: opcode 28 is called \"StateUpdate\"" },
        { "{'name':'CHAT','field':{}}", "field: no such key, did you mean \"fields\"?" },
        { "{'name':'CHAT','zzzzzzz':{}}", "zzzzzzz: no such key" },
        { "{'name':'CHAT','fields':[]}", "fields: not an object" },
        { "{'layer':'moon','fields':{}}",
          "layer: not one of message, transport, plain, datagram, gamespy" },
        { "{'name':'CHAT','fields':{'sendr':1}}",
          "fields.sendr: no such field here, did you mean \"sender\"?" },
        { "{'name':'CHAT','fields':{'sender':1.5}}", "fields.sender: 1.5 is not a whole number" },
        { "{'name':'CHAT','fields':{'sender':3000000000}}",
          "fields.sender: 3000000000 is not in -2147483648..2147483647" },
        { "{'name':'CHAT','fields':{'text':'\\u0141'}}",
          "fields.text: U+0141 is not in Windows-1252" },
        { "{'name':'CHAT','fields':{'text':5}}", "fields.text: 5 is not a string" },
        { "{'name':'CHAT','fields':{'text':{'hex':'4'}}}",
          "fields.text: no pair of hex digits at character 1" },
        { "{'name':'MISSION_INIT','fields':{'end_time':5,'time_limit':255}}",
          "fields.end_time: not allowed here: another field excludes it" },
        { "{'name':'MISSION_INIT','fields':{'system':'Multi99'}}",
          "fields.system: \"Multi99\" is not a known name or a number" },
        { "{'name':'StateUpdate','fields':{'position':[1,2]}}",
          "fields.position: 2 numbers, expected 3" },
        { "{'name':'StateUpdate','fields':{'position':[1,2,2e7]}}",
          "fields.position: 20000000 is not in -10000000..10000000" },
        { "{'name':'StateUpdate','fields':{'game_time':1e39}}",
          "fields.game_time: 1e+39 is not in -3.40282347e+38..3.40282347e+38" },
        { "{'name':'StateUpdate','fields':{'flags':'POS|NOPE'}}",
          "fields.flags: \"NOPE\" is not the name of a flag" },
        { "{'name':'StateUpdate','fields':{'start_index':0,'entries':[]}}",
          "fields.entries: needs a ship: add \"species\" beside \"fields\"" },
        { "{'name':'StateUpdate','species':'Enterprize','fields':{}}",
          "species: \"Enterprize\" is not a known name or a number" },
        { "{'name':'StateUpdate','species':1,'fields':{'start_index':2,'entries':[{'condition':1,"
          "'power_pct':{'code':300}}]}}",
          "fields.entries[0].power_pct: 300 is not in 0..255" },
        { "{'name':'StateUpdate','species':1,'fields':{'start_index':2,'entries':[{},"
          "{'condition':204}]}}",
          "fields.entries[1].condition: 204 is not in 0..1; a wire code is {\"code\": 204}" },
        { "{'name':'StateUpdate','species':1,'fields':{'start_index':4,'entries':[{'children':[1]"
          "}]}}",
          "fields.entries[0].children: 1 items, but the ship has 2" },
        { "{'name':'StateUpdate','species':1,'fields':{'start_index':0,'entries':[{'power_pct':1"
          "}]}}",
          "fields.entries[0].power_pct: not allowed here: another field excludes it" },
        { "{'name':'StateUpdate','species':1,'fields':{'start_index':0,'entries':[7]}}",
          "fields.entries[0]: 7 is not an object" },
        { "{'name':'StateUpdate','species':1,'fields':{'start_index':0,'entries':"
          "[{},{},{},{},{},{},{},{},{},{},{},{}]}}",
          "fields.entries: 12 items, at most 11" },
        { "{'name':'StateUpdate','species':1,'fields':{'start_index':0,'pairs':[]}}",
          "fields.pairs: only with flags POWER" },
        { "{'name':'SCORE_CHANGE','fields':{'k':3,'numbers':[1,2]}}",
          "fields.numbers: a value is outside the range that the spec allows" },
        { "{'name':'EnterSet','fields':{}}",
          "fields.set_name: missing, or outside what the spec allows" },
        { "{'name':'CollisionEffect','fields':{'contacts':[{'code':[1,2,3]}]}}",
          "fields.contacts[0]: the code must be an array of 4" },
        { "{'layer':'plain','fields':{'messages':[{'message':{'name':'CHAT','fields':{'x':1}}}]}}",
          "fields.messages[0].message.fields.x: no such field here" },
        { "{'layer':'plain','fields':{'messages':[{'message':7}]}}",
          "fields.messages[0].message: not an object" },
        { "{'layer':'plain','fields':{'messages':[{'type':'Name','address':'1.2.3.400'}]}}",
          "fields.messages[0].address: \"1.2.3.400\" is not like \"10.0.0.1\"" },
        { "{'layer':'plain'}", "fields: missing, and so is \"raw\"" },
        { "{'layer':'gamespy','fields':{'a\\\\b':'c'}}",
          "fields: a key or value is empty, too long, or has a backslash or control character" },
        { "{'layer':'gamespy','fields':{}}", "fields: a query needs at least one pair" },
        { "{'raw':'1'}", "raw: no pair of hex digits at character 1" },
    };
    CHECK_REFUSED(cases);
}

TEST(combinations_that_no_reader_accepts_are_refused)
{
    static const refused cases[] = {
        { "{'name':'ObjectCreate','fields':{'object_id':1,'species':1,'snapshot':[{},{}]}}",
          "fields.snapshot: a value is outside the range that the spec allows" },
        { "{'name':'TorpedoFire','fields':{'flags':1,'documented':true,'target':5}}",
          "fields.documented: only with flags mode 2" },
        { "{'name':'SCORE_CHANGE','fields':{'k':1,'numbers':[4,5]}}",
          "fields.numbers: a value is outside the range that the spec allows" },
        { "{'name':'SCORE_CHANGE','fields':{'k':1,'numbers':[]}}",
          "fields.numbers: a value is outside the range that the spec allows" },
        { "{'name':'NewPlayerInGame','fields':{'groups':'C0','flag':true}}",
          "fields.groups: a value is outside the range that the spec allows" },
        { "{'name':'NewPlayerInGame','fields':{'groups':'','flag':true}}",
          "fields.groups: a value is outside the range that the spec allows" },
        { "{'name':'CollisionEffect','fields':{'destination':1,'trailing':'AA'}}",
          "fields.trailing: a value is outside the range that the spec allows" },
        { "{'name':'CollisionEffect','fields':{'destination':1,'extension':'21AA'}}",
          "fields.extension: a value is outside the range that the spec allows" },
        { "{'name':'ChecksumResponse','fields':{'index':1,'no_files':true,'trailing':'AA'}}",
          "fields.trailing: a value is outside the range that the spec allows" },
        { "{'name':'ChecksumResponse','fields':{'index':1,'tree':{'subdir_names':[1,2],"
          "'subdirs':[{}]}}}",
          "fields.tree.subdirs: a value is outside the range that the spec allows" },
        { "{'name':'ChecksumResponse','fields':{'index':1,'tree':{'subdir_names':[1,2]}}}",
          "fields.tree.subdirs: a value is outside the range that the spec allows" },
        { "{'name':'EnterSet','fields':{'set_name':''}}",
          "fields.set_name: a value is outside the range that the spec allows" },
    };
    CHECK_REFUSED(cases);
}

TEST(a_transport_message_is_what_its_name_says)
{
    static const refused cases[] = {
        { "{'layer':'transport','name':'Conect','fields':{'peer_id':2}}",
          "name: \"Conect\" is not a transport message" },
        { "{'layer':'transport','name':'3','fields':{'peer_id':2}}",
          "name: \"3\" is not a transport message" },
        { "{'layer':'transport','name':'Connect','fields':{'type':'Ack'}}",
          "name: \"Connect\" is type 3, but fields.type is 1; remove one of them" },
        { "{'layer':'transport','name':'Connect','side':'client','fields':{'peer_id':2}}",
          "fields.peer_id: only with side host" },
        { "{'layer':'transport'}", "fields: missing, and so is \"raw\"" },
    };
    CHECK_REFUSED(cases);
    static const char *const fine[] = {
        "{'layer':'transport','name':'Data','fields':{'type':'Message'}}",
        "{'layer':'transport','name':'keepalive','fields':{'type':'datamessage'}}",
        "{'layer':'transport','name':'NoOp'}",
    };
    CHECK_ACCEPTED(fine);
}

TEST(facts_stated_twice_in_a_line_must_agree)
{
    static const refused cases[] = {
        { "{'layer':'plain','fields':{'messages':[{'payload':'00','message':{'opcode':1}}]}}",
          "fields.messages[0].payload: payload and message differ; remove one" },
        { "{'name':'StateUpdate','fields':{'speed':{'code':17293,'value':50}}}",
          "fields.speed: code 17293 means 2.9978, not 50; remove one of them" },
        { "{'name':'StateUpdate','fields':{'up':{'code':[0,0,127],'value':[0,1,0]}}}",
          "fields.up: the code means [0,0,1], not [0,1,0]; remove one of them" },
        { "{'name':'StateUpdate','fields':{'up':{'code':[0,0,127],'value':'up'}}}",
          "fields.up: the code means [0,0,1], not that; remove one of them" },
        { "{'name':'StateUpdate','species':1,'fields':{'start_index':4,'entries':[{'children':"
          "{'code':[255,0],'value':[1,1]}}]}}",
          "fields.entries[0].children: the code means [1,0], not [1,1]; remove one of them" },
        { "{'name':'StateUpdate','species':1,'fields':{'start_index':0,'entries':[{},{'subsystem':"
          "'Hull'}]}}",
          "fields.entries[1].subsystem: \"Hull\", but the ship's list has \"Shield Generator\" "
          "here; remove it, or put the entry where it belongs" },
        { "{'name':'CollisionEffect','fields':{'n':3,'contacts':[]}}",
          "fields.n: 3, but the other fields make it 0; remove it, it is computed" },
        { "{'name':'ChecksumResponse','fields':{'tree':{'file_count':'1'}}}",
          "fields.tree.file_count: 1, but the other fields make it 0; remove it, it is computed" },
        { "{'name':'ChecksumResponse','fields':{'tree':{'subdir_count':{}}}}",
          "fields.tree.subdir_count: an object is not a number" },
        { "{'layer':'plain','fields':{'msg_count':0,'messages':[{'type':'NoOp'}]}}",
          "fields.msg_count: 0, but messages has 1; remove it, it is computed" },
        { "{'layer':'plain','fields':{'msg_count':2,'messages':[{'type':'NoOp'}]}}",
          "fields.msg_count: 2, but messages has 1; remove it, it is computed" },
        { "{'layer':'plain','fields':{'msg_count':'2','messages':[{'type':'NoOp'}]}}",
          "fields.msg_count: 2, but messages has 1; remove it, it is computed" },
        { "{'layer':'plain','fields':{'messages':[{'flags_len':2,'payload':'01'}]}}",
          "fields.messages[0].flags_len: 2, but the other fields make it 32774; remove it, it "
          "is computed" },
        { "{'name':'PlayerObjectCreate','species':5,'fields':{'velocity':{'code':[76,101,0],"
          "'magnitude':4.5916e-41,'value':[2.7478e-41,3.6515e-41,0]}}}",
          "fields.velocity: the code means [2.74781e-41,3.65164e-41,0], not "
          "[2.7478e-41,3.6515e-41,0]; remove one of them" },
    };
    CHECK_REFUSED(cases);
    static const char *const fine[] = {
        "{'layer':'plain','fields':{'messages':[{'payload':'01','message':{'opcode':1}}]}}",
        "{'layer':'plain','fields':{'messages':[{'payload':'','message':{'ok':false}}]}}",
        "{'layer':'plain','fields':{'messages':[{'message':{'ok':false,'raw':'FF'}}]}}",
        "{'layer':'plain','fields':{'msg_count':2,'messages':[{'type':'NoOp'}],'rest':'FF'}}",
        ("{'layer':'plain','species':1,'fields':{'messages':[{'message':{'name':'StateUpdate',"
         "'fields':{'start_index':0,'entries':[{}]}}}]}}"),
        "{'name':'StateUpdate','fields':{'speed':{'code':17293,'value':2.9978}}}",
        "{'name':'StateUpdate','fields':{'speed':{'code':17293,'value':null}}}",
    };
    CHECK_ACCEPTED(fine);
}

/* Lines of `decode --json`: a subnormal float is printed with the few digits it needs. */
TEST(velocities_with_a_subnormal_magnitude_are_accepted)
{
    static const char *const fine[] = {
        "{'name':'PlayerObjectCreate','species':5,'fields':{'velocity':{'code':[76,101,0],"
        "'magnitude':1e-45,'value':[1e-45,1e-45,0]}}}",
        "{'name':'PlayerObjectCreate','species':5,'fields':{'velocity':{'code':[76,101,0],"
        "'magnitude':7e-45,'value':[4e-45,6e-45,0]}}}",
        "{'name':'PlayerObjectCreate','species':5,'fields':{'velocity':{'code':[76,101,0],"
        "'magnitude':4.5916e-41,'value':[2.7478e-41,3.6516e-41,0]}}}",
        "{'name':'PlayerObjectCreate','species':5,'fields':{'velocity':{'code':[76,101,0],"
        "'magnitude':-9.1845e-41,'value':[-5.4963e-41,-7.3043e-41,-0.0]}}}",
    };
    CHECK_ACCEPTED(fine);
}

TEST(errors_tell_an_excluded_key_from_a_misspelt_one)
{
    static const refused cases[] = {
        { "{'name':'StateUpdate','fields':{'flags':'POS','speed':1}}",
          "fields.speed: only with flags SPEED" },
        { "{'name':'StateUpdate','fields':{'flags':'POS','spedd':1}}",
          "fields.spedd: no such field here, did you mean \"speed\"?" },
        { "{'name':'TorpedoFire','fields':{'flags':4,'target':1}}",
          "fields.target: only without flags no target" },
        { "{'name':'PythonEvent','fields':{'event_class':257,'lifetime':1}}",
          "fields.lifetime: only with event_class ObjectExplodingEvent" },
        { "{'layer':'plain','fields':{'messages':[{'frag_total':2}]}}",
          "fields.messages[0].frag_total: only with fragment true" },
        { "{'layer':'plain','fields':{'messages':[{'fragment':true,'frag_index':1,"
          "'frag_total':2}]}}",
          "fields.messages[0].frag_total: not allowed here: another field excludes it" },
        { "{'layer':'plain','fields':{'messages':[{'fragment':true},{'frag_total':2}]}}",
          "fields.messages[1].frag_total: not allowed in this item" },
        { "{'layer':'plain','fields':{'messages':[{'type':'Ack','payload':'00'}]}}",
          "fields.messages[0].payload: only with type Name or Connect or Boot or Disconnect or "
          "Data" },
        { "{'name':'ChecksumResponse','fields':{'zork':1}}", "fields.zork: no such field here" },
    };
    CHECK_REFUSED(cases);
}

TEST(reasons_say_what_to_do)
{
    static const refused cases[] = {
        { "{'layer':'gamespy','fields':{'pairs':{'a':'b'}}}", "fields.pairs: must be an array" },
        { "{'layer':'gamespy','fields':{'pairs':[['a','b']],'c':'d'}}",
          "fields.c: not allowed beside \"pairs\"; add it to that list" },
        { "{'name':'ModMessage'}", "name: \"ModMessage\" names several messages: give the opcode" },
        { "{'ok':false,'opcode':1}", "raw: missing; a refused line needs its raw bytes" },
    };
    CHECK_REFUSED(cases);
}

/* clang-format on */
