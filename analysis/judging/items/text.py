"""A validation of judges of items as text for a terminal, 100 columns wide."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from analysis.judging.items.studies import BlockValidation
from analysis.judging.items.validation import ItemGroup, ItemJudge, ItemValidation
from analysis.judging.text import alternative_lines, estimate_text
from analysis.terminal import WIDTH, as_text, heading, name_of, table_of

_MOST_CLASSES, _MOST_CONFUSIONS, _LONGEST = 8, 10, 40
ITEM_MEASURES = {
    "accuracy": "accuracy",
    "kappa": "Cohen's kappa",
    "spearman": "Spearman",
    "pearson": "Pearson",
    "kendall": "Kendall's tau-b",
    "icc": "ICC(A,1)",
}
_READ = {
    "classes": (
        "Against the class that more raters named than any other (items without one are left out). One person: a "
        "rater in the judge's place, held against the others. The alternative annotator test is by accuracy."
    ),
    "ratings": (
        "Against the mean rating of each item. One person: one rating of each item, drawn at random, against the mean "
        "of the others. The alternative annotator test is by the root mean square of the differences."
    ),
}


def render_items(validation: ItemValidation, width: int = WIDTH) -> str:
    """Return the validation as plain text: every number with its interval and the level of one person.

    Of more than eight classes the largest confusions are listed; the JSON has the table.
    """
    return as_text(list(_parts(validation)), width)


def render_block_validations(blocks: Sequence[BlockValidation], width: int = WIDTH) -> str:
    """The validations of a study's blocks as plain text, each as `render_items` has it."""
    parts = []
    for one in blocks:
        where = f"{name_of(one.study)}, block {name_of(one.block)}"
        people = f"{one.n_participants} {one.mode} participants, {one.n_rated} items rated"
        parts += [heading(f"{one.kind.capitalize()} of {where}: {people}"), *_parts(one.validation)]
    return as_text(parts, width)


def _parts(validation: ItemValidation) -> Iterator[RenderableType]:
    settings = validation.settings
    yield f"Judges of {settings.judges_of}; seed {settings.seed}; {settings.resamples:,} bootstrap resamples over items"
    for group in validation.criteria:
        yield from _group(group, several=len(validation.criteria) > 1)
    yield heading("How to read this")
    yield _READ[settings.judges_of]


def _group(group: ItemGroup, *, several: bool) -> Iterator[RenderableType]:
    if several:
        yield heading(f"Criterion {name_of(group.criterion)}")
    apart = (
        (group.n_items_one_rater, "item has one rater", "items have one rater"),
        (
            group.n_tied or 0,
            "item has no class that most raters named",
            "items have no class that most raters named",
        ),
        (group.n_left_out, "rating does not count", "ratings do not count"),
    )
    parts = "".join(f"; {n} {one if n == 1 else many}" for n, one, many in apart if n)
    yield f"{group.n_ratings} ratings of {group.n_items} items by {group.n_raters} raters{parts}."
    for judge in group.judges[:_LONGEST]:
        yield from _judge(judge)
    if len(group.judges) > _LONGEST:
        yield f"The first {_LONGEST} of {len(group.judges)} judges; --json has them all."


def _judge(judge: ItemJudge) -> Iterator[RenderableType]:
    yield heading(f"Judge {name_of(judge.judge)}{f', run {name_of(judge.run)}' if judge.run else ''}")
    counts = judge.counts
    lost = {
        "abstained": counts.n_abstained,
        "missing": counts.n_missing,
        "rows about items without ratings": counts.n_unrated,
    }
    names = f" ({', '.join(map(name_of, counts.unrated))})" if counts.unrated else ""
    parts = "".join(f"; {n} {what}" for what, n in lost.items() if n)
    yield f"{counts.n_judged} of {counts.n_items} items judged{parts}{names}."
    given = {name: one for name, one in judge.measures.items() if one.value.value is not None}
    if given:
        table = table_of("", "n", "judge", "one person")
        for name, one in given.items():
            table.add_row(
                ITEM_MEASURES[name], str(one.value.n), estimate_text(one.value), estimate_text(one.ceiling)
            )
        yield table
    for reason, missing in _reasons(judge).items():
        yield f"  No {', '.join(missing)}: {reason}."
    if judge.confusion:
        yield from _confusion(judge)
    yield from alternative_lines((judge.alternative_annotator,), "items", "raters")


def _reasons(judge: ItemJudge) -> dict[str, list[str]]:
    missing: dict[str, list[str]] = {}
    for name, one in judge.measures.items():
        if one.value.reason:
            missing.setdefault(one.value.reason, []).append(ITEM_MEASURES[name])
        elif one.ceiling.reason:
            missing.setdefault(one.ceiling.reason, []).append(f"{ITEM_MEASURES[name]} of one person")
    return missing


def _confusion(judge: ItemJudge) -> Iterator[RenderableType]:
    used = [
        place
        for place in range(len(judge.classes))
        if any(judge.confusion[place]) or any(row[place] for row in judge.confusion)
    ]
    if not used:
        return
    if len(used) <= _MOST_CLASSES:
        table = table_of(
            "most people said / the judge said", *(name_of(judge.classes[place]) for place in used)
        )
        for place in used:
            table.add_row(
                name_of(judge.classes[place]), *(str(judge.confusion[place][other]) for other in used)
            )
        yield table
        return
    cells = sorted(
        (-judge.confusion[place][other], place, other) for place in used for other in used if place != other
    )
    wrong = [(-n, place, other) for n, place, other in cells if n]
    yield (
        f"  {len(used)} classes; the largest confusions:"
        if wrong
        else f"  {len(used)} classes, none confused."
    )
    for n, place, other in wrong[:_MOST_CONFUSIONS]:
        yield f"  {n}: most people {name_of(judge.classes[place])}, the judge {name_of(judge.classes[other])}"
    if len(wrong) > _MOST_CONFUSIONS:
        yield f"  The first {_MOST_CONFUSIONS} of {len(wrong)}; --json has the whole table."
