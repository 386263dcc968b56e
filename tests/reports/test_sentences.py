"""Absence of evidence is no finding: at wide intervals no sentence says that something is, or is not.

Every sentence of Results, of the clue report and of judges is read; the rule itself: tests/analysis/test_evidence.py.
"""

import random
import re
from collections.abc import Container, Iterator

import pandas as pd
import pytest

from analysis import Analysis, analyze, analyze_rating_rows, render, render_brief
from analysis.clues.report import clue_report
from analysis.data.schema import check_rating_rows
from analysis.findings.making import ResultsContext, results_view
from analysis.findings.model import Findings
from analysis.findings.rating_claims import claims as rating_claims
from analysis.findings.registry import methods_in, sections_of, sections_of_all
from analysis.findings.words import NOUNS, Noun
from analysis.judging import JudgeValidation, check_verdicts, validate_judges
from analysis.judging.text import render_validation
from analysis.ratings.studies import BlockRatings
from tests.analysis.clue_tables import drawn
from tests.analysis.tables import answer, checked
from tests.factories import NOW

pytestmark = pytest.mark.slow

NONE_GIVEN = ("condition", "source", "text", "rt_ms", "shown_at", "answered_at", "flags", "excluded")
CONDITIONS = ("human-hybrid", "human-symbolic")
SAYS = re.compile(
    r"\b(more|less|better|worse|higher|lower|nearest|likeliest|most often|short of|above|below|lean|learn"
    r"|no (bias|learning|difference|better|worse)|as (often|accurate)|tells?|gives? the source away)\b",
    re.IGNORECASE,
)
# What would claim something in a text of tables, whose explanations say "higher" and "no difference" of themselves.
CLAIMS = re.compile(
    r"\b(no (bias|learning)|differ no|do(es)? not differ|(is|are|were|was) (more|less|better|worse|alike|equal)"
    r"|falls? short|as (often|accurate|good) as|not found)\b",
    re.IGNORECASE,
)
COUNTS = re.compile(r"^\d+ of \d+ people")  # of this sample, and says nothing of others
OPEN = re.compile(r"cannot be told yet|\bwhether\b|\bwhich\b.*\bcannot\b|too few", re.IGNORECASE)


def responses(
    study: str, people: int, *, right: float, left: float, seed: int, sure: Container[int] = ()
) -> pd.DataFrame:
    """Answers to eight pairs, right and of the left with these probabilities; all are right to the pairs `sure`."""
    rng = random.Random(seed)
    rows = []
    for person in range(people):
        for number in range(8):
            is_right = rng.random() < (1.0 if number in sure else right)
            is_left = rng.random() < left
            rows.append(
                answer(
                    study=study,
                    participant=f"{study}-{person}",
                    session=f"{study}-{person}",
                    pair=f"q{number}",
                    trial=f"q{number}",
                    position=str(number + 1),
                    condition=CONDITIONS[number % 2],
                    source_b=CONDITIONS[number % 2].removeprefix("human-"),
                    choice="a" if is_right else "b",
                    left=("a" if is_right else "b") if is_left else ("b" if is_right else "a"),
                    uncertainty=str(rng.randint(1, 5)),
                )
            )
    return checked(*rows)


def judged(frame: pd.DataFrame, choices: str) -> JudgeValidation:
    rows = [
        {"judge": "coin", "pair": f"q{number}", "choice": choice} for number, choice in enumerate(choices)
    ]
    return validate_judges(frame, check_verdicts(pd.DataFrame(rows)), resamples=100)


def view_of(analysis: Analysis, judges: JudgeValidation | None = None, noun: Noun | None = None) -> Findings:
    around = ResultsContext(NOW, None, _Pseudonyms(), [], None, lambda pair, stimulus: "")
    if noun is not None:
        around = ResultsContext(NOW, None, _Pseudonyms(), [], None, lambda pair, stimulus: "", noun=noun)
    return results_view(analysis, around, judges)


def said_of_each(analysis: Analysis) -> Iterator[str]:
    """The sentences of each statistic before its tables."""
    for study in analysis.studies:
        for section in sections_of(study, analysis.settings):
            yield from section.sentences
    for section in sections_of_all(analysis):
        yield from section.sentences


