"""Builds the page for drawing pairs, with the resulting pairs, from a form."""

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlmodel import Session

from app.admin.design.fault_words import in_form_words
from app.admin.studies.pairs.forms import MOST_ATTRIBUTES, MOST_CONDITIONS, Draw
from app.admin.studies.pairs.frame import At, clips_by_name, frame_of, rows_found
from app.admin.studies.pairs.views import DrawLine, DrawPage
from app.core.problems import Fault
from app.pairs.capacity import Capacity, capacities, pairable
from app.pairs.draft import PairsHere, tried
from app.pairs.summary import asked_of, match_of
from app.pairs.view import FoundPairs
from app.tasks.pair.pairings.registry import PAIRINGS
from app.trials.stimuli import attributes_of, own_of, true_source_of

_MOST_SEED = 1_000_000
_SEED = ("sample", "seed")
MOST_PROPOSED = 10  # pairs of two sources, where nobody has said how many


def another_seed(rng: random.Random) -> str:
    """One that can be read out and typed."""
    return str(rng.randrange(1, _MOST_SEED))


def draw_page(session: Session, at: At, draw: Draw | None, seed: str, error: str = "") -> DrawPage:
    """The draw of the form, or the draft's; one with the `seed` where there is none yet."""
    here = at.pairs(session)
    if draw is None:
        draw = _stored_draw(here, seed)
    # As long as nothing else is asked for, the pairs that the study has are shown, not others.
    is_saved = draw.sample() == _requested_sample(here)
    shown = here if is_saved and here.found.way == "drawn" else _tried(at, here, draw, is_saved=is_saved)
    keys, found = shown.draft.keys, shown.found
    possible = capacities(
        shown.made_of, keys.get("sample"), [name for name, *_ in draw.lines], true_source_of(keys)
    )
    frame = frame_of(session, at, here, error)
    frame["summary"] = shown.summary
    return DrawPage(
        **frame,
        lines=_lines(draw, {line.condition: line for line in possible}, found, true_source_of(keys)),
        attributes=_attributes(shown, draw),
        match=draw.match,
        seed=draw.seed,
        rows=rows_found(found.pairs, clips_by_name(session, at)),
        faults=[*map(in_form_words, found.faults)],
        seed_errors=_at(shown.found, *_SEED),
        match_errors=[
            in_form_words(fault).message for fault in found.faults if fault.place[:2] == ("sample", "match")
        ],
        is_saved=is_saved,
        is_even=draw.is_even,
        pairing=draw.pairing,
        pairings=[(name, each.title) for name, each in PAIRINGS.items()],
        pairing_errors=_at(found, "sample", "pairing"),
        replaces=len(here.found.pairs),
    )


def _tried(at: At, here: PairsHere, draw: Draw, *, is_saved: bool) -> PairsHere:
    """The pairs that the form's draw gives, none while it asks for none; nothing is stored."""
    given = here.draft.keys["sample"] if is_saved else draw.sample()
    shown = tried(at.study, here.draft, here.stimuli, {"sample": given})
    is_asked = any(n.strip() not in ("", "0") for _, *numbers in draw.lines for n in numbers)
    if is_asked:
        return shown
    # A draw of nothing is no fault, a seed that is no number is.
    faults = tuple(fault for fault in shown.found.faults if fault.place == _SEED)
    return replace(shown, found=FoundPairs("none", (), faults))


def _requested_sample(here: PairsHere) -> object:
    """The draft's sample, as a form would give it."""
    sample = here.draft.keys.get("sample")
    if not isinstance(sample, Mapping) or proposed_draw(here, "") is not None:
        return None
    return _stored_draw(here, "").sample()


