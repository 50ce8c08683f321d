/* tests/inspect/json/line_test.c -- hand-written lines give the bytes of the spec's examples. */
#include "inspect/json/line.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

static sb_arena         arena;
static sb_json_defaults defaults;
static sb_json_error    error;
static uint8_t          out[1 << 17];

/* The lines in this file have ' in place of ", to be readable in C. */
static sb_result encode(const char *json, size_t *size)
{
    static char line[1 << 16];
    size_t      length = strlen(json);
    CHECK(length < sizeof line);
    for (size_t i = 0; i <= length; i++) line[i] = (char)(json[i] == '\'' ? '"' : json[i]);
    return sb_json_encode_line(line, length, &defaults, &arena, out, sizeof out, size, &error);
}

static void check_bytes(const char *json, const char *hex)
{
    static uint8_t expected[2048];
    size_t         size, expected_size = test_hex(hex, expected, sizeof expected);
    if (encode(json, &size) != SB_OK) FAIL("%s\n    %s", json, error.text);
    sb_arena_free(&arena);
    if (size != expected_size || memcmp(out, expected, size) != 0) printf("    %s\n", json);
    CHECK_BYTES(out, size, expected, expected_size);
}

static void check_error(const char *json, const char *text)
{
    size_t size;
    if (encode(json, &size) == SB_OK) FAIL("%s\n    was accepted", json);
    CHECK_TEXT(error.text, text);
    CHECK_EQ(size, 0);
    sb_arena_free(&arena);
}

typedef struct example {
    const char *json, *hex;
} example;

static void check_examples(const example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) check_bytes(examples[i].json, examples[i].hex);
}

#define CHECK_EXAMPLES(table) check_examples(table, sizeof table / sizeof *table)

/* clang-format off */

TEST(hand_written_state_updates_are_the_examples_of_spec_03_13)
{
    static const example examples[] = {
        { "{'name':'StateUpdate','fields':{'object_id':'0x3FFFFFFF','game_time':28.1875,"
          "'position':[88,-66,-73],'hash':64311,'forward':{'code':[11,104,70]},"
          "'up':{'code':[48,-69,94]},'speed':0,"
          "'pairs':[{'index':1,'level':1},{'index':2,'level':1},{'index':4,'level':1}]}}",
          "1C FF FF FF 3F 00 80 E1 41 9D 00 00 B0 42 00 00 84 C2 00 00 92 C2 21 37 FB 0B 68 46"
          "30 BB 5E 00 00 01 CC 02 CC 04 CC" },
        { "{'opcode':28,'species':'Akira','own':true,'fields':{'object_id':1073741823,"
          "'game_time':38.90625,'start_index':8,'entries':[{'condition':1},"
          "{'condition':1,'children':[1,1]},{'condition':1},{'condition':1},"
          "{'condition':1,'facings':[1,1,1,1,1,1]}]}}",
          "1C FF FF FF 3F 00 A0 1B 42 20 08 FF 60 FF FF FF FF FF FF FF FF FF FF FF FF" },
        { "{'name':'StateUpdate','species':1,'fields':{'object_id':1073741823,'game_time':60,"
          "'position':[100.5,-20.25,3],'forward':[0,1,0],'up':[0,0,1],'speed':6.6,'start_index':2,"
          "'entries':[{'condition':0.8,'power_pct':0.75},"
          "{'condition':1,'main_battery':{'code':240},'backup_battery':1},"
          "{'condition':1,'children':{'code':[255,128]},'power_pct':1.25}]}}",
          "1C FF FF FF 3F 00 00 70 42 3D 00 00 C9 42 00 00 A2 C1 00 00 40 40 66 00 7F 00 00 00 7F"
          "F3 49 02 CC 4B FF F0 FF FF FF 80 7D" },
        { "{'opcode':'StateUpdate','species':'akira','fields':{'object_id':'0x3FFFFFFF',"
          "'game_time':60.1,'delta':[3,4,0],'forward':[0,1,0],'up':[0,0,1],'speed':{'code':18931},"
          "'start_index':5,'entries':[{'condition':1,'children':[1,1,1,1,1,1,1,1],'power_pct':1}]}}",
          "1C FF FF FF 3F 66 66 70 42 3E 4C 65 00 1B 47 00 7F 00 00 00 7F F3 49 05 FF FF FF FF FF"
          "FF FF FF FF 21 64" },
        { "{'name':'stateupdate','fields':{'object_id':'0x4003FFFF','game_time':12.5,"
          "'position':[1,2,3],'forward':[0,1,0],'up':[0,0,1],'speed':0,'cloak':true,"
          "'pairs':[{'index':1,'level':1},{'index':3,'level':1},{'index':4,'level':0.5}]}}",
          "1C FF FF 03 40 00 00 48 41 DD 00 00 80 3F 00 00 00 40 00 00 40 40 42 00 7F 00 00 00 7F"
          "00 00 01 CC 03 CC 04 66" },
        { "{'name':'StateUpdate','fields':{'object_id':'0x4003FFFF','game_time':12.6,"
          "'flags':'CLOAK|POWER','cloak':false,'pairs':[{'index':5,'level':{'code':204}},"
          "{'index':6,'level':{'value':1}},{'index':7,'level':1}]}}",
          "1C FF FF 03 40 9A 99 49 41 C0 20 05 CC 06 CC 07 CC" },
    };
    CHECK_EXAMPLES(examples);
}

