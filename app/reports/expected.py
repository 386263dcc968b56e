"""A study's hypotheses as its analysis takes them, with its registration."""

from collections.abc import Collection, Sequence

import pandas as pd

from analysis.hypotheses import (
    ALL,
    By,
    Expected,
    HypothesesDecided,
    Hypothesis,
    Registered,
    decide_hypotheses,
)
from analysis.options import RESAMPLES, Blank
from app.reports.study_facts import StudyFacts
from app.studies.file.design import StudyDesign
from app.studies.file.hypotheses import DesignHypothesis
from app.studies.registering import Commitment
from app.trials.design import Kind


def expected_of(study: StudyFacts) -> Expected:
    """The registered hypotheses as they were registered, and those of the newest version that differ."""
    if not study.versions:
        return Expected()
    newest, held = study.versions[-1], study.held
    if held is None:
        return Expected(tuple(_as_asked(one, newest.design) for one in newest.design.hypotheses))
    later = [
        *(one.model_copy(update={"id": f"{one.id} (version {newest.number})"}) for one in held.changed),
        *held.added,
    ]
    return Expected(
        (
            *(_as_asked(one, held.design) for one in held.kept),
            *(_as_asked(one, newest.design) for one in later),
        ),
        _registered(held, newest.number),
    )


def _registered(held: Commitment, newest: int) -> Registered:
    found = held.registration
    return Registered(
        version=found.version,
        at=found.at.isoformat(timespec="seconds"),
        address=found.address,
        sha256=found.sha256,
        hypotheses=tuple(one.id for one in held.kept),
        changed=tuple(f"{one.id} (version {newest})" for one in held.changed),
        deviations=tuple(held.deviations),
    )


def _as_asked(one: DesignHypothesis, design: StudyDesign) -> Hypothesis:
    return Hypothesis(
        id=one.id,
        says=one.says,
        compare=one.compare,
        by=_by(one, design),
        measure=one.measure,
        source=one.source,
        direction=one.direction,
        test=one.test,
        alpha=one.alpha,
        correction=one.correction,
        smallest=one.smallest,
    )


def _by(one: DesignHypothesis, design: StudyDesign) -> By:
    """Tells whether the compared names are conditions or groups of main units, or arms."""
    first = one.compare[0]
    if first == ALL:
        return "all"
    main = [unit for block in design.blocks for unit in block.units() if unit.kind is Kind.MAIN]
    conditions: Collection[str] = {unit.condition for unit in main}
    if first in conditions:
        return "condition"
    return "arm" if first in {arm.id for arm in design.arms} else "group"


def decided(
    study: StudyFacts,
    frames: Sequence[pd.DataFrame],
    *,
    mode: str,
    blank: Blank = "missing",
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> HypothesesDecided | None:
    """The hypotheses decided by a study's checked answers, of pairs and of ratings; None where there are none, and no
    registration."""
    slug, expected = study.slug, expected_of(study)
    if not expected.hypotheses and expected.registered is None:
        return None
    of_study = [frame[frame["study"] == slug].reset_index(drop=True) for frame in frames]
    pairs = next((frame for frame in of_study if "pair" in frame and len(frame)), None)
    ratings = next((frame for frame in of_study if "question" in frame and len(frame)), None)
    return decide_hypotheses(
        slug,
        expected,
        mode=mode,
        responses=pairs,
        ratings=ratings,
        blank=blank,
        seed=seed,
        resamples=resamples,
    )
