"""The verdict of the exclusion rules on a session, in the words of the pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session

from analysis.quality.registry import RULES
from app.studies.file.design import StudyDesign
from app.trials.tables import SessionVerdict


@dataclass(frozen=True, slots=True)
class RuleMet:
    """A rule that a session met: by which values, and what the study decides by it."""

    title: str
    meaning: str
    values: str
    decides: str


@dataclass(frozen=True, slots=True)
class VerdictView:
    """`n_rules` are those that the session's version has."""

    use: bool
    pay: bool
    met: Sequence[RuleMet]
    n_rules: int


def verdict_view(session: Session, design: StudyDesign, session_id: int) -> VerdictView | None:
    """None of a version without rules, and of a session that has not ended."""
    found = session.get(SessionVerdict, session_id)
    if found is None or not design.exclude:
        return None
    chosen = {rule.rule: rule for rule in design.exclude}
    met = [
        RuleMet(
            RULES[name].title if name in RULES else name,
            RULES[name].meaning if name in RULES else "",
            values_in_words(values),
            _decides(use=chosen[name].use, pay=chosen[name].pay) if name in chosen else "",
        )
        for name in found.names.split(";")
        if name and (values := found.rules.get(name)) is not None
    ]
    return VerdictView(found.use, found.pay, met, len(design.exclude))


def values_in_words(values: Mapping[str, Any]) -> str:
    """``trials 3, of 10``."""
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items())


def _decides(*, use: bool, pay: bool) -> str:
    parts = ["not in the numbers"] * (not use) + ["not paid"] * (not pay)
    return " and ".join(parts) or "a remark alone"