/* Spec 03 §2: the source gives no flags. */
TEST(each_part_of_a_state_update_sets_its_flag)
{
    static const example examples[] = {
        { "{'name':'StateUpdate','fields':{'position':[1,2,3],'has_hash':true}}",
          "1C 00 00 00 00 00 00 00 00 01 00 00 80 3F 00 00 00 40 00 00 40 40 21 00 00" },
        { "{'name':'StateUpdate','fields':{'up':[0,0,1]}}",
          "1C 00 00 00 00 00 00 00 00 08 00 00 7F" },
        { "{'name':'StateUpdate','fields':{'forward':[0,0,1]}}",
          "1C 00 00 00 00 00 00 00 00 04 00 00 7F" },
        { "{'name':'StateUpdate','fields':{'delta':[0,0,1]}}",
          "1C 00 00 00 00 00 00 00 00 02 00 00 7F FE 3F" },
        { "{'name':'StateUpdate','fields':{'speed':1}}",
          "1C 00 00 00 00 00 00 00 00 10 FE 3F" },
        { "{'name':'StateUpdate','fields':{'cloak':true}}",
          "1C 00 00 00 00 00 00 00 00 40 21" },
        { "{'name':'StateUpdate','fields':{'pairs':[]}}",
          "1C 00 00 00 00 00 00 00 00 80" },
        { "{'name':'StateUpdate','species':'akira','fields':{'entries':[{}]}}",
          "1C 00 00 00 00 00 00 00 00 20 00 FF" },
    };
    CHECK_EXAMPLES(examples);
}

