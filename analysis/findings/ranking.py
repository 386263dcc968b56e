"""Ranking of sources: their strengths in order, and which are told apart."""

from collections.abc import Iterator

import pandas as pd

from analysis.choice.studies import StudyResult
from analysis.findings.model import Column, Figure, Mark, Numbers, Section
from analysis.findings.tables import column, counts, measured, names, reasons
from analysis.findings.words import first_few, listed, people
from analysis.reported import Settings
from analysis.signs import signed
from analysis.stats.bradley_terry import Ranking
from analysis.stats.bradley_terry import ranking as ranking_of

TITLE = "Ranking of sources"
_METHOD = (
    "Sources were ranked by the strengths of Bradley and Terry's model with a term for the side [BT52]; two were told "
    "apart where the interval of their difference, over people and for all pairs of sources together by the "
    "studentized range [Kra56], excluded zero."
)


def ranked(main: pd.DataFrame, settings: Settings) -> Ranking:
    """The order of the sources by the answers that count."""
    return ranking_of(main, seed=settings.seed, resamples=settings.resamples)


def ranking(study: StudyResult, settings: Settings) -> Iterator[Section]:
    """Sentences, tables and figure; none of fewer than three sources."""
    found = study.further["ranking"]
    assert isinstance(found, Ranking)
    if not found.sources:
        if len(study.bradley_terry.strengths) >= 3:
            text = f"There is no ranking of all sources yet: {found.reason}."
            yield Section("ranking", TITLE, (text,), not_yet=(text,))
        return
    ahead, open_ = _ahead(found), _open(found)
    pairs = len(found.differences)
    said = (
        f"All {pairs} pairs of sources are told apart: {_order(found)}."
        if found.n_settled == pairs
        else f"{found.n_settled} of {pairs} pairs of sources are told apart."
    )
    yield Section(
        "ranking",
        TITLE,
        (said, *open_),
        tables=(_places(found), _differences(found)),
        notes=(
            f"Over {people(found.n_participants or 0)}. Strengths are log odds and sum to zero; a difference of 1.1 is "
            "3 choices to 1.",
            *reasons(
                [
                    *((one.source, one.strength) for one in found.sources),
                    *((f"{one.source} over {one.against}", one.difference) for one in found.differences),
                ]
            ),
        ),
        figures=(_figure(found, said),),
        can_say=ahead,
        not_yet=open_,
        methods=(_METHOD,),
    )


def _order(found: Ranking) -> str:
    return ", then ".join(one.source for one in found.sources)


def _ahead(found: Ranking) -> tuple[str, ...]:
    """A sentence for each source that is ahead of some."""
    return tuple(
        f"{one.source} is chosen over {first_few(one.ahead_of)}." for one in found.sources if one.ahead_of
    )


def _open(found: Ranking) -> tuple[str, ...]:
    """A sentence for each source with the weaker ones that it is not told apart from."""
    of: dict[str, list[str]] = {}
    for one in found.differences:
        if not one.is_settled:
            of.setdefault(one.source, []).append(one.against)
    return tuple(f"Not told apart yet: {source} from {listed(others)}." for source, others in of.items())


def _places(found: Ranking) -> Numbers:
    columns = (
        *names("source"),
        *counts("place", "comparisons", "chosen"),
        column("strength", digits=2),
        column("told apart from", "words"),
        column("not told apart yet", "words"),
    )
    return Numbers(
        "Sources, the strongest first",
        columns,
        tuple(
            (
                *(one.source, one.place, one.n_comparisons, one.n_wins, measured(one.strength)),
                *(", ".join((*one.behind, *one.ahead_of)) or None, ", ".join(one.open_with) or None),
            )
            for one in found.sources
        ),
    )


def _differences(found: Ranking) -> Numbers:
    return Numbers(
        "Differences of sources in log odds, with intervals that hold for all at once",
        (
            *names("ahead", "behind"),
            *counts("comparisons"),
            column("difference", digits=2),
            column("verdict", "words"),
        ),
        tuple(
            (
                *(one.source, one.against, one.n_comparisons, measured(one.difference)),
                "told apart" if one.is_settled else "not yet",
            )
            for one in found.differences
        ),
    )


def _figure(found: Ranking, said: str) -> Figure:
    ends = [
        abs(end)
        for one in found.sources
        for end in (one.strength.interval.low, one.strength.interval.high, one.strength.value)
        if end is not None
    ]
    most = max(*ends, 1.0)
    return Figure(
        name="ranking",
        section="tell",
        drawing="marks",
        said=said,
        how="Strength of each source in log odds with its 95% interval over people: right of the middle it is chosen "
        "more often than the others. Two intervals may overlap although the sources are told apart: their difference "
        "counts.",
        numbers=Numbers(
            TITLE,
            (
                Column("source", "Source", "text"),
                Column("comparisons", "Comparisons", "count"),
                Column("strength", "Strength", digits=2),
                Column("ci_low", "from", digits=2),
                Column("ci_high", "to", digits=2),
                Column("open_with", "Not told apart yet", "words"),
            ),
            tuple(
                (
                    *(one.source, one.n_comparisons, one.strength.value),
                    *(
                        one.strength.interval.low,
                        one.strength.interval.high,
                        ", ".join(one.open_with) or None,
                    ),
                )
                for one in found.sources
            ),
        ),
        marks=tuple(
            Mark(
                one.source,
                one.strength.value,
                one.strength.interval.low,
                one.strength.interval.high,
                signed(one.strength.value or 0),
                f"not yet: {first_few(one.open_with)}" if one.open_with else "told apart",
                spoken=f"place {one.place}: {one.source}, strength {signed(one.strength.value or 0)}"
                + (f", not told apart yet from {listed(one.open_with)}" if one.open_with else ""),
            )
            for one in found.sources
        ),
        chance=0.0,
        even="average",
        scale=(-most, most),
        ends=(f"{-most:.1f}", f"+{most:.1f}"),
        column="Told apart from all others",
    )
