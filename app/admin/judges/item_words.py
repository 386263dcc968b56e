"""A validation of judges of items, as it stands in its JSON, in words."""

from collections.abc import Iterator, Sequence

from analysis.stats.evidence import NOT_YET
from app.admin.judges.views import JudgePanel
from app.admin.judges.words import Numbers, against, counted, estimate

# As the analysis prints them; the serving process loads nothing of it.
_MEASURES = {
    "accuracy": "accuracy",
    "kappa": "Cohen's kappa",
    "spearman": "Spearman",
    "pearson": "Pearson",
    "kendall": "Kendall's tau-b",
    "icc": "ICC(A,1)",
}
_FINDINGS = {
    "above": ("Closer to people than one rater is", "ok"),
    "below": ("Further from people than one rater is", "bad"),
    "alike": ("As close to people as one rater is, within 0.1", ""),
    "like": (f"Whether it is closer to people than one rater is {NOT_YET}", ""),
    "unknown": ("Too few ratings to compare it with one rater", ""),
    "before": ("Of an earlier version: run it again to compare it with one rater", ""),
}
_MAIN = {"classes": "accuracy", "ratings": "spearman"}


def item_panels(blocks: Sequence[Numbers]) -> list[JudgePanel]:
    """One for each judge by each criterion."""
    several = len(blocks) > 1 or any(len(block["validation"]["criteria"]) > 1 for block in blocks)
    return [
        _panel(judge, group["criterion"] if several else "", _MAIN[block["kind"]])
        for block in blocks
        for group in block["validation"]["criteria"]
        for judge in group["judges"]
    ]


def _panel(judge: Numbers, criterion: str, main: str) -> JudgePanel:
    finding, standing = _FINDINGS[against(judge["measures"][main])]
    run = f", run {judge['run']}" if judge["run"] else ""
    return JudgePanel(
        name=f"{judge['judge']}{run}{f': {criterion}' if criterion else ''}",
        finding=finding,
        standing=standing,
        sentences=list(_sentences(judge)),
        rows=(),
    )


def _sentences(judge: Numbers) -> Iterator[str]:
    for name, measure in judge["measures"].items():
        own, ceiling = measure["value"], measure["ceiling"]
        if own["value"] is None:
            yield f"{_MEASURES[name]}: no number, for {own['reason']}."
            continue
        one = estimate(ceiling) if ceiling["value"] is not None else f"no number, for {ceiling['reason']}"
        yield f"{_MEASURES[name]}: {estimate(own)}, of {counted(own['n'], 'item')}. One rater: {one}."
    test = judge["alternative_annotator"]
    if test["reason"]:
        yield f"May it replace raters? The alternative annotator test cannot say: {test['reason']}."
    else:
        verdict = "passes" if test["passes"] else "does not pass"
        yield (
            f"May it replace raters? It {verdict} the alternative annotator test: it wins against {test['n_won']} of "
            f"{counted(test['n_tested'], 'rater')}; half are needed."
        )
    counts = judge["counts"]
    for n, what in (
        (counts["n_abstained"], "it abstained on {}"),
        (counts["n_missing"], "it has no value for {}"),
        (counts["n_unrated"], "{} that it names were rated by nobody"),
    ):
        if n:
            said = what.format(counted(n, "item"))
            yield f"{said[:1].upper()}{said[1:]}."