/* An intact ship with its power at 100 % and its cloak off; photon torpedoes; no limits; no team. */
TEST(keys_that_a_line_lacks_have_sensible_defaults)
{
    static const example examples[] = {
        { "{'name':'StateUpdate','species':'akira','fields':{'start_index':0,'entries':[{},{},"
          "{},{},{},{},{},{},{},{},{}]}}",
          "1C 00 00 00 00 00 00 00 00 20 00 FF FF A0 FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF"
          "FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF 60 FF FF FF FF FF" },
        { "{'name':'StateUpdate','species':'akira','fields':{'start_index':9,'entries':[{},{},"
          "{},{'has_power':true}]}}",
          "1C 00 00 00 00 00 00 00 00 20 09 FF FF FF 42 FF FF FF 64 FF FF FF FF FF FF" },
        { "{'name':'StateUpdate','species':'akira','fields':{'start_index':0,'block':'AABB'}}",
          "1C 00 00 00 00 00 00 00 00 20 00 AA BB" },
        { "{'name':'StateUpdate','species':'akira','fields':{'start_index':11,'block':'AABB'}}",
          "1C 00 00 00 00 00 00 00 00 20 0B AA BB" },
        { "{'name':'ObjectCreate','fields':{'object_id':1,'species':'birdofprey'}}",
          "02 00 08 80 00 00 01 00 00 00 06 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3F 00 00"
          "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 FF FF 64 FF FF FF FF FF FF FF"
          "FF FF FF FF FF 64 40 FF FF 64 00 FF FF 64 FF FF FF 64 FF 9C FF 64 FF 64" },
        { "{'name':'ObjectCreate','fields':{'object_id':1,'species':'akira'}}",
          "02 00 08 80 00 00 01 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3F 00 00"
          "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 FF FF 64 FF FF FF FF FF FF FF"
          "64 FF FF FF FF FF FF 64 FF FF FF FF FF FF FF FF FF 64 60 01 FF FF FF 64 FF FF FF FF FF"
          "FF FF 64 00 FF 64 FF FF FF 64 01 FF" },
        { "{'name':'ObjectCreate','fields':{'object_id':1,'species':200}}",
          "02 00 08 80 00 00 01 00 00 00 C8 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3F 00 00"
          "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00" },
        { "{'name':'ObjectCreate','fields':{'object_id':1,'species':200,'opaque':'AA'}}",
          "02 00 08 80 00 00 01 00 00 00 C8 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3F 00 00"
          "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 AA" },
        { "{'name':'ObjectCreate','fields':{'object_id':1,'species':1,'opaque':'AA'}}",
          "02 00 08 80 00 00 01 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3F 00 00"
          "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 AA" },
        { "{'name':'ObjectCreate','fields':{'class_id':'torpedo','object_id':1,'species':2}}",
          "02 00 09 80 00 00 01 00 00 00 02" },
        { "{'name':'PlayerObjectCreate','fields':{'object_id':1}}",
          "03 00 00 08 80 00 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 3F 00"
          "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00" },
        { "{'name':'TorpedoFire','fields':{'flags':2,'documented':true,'target':5}}",
          "19 00 00 00 00 02 02 00 00 00 05 00 00 00 00 00 00 00 00" },
        { "{'name':'TorpedoFire','fields':{'flags':6,'documented':true,'target':5}}",
          "19 00 00 00 00 02 06 00 00 00 05 00 00 00 00 00 00 00 00" },
        { "{'name':'TorpedoFire','fields':{'flags':4}}",
          "19 00 00 00 00 02 04 00 00 00" },
        { "{'name':'PulseFire','fields':{'flags':2}}",
          "1A 00 00 00 00 02 00 00 00 02 00 00 00 00" },
        { "{'name':'SCORE_CHANGE','fields':{'killer':3}}",
          "36 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00" },
        { "{'name':'SCORE_CHANGE','fields':{'k':1,'numbers':[4]}}",
          "36 00 00 00 00 00 00 00 00 00 00 00 00 01 04 00 00 00" },
        { "{'opcode':63}",
          "3F 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 FF" },
        { "{'opcode':64}",
          "40 00 00 00 00 00 00 00 00 00" },
        { "{'name':'MISSION_INIT','fields':{'end_time':7}}",
          "35 08 01 00 07 00 00 00 FF" },
        { "{'name':'MISSION_INIT','fields':{'time_limit':7}}",
          "35 08 01 07 00 00 00 00 FF" },
        { "{'name':'Settings','fields':{'correction':'AA'}}",
          "00 00 00 00 00 64 00 00 00 AA" },
        { "{'name':'Settings','fields':{'checksum_flag':true}}",
          "00 00 00 00 00 64 00 00 00" },
        { "{'name':'Settings','fields':{'checksum_flag':false}}",
          "00 00 00 00 00 60 00 00 00" },
        { "{'name':'NewPlayerInGame','fields':{'groups':'BF','flag':true}}",
          "2A BF" },
        { "{'name':'CollisionEffect','fields':{'destination':1,'trailing':''}}",
          "15 24 81 00 00 50 00 80 00 00 00 00 00 01 00 00 00 00 00 00 00 00" },
        { "{'name':'ChecksumResponse','fields':{'index':1,'tree':{'subdir_names':[1,2],"
          "'subdirs':[{},{'files':[{}]}]}}}",
          "21 01 00 00 00 00 00 00 02 01 00 00 00 02 00 00 00 00 00 00 01 00 00 00 00 00 00 00 00"
          "00 00" },
        { "{'name':'EnterSet','fields':{'set_name':'a'}}",
          "1F 00 00 00 00 02 00 00 00 61 00" },
        { "{'layer':'transport','fields':{}}", "32 05 80 00 00" },
        { "{'layer':'transport','fields':{'fragment':true}}", "32 07 A0 00 00 00 02" },
        { "{'layer':'transport','fields':{'fragment':true,'frag_index':1}}", "32 06 A0 00 00 01" },
        { "{'layer':'transport','fields':{'type':'Ack'}}", "01 00 00 00" },
        { "{'layer':'transport','fields':{'type':'Ack','flags':'fragment'}}", "01 00 00 01 00" },
        { "{'layer':'transport','fields':{'type':'Name'}}", "00 0C C0 00 00 00 00 00 00 00 00 00" },
        { "{'layer':'transport','fields':{'type':'Connect'}}",
          "03 0F C0 00 00 00 00 00 00 00 00 00 00 00 00" },
        { "{'layer':'transport','fields':{'type':'Boot'}}", "04 07 C0 00 00 00 00" },
        { "{'layer':'transport','fields':{'type':'Disconnect','reliable':false}}",
          "05 08 40 00 00 00 00 00" },
    };
    CHECK_EXAMPLES(examples);
}

