-- Messages of a mod, for `starbase decode --define examples/mod_messages.lua` (also encode and
-- messages). docs/mods.md explains the form.
return {
  {
    type = 0xCD,                     -- opcode: 0x2B, 0x2E-0x34, 0x3A-0x3E or 0x42-0xFF
    name = "WARP_CORE",
    fields = {                       -- in the order in which the script writes them
      { "ship", "id" },              -- name, kind
      { "text", "lstr16" },
    },
  },
  {
    type = 0xCE,
    name = "FLEET",
    fields = {
      { "mode", "u8" },
      { "target", "id", when = "mode is 1,2" },
      { "speed", "f32", unit = "game units/s", when = "mode is not 0" },
      { "ships", "list", count = "u8", fields = {
        { "ship", "id" },
        { "hull", "ratio" },
      } },
    },
  },
}
