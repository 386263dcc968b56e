"""An answered trial as the experimenter sees it: what was shown, chosen and played, and its flags."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.library.kinds import StimulusKind
from app.library.tables import Stimulus
from app.trials.design import Kind
from app.trials.flags import Flag, split
from app.trials.responses import Evidence, Response
from app.trials.tables import Trial, Unit, UnitMember


@dataclass(frozen=True, slots=True)
class Watched:
    """One clip, record or text of a trial, as the browser reported it was played or read; times in ms, `played` in s.

    `side` is None where answers were imported that do not say it; `fetched` is whether the server sent the clip
    whole, None where that was not recorded.
    """

    side: str | None
    member: str
    stimulus: str
    source: str
    reported: bool
    fetched: bool | None = None
    watched: bool = False
    plays: int = 0
    played: Sequence[tuple[float, float]] = ()
    duration_s: float | None = None
    stalls: int = 0
    stall_ms: int = 0
    dropped_frames: int = 0
    max_rate: float | None = None
    failed: bool = False
    errors: Sequence[str] = ()
    clip_sha256: str = ""
    is_chosen: bool = False
    kind: str = StimulusKind.CLIP
    read_ms: int = 0


@dataclass(frozen=True, slots=True)
class TrialView:
    """An answered trial and its outcome. `correct` is None if no answer is correct or nothing was chosen.

    `chosen_side` is empty if nothing was chosen or the sides are unknown (`sides_known`). `unwatched` tells whether the
    rule of that name excludes the answer. `noun` is what a unit without clips is called.
    """

    pair: str
    condition: str
    kind: str
    unplayable: bool
    opened_ms: int | None
    interval_ms: int | None
    unwatched: bool
    study_rule: str | None
    flags: Sequence[Flag]
    reported: Sequence[str]
    layout: str = ""
    chosen: str = ""
    chosen_side: str = ""
    correct: bool | None = None
    clips: Sequence[Watched] = ()
    hidden_ms: int = 0
    page_loads: int = 0
    drift_ms_max: int | None = None
    sides_known: bool = True
    noun: str = "Item"


@dataclass(frozen=True, slots=True)
class AnsweredTrial:
    """An answered trial as it is stored; `stimuli` and `evidence` are by slot."""

    response: Response
    trial: Trial
    unit: Unit
    stimuli: Mapping[str, tuple[UnitMember, Stimulus]]
    evidence: Mapping[str, Evidence]
    sides_known: bool

    def view(self) -> TrialView:
        """The fields common to trials of all tasks."""
        response, unit, flags = self.response, self.unit, split(self.response.raised)
        return TrialView(
            pair=unit.name,
            condition=unit.condition,
            kind=unit.kind,
            unplayable=response.unplayable,
            opened_ms=response.opened_ms,
            interval_ms=response.interval_ms,
            unwatched=bool(response.unwatched),
            study_rule=response.study_rule,
            flags=[flag for flag in Flag if flag in flags and unit.kind != Kind.PRACTICE],
            reported=response.flags,
        )

    def watched(self, slot: str, *, side: str | None, fetched: bool | None, is_chosen: bool) -> Watched:
        """The browser's playback report for the clip in a slot."""
        (shown, stimulus), playback = self.stimuli[slot], self.evidence.get(slot)
        known: dict[str, Any] = {}
        if playback is not None:
            known = {name: getattr(playback, name) for name in _REPORTED}
            known |= {"errors": playback.errors, "played": [(start, end) for start, end in playback.played]}
            known |= {"read_ms": (playback.reading or {}).get("read_ms", 0)}
        return Watched(
            side=side,
            member=slot,
            stimulus=stimulus.name,
            source=stimulus.source,
            reported=playback is not None,
            fetched=fetched,
            # As the version was saved; of imported answers there is none, and what is read is no clip.
            clip_sha256=(shown.sha256 or "") if stimulus.kind == StimulusKind.CLIP else "",
            is_chosen=is_chosen,
            kind=stimulus.kind,
            **known,
        )


# Of a playback, what the page shows as it is.
_REPORTED = ("watched", "plays", "duration_s", "stalls", "stall_ms", "dropped_frames", "max_rate", "failed")