TEST(hand_written_join_messages_are_the_examples_of_spec_06)
{
    static const example examples[] = {
        { "{'name':'Settings','fields':{'game_time':33.25,'collision_damage':true,"
          "'map':'Multiplayer.Episode.Mission1.Mission1'}}",
          "00 00 00 05 42 61 00 25 00 4D 75 6C 74 69 70 6C 61 79 65 72 2E 45 70 69 73 6F 64 65 2E"
          "4D 69 73 73 69 6F 6E 31 2E 4D 69 73 73 69 6F 6E 31" },
        { "{'name':'GameInit'}", "01" },
        { "{'opcode':1,'fields':{}}", "01" },
        { "{'name':'ChecksumRequest','fields':{'index':0,'directory':'scripts/',"
          "'filter':'App.pyc'}}",
          "20 00 08 00 73 63 72 69 70 74 73 2F 07 00 41 70 70 2E 70 79 63 20" },
        { "{'name':'ChecksumResponse','fields':{'index':0,'ref_hash':'0x7E0CE243',"
          "'dir_hash':'0x4DAFCB2F','tree':{'files':[{'name_hash':'0x373EB677',"
          "'content_hash':'0xF8A0A768'}]}}}",
          "21 00 43 E2 0C 7E 2F CB AF 4D 01 00 77 B6 3E 37 68 A7 A0 F8 00" },
        { "{'name':'ChecksumResponse','fields':{'index':1,'dir_hash':'0x4DAFCB30',"
          "'no_files':true}}",
          "21 01 30 CB AF 4D" },
        { "{'name':'SCORE_CHANGE','fields':{'victim':2,'deaths':1,'k':2,'numbers':[4,-3,7]}}",
          "36 00 00 00 00 02 00 00 00 01 00 00 00 02 04 00 00 00 FD FF FF FF 07 00 00 00" },
        { "{'name':'SystemChecksumFail','fields':{'name':'App.pyc'}}",
          "22 07 00 41 70 70 2E 70 79 63" },
        { "{'name':'VersionMismatch','fields':{'name':'App.pyc'}}",
          "23 07 00 41 70 70 2E 70 79 63" },
        { "{'name':'NewPlayerInGame'}", "2A 20" },
        { "{'name':'NewPlayerInGame','fields':{'has_flag':false}}", "2A" },
        { "{'name':'UICollisionSetting','fields':{'collision_damage':true}}", "16 21" },
        { "{'name':'UICollisionSetting','fields':{'collision_damage':0}}", "16 20" },
    };
    CHECK_EXAMPLES(examples);
}

TEST(hand_written_objects_are_the_examples_of_spec_07)
{
    static const example examples[] = {
        { "{'name':'PlayerObjectCreate','fields':{'peer_id':2,'object_id':'0x3FFFFFFF',"
          "'species':'Sovereign','position':[38,-49,-35],"
          "'orientation':[0.77177918,-0.63589066,-3.3608451e-8,-1.37691005e-8],"
          "'name':'Cady2','set_name':'Multi1'}}",
          "03 00 02 08 80 00 00 FF FF FF 3F 05 00 00 18 42 00 00 44 C2 00 00 0C C2 52 93 45 3F BB"
          "C9 22 BF E2 58 10 B3 25 8D 6C B2 00 00 00 00 00 00 00 05 43 61 64 79 32 06 4D 75 6C 74"
          "69 31 FF FF 64 FF FF FF FF FF FF FF 64 FF FF FF FF FF FF 64 FF FF FF FF FF FF FF 64 60"
          "00 FF 64 FF FF FF FF FF FF FF FF FF 64 01 FF FF FF FF FF 64 01 FF FF FF 64 FF" },
        { "{'name':'DestroyObject','fields':{'object_id':'0x4003FFFF'}}", "14 FF FF 03 40" },
        { "{'name':'EnterSet','fields':{'object_id':'0x3FFFFFFF','set_name':'Multi1'}}",
          "1F FF FF FF 3F 07 00 00 00 4D 75 6C 74 69 31 00" },
        { "{'name':'EnterSet','fields':{'object_id':'0x3FFFFFFF','unterminated':true,"
          "'set_name':'Multi1'}}",
          "1F FF FF FF 3F 06 00 00 00 4D 75 6C 74 69 31" },
        { "{'name':'DeletePlayerUI','fields':{'destination':1615,'peer_id':2}}",
          "17 66 08 00 00 F1 00 80 00 00 00 00 00 4F 06 00 00 02" },
        { "{'name':'PlayerLeftText','fields':{'name':'Alpha'}}", "18 05 00 41 6C 70 68 61" },
    };
    CHECK_EXAMPLES(examples);
}

