"""A validation of judges, as it stands in its JSON, in words: numbers are compared here, never computed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.stats.evidence import NOT_YET, Evidence, evidence_of
from analysis.stats.p_values import p_words
from app.admin.judges.views import GroupRow, JudgePanel

Numbers = Mapping[str, Any]

AGREES, FINDS, RANKS = "label_accuracy", "identity_accuracy", "spearman"
_GROUPS = {"human-agent": "with a right one", "agent-agent": "without one", "all": "all pairs"}
_FINDINGS = {
    "above": ("Agrees with people more often than one person does", "ok"),
    "alike": ("Agrees with people as often as one person does, within 10 points", ""),
    "like": (f"Whether it agrees with people more or less often than one person does {NOT_YET}", ""),
    "below": ("Agrees with people less often than one person does", "bad"),
    "unknown": ("Too few answers to compare it with one person", ""),
    "before": ("Of an earlier version: run it again to compare it with one person", ""),
}

_STANDING: Mapping[Evidence, str] = {"more": "above", "less": "below", "alike": "alike", "open": "like"}


def panels(validation: Numbers) -> list[JudgePanel]:
    return [_panel(judge) for judge in validation["judges"]]


def _panel(judge: Numbers) -> JudgePanel:
    everything = next(group for group in judge["groups"] if group["scope"] == "all")
    measure = everything["measures"][AGREES]
    finding, standing = _finding(measure)
    several = sum(group["scope"] == "class" for group in judge["groups"]) > 1
    return JudgePanel(
        name=judge["judge"],
        finding=finding,
        standing=standing,
        sentences=[
            _sentence(
                "Pairs on which it agrees with the majority of people", "One person with the others", measure
            ),
            *(
                [
                    _sentence(
                        "Pairs in which it finds the right one", "One person", everything["measures"][FINDS]
                    )
                ]
                if everything["measures"][FINDS]["corrected"]["value"] is not None
                else []
            ),
            *_three_classes(everything["measures"]),
            *_may_replace(judge),
            *_powered(judge),
            *_counted(judge),
        ],
        rows=[_row(group) for group in judge["groups"] if group["scope"] != "class" or several],
    )


def _finding(measure: Numbers) -> tuple[str, str]:
    """The finding with the two numbers compared, so that an inconclusive result is not read as equality."""
    finding, standing = _FINDINGS[against(measure)]
    if measure["corrected"]["value"] is None and "over_person" in measure:
        return "No verdict that could be compared with people's", ""
    own, people = measure["corrected"]["value"], measure["ceiling"]["value"]
    numbers = f": {own:.2f} against {people:.2f}" if own is not None and people is not None else ""
    return f"{finding}{numbers}", standing


def against(measure: Numbers) -> str:
    """The position of the interval of judge minus one participant, both against the same others; older runs lack this
    number.
    """
    over = measure.get("over_person")
    if not over:
        return "before"
    if over["interval"]["low"] is None:
        return "unknown"
    return _STANDING[evidence_of(over["interval"]["low"], over["interval"]["high"])]


def _sentence(share: str, person: str, measure: Numbers) -> str:
    own, people = measure["corrected"], measure["ceiling"]
    if own["value"] is None:
        return f"{share}: no number, for {own['reason']}."
    reached = estimate(people) if people["value"] is not None else f"no number, for {people['reason']}"
    return f"{share}: {estimate(own)}, of {counted(own['n'], 'pair')}. {person}: {reached}."


def estimate(numbers: Numbers) -> str:
    """``0.80 (95% interval 0.50 to 1.00)``."""
    interval = numbers["interval"]
    if interval["low"] is None:
        return f"{numbers['value']:.2f} (no interval: {interval['reason']})"
    level = f"{100 * interval['level']:.3g}%"
    return f"{numbers['value']:.2f} ({level} interval {interval['low']:.2f} to {interval['high']:.2f})"


def _may_replace(judge: Numbers) -> Iterator[str]:
    """The alternative annotator test of the first run; of others only how many pass."""
    tests = judge["alternative_annotator"]
    if not tests:
        return
    first = tests[0]
    if first["reason"]:
        yield f"May it replace people? The alternative annotator test cannot say: {first['reason']}."
        return
    verdict = "passes" if first["passes"] else "does not pass"
    others = (
        f" ({sum(bool(test['passes']) for test in tests)} of {len(tests)} runs pass)"
        if len(tests) > 1
        else ""
    )
    yield (
        f"May it replace people? It {verdict} the alternative annotator test{others}: it wins against "
        f"{first['n_won']} of {counted(first['n_tested'], 'participant')}; half are needed."
    )


def _powered(judge: Numbers) -> Iterator[str]:
    """People's preferences, estimated with the judge's verdicts on pairs without votes."""
    for one in judge["prediction_powered"]:
        if one["value"] is None:
            continue
        where = f" ({one['condition']})" if one["condition"] else ""
        worth = "" if one["n_effective"] is None else f", as if {one['n_effective']:.0f} pairs had votes"
        yield (
            f"Share of votes for {one['source']} over {one['against']}{where}: "
            f"{_with_ends(one['people'], one['people_low'], one['people_high'])} from the votes on "
            f"{counted(one['n_labelled'], 'pair')}; with its verdicts on {one['n_unlabelled']} more that nobody voted "
            f"on {_with_ends(one['value'], one['low'], one['high'])}{worth}."
            + (f" {one['warning'][:1].upper()}{one['warning'][1:]}." if one["warning"] else "")
        )


def _with_ends(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "no number"
    return (
        f"{value:.2f} (no interval)"
        if low is None or high is None
        else f"{value:.2f} ({low:.2f} to {high:.2f})"
    )


def _three_classes(measures: Numbers) -> Iterator[str]:
    """Accuracy with no difference as a third answer, if people could give it; older runs lack this number."""
    three = measures.get("three_class_accuracy")
    if three and three["corrected"]["value"] is not None:
        yield _sentence("The same with no difference as a third answer", "One person with the others", three)


def _counted(judge: Numbers) -> Iterator[str]:
    runs = judge["runs"]
    if len(runs) > 1:
        least, most = (pick(run["n_judged"] for run in runs) for pick in (min, max))
        each = str(least) if least == most else f"{least} to {most}"
        yield f"{len(runs)} runs, each with {each} of {counted(runs[0]['n_pairs'], 'pair')} judged."
    lost = {
        "{} judged as a tie": sum(run["n_tied"] for run in runs),
        "{} on which it abstained": sum(run["n_abstained"] for run in runs),
        "{} without a verdict": sum(run["n_missing"] for run in runs),
    }
    numbers = [said.format(n) for said, n in lost.items() if n]
    if numbers:
        yield f"Of the pairs, {', '.join(numbers)}."
    unknown, not_main, changed = (
        sum(run[key] for run in runs) for key in ("n_unknown", "n_not_main", "n_changed")
    )
    if unknown:
        names = ", ".join(runs[0]["unknown"][:3])
        yield f"{counted(unknown, 'verdict')} of nothing that this study has{f', such as {names}' if names else ''}."
    if not_main:
        yield f"{counted(not_main, 'verdict')} of practice or attention trials, which do not count."
    if changed:
        yield f"{counted(changed, 'verdict')} of pairs that changed between versions, so that a name is not enough."


def _row(group: Numbers) -> GroupRow:
    measures = group["measures"]
    return GroupRow(
        name=group["name"] or "no condition" if group["scope"] == "condition" else _GROUPS[group["name"]],
        pairs=f"{group['n_judged']}\u00a0of\u00a0{group['n_pairs']}",
        agrees=short(measures[AGREES]["corrected"]),
        agrees_people=short(measures[AGREES]["ceiling"]),
        finds=short(measures[FINDS]["corrected"]),
        finds_people=short(measures[FINDS]["ceiling"]),
        ranks=short(measures[RANKS]["corrected"]),
        ranks_people=short(measures[RANKS]["ceiling"]),
    )


def short(numbers: Numbers) -> str:
    """``0.80 [0.50, 1.00]``; a dash where there is no number."""
    if numbers["value"] is None:
        return "–"
    low, high = numbers["interval"]["low"], numbers["interval"]["high"]
    return f"{numbers['value']:.2f}" + (f" [{low:.2f},\u00a0{high:.2f}]" if low is not None else "")


def comparisons(validation: Numbers) -> Sequence[str]:
    """Every two judges that agree with people differently often, or not."""
    return [
        f"{numbers['judges'][0]} less {numbers['judges'][1]}: {estimate(numbers['difference'])}"
        + (f", {p_words(numbers['p_holm'])} (McNemar, Holm)" if numbers["p_holm"] is not None else "")
        + "."
        for numbers in validation["comparisons"]
        if numbers["measure"] == AGREES and numbers["difference"]["value"] is not None
    ]


def counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
