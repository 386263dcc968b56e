"""The report of `analyze` on one or more studies: the settings, the comparisons, and all of it as JSON."""

from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from analysis.choice.between import Measure, MixedDifference, Several
from analysis.choice.published import Published
from analysis.choice.same_people import ComparedAs
from analysis.choice.studies import StudyResult
from analysis.options import Alternative, Blank, Ties
from analysis.results import FLAT, Result, plain, table_rows
from analysis.stats.comparisons import MannWhitney
from analysis.stats.paired import PairedTest

FORMAT = "likely-human analysis 1"


@dataclass(frozen=True, slots=True)
class Settings(Result):
    """The requested settings; `seed` starts every bootstrap and breaks ties if `ties` is ``random``.

    With `independent`, participants with one identifier in two studies are treated as different people.
    """

    mode: str
    """The mode analysed: `live`, `simulated`, `pilot` or `preview`."""
    blank: Blank
    """Blank answers are missing, or wrong."""
    alternative: Alternative
    ties: Ties
    """Tied labels are kept, or broken by the seed."""
    seed: int
    """Starts every bootstrap, and breaks ties where that is asked for."""
    resamples: int
    """Number of resamples of every bootstrap."""
    level: float
    """Confidence level of every interval, 0 to 1."""
    independent: bool


@dataclass(frozen=True, slots=True)
class Comparison(Result):
    """One measure in two studies. `p_holm` corrects `test.p` over the `n_family` comparisons of the analysis.

    `trials` says which trials an uncertainty is over. `n_shared_ids` participants have the same identifier
    in both studies: `test` takes them for different people, `paired` compares each of them with themselves (None where
    there are none, or where they are known, or said, to be others). `compared_as` says which of the two tests is the
    one to read, and `p_holm_as_compared` corrects its p over the `n_family_as_compared` tests to be read. `warning`
    is a sentence on what these take for granted."""

    studies: tuple[str, str]
    measure: Measure
    trials: str | None
    condition: str | None
    source: str | None
    against: str | None
    n_shared_ids: int
    test: MannWhitney = field(metadata=FLAT)
    p_holm: float | None
    n_family: int
    compared_as: ComparedAs
    paired: PairedTest | None
    p_holm_as_compared: float | None
    n_family_as_compared: int
    warning: str | None

    @property
    def p_to_read(self) -> float | None:
        """The p of the test that `compared_as` names."""
        return self.paired.p if self.paired and self.compared_as == "paired" else self.test.p


@dataclass(frozen=True, slots=True, eq=False)
class Analysis(Result):
    """All numbers of one or more studies; `to_dict()` is the documented JSON (docs/analysis.md)."""

    settings: Settings
    studies: tuple[StudyResult, ...]
    comparisons: tuple[Comparison, ...]
    labels: pd.DataFrame
    """One row for each pair of a study, with its votes and its label; the columns of `labels` in docs/data.md."""
    published: Published | None
    several: tuple[Several, ...]
    mixed_differences: tuple[MixedDifference, ...]

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values with stable keys: never NaN, but null with a reason."""
        published = self.published
        return {
            "format": FORMAT,
            "settings": self.settings.to_dict(),
            "studies": [study.to_dict() for study in self.studies],
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
            "labels": table_rows(self.labels),
            "as_published": plain(published and published.as_published),
            "corrected": plain(published and published.corrected),
            "what_differs": plain(published and published.what_differs),
            "majority_vote_agrees_with_truth": published and published.majority_vote_agrees_with_truth,
            "published_source": published and published.source,
            "several": [several.to_dict() for several in self.several],
            "mixed_differences": [difference.to_dict() for difference in self.mixed_differences],
        }