TEST(hand_written_events_are_the_examples_of_spec_08)
{
    static const example examples[] = {
        { "{'name':'PythonEvent','fields':{'event_code':'ADD_TO_REPAIR_LIST',"
          "'source':'0x40000002','destination':'0x40000018'}}",
          "06 01 01 00 00 DF 00 80 00 02 00 00 40 18 00 00 40" },
        { "{'name':'PythonEvent','fields':{'event_code':'REPAIR_COMPLETED','source':'0x40080075',"
          "'destination':'0x40080068','third':'0x40080072'}}",
          "06 0C 01 00 00 74 00 80 00 75 00 08 40 68 00 08 40 72 00 08 40" },
        { "{'name':'PythonEvent','fields':{'event_code':'REPAIR_CANNOT_BE_COMPLETED',"
          "'source':'0x40000018','destination':'0x3FFFFFFF','third':'0x4000001C'}}",
          "06 0C 01 00 00 75 00 80 00 18 00 00 40 FF FF FF 3F 1C 00 00 40" },
        { "{'name':'PythonEvent','fields':{'event_code':'OBJECT_EXPLODING',"
          "'destination':'0x3FFFFFFF','lifetime':9.5}}",
          "06 29 81 00 00 4E 00 80 00 00 00 00 00 FF FF FF 3F 00 00 00 00 00 00 18 41" },
        { "{'name':'PythonEvent','fields':{'event_class':'ObjectExplodingEvent',"
          "'event_code':8388686,'source':'0x4003FFFF','destination':'0x3FFFFFFF','killer':3,"
          "'lifetime':9.5}}",
          "06 29 81 00 00 4E 00 80 00 FF FF 03 40 FF FF FF 3F 03 00 00 00 00 00 18 41" },
        { "{'name':'StartFiring','fields':{'destination':'0x40000005'}}",
          "07 28 81 00 00 D8 00 80 00 00 00 00 00 05 00 00 40 00 00 00 00 00 00 00 00" },
        { "{'name':'StopFiring','fields':{'destination':'0x40000005'}}",
          "08 01 01 00 00 DA 00 80 00 00 00 00 00 05 00 00 40" },
        { "{'name':'StopFiringAtTarget','fields':{'destination':'0x40000019',"
          "'third':'0x4003FFFF'}}",
          "09 0C 01 00 00 DC 00 80 00 00 00 00 00 19 00 00 40 FF FF 03 40" },
        { "{'name':'SubsystemStatusChanged','fields':{'destination':'0x40000001','value':0}}",
          "0A 04 01 00 00 DD 00 80 00 00 00 00 00 01 00 00 40 00" },
        { "{'name':'TargetChanged','fields':{'destination':'0x3FFFFFFF','third':'0x4003FFFF'}}",
          "0D 0C 01 00 00 58 00 80 00 00 00 00 00 FF FF FF 3F FF FF 03 40" },
        { "{'name':'StartCloaking','fields':{'destination':'0x4000000B'}}",
          "0E 01 01 00 00 E2 00 80 00 00 00 00 00 0B 00 00 40" },
        { "{'name':'StartWarp','fields':{'destination':'0x3FFFFFFF','set_name':'Multi2',"
          "'warp_to':[100,-50,0],'warp_speed':9.5}}",
          "10 2A 81 00 00 EC 00 80 00 00 00 00 00 FF FF FF 3F 06 4D 75 6C 74 69 32 00 00 C8 42 00"
          "00 48 C2 00 00 00 00 00 00 18 41" },
        { "{'name':'RepairListPriority','fields':{'destination':'0x40000018',"
          "'third':'0x4000000D'}}",
          "11 0C 01 00 00 76 00 80 00 00 00 00 00 18 00 00 40 0D 00 00 40" },
        { "{'name':'SetPhaserLevel','fields':{'destination':'0x40000019','value':2}}",
          "12 05 01 00 00 E0 00 80 00 00 00 00 00 19 00 00 40 02" },
        { "{'name':'CollisionEffect','fields':{'destination':'0x3FFFFFFF',"
          "'contacts':[{'code':[13,126,0,217]}],'force':1281.02283}}",
          "15 24 81 00 00 50 00 80 00 00 00 00 00 FF FF FF 3F 01 0D 7E 00 D9 BB 20 A0 44" },
        { "{'name':'TorpedoTypeChange','fields':{'destination':'0x40000005','value':1}}",
          "1B 05 01 00 00 FE 00 80 00 00 00 00 00 05 00 00 40 01" },
        { "{'name':'TorpedoFire','fields':{'tube':'0x40000006','direction':[0.6,0.8,0]}}",
          "19 06 00 00 40 02 05 4C 65 00" },
        { "{'name':'TorpedoFire','fields':{'tube':'0x40000007',"
          "'projectile_type':'QuantumTorpedo','direction':[0,1,0],'target':'0x4003FFFF',"
          "'aim':{'code':[0,-123,30,131]}}}",
          "19 07 00 00 40 03 01 00 7F 00 FF FF 03 40 00 85 1E 83" },
        { "{'name':'PulseFire','fields':{'weapon':'0x40000077','direction':{'code':[117,14,-46]},"
          "'target':'0x40080068'}}",
          "1A 77 00 00 40 02 75 0E D2 03 68 00 08 40" },
        { "{'name':'PulseFire','fields':{'weapon':'0x40000008','direction':{'code':[84,90,30]}}}",
          "1A 08 00 00 40 02 54 5A 1E 01" },
        { "{'name':'Explosion','fields':{'object_id':'0x4003FFFF','centre':{'code':[0,127,0,24666]},"
          "'radius':25,'strength':1499}}",
          "29 FF FF 03 40 00 7F 00 5A 60 AA 52 E3 70" },
    };
    CHECK_EXAMPLES(examples);
}

