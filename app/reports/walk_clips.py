"""Walks of a study that become clips: which ones, and drawn by the code that draws agents' walks."""

import hmac
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sqlmodel import Session

from app.core.errors import Conflict
from app.exports.tables import OfStudy
from app.reports.facts import designs_of
from app.studies.queries import study_named
from app.tasks.walk.settings import WalkDesign
from app.tasks.walk.tables import Over
from app.tasks.walk.walked import poses_of, pressed_of, start_of, walks
from app.trials.design import Kind
from app.trials.tables import Mode
from stimuli.arena import GOALS
from stimuli.clipset import Progress, Walked, generate_of_people
from stimuli.courses import SEED
from stimuli.scenes import Scene
from stimuli.walkers import Track

MODES = (Mode.LIVE, Mode.PILOT, Mode.SIMULATED)
PRACTICE = "for practice"
EXCLUDED = "excluded"
BY_RULE = "not used by the exclusion rules"
NOT_THERE = "not at the goal"
UNAGREED = "without consent that others see it"
SHORT = "too short for the clip of its scene"


@dataclass(frozen=True, slots=True)
class ShownWalks:
    """The walks of a study that can be shown, and how many cannot, by why."""

    walks: tuple[Walked, ...]
    left_out: Mapping[str, int]

    @property
    def left_out_in_words(self) -> str:
        """`2 for practice, 1 excluded`; empty where all are shown."""
        return ", ".join(f"{n} {why}" for why, n in self.left_out.items())


def shown_walks(
    session: Session, slug: str, mode: Mode, secret: str, *, everything: bool = False
) -> ShownWalks:
    """The walks of a study in one mode that become clips: to their goals, by people who agreed and count; with
    `everything`, also of those whom exclusion rules leave out.

    Names of clips, players and sessions are keyed hashes: stable, and not traceable to people. Raises NotFound for an
    unknown study, Conflict if there is none to show.
    """
    study_named(session, slug)
    designs = designs_of(session, slug)
    if not any(design.blocks_of(WalkDesign) for design in designs.values()):
        raise Conflict(f"{slug} has no block of walks (`task: walk`)")
    found, left_out = list[Walked](), Counter[str]()
    for row in walks(session, OfStudy(slug, designs), [mode]):
        why = _why_not(row, agreed=designs[row["version"]].consent.play_shown, everything=everything)
        if why:
            left_out[why] += 1
            continue
        goal = next(at for at, each in enumerate(GOALS) if each.name == row["goal"])
        scene = Scene(SEED, goal, int(row["course"].rpartition("-")[2]))
        pressed = pressed_of(session, row["walk_id"])
        part = scene.part(Track(*np.array(list(poses_of(start_of(row["plan"]), pressed))).T))
        if part is None:
            left_out[SHORT] += 1
            continue
        found.append(
            Walked(
                name=_opaque("walk", secret, slug, row["trial"]),
                scene=scene,
                part=part,
                player=_opaque("person", secret, slug, row["participant"]),
                session=_opaque("session", secret, slug, row["session"]),
                simulated=mode is Mode.SIMULATED,
            )
        )
    shown = ShownWalks(tuple(sorted(found, key=lambda one: one.name)), left_out)
    if not found:
        raise Conflict(_none_of(slug, mode, shown))
    return shown


def draw_walks(
    shown: Sequence[Walked], out: Path, *, workers: int | None = None, on_progress: Progress | None = None
) -> Path:
    """Write their clips and positions into a folder; gives the manifest's path. Raises StimuliError."""
    return generate_of_people(shown, out, workers=workers, on_progress=on_progress)


def _why_not(row: Mapping[str, object], *, agreed: bool, everything: bool) -> str:
    if row["kind"] != Kind.MAIN:
        return PRACTICE
    if row["excluded"]:
        return EXCLUDED
    if not row["use"] and not everything:
        return BY_RULE
    if row["ended"] != Over.ARRIVED:
        return NOT_THERE
    return "" if agreed else UNAGREED


def _none_of(slug: str, mode: Mode, shown: ShownWalks) -> str:
    why = f" ({shown.left_out_in_words})" if shown.left_out else ""
    unagreed = (
        "; say in the consent text that walks are shown to others, and `play_shown: true` in the study file"
    )
    hint = unagreed if UNAGREED in shown.left_out else ""
    return f"{slug} has no {mode} walk that can be shown{why}{hint}"


def _opaque(kind: str, secret: str, slug: str, name: str) -> str:
    """A name that is always the same, and cannot be led back without the secret of the service."""
    digest = hmac.digest(secret.encode(), f"{kind}/{slug}/{name}".encode(), "sha256")
    return f"{kind}-{digest.hex()[:12]}"
