"""The columns of every export, in order; docs/data.md is written from these and tested against them."""

from analysis.data.columns import MODES, RESPONSE_COLUMNS, VERDICT_COLUMNS
from analysis.data.columns import Column as Column

_WHO = RESPONSE_COLUMNS[:6]

PARTICIPANT_COLUMNS = (
    *_WHO,
    Column(
        "status",
        "text",
        "",
        "`active`, `completed`, `unplayable` (no video would play, or every walk was given up) or `failed-checks` "
        "(ended by the checks)",
    ),
    Column(
        "ordinal", "integer", "", "the session's number among those planned for its version and mode, from 1"
    ),
    Column("seed", "integer", "", "seeds the order of the trials and, for odd ordinals, their sides"),
    Column("arrived_at", "time", "ISO 8601 UTC", "when the study's address was opened"),
    Column("consented_at", "time", "ISO 8601 UTC", "when consent was given"),
    Column("ended_at", "time", "ISO 8601 UTC", "when the last answer was stored; empty while under way"),
    Column("trials_planned", "integer", "", "trials of every kind in the session"),
    Column("trials_answered", "integer", "", "trials answered so far"),
    Column("background", "json", "", "answers to the background questions, by question id"),
    Column("recruiter", "json", "", "what the recruiter's link said, by parameter"),
    Column(
        "excluded",
        "text",
        "",
        "`by-hand` where an experimenter left the session out; empty if it counts",
        allowed=("by-hand",),
    ),
    Column(
        "exclusion_reason",
        "text",
        "",
        "why the session was left out, in the experimenter's words",
        prose=True,
    ),
    Column("consent_sha256", "text", "", "the SHA-256 of the consent text that was agreed to, in UTF-8"),
    Column(
        "language",
        "text",
        "",
        "the language of the session's pages, as a tag such as `en`; recorded with consent",
    ),
    Column(
        "comprehension_tries",
        "integer",
        "",
        "how often the questions on the instructions were answered; empty where none were",
    ),
    Column(
        "comprehension_failed",
        "integer",
        "",
        "how many of these tries had a wrong answer: as many as there were tries where none was right",
    ),
    Column(
        "attention_questions",
        "integer",
        "",
        "how many questions that say what to answer were answered between trials; empty where none were",
    ),
    Column("attention_questions_failed", "integer", "", "how many of these were answered otherwise"),
    Column(
        "device",
        "json",
        "",
        "what the browser said at consent, where the study keeps it: size of the window, kind, browser, what was tried",
    ),
    Column(
        "visit",
        "integer",
        "",
        "which of the participant's sessions of this study and mode it is, in the order of arrival, from 1",
    ),
    Column("duration_s", "number", "seconds", "from consent to the last answer; empty while under way"),
)

# Background questions and tasks have theirs after these: what came later stands behind them, so that the columns of
# earlier exports keep their places.
BEFORE_BACKGROUND = 1 + [column.name for column in PARTICIPANT_COLUMNS].index("consent_sha256")

# At the end of `participants`, where ids that are kept apart from the answers are asked for.
RECRUITER_ID = Column(
    "recruiter_id",
    "text",
    "",
    "the recruiter's id, or its keyed hash where that alone is kept; there with `--real-ids` alone",
)

