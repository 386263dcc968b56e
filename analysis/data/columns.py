"""The columns of `responses`, `labels` and `ratings`; docs/data.md is checked against them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

ColumnType = Literal["text", "integer", "number", "boolean", "time", "json"]

MEMBERS = ("a", "b")
# What an answer may be. A tie says that there is no difference: it is a vote, but for neither member.
CHOICES = (*MEMBERS, "tie")
TIE = CHOICES.index("tie")
MODES = ("live", "simulated", "pilot", "preview")
KINDS = ("main", "practice", "attention")
# Of ratings: what raters say of themselves.
SELF = "self"


_WORDS: dict[ColumnType, str] = {
    "text": "any text",
    "number": "a number",
    "boolean": "true, false",
    "time": "an ISO 8601 time such as 2026-01-31T12:00:00Z",
    "json": "JSON",
}


GAPS = ("NA", "NaN", "nan", "None", "NULL", "null")
"""Texts that other programs write for an empty cell: R for every one, unless it is told otherwise."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: the meaning of its cells, its unit, and the values allowed.

    `allowed` lists the texts of a column with few, `never` those that no cell may be, `prose` marks free text,
    `distinct` an identifier that is different in nearly every row, `optional` a column that older files may lack.
    Times are ISO 8601 in exports. A cell may be empty (missing) unless `required`.
    """

    name: str
    type: ColumnType
    unit: str
    meaning: str
    allowed: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    required: bool = False
    prose: bool = False
    distinct: bool = False
    optional: bool = False

    @property
    def allowed_text(self) -> str:
        """The values allowed in a cell, in words."""
        if self.allowed:
            words = ", ".join(self.allowed)
        elif self.type == "integer":
            words = f"a whole number, {_range(self.minimum, self.maximum)}"
        else:
            words = _WORDS[self.type]
        return f"{words} (not empty)" if self.required else f"{words}, or empty"


def _range(minimum: int | None, maximum: int | None) -> str:
    if minimum is None:
        return "any"
    return f"{minimum} or more" if maximum is None else f"{minimum} to {maximum}"


def names(columns: Iterable[Column]) -> tuple[str, ...]:
    """The names, in order."""
    return tuple(column.name for column in columns)


ORDER_NOT_RECORDED = "order-not-recorded"
"""The flag of answers whose `position` is their row's place in a file that does not say in which order they came."""

BY_RULE = "rule: "
"""Begins `excluded`, in the analysis, of rows left out by an exclusion rule of their study (`use` is false)."""

VERDICT_COLUMNS: tuple[Column, ...] = (
    Column(
        "use",
        "boolean",
        "",
        "whether the session counts in the numbers: neither left out by hand nor by an exclusion rule",
        optional=True,
    ),
    Column("pay", "boolean", "", "whether the exclusion rules let the participant be paid", optional=True),
    Column(
        "rules",
        "text",
        "",
        "the exclusion rules that the session meets, joined by `;`: those first by which it does not count",
        never=GAPS,
        optional=True,
    ),
)
"""The verdicts of a study's exclusion rules on a row's session, at the end of tables."""

