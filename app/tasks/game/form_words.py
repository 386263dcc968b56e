"""Descriptions of a block's keys that speak of files or other keys, and the words of a form in their place."""

from collections.abc import Mapping

from app.tasks.game.games import phases

IN_A_GAME_FILE = (
    "A mapping, a list of them, the name of a preset (`grid` is all published ones), or "
    "`{sample: main+variants+random}` with the settings of a sample."
)
IN_FORMS: Mapping[str, str] = {
    f" {IN_A_GAME_FILE}": " One choice of parameters, several, or a published set.",
    **{f"Seconds for {name} ({games}).": "" for name, games in phases().values()},
    "Seconds for a move in a phase that has no key here.": "",
    "; no longer than the configuration's `max_length`": "; a game may have a bound of its own",
    ", in minor units of the currency": "",
    "Minor units of the currency for one unit of the game, such as 0.02.": "",
    "ISO 4217, such as `GBP`.": "Three letters (ISO 4217), such as `GBP`.",
    " Or a CSV file with the columns `id`, `ask`, `options` (with `|` between them) and `answer`.": "",
    "The agent that takes an `any` seat at the bound; one of the game's own unless said.": "",
    "The agent that takes the seat, as for `game play`; one of the game's own unless said, and where it cannot take "
    "that seat.": "",
    ", or one entry for all: `human`, `any` (a person, or an agent at the bound), or an agent as for `game play`, such "
    "as `adaptive:beta=0.2`": ", one choice for all of them or one for each",
    "What a point takes, where `fixed`.": "",
    "Of sampling; null leaves it to the server.": "Of sampling.",
    "Parameters of every agent `model` of this block, as for `game play`: `model`, `persona`, `temperature`, `system` "
    "and so on.": "Of every language model of this block; what is empty is as usual.",
    "Texts of personas by name, beside the ready ones.": "Beside the ready ones. A line that begins with a space goes "
    "on with the text of the one before.",
    "What is taken: main, variants and random, joined by +.": "The words main, variants and random, joined by +.",
}
"""The same in a form, which knows no files, no presets by name and no other keys."""
