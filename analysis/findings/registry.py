"""The statistics of a study, one line each: the computation and the findings from it.

Terminal, JSON, Results, report and CSV read this list; docs/new-statistic.md says how to add to it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase

import pandas as pd

from analysis.choice.studies import StudyResult
from analysis.findings.agreement import agreement, breakdowns, labels, sources
from analysis.findings.arms import arms, arms_computed
from analysis.findings.bias import bias
from analysis.findings.certainty import certainty
from analysis.findings.condition_tests import conditions
from analysis.findings.flow import flow_section
from analysis.findings.layouts import layouts, layouts_computed
from analysis.findings.means import means, ties
from analysis.findings.model import Section
from analysis.findings.people import pair_labels, participants
from analysis.findings.published import published
from analysis.findings.ranking import ranked, ranking
from analysis.findings.reach import reach
from analysis.findings.studies_tests import studies_compared
from analysis.findings.what_if import what_if_section
from analysis.reported import Analysis, Settings
from analysis.results import Result

Findings = Callable[[StudyResult, Settings], Iterator[Section]]
Compute = Callable[[pd.DataFrame, Settings], Result]


@dataclass(frozen=True, slots=True)
class Statistic:
    """`found` reads a study's result. With `compute` the result is made from the main answers of the study that count,
    and is at `name` in `StudyResult.further` and in the JSON; without it `found` reads fields of the study."""

    name: str
    found: Findings
    compute: Compute | None = None


def flow(study: StudyResult, _settings: Settings) -> Iterator[Section]:
    """From arriving to being analysed."""
    return flow_section(study.flow)


STATISTICS: tuple[Statistic, ...] = (
    Statistic("means", means),
    Statistic("ties", ties),
    Statistic("participants", participants),
    Statistic("conditions", conditions),
    Statistic("arms", arms, arms_computed),
    Statistic("layouts", layouts, layouts_computed),
    Statistic("reach", reach),
    Statistic("certainty", certainty),
    Statistic("bias", bias),
    Statistic("agreement", agreement),
    Statistic("labels", labels),
    Statistic("sources", sources),
    Statistic("ranking", ranking, ranked),
    Statistic("breakdowns", breakdowns),
    Statistic("flow", flow),
    Statistic("whatif", what_if_section),
)
OF_ALL: tuple[Callable[[Analysis], Iterator[Section]], ...] = (studies_compared, pair_labels, published)
"""Sections about all studies together."""


def computed(main: pd.DataFrame, settings: Settings) -> Mapping[str, Result]:
    """The results of the statistics that no field of `StudyResult` holds, by name."""
    return {one.name: one.compute(main, settings) for one in STATISTICS if one.compute is not None}


def sections_of(study: StudyResult, settings: Settings) -> tuple[Section, ...]:
    """All findings of one study; the flow of its participants alone if no answer counts."""
    if study.selection.reason:
        return tuple(flow_section(study.flow))
    return tuple(section for one in STATISTICS for section in one.found(study, settings))


def sections_of_all(analysis: Analysis) -> tuple[Section, ...]:
    return tuple(section for found in OF_ALL for section in found(analysis))


def named_once(sections: Sequence[Section], *, names_people: bool = False) -> tuple[Section, ...]:
    """The sections of a page, by default without those that name people; of several with one name the second ends in
    `b`."""
    seen = Counter[str]()
    found = []
    for section in sections:
        if section.names_people and not names_people:
            continue
        again = seen[section.name]
        seen[section.name] += 1
        found.append(
            replace(section, name=f"{section.name}{ascii_lowercase[again % 26]}") if again else section
        )
    return tuple(found)


def methods_in(sections: Iterable[Section]) -> tuple[str, ...]:
    """The methods of the numbers, each sentence once."""
    return tuple(dict.fromkeys(text for section in sections for text in section.methods))