RESPONSE_COLUMNS: tuple[Column, ...] = (
    Column("study", "text", "", "the study's slug", required=True),
    Column("version", "integer", "", "version of the study file the session saw", minimum=1, required=True),
    Column("arm", "text", "", "arm of the study the session was in", never=GAPS),
    Column("mode", "text", "", "what kind of run the session was", allowed=MODES, required=True),
    Column("participant", "text", "", "who answered; independent of every other participant", required=True),
    Column("session", "text", "", "the participant's run of the study", required=True),
    Column("position", "integer", "", "place of the trial in its session, from 1", minimum=1, required=True),
    Column("trial", "text", "", "the trial, unique within its session", required=True, distinct=True),
    Column("pair", "text", "", "the pair shown, unique within its study", required=True),
    Column("condition", "text", "", "the pair's condition, such as human-hybrid"),
    Column("kind", "text", "", "what the pair is for; only main counts in the numbers", KINDS, required=True),
    Column("stimulus_a", "text", "", "the clip that is member a of the pair"),
    Column("stimulus_b", "text", "", "the clip that is member b of the pair"),
    Column("source_a", "text", "", "what made member a: human, hybrid, symbolic, ..."),
    Column("source_b", "text", "", "what made member b"),
    Column("truth", "text", "", "the member that is right; empty where neither is", allowed=MEMBERS),
    Column(
        "left",
        "text",
        "",
        "the member shown on the left; empty only in data from elsewhere that do not say",
        allowed=MEMBERS,
    ),
    Column(
        "choice",
        "text",
        "",
        "the member chosen, or tie for no difference; empty for a blank",
        allowed=CHOICES,
    ),
    Column("chosen_source", "text", "", "source of the chosen member; empty for a tie (derived)"),
    Column("correct", "boolean", "", "choice equals truth; empty where either is, and for a tie (derived)"),
    Column(
        "uncertainty",
        "integer",
        "scale point",
        "1 extremely certain, 5 extremely uncertain (a study may use another number of points)",
        minimum=1,
        maximum=11,
    ),
    Column("rationale", "text", "", "the participant's reason, as written", prose=True),
    Column(
        "rt_ms",
        "integer",
        "ms",
        "from the first frame of the pair to the answer, by the browser's clock",
        minimum=0,
    ),
    Column("shown_at", "time", "ISO 8601 UTC", "when the server first sent the trial's page"),
    Column("answered_at", "time", "ISO 8601 UTC", "when the server stored the answer"),
    Column("watched_a", "boolean", "", "whether member a was played to its end; empty if unknown"),
    Column("watched_b", "boolean", "", "whether member b was played to its end; empty if unknown"),
    Column("plays_a", "integer", "count", "how often member a was started from the beginning", minimum=0),
    Column("plays_b", "integer", "count", "how often member b was started from the beginning", minimum=0),
    Column("stalls", "integer", "count", "how often either clip stopped for lack of data", minimum=0),
    Column("hidden_ms", "integer", "ms", "how long the page was hidden during the trial", minimum=0),
    Column("excluded", "text", "", "name of the rule that excludes the row; empty if it counts", never=GAPS),
    Column("flags", "text", "", "what makes the answer noteworthy, joined by `;`", never=GAPS, optional=True),
    Column(
        "layout",
        "text",
        "",
        "how the pair lay on the screen; stacked, the left clip is on top; sequential, it was shown first",
        allowed=("side-by-side", "stacked", "sequential"),
        optional=True,
    ),
    Column(
        "opened_ms",
        "integer",
        "ms",
        "when the questions opened, counted as `rt_ms` is",
        minimum=0,
        optional=True,
    ),
    Column(
        "interval_ms",
        "integer",
        "ms",
        "from the first sending of the trial's page to the taking of its answer, by the server's clock",
        minimum=0,
        optional=True,
    ),
    Column(
        "block", "text", "", "the part of the session that the trial belongs to", never=GAPS, optional=True
    ),
    Column(
        "certainty",
        "number",
        "points of its scale",
        "how certain the participant was, on a slider or any other scale: more is more certain",
        optional=True,
    ),
    *VERDICT_COLUMNS,
)

_NOT_ANALYZED = {
    "version", "trial", "rationale", "rt_ms", "shown_at", "answered_at", "watched_a", "watched_b", "plays_a",
    "plays_b", "stalls", "hidden_ms", "opened_ms", "interval_ms", "block", "pay",
}  # fmt: skip

# What `analyze` uses of `RESPONSE_COLUMNS`; the others are most of a large table's bytes.
ANALYZED_COLUMNS: tuple[Column, ...] = tuple(
    column for column in RESPONSE_COLUMNS if column.name not in _NOT_ANALYZED
)

LABEL_COLUMNS: tuple[Column, ...] = (
    Column("study", "text", "", "the study's slug", required=True),
    Column("pair", "text", "", "the pair", required=True),
    Column("condition", "text", "", "the pair's condition"),
    Column("kind", "text", "", "main or attention; practice pairs get no label", KINDS, required=True),
    Column("stimulus_a", "text", "", "the clip that is member a"),
    Column("stimulus_b", "text", "", "the clip that is member b"),
    Column("source_a", "text", "", "what made member a"),
    Column("source_b", "text", "", "what made member b"),
    Column("truth", "text", "", "the member that is right; empty where neither is", allowed=MEMBERS),
    Column("votes_a", "integer", "count", "answers that chose a", minimum=0, required=True),
    Column("votes_b", "integer", "count", "answers that chose b", minimum=0, required=True),
    Column(
        "n",
        "integer",
        "count",
        "votes_a + votes_b + votes_tie; blanks are no votes",
        minimum=0,
        required=True,
    ),
    Column("share_a", "number", "share of votes", "votes_a / n; empty when n is 0"),
    Column("ci_low", "number", "share of votes", "lower end of the 95% Wilson interval of share_a"),
    Column("ci_high", "number", "share of votes", "upper end of the 95% Wilson interval of share_a"),
    Column(
        "majority",
        "text",
        "",
        "the member with more votes than the other and than tie, else tie; empty when n is 0",
        allowed=CHOICES,
    ),
    Column("chosen_stimulus", "text", "", "the clip the majority names; empty for a tie"),
    Column(
        "agrees_with_truth",
        "boolean",
        "",
        "majority equals truth; empty without a truth, a vote or a majority",
    ),
    Column("mean_uncertainty", "number", "scale points", "mean of the uncertainties given for the pair"),
    Column("votes_tie", "integer", "count", "answers that say no difference", minimum=0, required=True),
    Column(
        "blank", "integer", "count", "answers without a choice, which are no votes", minimum=0, required=True
    ),
    Column(
        "mean_certainty",
        "number",
        "scale points",
        "mean of the certainties given for the pair; more is more certain",
    ),
)

