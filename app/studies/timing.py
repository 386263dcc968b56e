"""Exclusion rules of fixed times held against the clips: whether an honest participant can keep to them at all."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from sqlmodel import Session, col, select

from app.library.tables import Stimulus
from app.studies.file.design import StudyDesign
from app.studies.file.exclusion import DesignRule
from app.trials.checks import Check
from app.trials.design import Kind
from app.trials.parts import BlockDesign
from app.trials.tables import UnitMember

_TOTAL, _REACTION = "total-time", "reaction-time"


@dataclass(frozen=True, slots=True)
class ClipTimes:
    """Durations of clips in an arm, in seconds: those of a session together at least, and the median of its trials.

    `is_all` is true where every trial shows clips of a known length: otherwise a session takes an unknown time more.
    """

    total_s: float
    trial_s: float
    is_all: bool


def clip_times(session: Session, design: StudyDesign) -> Sequence[ClipTimes]:
    """The times of each arm that shows clips of a known length."""
    hashes = {sha256 for block in design.blocks for unit in block.units() for sha256 in unit.sha256.values()}
    # A version keeps the lengths of its clips when they are processed again; one not yet saved has none.
    known = dict(
        session.exec(
            select(UnitMember.sha256, UnitMember.duration_s)
            .where(col(UnitMember.sha256).in_(hashes))
            .distinct()
        ).all()
    )
    known |= dict(
        session.exec(
            select(Stimulus.clip_sha256, Stimulus.duration_s).where(col(Stimulus.clip_sha256).in_(hashes))
        ).all()
    )
    lasts = {sha256: seconds for sha256, seconds in known.items() if sha256 and seconds is not None}
    arms = (design.for_arm(arm) for arm in design.arm_ids)
    return [found for arm in arms if (found := _of_arm(arm.blocks, lasts)) is not None]


def _of_arm(blocks: Sequence[BlockDesign], lasts: Mapping[str, float]) -> ClipTimes | None:
    total, trials, is_all = 0.0, list[float](), True
    for block in blocks:
        times = [(unit.kind, _unit_s(block, [*unit.sha256.values()], lasts)) for unit in block.units()]
        known = [(kind, seconds) for kind, seconds in times if seconds is not None]
        if not known or len(known) < len(times):
            is_all = False
            continue
        main = sorted(seconds for kind, seconds in known if kind is Kind.MAIN)
        # Who is given the shortest clips has the least time to wait.
        total += sum(main[: block.n_main(len(main))]) + sum(s for kind, s in known if kind is not Kind.MAIN)
        trials += main
    return ClipTimes(total, median(trials), is_all) if trials else None


def _unit_s(block: BlockDesign, hashes: Sequence[str], lasts: Mapping[str, float]) -> float | None:
    """The seconds that the clips of a trial last, side by side or one after the other; None where one is unknown."""
    if not hashes or any(sha256 not in lasts for sha256 in hashes):
        return None
    each = [lasts[sha256] for sha256 in hashes]
    return sum(each) if block.in_turn else max(each)


def timing_checks(session: Session, design: StudyDesign) -> Iterator[Check]:
    """A warning for each rule of fixed times that people meet who watch the clips and answer soon after."""
    rules = [rule for rule in design.exclude if rule.rule in (_TOTAL, _REACTION)]
    arms = clip_times(session, design) if rules else ()
    for rule in rules if arms else ():
        is_total = rule.rule == _TOTAL
        scale = 60 if is_total else 1
        times = [arm.total_s if is_total else arm.trial_s for arm in arms if arm.is_all]
        least, most = (rule.bounds.get(name) for name in ("least", "most"))
        of = "the clips of a session last" if is_total else "the clips of a usual trial last"
        if least is not None and times and least * scale > min(times):
            said = f"{of} {min(times):.4g} s, and who takes less than {least * scale:g} s"
            yield _warning(rule, said, f"least: {_below(min(times) / scale):g}", "or less")
        lasting = [arm.total_s if is_total else arm.trial_s for arm in arms]
        if most is not None and most * scale < max(lasting):
            said = f"{of} {max(lasting):.4g} s, and who takes more than {most * scale:g} s"
            yield _warning(rule, said, "most", "longer than that")


def _below(value: float) -> float:
    """A round number not above a time."""
    return int(value * 100) / 100


def _warning(rule: DesignRule, said: str, key: str, how: str) -> Check:
    outcomes = ["does not count, and fills no place"] * (not rule.use) + ["is not paid"] * (not rule.pay)
    outcome = " and ".join(outcomes) or "is remarked"
    detail = (
        f"{said[:1].upper()}{said[1:]} {outcome} ({rule.rule}): people who watch and answer soon would be among them. "
        f"Use `{key}` {how}."
    )
    return Check("timing", "Time limits of exclusion rules", "warning", detail, "design?at=exclude")