TEST(hand_written_script_messages_are_the_examples_of_spec_09)
{
    static const example examples[] = {
        { "{'name':'CHAT','fields':{'sender':2,'text':'hello'}}",
          "2C 02 00 00 00 05 00 68 65 6C 6C 6F" },
        { "{'name':'MISSION_INIT'}", "35 08 01 FF FF" },
        { "{'name':'MISSION_INIT','fields':{'time_limit':20,'end_time':1233,'frag_limit':15}}",
          "35 08 01 14 D1 04 00 00 0F" },
        { "{'name':'SCORE_CHANGE','fields':{'victim':2,'deaths':1}}",
          "36 00 00 00 00 02 00 00 00 01 00 00 00 00" },
        { "{'name':'END_GAME','fields':{'reason':'time up'}}", "38 01 00 00 00" },
        { "{'name':'RESTART_GAME'}", "39" },
        { "{'opcode':205,'fields':{'content':'2A000000'}}", "CD 2A 00 00 00" },
        { "{'opcode':'0xCD','name':'ModMessage','fields':{'content':'2A 00 00 00'}}",
          "CD 2A 00 00 00" },
    };
    CHECK_EXAMPLES(examples);
}

TEST(hand_written_datagrams_are_the_examples_of_spec_01_11)
{
    static const example examples[] = {
        { "{'layer':'plain','fields':{'peer_id':255,'messages':[{'type':'Connect',"
          "'address':'10.10.10.239','opaque':30969}]}}",
          "FF 01 03 0F C0 00 00 0A 0A 0A EF F9 78 00 00 00 00" },
        { "{'layer':'plain','fields':{'messages':[{'type':'Ack','flags':'control'},"
          "{'type':'Connect','peer_id':2},"
          "{'message':{'name':'ChecksumRequest','fields':{'directory':'scripts/','filter':"
          "'App.pyc'}}}]}}",
          "01 03 01 00 00 02 03 06 C0 00 00 02 32 1B 80 00 00 20 00 08 00 73 63 72 69 70 74 73 2F"
          "07 00 41 70 70 2E 70 79 63 20" },
        { "{'layer':'datagram','fields':{'messages':[{'type':'Ack','flags':'control'},"
          "{'type':'Connect','peer_id':2},"
          "{'message':{'name':'ChecksumRequest','fields':{'directory':'scripts/','filter':"
          "'App.pyc'}}}]}}",
          "01 D5 3B DE 6B 28 F7 D1 7F 1A 5A B8 B7 48 A7 78 73 C0 DE 8E 6F 68 0D 6F 01 3D 2A 33 DF"
          "7B B1 F5 8D 15 2A 91 73 8D 4E" },
        { "{'layer':'plain','fields':{'messages':[{'type':'Name','seq':1,'peer_id':2,"
          "'address':'10.10.10.239','name':'Cady2'}]}}",
          "01 01 00 16 C0 01 00 02 0A 0A 0A EF 43 00 61 00 64 00 79 00 32 00 00 00" },
        { "{'layer':'plain','fields':{'peer_id':2,'messages':[{'seq':5,'payload':'2A 20'}]}}",
          "02 01 32 07 80 05 00 2A 20" },
        { "{'layer':'datagram','fields':{'peer_id':2,'messages':[{'seq':5,'payload':'2A20'}]}}",
          "02 D7 02 D4 22 78 8A B6 03" },
        { "{'layer':'plain','species':1,'fields':{'messages':[{'reliable':false,'message':{"
          "'name':'StateUpdate','fields':{'object_id':1073741823,'game_time':38.90625,"
          "'flags':32,'start_index':8}}}]}}",
          "01 01 32 0E 00 1C FF FF FF 3F 00 A0 1B 42 20 08" },
        { "{'layer':'plain','fields':{'messages':[{'type':'Ack','seq':9,'flags':'fragment',"
          "'frag_index':0},{'type':1,'seq':9,'flags':1,'frag_index':1}]}}",
          "01 02 01 09 00 01 00 01 09 00 01 01" },
        { "{'layer':'plain','fields':{'messages':[{'type':'Boot','seq':5,'reason':'timed out',"
          "'peer_id':3}]}}",
          "01 01 04 07 C0 05 00 01 03" },
        { "{'layer':'transport','side':'host','fields':{'type':'Connect','peer_id':2}}",
          "03 06 C0 00 00 02" },
        { "{'layer':'transport','side':'client','fields':{'type':'Connect','opaque':1}}",
          "03 0F C0 00 00 00 00 00 00 01 00 00 00 00 00" },
        { "{'layer':'transport','fields':{'type':'NoOp'}}", "02" },
        { "{'layer':'transport','name':'Connect','fields':{'peer_id':2}}", "03 06 C0 00 00 02" },
        { "{'layer':'transport','name':'ConnectAckMessage','fields':{'opaque':1}}",
          "03 0F C0 00 00 00 00 00 00 01 00 00 00 00 00" },
        { "{'layer':'transport','fields':{'seq':1,'message':{'opcode':205,'fields':"
          "{'content':'2A000000'}}}}",
          "32 0A 80 01 00 CD 2A 00 00 00" },
    };
    CHECK_EXAMPLES(examples);
}