RATING_COLUMNS: tuple[Column, ...] = (
    Column("study", "text", "", "the study's slug", required=True),
    Column("version", "integer", "", "version of the study file the session saw", minimum=1, required=True),
    Column("arm", "text", "", "arm of the study the session was in", never=GAPS),
    Column("mode", "text", "", "what kind of run the session was", allowed=MODES, required=True),
    Column("block", "text", "", "the part of the session that the trial belongs to", required=True),
    Column("participant", "text", "", "who rated; independent of every other participant", required=True),
    Column("session", "text", "", "the participant's run of the study", required=True),
    Column(
        "position",
        "integer",
        "",
        "place of the trial in its session, from 1; empty where `kind` is self",
        minimum=1,
    ),
    Column(
        "trial",
        "text",
        "",
        "the trial; its rows have one question each; where `kind` is self, `self-`, the session, `-` and the block",
        required=True,
    ),
    Column("item", "text", "", "the item rated, unique within its study; empty where `kind` is self"),
    Column("condition", "text", "", "the item's condition; the source of its stimulus unless one was given"),
    Column(
        "kind",
        "text",
        "",
        "what the item is for; only main counts in the means. self: the raters' answers about themselves",
        (*KINDS, SELF),
        required=True,
    ),
    Column("stimulus", "text", "", "the record, text or clip shown; empty for a text of the item list"),
    Column("source", "text", "", "what made the stimulus"),
    Column("question", "text", "", "the question's id", required=True),
    Column(
        "value",
        "number",
        "points of its scale",
        "the answer, where it is a number: a point from 1, or as given",
    ),
    Column("text", "text", "", "the answer, where it is a text or the option chosen", prose=True),
    Column(
        "rt_ms",
        "integer",
        "ms",
        "of the whole page, from its first sight to the answer, by the browser's clock",
        minimum=0,
    ),
    Column("shown_at", "time", "ISO 8601 UTC", "when the server first sent the trial's page"),
    Column("answered_at", "time", "ISO 8601 UTC", "when the server stored the answer"),
    Column("flags", "text", "", "what makes the answer noteworthy, joined by `;`", never=GAPS),
    Column("excluded", "text", "", "name of the rule that excludes the row; empty if it counts", never=GAPS),
    Column("group", "text", "", "the item's group; empty where it has none", optional=True),
    Column(
        "scale_low",
        "number",
        "points of its scale",
        "the lowest answer that the question allows",
        optional=True,
    ),
    Column(
        "scale_high",
        "number",
        "points of its scale",
        "the highest answer that the question allows",
        optional=True,
    ),
    Column(
        "level",
        "text",
        "",
        "what answers are: points in an order, numbers at equal distances, or names; empty for a free text",
        allowed=("ordinal", "interval", "nominal"),
        optional=True,
    ),
    Column("options", "text", "", "what a choice is among, as a JSON list; empty for others", optional=True),
    Column(
        "truth",
        "text",
        "",
        "of a `yes_no` question, the option that is right for the item; empty where it has no source",
        optional=True,
    ),
    Column("ask", "text", "", "the question's text", optional=True),
    Column(
        "watched",
        "boolean",
        "",
        "whether the browser says that the clip was played to its end, or that all of the record or text was in view",
        optional=True,
    ),
    Column(
        "read_ms",
        "integer",
        "ms",
        "how long the page with a record or text was in sight",
        minimum=0,
        optional=True,
    ),
    Column("hidden_ms", "integer", "ms", "how long the page was not in sight", minimum=0, optional=True),
    Column(
        "read_depth",
        "number",
        "share of its length",
        "of a record or text, how much has been in view, from the top on, 0 to 1",
        optional=True,
    ),
    Column(
        "parts_seen",
        "number",
        "share of its parts",
        "of a record's overview and rounds, or a text's paragraphs, how many have been in view, 0 to 1",
        optional=True,
    ),
    Column(
        "parts_ms",
        "text",
        "ms",
        "how long each of these parts was in view, as a JSON list; empty of clips and where the browser said nothing",
        optional=True,
    ),
    *VERDICT_COLUMNS,
)
