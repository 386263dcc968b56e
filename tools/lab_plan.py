"""The studies of a lab that `make lab` fills: their titles, owners, states and sizes, the same ones each time."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.studies.file.drafts import slug_of
from app.trials.tables import State

PRACTICE = 2  # pairs of each study
PEOPLE = ("jr", "mk", "ln", "ts")
"""Experimenters beside the owner, by the names of their addresses."""

# A group of studies has clips of its own, a tag, and titles.
TOPICS: Mapping[str, Sequence[str]] = {
    "faces": (
        "Real or rendered faces", "Avatars in meetings", "Smiles that last", "Speech with lip sync", "Blinks",
    ),
    "walking": (
        "Walking styles in three labs", "Dance from motion capture", "Crowds from above", "Carrying a tray",
        "Steps on a stair",
    ),
    "navigation": (
        "Which navigation looks human?", "Real or fake player?", "Navigation, second map", "Turning at corners",
        "Looking for the exit",
    ),
    "driving": (
        "Driving at dusk", "Lane changes, seen from behind", "Parking by camera", "Roundabouts in the rain",
        "Following a lorry",
    ),
    "hands": (
        "Reaching for a cup", "Hands on a piano", "Handwriting, drawn live", "Folding a shirt", "Tying a knot",
    ),
    "games": (
        "Sharing points, two players", "Platform jumps without sound", "Chess moves and their timing",
        "Steering a ball through a maze", "Building a tower",
    ),
}  # fmt: skip
ROUNDS = ("", ", replication", ", older adults", ", without sound", ", shorter clips", ", second panel")

STATES = (
    *[State.CLOSED] * 6, State.DRAFT, State.LIVE, State.CLOSED, State.DRAFT, State.PILOT, State.CLOSED, State.LIVE,
    State.CLOSED, State.PAUSED, State.DRAFT, State.CLOSED, State.DRAFT, State.LIVE, State.CLOSED,
)  # fmt: skip
ARCHIVED_EVERY = 11  # of the closed ones
DRAFTS = ("hntt", "blank", "real-or-fake", "preference", "rubric", "ultimatum", "which-player", "hntt-arms")


@dataclass(frozen=True, slots=True)
class Planned:
    """A study to be made. `days` is its age; `came` of `target` have come. A draft begins from `template`."""

    slug: str
    title: str
    topic: str
    owner: str
    state: State
    is_archived: bool
    days: float
    came: int
    target: int
    accuracy: float
    template: str = ""


def planned(n: int, sessions: int, seed: int) -> list[Planned]:
    """`n` studies: first the large one, which is live, then a draft and a closed one, then a mixture."""
    rng = random.Random(f"{seed}/lab")
    titles = [
        (f"{title}{round_}", topic)
        for round_ in ROUNDS
        for titles_of in zip(*TOPICS.values(), strict=True)
        for title, topic in zip(titles_of, TOPICS, strict=True)
    ]
    taken: set[str] = set()
    found: list[Planned] = []
    for at, (title, topic) in enumerate(titles[:n]):
        slug = slug_of(title, taken)
        taken.add(slug)
        state = (State.LIVE, State.DRAFT, State.CLOSED)[at] if at < 3 else STATES[(at - 3) % len(STATES)]
        target = rng.choice((20, 24, 30, 40, 50, 60))
        found.append(
            Planned(
                slug=slug,
                title=title,
                topic=topic,
                owner=("owner", *PEOPLE)[0 if at < 2 else rng.choice((0, 0, 1, 2, 3, 4))],
                state=state,
                is_archived=state is State.CLOSED and at % ARCHIVED_EVERY == ARCHIVED_EVERY - 1,
                days=3.0 if at == 0 else rng.uniform(0.2, 12) if state in _OPEN else rng.uniform(5, 120),
                came=sessions if at == 0 else _came(rng, state, min(target, sessions)),
                target=round(sessions * 1.25) if at == 0 else target,
                accuracy=rng.uniform(0.5, 0.9),
                template=DRAFTS[at % len(DRAFTS)] if state is State.DRAFT else "",
            )
        )
    return found


_OPEN = (State.DRAFT, State.PILOT, State.LIVE)


def _came(rng: random.Random, state: State, target: int) -> int:
    match state:
        case State.DRAFT:
            return 0
        case State.PILOT:
            return rng.randint(0, 5)
        case State.CLOSED:
            return target + rng.randint(0, 3)
    return rng.randint(0, target)


def keys_of(study: Planned, pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """A study file over pairs of clips, the first of them for practice."""
    lines = [f"{at},{a},{b},{'practice' if at < PRACTICE else 'main'}" for at, (a, b) in enumerate(pairs)]
    return {
        "study": study.slug,
        "title": study.title,
        "consent": {"version": "1", "text": _CONSENT, "minimum_age": 18},
        "instructions": "# Instructions\n\nWatch both videos to their end, then answer three questions.\n",
        "pairs": "\n".join(["pair,a,b,kind", *lines]) + "\n",
        "target": study.target,
        "trials": {
            "order": "random",
            "sides": "balanced",
            "watch": "both-to-end",
            "questions": [
                {"id": "choice", "type": "2afc", "ask": "Which video is more likely to be human?"},
                {"id": "rationale", "type": "text", "ask": "Why do you think so?"},
                {
                    "id": "uncertainty",
                    "type": "likert",
                    "ask": "How certain are you?",
                    "scale": "uncertainty",
                },
            ],
        },
        "completion": {
            "message": "Thank you for taking part.",
            "minutes": 12,
            "pay": "£2.50",
            "contact": "Perception Lab, lab@example.org",
            "code": "LAB1",
        },
    }


_CONSENT = """\
# Taking part

You watch pairs of short videos and say which one is more likely to be human. It takes about twelve minutes.

Taking part is voluntary: you can stop at any time by closing the page. We keep your answers without your name.
"""