PLAYBACK_COLUMNS = (
    *_WHO,
    Column("trial", "text", "", "the trial; joins with `responses`"),
    Column("pair", "text", "", "the pair's id in the study file"),
    Column("member", "text", "", "`a` or `b`; empty where the browser reported nothing that could be read"),
    Column("side", "text", "", "`left` or `right`: where the participant saw the clip"),
    Column("stimulus", "text", "", "the clip's name"),
    Column(
        "watched", "boolean", "", "whether the played ranges cover the clip to its end; decided by the server"
    ),
    Column("plays", "integer", "", "times started from the beginning; 1 is watched once"),
    Column("played", "json", "seconds", "ranges of the clip that were played, merged: [[start, end], ...]"),
    Column("duration_s", "number", "seconds", "the clip's length as the browser saw it"),
    Column("stalls", "integer", "", "times the clip stood still for want of data"),
    Column("stall_ms", "integer", "milliseconds", "how long it stood still for that, in all"),
    Column("dropped_frames", "integer", "frames", "frames the browser did not show"),
    Column("frames", "integer", "frames", "frames the browser decoded, shown or not"),
    Column(
        "drift_ms_max",
        "integer",
        "milliseconds",
        "the largest lead of one clip over the other by the pictures presented (by the time played where a browser "
        "does not tell); the trial's",
    ),
    Column("hidden_ms", "integer", "milliseconds", "how long the page was hidden; the trial's"),
    Column("page_loads", "integer", "", "times the trial's page was loaded, 1 without a reload"),
    Column("max_rate", "number", "", "the fastest playback rate seen; 1 is normal"),
    Column("failed", "boolean", "", "whether the clip would not play"),
    Column("errors", "json", "", "what the browser said went wrong"),
    Column("flags", "json", "", "what was odd about the trial's telemetry"),
    Column("odd_playback", "text", "", "telemetry that could not be read, as it came"),
    Column(
        "fetched",
        "boolean",
        "",
        "whether the server sent the clip whole to this session; empty where unknown",
    ),
)

ANSWER_COLUMNS = (
    *_WHO,
    Column(
        "page",
        "text",
        "",
        "`consent`, `screening`, `viewing`, `background`, `comprehension-<try>`, `attention-<block>-<number>`, "
        "`trial-<position>` and so on",
    ),
    Column("trial", "text", "", "the trial, where the page is one"),
    Column("question", "text", "", "the question's id; `choice` is the side pressed, or tie"),
    Column("value", "text", "", "the answer as text; a point of a scale counts from 1"),
)

PREFERENCE_COLUMNS = (
    Column("study", "text", "", "the study's slug", required=True),
    Column("pair", "text", "", "the pair", required=True),
    Column("condition", "text", "", "the pair's condition"),
    Column("prompt", "text", "", "the question the participants were asked", required=True),
    Column("chosen", "text", "", "the clip that most votes chose", required=True),
    Column("rejected", "text", "", "the other clip of the pair", required=True),
    Column("chosen_source", "text", "", "what made the chosen clip"),
    Column("rejected_source", "text", "", "what made the other clip"),
    Column("share", "number", "share of votes", "votes for `chosen` / n; more than a half", required=True),
    Column("n", "integer", "count", "votes on the pair; blanks are not votes", minimum=1, required=True),
    Column("mode", "text", "", "whose votes these are", allowed=MODES, required=True),
)

