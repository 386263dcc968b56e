"""What the server itself sees of a trial: when its page was served, and what was sent of each clip."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from app.sessions import queries
from app.sessions.design import Kind, Member, PairPlan, Pressed, chosen_by, side_of
from app.sessions.flags import Finding, Observed, examine
from app.sessions.playback import PlaybackReport, least_ms

# A media element asks for a few ranges; whoever asks for more of them has nothing to be held against.
MOST_RANGES = 200

Ranges = list[list[int]]


@dataclass(frozen=True, slots=True)
class TrialClip:
    """One clip of a trial: its bytes and length, None where not known, and what was sent, None where not recorded."""

    n_bytes: int | None
    lasts_s: float | None
    sent: Ranges | None

    def fetched(self, *, whole: bool) -> bool | None:
        """Whether it was sent, whole or at all; without the padding behind it, which no player needs."""
        if self.sent is None or not self.n_bytes:
            return None
        if not whole or not self.sent:
            return bool(self.sent)
        start, stop = self.sent[0]
        return start == 0 and stop >= self.n_bytes


@dataclass(frozen=True, slots=True)
class TrialHere:
    """The trial that is being answered, with what the server knows of its clips.

    `expected` is the truth of an attention check, None for every other trial.
    """

    id: int
    left: Member
    expected: Member | None
    clips: dict[Member, TrialClip]

    @property
    def lasts_s(self) -> dict[Member, float | None]:
        return {member: clip.lasts_s for member, clip in self.clips.items()}


@dataclass(frozen=True, slots=True)
class Seen:
    """What a response stores of the server's evidence."""

    finding: Finding
    interval_ms: int | None
    fetched_a: bool | None
    fetched_b: bool | None


def trial_here(session: Session, session_id: int, position: int) -> TrialHere:
    place = {"session_id": session_id, "position": position}
    rows = session.connection().execute(queries.TRIAL_AT, place).all()
    trial = rows[0]
    left = PairPlan.of(trial.plan).left
    sent = trial.sent or {}
    clips = {
        member: TrialClip(row.bytes, row.duration_s, sent.get(side_of(member, left)))
        for row in rows
        for member in [Member(row.slot)]
    }
    is_check = trial.kind == Kind.ATTENTION and trial.truth
    return TrialHere(trial.id, left, Member(trial.truth) if is_check else None, clips)


def seen_of(
    session: Session,
    session_id: int,
    trial: TrialHere,
    reported: Sequence[str],
    playback: PlaybackReport,
    *,
    side: Pressed | None,
    shown_at: datetime | None,
    now: datetime,
    rt_ms: int | None,
    unplayable: bool,
    to_end: bool,
    simulated: bool,
) -> Seen:
    """The server's evidence of a trial that is being answered, and what follows from it and from the browser's report.

    The interval runs from the first time that the page was served, whatever was reloaded since. Where it was not
    served at all, the answer is held against the answer before it.
    """
    waited = waited_ms(session, session_id, shown_at, now)
    lengths = [clip.lasts_s for clip in trial.clips.values() if clip.lasts_s]
    longest_s = max(lengths) if len(lengths) == len(trial.clips) else None
    observed = Observed(
        reported=reported,
        to_end=to_end,
        unplayable=unplayable,
        least_ms=None if longest_s is None else least_ms(longest_s),
        longest_ms=None if longest_s is None else 1000 * longest_s,
        waited_ms=waited,
        served=shown_at is not None,
        fetched=[clip.fetched(whole=to_end) for clip in trial.clips.values()],
        rt_ms=rt_ms,
        hidden_ms=max((row["hidden_ms"] for row in playback.rows.values()), default=0),
        attentive=chosen_by(side, trial.left) == trial.expected if side and trial.expected else None,
    )
    return Seen(
        finding=examine(observed, simulated=simulated),
        interval_ms=waited if shown_at else None,
        fetched_a=trial.clips[Member.A].fetched(whole=True),
        fetched_b=trial.clips[Member.B].fetched(whole=True),
    )


def waited_ms(session: Session, session_id: int, shown_at: datetime | None, now: datetime) -> int | None:
    """From when the page was first served to the answer; where it was not served at all, from the answer before it."""
    since = shown_at or session.connection().execute(queries.LAST_ANSWER, {"session_id": session_id}).scalar()
    return _ms(since, now)


def _ms(since: datetime | None, now: datetime) -> int | None:
    """None where a clock was set back between the two."""
    if since is None or now < since:
        return None
    return min(round((now - since).total_seconds() * 1000), 2**31 - 1)


def note_sent(session: Session, trial_id: int, place: str, start: int, stop: int) -> None:
    """Add the bytes of a clip from `start` up to `stop` to those that were sent."""
    row = session.connection().execute(queries.SENT, {"trial_id": trial_id}).first()
    if row is None:
        return  # a preview whose design was saved anew
    before: Ranges | None = (row.sent or {}).get(place)
    if before is None or stop <= start:
        return
    sent = with_range(before, start, stop)
    if sent != before and len(sent) <= MOST_RANGES:
        values = {"trial_id": trial_id, "now_sent": {**row.sent, place: sent}}
        session.connection().execute(queries.NOTE_SENT, values)


def with_range(ranges: Ranges, start: int, stop: int) -> Ranges:
    """Ranges in order, none touching another, with one more."""
    merged: Ranges = []
    for first, last in sorted([*ranges, [start, stop]]):
        if merged and first <= merged[-1][1]:
            merged[-1] = [merged[-1][0], max(merged[-1][1], last)]
        else:
            merged.append([first, last])
    return merged
