-- data/systems.lua -- the star systems of matches.
--
-- `index` is byte 2 of MISSION_INIT. Ships appear in `start_set`, whose name is sent in
-- PlayerObjectCreate and EnterSet (spec 07 §10). Figures: docs/facts/maps.csv. Observed: the start
-- sets of 1 and 9 and the label of 1. The other start sets are documented; the other labels are
-- guesses.

return {
    {
        index = 1, name = "Multi1", start_set = "Multi1", script = "Systems.Multi1.Multi1",
        label = "Asteroids",
    },
    {
        index = 2, name = "Multi2", start_set = "Multi2", script = "Systems.Multi2.Multi2",
        label = "Cloudy",
    },
    {
        index = 3, name = "Multi3", start_set = "Multi3", script = "Systems.Multi3.Multi3",
        label = "Planetorama",
    },
    {
        index = 4, name = "Multi4", start_set = "Multi4", script = "Systems.Multi4.Multi4",
        label = "Showers",
    },
    {
        index = 5, name = "Multi5", start_set = "Multi5", script = "Systems.Multi5.Multi5",
        label = "Space",
    },
    {
        index = 6, name = "Multi6", start_set = "Multi6", script = "Systems.Multi6.Multi6",
        label = "StarSystem",
    },
    {
        index = 7, name = "Multi7", start_set = "Multi7", script = "Systems.Multi7.Multi7",
        label = "Sunny",
    },
    {
        index = 8, name = "Albirea", start_set = "Albirea3", script = "Systems.Albirea.Albirea",
        label = "Albirea", campaign = true, other_sets = { "Albirea1", "Albirea2" },
    },
    {
        index = 9, name = "Poseidon", start_set = "Poseidon2", script = "Systems.Poseidon.Poseidon",
        label = "Poseidon", campaign = true, other_sets = { "Poseidon1" },
    },
}
