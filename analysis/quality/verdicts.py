"""Verdicts of exclusion rules on sessions. The service and files go through the same function."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from analysis.quality.records import SIMULATED, SessionRecord
from analysis.quality.registry import RULES
from analysis.quality.rules import PASSED, ChosenRule, Cohort, Rule, Values, Verdict
from analysis.quality.texts import plain_text, texts_of
from analysis.quality.times import logarithm, median_rt_s

RulesOf = Callable[[int], Sequence[ChosenRule]]
"""The rules that a version of the study chose."""


def verdicts(rules_of: RulesOf, sessions: Sequence[SessionRecord]) -> dict[str, Verdict]:
    """The verdict on each session of one study, by its number.

    Each is judged by the rules of its own version, and beside all sessions of its mode that ended. One that has not
    ended is used and paid.
    """
    cohorts = {
        mode: cohort_of([s for s in sessions if s.mode == mode]) for mode in {s.mode for s in sessions}
    }
    return {s.session: verdict(rules_of(s.version), s, cohorts[s.mode]) for s in sessions}


def verdict(chosen: Sequence[ChosenRule], session: SessionRecord, cohort: Cohort) -> Verdict:
    """The verdict on one session. Raises KeyError for a rule that there is not."""
    if not session.is_ended:
        return PASSED
    met: list[tuple[ChosenRule, Values]] = []
    for each in chosen:
        values = _met(each, session, cohort)
        if values is not None:
            met.append((each, values))
    return Verdict(
        use=all(each.use for each, _ in met),
        pay=all(each.pay for each, _ in met),
        # The reasons why a session is left out come before what is only remarked.
        rules={each.rule: values for each, values in sorted(met, key=lambda found: found[0].use)},
    )


def _met(chosen: ChosenRule, session: SessionRecord, cohort: Cohort) -> Values | None:
    rule = RULES[chosen.rule]
    if session.mode == SIMULATED and rule.of_people:
        return None
    return rule.find(session, bounds_of(rule, chosen), cohort)


def bounds_of(rule: Rule, chosen: ChosenRule) -> Mapping[str, float | None]:
    """The bounds of a chosen rule, with the defaults where it says none."""
    return {each.name: chosen.bounds.get(each.name, each.default) for each in rule.parameters}


def needs_cohort(chosen: Sequence[ChosenRule]) -> bool:
    """True where the verdict on a session depends on other sessions."""
    return any(RULES[each.rule].of_cohort for each in chosen)


def cohort_of(sessions: Sequence[SessionRecord]) -> Cohort:
    """Times and texts of the sessions of one mode, which rules hold a session against."""
    rt: dict[str, list[float]] = defaultdict(list)
    duration: dict[str, list[float]] = defaultdict(list)
    writers: Counter[str] = Counter()
    for session in sessions:
        if not session.is_ended:
            continue
        for logs, value in ((rt, median_rt_s(session)), (duration, session.duration_s)):
            if (log := logarithm(value)) is not None:
                logs[session.arm].append(log)
        writers.update({plain_text(text) for text in texts_of(session)})
    return Cohort(rt, duration, writers)
