"""The columns of a file of verdicts, and of a file of pairs without votes."""

from collections.abc import Sequence

from analysis.data.columns import MEMBERS, Column

VERDICTS = (*MEMBERS, "tie")

SCALES = ("probability", "support")

# A metric that scores single items may call its columns so; they are read as those of a row about a clip.
OF_ITEMS = {"item": "stimulus", "value": "score"}


def with_items_named(names: Sequence[str]) -> dict[str, str]:
    """The renaming of columns in a table of verdicts: none unless it is about items and neither pairs nor clips."""
    of_items = "item" in names and not {"pair", "stimulus"} & set(names)
    return {name: ours for name, ours in OF_ITEMS.items() if of_items and name in names and ours not in names}


VERDICT_COLUMNS: tuple[Column, ...] = (
    Column("judge", "text", "", "who judged", required=True),
    Column("run", "text", "", "which repeat of the judge (a trained copy, a seed); empty where there is one"),
    Column("study", "text", "", "the study's slug; needed where two studies share names of pairs"),
    Column("pair", "text", "", "the pair judged; in a row about one clip empty"),
    Column("stimulus", "text", "", "the clip judged; in a row about a pair empty"),
    Column("choice", "text", "", "the member that is more human-like; of a pair only", allowed=VERDICTS),
    Column(
        "score",
        "number",
        "any",
        "of a pair: support for member a, a probability where all of the judge's lie in 0 to 1; "
        "of a clip: higher is more human-like",
    ),
    Column(
        "scale",
        "text",
        "",
        "what the judge's scores of pairs are; where it is left out, the scores tell",
        allowed=SCALES,
    ),
)

PAIR_COLUMNS: tuple[Column, ...] = (
    Column("study", "text", "", "the study's slug", required=True),
    Column("pair", "text", "", "the pair, unique within its study", required=True),
    Column("condition", "text", "", "the pair's condition"),
    Column("stimulus_a", "text", "", "the clip that is member a"),
    Column("stimulus_b", "text", "", "the clip that is member b"),
    Column("source_a", "text", "", "what made member a"),
    Column("source_b", "text", "", "what made member b"),
    Column("truth", "text", "", "the member that is right; empty where neither is", allowed=MEMBERS),
)