TEST(hand_written_queries_are_the_texts_of_spec_05)
{
    static const example examples[] = {
        { "{'layer':'gamespy','fields':{'status':''}}", "5C 73 74 61 74 75 73 5C" },
        { "{'layer':'gamespy','fields':{'pairs':[{'key':'status','value':''}],'end':'key'}}",
          "5C 73 74 61 74 75 73" },
        { "{'layer':'gamespy','fields':{'pairs':[['a','b'],['c','\\u20AC']],'end':'backslash'}}",
          "5C 61 5C 62 5C 63 5C 80 5C" },
        { "{'layer':'gamespy','fields':{'maxplayers':8,'final':'','queryid':'2.1'}}",
          "5C 6D 61 78 70 6C 61 79 65 72 73 5C 38 5C 66 69 6E 61 6C 5C 5C 71 75 65 72 79 69 64 5C"
          "32 2E 31" },
    };
    CHECK_EXAMPLES(examples);
}

TEST(raw_is_given_back_without_fields_or_when_the_line_is_not_ok)
{
    static const example examples[] = {
        { "{'raw':'1cff'}", "1C FF" },
        { "{'ok':false,'layer':'message','opcode':28,'name':'StateUpdate','error':'TRUNCATED',"
          "'offset':2,'raw':'1CFF','undecoded':'FF'}", "1C FF" },
        { "{'ok':false,'layer':'plain','raw':'02 02 01','fields':{'nonsense':1}}", "02 02 01" },
        { "{'ok':true,'opcode':1,'raw':'FF','fields':{}}", "01" },
        { "{'ok':false,'layer':'message','raw':''}", "" },
    };
    CHECK_EXAMPLES(examples);
}

TEST(values_take_every_documented_form)
{
    static const example examples[] = {
        { "{'name':'CHAT','fields':{'sender':-1,'text':'\\u20ACA\\u0000\\u0081'}}",
          "2C FF FF FF FF 04 00 80 41 00 81" },
        { "{'name':'CHAT','fields':{'sender':'0x2','text':{'hex':'48 69'}}}",
          "2C 02 00 00 00 02 00 48 69" },
        { "{'name':'CHAT','fields':{'sender':null}}", "2C 00 00 00 00 00 00" },
        { "{'name':'CHAT','fields':{'trailing':'FF00'}}", "2C 00 00 00 00 00 00 FF 00" },
        { "{'name':'StateUpdate','fields':{'flags':['POS','UP']}}",
          "1C 00 00 00 00 00 00 00 00 09 00 00 00 00 00 00 00 00 00 00 00 00 20 00 00 00" },
        { "{'name':'StateUpdate','fields':{'game_time':-3.4028235e38,'flags':0}}",
          "1C 00 00 00 00 FF FF 7F FF 00" },
        { "{'name':'StateUpdate','fields':{'game_time':-0,'flags':{'code':0}}}",
          "1C 00 00 00 00 00 00 00 80 00" },
        { "{'name':'StateUpdate','fields':{'flags':'0x10|CLOAK_STATE','speed':-1}}",
          "1C 00 00 00 00 00 00 00 00 50 FE BF 20" },
        { "{'name':'MISSION_INIT','fields':{'system':{'code':3,'name':'whatever'}}}",
          "35 08 03 FF FF" },
        { "{'layer':'transport','fields':{'type':'Name','name':'\\uD83D\\uDE80'}}",
          "00 10 C0 00 00 00 00 00 00 00 3D D8 80 DE 00 00" },
        { "{'layer':'transport','fields':{'type':'Name','name':{'hex':'4100'}}}",
          "00 0C C0 00 00 00 00 00 00 00 41 00" },
        { "{'name':'DamageVolume','fields':{'centre':{'value':[0,0,0]},'radius':{'value':25},"
          "'strength':{'code':28899,'value':null}}}",
          "29 00 00 00 00 00 00 00 00 00 AA 52 E3 70" },
        { "{'name':'NewPlayerInGame','fields':{'groups':'40','flag':true}}", "2A 41" },
    };
    CHECK_EXAMPLES(examples);
}