def proposed_draw(here: PairsHere, seed: str) -> Draw | None:
    """A draw of this study's sources, while its draft has no pairs or asks for sources that no clip has.

    Each source is paired with the true one, each clip is used at most once, and there are at most ten pairs of each.
    None where two sources are missing, or the draft's own draw can be made.
    """
    keys = here.draft.keys
    sample = keys.get("sample")
    if keys.get("pairs") is not None or keys.get("blocks") is not None or not own_of(here.stimuli):
        return None
    if isinstance(sample, Mapping) and (sample.get("pairing") or here.found.pairs or _has_a_source(here)):
        return None
    true_source = true_source_of(keys)
    found = [each for each in capacities(here.stimuli, None, (), true_source) if each.first != each.second]
    of_truth = [each for each in found if each.first == true_source]
    lines = [
        (each.condition, str(min(MOST_PROPOSED, each.n_first, each.n_second, each.possible)), "")
        for each in (of_truth or found[:1])
    ]
    return Draw(tuple(lines), (), seed) if lines else None


def _has_a_source(here: PairsHere) -> bool:
    """True if some condition of the draft's draw is of sources that the study's own clips have."""
    sources = {clip.source for clip in own_of(here.stimuli).values()}
    return any(set(name.split("-")) <= sources for name in asked_of(here.draft.keys))


def _stored_draw(here: PairsHere, seed: str) -> Draw:
    if (proposed := proposed_draw(here, seed)) is not None:
        return proposed
    sample: Any = here.draft.keys.get("sample")
    asked = asked_of(here.draft.keys)
    lines = tuple((name, str(main), str(practice)) for name, (main, practice) in asked.items())
    kept = sample.get("seed") if isinstance(sample, Mapping) else None
    # Each clip as rarely as possible, unless an earlier draw was made without regard to that.
    is_even = not isinstance(sample, Mapping) or sample.get("use") == "even"
    pairing = str(sample.get("pairing") or "") if isinstance(sample, Mapping) else ""
    return Draw(lines, match_of(here.draft.keys), seed if kept is None else str(kept), is_even, pairing)


def _lines(
    draw: Draw, possible: Mapping[str, Capacity], found: FoundPairs, true_source: str
) -> list[DrawLine]:
    """The requested conditions, then every other two sources that are possible."""
    typed = {name: numbers for name, *numbers in draw.lines}
    names = list(dict.fromkeys((*typed, *possible)))[:MOST_CONDITIONS]
    across = [each for each in possible.values() if each.first != each.second]
    untrue = {each.condition for each in across if true_source not in (each.first, each.second)}
    if len(untrue) == len(across):
        untrue = set()
    return [
        _line(name, typed.get(name, ["", ""]), possible.get(name), found, is_untrue=name in untrue)
        for name in names
    ]


def _line(
    name: str, numbers: list[str], capacity: Capacity | None, found: FoundPairs, *, is_untrue: bool
) -> DrawLine:
    main, practice = ("" if n.strip() == "0" else n for n in numbers)
    errors = [*_at(found, "sample", "conditions", name), *_at(found, "sample", "practice", name)]
    return DrawLine(
        condition=name,
        main=main,
        practice=practice,
        possible=capacity.possible if capacity else None,
        n_lacking=capacity.n_lacking if capacity else 0,
        errors=errors,
        is_within=capacity is not None and capacity.first == capacity.second,
        is_untrue=is_untrue,
    )


def _at(found: FoundPairs, *place: str) -> list[str]:
    return [_fault_text(fault) for fault in found.faults if fault.place == place]


def _fault_text(fault: Fault) -> str:
    fault = in_form_words(fault)
    return f"{fault.message} ({fault.remedy})"


def _attributes(here: PairsHere, draw: Draw) -> list[tuple[str, int]]:
    """The attributes that clips can be matched on, and requested ones that no clip has."""
    known = list(attributes_of(pairable(here.made_of, here.draft.keys.get("sample"))))
    names = {name for name, _ in known}
    return [*known, *((name, 0) for name in draw.match if name not in names)][:MOST_ATTRIBUTES]


def with_seed(draw: Draw, seed: str) -> Draw:
    return replace(draw, seed=seed)