def methods_of(analysis: Analysis) -> tuple[str, ...]:
    of_studies = [one for study in analysis.studies for one in sections_of(study, analysis.settings)]
    return methods_in([*of_studies, *sections_of_all(analysis)])


class _Pseudonyms(dict[str, str]):
    def __missing__(self, participant: str) -> str:
        return participant


def sentences(view: Findings) -> Iterator[str]:
    yield view.headline
    yield from view.can_say
    yield from (figure.said for figure in view.figures)


@pytest.fixture(scope="module")
def wide() -> list[pd.DataFrame]:
    return [
        responses("first", 5, right=0.5, left=0.35, seed=8),
        responses("second", 5, right=0.6, left=0.5, seed=2),
    ]


def test_five_people_let_results_say_nothing_but_what_is_open(wide: list[pd.DataFrame]) -> None:
    view = view_of(analyze(wide, resamples=200), judged(wide[0], "abababab"))
    assert view.can_say == ()
    assert len(view.not_yet) >= 5
    said = list(sentences(view))
    names = {figure.name for figure in view.figures}
    assert {"accuracy", "certainty", "conditions", "studies", "side", "order", "judges"} <= names
    assert [one for one in said if SAYS.search(one) and not OPEN.search(one) and not COUNTS.match(one)] == []
    for name in ("side", "order", "certainty", "conditions", "studies", "agreement", "judges"):
        figure = view.figure(name)
        assert figure is not None
        assert "cannot be told yet" in figure.said, name


def test_four_people_whose_interval_excludes_chance_do_not_beat_it() -> None:
    """Their exact test has p = .125 at best, so it and the sentence beside it would contradict each other."""
    few = analyze([responses("few", 4, right=0.9, left=0.5, seed=3)], resamples=200)
    one = few.studies[0]
    assert (one.accuracy.interval.low or 0.0) > 0.5
    assert one.against_chance.p == 0.125
    view = view_of(few)
    assert "whether they can tell cannot be told yet (95% interval" in view.headline
    assert "p = .125 over people" in view.headline
    assert not any("chance" in said for said in view.can_say)
    open_ = next(said for said in view.not_yet if said.startswith("That people do better than chance"))
    assert open_.endswith("has p = .125. With fewer than 6 people it cannot be below .05.")
    six = view_of(analyze([responses("six", 6, right=0.9, left=0.5, seed=3)], resamples=200))
    assert any(said.startswith("People do better than chance") for said in six.can_say)


def test_the_terminal_and_the_reports_summary_claim_nothing_at_wide_intervals(
    wide: list[pd.DataFrame],
) -> None:
    """They print numbers with their intervals and p; a sentence of theirs that judges is open."""
    analysis, judges = analyze(wide, resamples=50), judged(wide[0], "abababab")
    printed = render(analysis) + render_brief(analysis) + render_validation(judges)
    said = [*re.split(r"(?<=[.:;])\s", " ".join(printed.split())), *said_of_each(analysis)]
    assert [one for one in said if CLAIMS.search(one) and not OPEN.search(one)] == []
    assert any("cannot be told yet" in one for one in said), (
        "the mixed model finds no difference of people or pairs"
    )


def test_many_people_let_the_same_sentences_say_what_is_and_what_is_not_by_more_than_ten_points() -> None:
    frames = [
        responses("first", 400, right=0.5, left=0.5, seed=1),
        responses("second", 400, right=0.75, left=0.7, seed=2),
    ]
    view = view_of(analyze(frames, resamples=200))
    said = {figure.name: figure.said for figure in view.figures}
    assert said["side"].startswith("People lean to no side by more than 10 points: the left was chosen in ")
    assert "by no more than 10 points from the first position to the last" in said["order"]
    assert said["studies"].startswith("People are less accurate in first than in second: probability")
    assert said["conditions"].startswith(
        "People are right as often with human-hybrid as with human-symbolic, within"
    )
    assert "within 10 points of chance (95% interval" in view.headline
    assert re.search(r"first \d+% against second \d+%: .* over other people and pairs p", view.headline)
    assert "cannot be told yet" not in view.headline
    leaning = view_of(analyze([frames[1]], resamples=200))
    assert any(one.startswith("People lean to the left by ") for one in leaning.can_say)