TEST(a_snapshot_takes_switches_as_codes_and_as_signed_values)
{
    /* The second entry of the Akira's list is its shield generator (spec 03). */
    static const char *const powers[] = { "{'code':-100}", "-1", "{'value':1,'on':false}" };
    for (size_t i = 0; i < 3; i++) {
        char json[1024];
        snprintf(json, sizeof json,
                 "{'name':'ObjectCreate','fields':{'species':'Akira','snapshot':[{},"
                 "{'subsystem':'Shield Generator','power':%s,'facings':[1,1,1,1,1,0]},{},{},{},{},{},"
                 "{},{},{},{}]}}", powers[i]);
        size_t size;
        if (encode(json, &size) != SB_OK) FAIL("%s", error.text);
        /* 1 opcode, 1 slot, 4 class, 4 id, 1 species, 12 + 16 + 7, 2 empty texts, hull, condition */
        CHECK_EQ(out[49], 0xFF);
        CHECK_EQ(out[50], 0x9C);
        CHECK_EQ(out[56], 0x00);
    }
    sb_arena_free(&arena);
}

/* clang-format on */

TEST(keys_that_decode_adds_to_a_line_are_ignored)
{
    check_bytes("{'ok':true,'layer':'message','opcode':1,'name':'GameInit','fields':{},'raw':'01',"
                "'time':1.5,'from':'1.2.3.4:1','to':'1.2.3.4:2','side':'host','late':true,"
                "'peer_id':1,'datagram':3,'number':4,'transport':{},'retransmission':true,'gap':2,"
                "'fragments':2}",
                "01");
}

TEST(defaults_give_the_ship_to_lines_without_one)
{
    const char *json = "{'name':'StateUpdate','fields':{'start_index':10,'entries':[{}]}}";
    defaults.context.ship = sb_find_ship_by_name(sb_stock_ships(), "akira");
    check_bytes(json, "1C 00 00 00 00 00 00 00 00 20 0A FF");
    defaults.context.ship = NULL;
    check_error(json, "fields.entries: needs a ship: add \"species\" beside \"fields\"");
}

TEST(deep_and_long_lines_are_refused)
{
    static char deep[1 << 16];
    size_t      size;
    memset(deep, '[', sizeof deep - 1);
    CHECK(encode(deep, &size) != SB_OK);

    static char trees[1 << 12] = "{'name':'ChecksumResponse','fields':{'tree':";
    for (int i = 0; i < 12; i++) strcat(trees, "{'subdir_names':[1],'subdirs':[");
    strcat(trees, "{}");
    for (int i = 0; i < 12; i++) strcat(trees, "]}");
    strcat(trees, "}}");
    CHECK(encode(trees, &size) != SB_OK);
    CHECK(strstr(error.text, "outside what the spec allows"));

    CHECK_EQ(sb_json_encode_line(deep, SB_JSON_LINE_MAX + (size_t)1, &defaults, &arena, out,
                                 sizeof out, &size, &error),
             SB_FULL);
    sb_arena_free(&arena);
}

TEST(bytes_that_do_not_fit_are_an_error)
{
    const char *json = "{\"name\":\"CHAT\",\"fields\":{\"text\":\"hello\"}}";
    size_t      size;
    for (size_t capacity = 0; capacity < 12; capacity++)
        CHECK_EQ(sb_json_encode_line(json, strlen(json), &defaults, &arena, out, capacity, &size,
                                     &error),
                 SB_BAD_VALUE);
    CHECK_TEXT(error.text, "fields.text: too many bytes");
    CHECK_EQ(sb_json_encode_line(json, strlen(json), &defaults, &arena, out, 12, &size, &error),
             SB_OK);
    sb_arena_free(&arena);
}