_OF_MATCH = (
    Column("study", "text", "", "the study's slug"),
    Column("version", "integer", "", "the study's version"),
    Column("arm", "text", "", "the arm of the study"),
    Column("mode", "text", "", "`live`, `pilot` or `simulated`"),
    Column("match", "text", "", "the match"),
    Column("game", "text", "", "the game's name"),
    Column("config_hash", "text", "", "first 16 digits of the SHA-256 of the configuration's canonical JSON"),
)
MOVE_COLUMNS = (
    *_OF_MATCH,
    Column("seq", "integer", "", "the event's number in its match, from 1"),
    Column("round", "integer", "", "the round in which it happened"),
    Column("phase", "text", "", "the phase in which it happened"),
    Column(
        "kind", "text", "", "`note`, `nature`, `move`, `resolve`, or `left`, `returned`, `replaced` of a seat"
    ),
    Column("seat", "integer", "", "who acted or was paid, from 1; empty of nature and of notes"),
    Column("role", "text", "", "the seat's role"),
    Column("occupant", "text", "", "`human`, `simulated`, `rule` or `model`: who had the seat then"),
    Column("session", "text", "", "the person's session"),
    Column("move", "text", "", "canonical JSON: `kind` and its fields"),
    Column("message", "text", "", "text that went with the move", prose=True),
    Column(
        "auto", "text", "", "empty, or `timeout` or `dropout` where the default move was played for a seat"
    ),
    Column("shown_at", "time", "ISO 8601 UTC", "when the page of this move was first there for the person"),
    Column("received_at", "time", "ISO 8601 UTC", "when the event was stored"),
    Column("deadline_at", "time", "ISO 8601 UTC", "until when the move could be made"),
    Column("rt_ms", "integer", "milliseconds", "from `shown_at` to `received_at`, of a person's own move"),
    Column("payoff_round", "number", "units of the game", "on rows `resolve`: what the round paid the seat"),
    Column("payoff_total", "number", "units of the game", "on rows `resolve`: all rounds so far"),
    Column("state_hash", "text", "", "SHA-256 of the canonical JSON of the state after the event"),
    Column("excluded", "text", "", "`by-hand` where the person's session was left out", allowed=("by-hand",)),
    Column("reason", "text", "", "why a move was made, in the words of whoever made it", prose=True),
    *VERDICT_COLUMNS,
)
SEAT_COLUMNS = (
    *_OF_MATCH,
    Column("seat", "integer", "", "the seat, from 1"),
    Column("role", "text", "", "its role"),
    Column("occupant", "text", "", "`human`, `simulated`, `rule` or `model`"),
    Column("session", "text", "", "the person's session"),
    Column("agent", "text", "", "an agent's name, and 8 digits of the hash of its parameters"),
    Column("from_seq", "integer", "", "the first event of the occupancy"),
    Column("to_seq", "integer", "", "its last event"),
    Column(
        "left_reason",
        "text",
        "",
        "`finished`; or `timeout`, `closed`, `withdrew`, `dropout`, `replaced` of who left before the end",
    ),
    Column("end_reason", "text", "", "why the match ended"),
    Column("payoff_units", "number", "units of the game", "what was earned during the occupancy"),
    Column(
        "may_show",
        "text",
        "",
        "`yes` of a person whose consent says that others may read their play",
        allowed=("yes",),
    ),
    Column(
        "bonus_minor",
        "integer",
        "minor units",
        "the person's bonus for the match, on their last occupancy; after the game's measures",
    ),
    Column("excluded", "text", "", "`by-hand` where the person's session was left out", allowed=("by-hand",)),
    *VERDICT_COLUMNS,
)
SEAT_COLUMNS_LAST = 2 + len(VERDICT_COLUMNS)
"""How many of these stand behind the game's measures."""


def measure_column(name: str) -> Column:
    """The column of `seats_played` for one measure of a game."""
    return Column(name, "number", "", "a measure of the seat; see the help page Games")