def test_clues_and_all_together_are_open_where_their_interval_is_wide() -> None:
    inside = ("key_frame_bytes", "frame_bytes", "frame_bytes_spread")
    for seed in range(1, 6):
        report = clue_report(drawn(seed, 6, 6, names=("x", "y", *inside)), seed=1)
        told = [one for one in (*report.summary, report.inside.says) if "AUC 0" in one]
        assert told
        for one in told:
            low = float(re.findall(r"interval (\d\.\d+)", one)[0])
            assert ("cannot be told yet" in one) == (low <= 0.5), one


def test_words_for_what_is_shown_follow_the_study(wide: list[pd.DataFrame]) -> None:
    analysis = analyze([responses("first", 40, right=0.1, left=0.5, seed=1)], resamples=100)
    for noun in NOUNS.values():
        view = view_of(analysis, noun=noun)
        told = " ".join([*sentences(view), *(one.text for one in view.cautions), *view.not_yet])
        assert f"took the other {noun.one} for" in told
        for other in NOUNS.values():
            assert (re.search(rf"\b{other.one}s?\b", told) is not None) == (other is noun), (noun, told)


def test_methods_name_only_what_was_computed(wide: list[pd.DataFrame]) -> None:
    all_right = responses("first", 6, right=1.0, left=0.5, seed=1)
    one_pair = all_right[all_right["pair"] == "q0"].reset_index(drop=True)
    refused = " ".join(methods_of(analyze([one_pair], resamples=50)))
    for words in ("Bradley and Terry", "type-2 ROC", "gamma", "mixed model"):
        assert words not in refused, words
    computed = " ".join(methods_of(analyze(wide, resamples=50)))
    for words in ("type-2 ROC", "mixed model", "Krippendorff's alpha", "Mann-Whitney"):
        assert words in computed, words


def test_the_headline_goes_as_far_as_the_test_that_reaches_furthest() -> None:
    """Sixty people, of whose eight pairs two are always seen through and the others are not."""
    frame = responses("first", 60, right=0.45, left=0.5, seed=4, sure={0, 4})
    headline = view_of(analyze([frame], resamples=400)).headline
    assert re.search(
        r"more than the 50% of chance over these pairs; whether over others cannot be told yet", headline
    )
    everywhere = responses("first", 60, right=0.85, left=0.5, seed=4)
    headline = view_of(analyze([everywhere], resamples=400)).headline
    assert re.search(r"more than the 50% of chance \(95% interval .*; over other people and pairs", headline)


def rated(n: int, apart: float, seed: int) -> BlockRatings:
    """Two groups of `n` items, each scored by four raters; the first group is higher by `apart` on average."""
    rng = random.Random(seed)
    same = {"study": "s", "version": "1", "arm": "main", "mode": "live", "block": "rate", "kind": "main"}
    scale = {
        "question": "logic",
        **dict.fromkeys(NONE_GIVEN, ""),
        "level": "interval",
        "scale_low": "1",
        "scale_high": "5",
        "position": "1",
    }
    rows = [
        {
            **same,
            **scale,
            **dict.fromkeys(NONE_GIVEN, ""),
            **dict.fromkeys(("participant", "session"), f"r{rater}"),
            **dict.fromkeys(("trial", "item", "stimulus"), f"{group}-{number}"),
            "group": group,
            "value": f"{score:.3f}",
        }
        for group, above in (("new", apart), ("old", 0.0))
        for number in range(n)
        for level in [rng.gauss(3 + above, 0.4)]
        for rater in range(4)
        for score in [min(5.0, max(1.0, rng.gauss(level, 0.5)))]
    ]
    [block] = analyze_rating_rows([check_rating_rows(pd.DataFrame(rows))], mode="live", resamples=200)
    return block


def test_groups_of_items_are_said_to_differ_or_to_be_alike_where_their_interval_says_so() -> None:
    for n, apart, known, words in (
        (4, 0.2, False, "Whether new scores higher or lower than old."),
        (60, 1.0, True, "higher than old."),
        (400, 0.0, True, "New and old score alike, within 0.1 of that probability"),
    ):
        can_say, not_yet = rating_claims([rated(n, apart, seed=3)])
        assert [words in one for one in (can_say if known else not_yet)] == [True], (n, can_say, not_yet)
        assert (not_yet if known else can_say) == ()