_OF_WALK = (
    Column("trial", "text", "", "the walk"),
    Column("course", "text", "", "goal and start of the walk: `3-1` is the first start for goal 3"),
    Column("kind", "text", "", "`main` or `practice`; only main walks become clips"),
)
_OUT = Column(
    "excluded",
    "text",
    "",
    "`by-hand` where the session was left out, `unplayable` where its participant could not walk; empty if it counts",
    allowed=("by-hand", "unplayable"),
)
WALK_COLUMNS = (
    *_WHO,
    Column("block", "text", "", "the part of the session that the walk belongs to"),
    Column("position", "integer", "", "place of the walk in its session, from 1"),
    *_OF_WALK,
    Column("goal", "text", "", "the goal's name, 1 to 6"),
    Column(
        "ended", "text", "", "`arrived`, `time` (its time was over) or `unable` (said that they cannot walk)"
    ),
    Column("duration_s", "number", "seconds", "how long was walked: ticks of a thirtieth of a second"),
    Column("path_m", "number", "metres", "the length of the path on the ground, seen from above"),
    Column(
        "input",
        "text",
        "",
        "what it was walked by, as the browser reported it: `keys`, `mouse`, `touch`, joined by `;`",
    ),
    Column("frames_per_s", "number", "frames a second", "what the browser drew on the whole, as it reported"),
    Column("slow_ms", "integer", "milliseconds", "how long it drew fewer than 20 frames a second"),
    Column("hidden_ms", "integer", "milliseconds", "how long the page was hidden"),
    Column("stalls", "integer", "", "times the browser stood still"),
    Column("page_loads", "integer", "", "times the page was loaded, 1 without a reload"),
    Column("start_x_m", "number", "metres", "where the walk began: east of the map's south-west corner"),
    Column("start_y_m", "number", "metres", "the same, north"),
    Column("start_heading_rad", "number", "radians", "where was looked then, counter-clockwise from east"),
    Column("began_at", "time", "ISO 8601 UTC", "when the server stored the first steps"),
    Column("shown_at", "time", "ISO 8601 UTC", "when the server first sent the walk's page"),
    Column("answered_at", "time", "ISO 8601 UTC", "when the participant went on from it"),
    Column("flags", "text", "", "what makes the walk noteworthy, joined by `;`"),
    _OUT,
    *VERDICT_COLUMNS,
)
POSITION_COLUMNS = (
    *_WHO,
    *_OF_WALK,
    Column("t_s", "number", "seconds", "since the walk began, 30 a second"),
    Column("x_m", "number", "metres", "east of the map's south-west corner"),
    Column("y_m", "number", "metres", "north of it"),
    Column("z_m", "number", "metres", "height of the ground there"),
    Column("heading_rad", "number", "radians", "where is looked, counter-clockwise from east"),
    Column("goal_x_m", "number", "metres", "the goal"),
    Column("goal_y_m", "number", "metres", "the goal"),
    Column(
        "keys",
        "integer",
        "",
        "keys held: the sum of 1 forward, 2 back, 4 left, 8 right, 16 turn left, 32 turn right",
    ),
    Column("turn_rad", "number", "radians", "turn of the mouse or finger, left positive"),
    _OUT,
    Column("wall_m", "number", "metres", "how far the nearest wall is, along the ground"),
    Column(
        "goal_in_view", "integer", "", "1 where the goal's pillar is in the picture and not hidden, else 0"
    ),
    *VERDICT_COLUMNS,
)

# At the end of `participants`, after the background, where people play matches.
PAY_COLUMNS = (
    Column(
        "bonus_minor",
        "integer",
        "minor units",
        "the bonus of all matches that are over, to be paid to the participant",
    ),
    Column("wait_pay_minor", "integer", "minor units", "what is to be paid for waiting for others"),
    Column("currency", "text", "", "of both, by ISO 4217; empty where the study pays neither"),
)
BACKGROUND = "background_"


def background_column(question: str, ask: str, entry: str) -> Column:
    """The column of `participants` for one background question; `entry` says what its cells hold."""
    cells = entry or "a point of a scale counts from 1"
    return Column(f"{BACKGROUND}{question}", "text", "", f"the answer to: {ask}; {cells}")


def trial_columns(*own: Column) -> tuple[Column, ...]:
    """The columns of a task's table with a row for each trial answered (`app.exports.tables.answered_in`)."""
    return (
        *_WHO,
        Column("block", "text", "", "the part of the session that the trial belongs to"),
        Column("position", "integer", "", "place of the trial in its session, from 1"),
        Column("trial", "text", "", "the trial"),
        Column("kind", "text", "", "`main` or `practice`"),
        *own,
        Column("rt_ms", "integer", "ms", "time to the answer, as the browser reported it"),
        Column("shown_at", "time", "ISO 8601 UTC", "when the server first sent the trial's page"),
        Column("answered_at", "time", "ISO 8601 UTC", "when the server stored the answer"),
        Column("flags", "text", "", "what makes the answer noteworthy, joined by `;`"),
        Column("excluded", "text", "", "name of the rule that excludes the row; empty if it counts"),
        *VERDICT_COLUMNS,
    )
