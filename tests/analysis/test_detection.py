"""Single stimuli judged real or fake: against R, the definitions by hand, simulations, and degenerate tables."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm

from analysis.__main__ import main
from analysis.data.mapping import mapping_kind, read_judgements, read_mapped, read_ratings
from analysis.detection.compared import PULLED_DIFFERENCE
from analysis.detection.measures import CORRECTION, PULLED, DetectionAnalysis, analyze_judgements
from analysis.detection.people import sensitivity
from analysis.errors import AnalysisError, SchemaError
from analysis.text.detection import render_detection

pytestmark = pytest.mark.slow

# The calls that made them are in detection.R beside it.
R: dict[str, Any] = json.loads((Path(__file__).parents[1] / "gold" / "r" / "detection.json").read_text())

MAPPING = """kind: yes-no
columns: {participant: worker, stimulus: image, truth: label, answer: response, condition: model}
classes: [real, fake]
values: {truth: {human: real, ai: fake}, answer: {"1": real, "0": fake}}
"""
Row = tuple[object, object, object, object, object]


def written(folder: Path, rows: Sequence[Row], mapping: str = MAPPING) -> tuple[Path, Path]:
    table, yaml = folder / "judged.csv", folder / "map.yaml"
    lines = ["worker,image,label,response,model", *(",".join(map(str, row)) for row in rows), ""]
    table.write_text("\n".join(lines), encoding="utf-8")
    yaml.write_text(mapping, encoding="utf-8")
    return table, yaml


def analysed(
    folder: Path, rows: Sequence[Row], mapping: str = MAPPING, resamples: int = 0
) -> DetectionAnalysis:
    return analyze_judgements(read_judgements(*written(folder, rows, mapping)), resamples=resamples)


def counted(
    who: str, hits: int, n_signal: int, false_alarms: int, n_noise: int, model: str = ""
) -> list[Row]:
    """A participant with these counts; each stimulus has one truth."""
    signal: list[Row] = [(who, f"r{n}", "human", int(n < hits), "") for n in range(n_signal)]
    noise: list[Row] = [(who, f"{model}f{n}", "ai", int(n < false_alarms), model) for n in range(n_noise)]
    return signal + noise


def test_sensitivity_and_criterion_are_those_of_a_probit_regression() -> None:
    """Source: glm(family = binomial(probit)) of R on the log-linear counts, also with all right and all alike."""
    counts = [np.array(R["counts"][name]) for name in ("hits", "n_signal", "false_alarms", "n_noise")]
    d_prime, criterion = sensitivity(*counts)
    assert d_prime == pytest.approx(R["d_prime"], abs=1e-6)
    assert criterion == pytest.approx(R["criterion"], abs=1e-6)


def test_each_participant_and_the_group_have_their_numbers(tmp_path: Path) -> None:
    """Source: the definitions, by hand."""
    rows = [*counted("w1", 3, 4, 1, 4), *counted("w2", 4, 4, 0, 4), *counted("w10", 1, 4, 3, 4)]
    analysis = analysed(tmp_path, rows)
    people = analysis.participants
    assert people["participant"].tolist() == ["w1", "w2", "w10"]
    assert people["accuracy"].tolist() == pytest.approx([6 / 8, 1, 2 / 8])
    z = norm.ppf([3.5 / 5, 1.5 / 5, 4.5 / 5, 0.5 / 5])
    assert people["d_prime"].tolist() == pytest.approx([z[0] - z[1], z[2] - z[3], z[1] - z[0]])
    assert people["criterion"].tolist() == pytest.approx([0, 0, 0], abs=1e-12)
    group = analysis.groups[0]
    assert group.accuracy.mean == pytest.approx((6 / 8 + 1 + 2 / 8) / 3)
    assert group.d_prime.mean == pytest.approx(people["d_prime"].mean())
    assert (group.hits, group.n_signal, group.false_alarms, group.n_noise) == (8, 12, 4, 12)
    assert group.d_prime_pooled == pytest.approx(norm.ppf(8.5 / 13) - norm.ppf(4.5 / 13))
    assert analysis.correction == CORRECTION
    first = analysis.stimuli.iloc[0]
    assert (first["stimulus"], first["truth"], first["n"], first["n_signal"]) == ("f0", "fake", 3, 2)
    assert first["accuracy"] == pytest.approx(1 / 3)
    json.dumps(analysis.to_dict(), allow_nan=False)


@pytest.mark.exhaustive
def test_known_sensitivity_and_criterion_are_found_in_simulated_people(tmp_path: Path) -> None:
    """Source: simulation, 30 people of d' 1.2 and c 0.3, 100 stimuli of each kind."""
    rng = np.random.default_rng(5)
    rows: list[Row] = []
    for who in range(30):
        hits, false_alarms = (rng.binomial(100, norm.cdf(side * 0.6 - 0.3)) for side in (1, -1))
        rows += counted(f"w{who}", hits, 100, false_alarms, 100)
    group = analysed(tmp_path, rows, resamples=500).groups[0]
    found = group.multilevel
    for described, one, truth in (
        (group.d_prime, found.d_prime, 1.2),
        (group.criterion, found.criterion, 0.3),
    ):
        assert described.mean == pytest.approx(truth, abs=0.1)
        assert described.interval.reason == PULLED
        assert one.value == pytest.approx(truth, abs=0.1)
        assert one.interval.low is not None
        assert one.interval.low < truth < (one.interval.high or 0)
    assert (found.sd_d_prime or 1) < 0.3
    assert group.d_prime_against_zero.p is not None
    assert group.d_prime_against_zero.p < 1e-4


def test_conditions_are_compared_within_who_judged_both(tmp_path: Path) -> None:
    """Source: scipy.stats.wilcoxon over d' by its definition; the shared stimuli of no condition are real ones."""
    rng = np.random.default_rng(3)
    rows: list[Row] = []
    d_primes: dict[str, list[float]] = {"gan": [], "diffusion": []}
    for who in range(30):
        hits = int(rng.binomial(12, 0.7))
        rows += counted(f"w{who}", hits, 12, 0, 0)
        for model, rate in (("gan", 0.2), ("diffusion", 0.45)):
            wrong = int(rng.binomial(10, rate))
            rows += counted(f"w{who}", 0, 0, wrong, 10, model)
            d_primes[model].append(float(norm.ppf((hits + 0.5) / 13) - norm.ppf((wrong + 0.5) / 11)))
    # They judged one generator's alone, or real ones alone.
    rows += counted("half", 5, 12, 3, 10, "gan") + counted("none", 5, 12, 0, 0)
    analysis = analysed(tmp_path, rows, resamples=100)
    found = {one.measure: one for one in analysis.conditions.comparisons}
    assert list(found) == ["accuracy", "d_prime", "criterion"]
    one = found["d_prime"]
    assert (one.conditions, one.compared_as, one.n_family) == (("diffusion", "gan"), "paired", 1)
    assert one.paired is not None
    assert (one.paired.n, one.paired.n_only_second) == (30, 1)
    differences = np.round(np.array(d_primes["diffusion"]) - np.array(d_primes["gan"]), 9)
    assert one.paired.p == pytest.approx(
        stats.wilcoxon(differences, correction=True, method="asymptotic").pvalue
    )
    assert one.paired.difference.mean == pytest.approx(differences.mean())
    assert found["accuracy"].n_shared == 30
    assert found["accuracy"].paired is not None
    assert found["accuracy"].paired.difference.interval.low is not None
    for pulled in (one, found["criterion"]):
        assert pulled.paired is not None
        for limits in (pulled.paired.difference.interval, pulled.paired.shift):
            assert (limits.low, limits.high, limits.reason) == (None, None, PULLED_DIFFERENCE)
    text = " ".join(render_detection(analysis).split())
    assert "The same people in both conditions: Wilcoxon's signed-rank test" in text
    assert "sensitivity d'" in text
    assert "another choice of stimuli may give another difference" in text
    assert json.loads(json.dumps(analysis.to_dict()))["conditions"]["comparisons"][1]["n_shared"] == 30


def test_a_generator_is_held_against_the_stimuli_of_no_condition(tmp_path: Path) -> None:
    rows = [row for who, f in (("w1", 1), ("w2", 2)) for row in counted(who, 3, 4, f, 4, "gan")]
    rows += [(who, f"d{n}", "ai", 1, "diffusion") for who in ("w1", "w2") for n in range(3)]
    analysis = analysed(tmp_path, rows)
    assert [one.condition for one in analysis.groups] == [None, "diffusion", "gan"]
    diffusion, gan = analysis.groups[1:]
    assert (gan.n_signal, gan.n_noise, gan.hits, gan.false_alarms) == (8, 8, 6, 3)
    assert (diffusion.n_signal, diffusion.n_noise, diffusion.false_alarms) == (8, 6, 6)
    assert diffusion.d_prime.mean == pytest.approx(norm.ppf(3.5 / 5) - norm.ppf(3.5 / 4))


def test_other_people_and_stimuli_are_what_lme4_fits(tmp_path: Path) -> None:
    """Source: glmer(said ~ real + (1 | person) + (1 | stimulus)) of R; the prior moves it a little."""
    said = iter(R["mixed"]["said"])
    rows = [
        (f"w{who}", f"s{n}", "human" if n % 2 else "ai", next(said), "")
        for who in range(30)
        for n in range(1, 41)
    ]
    model = analysed(tmp_path, rows).mixed
    gold = R["mixed"]
    assert model.outcome == "answered real"
    assert model.intercept is not None
    assert model.difference is not None
    for number, estimate, se in zip(
        (model.intercept, model.difference), gold["estimate"], gold["se"], strict=True
    ):
        assert number.value == pytest.approx(estimate, abs=0.15 * se)
        assert number.sd == pytest.approx(se, rel=0.16)


def test_the_order_of_rows_changes_nothing(tmp_path: Path) -> None:
    rows = [*counted("w1", 3, 4, 1, 4, "x"), *counted("w2", 2, 4, 2, 4, "y"), ("w1", "r0", "human", "", "")]
    first, second = (analysed(tmp_path, each, resamples=50).to_dict() for each in (rows, rows[::-1]))
    assert first == second


# ---- degenerate ----


def test_who_saw_one_class_only_has_accuracy_and_no_sensitivity(tmp_path: Path) -> None:
    analysis = analysed(tmp_path, [*counted("w1", 3, 4, 1, 4), *counted("w2", 2, 4, 0, 0)])
    person = analysis.to_dict()["participants"][1]
    assert (person["accuracy"], person["d_prime"], person["criterion"]) == (0.5, None, None)
    assert person["reason"] == "no stimulus that is fake"
    assert (analysis.groups[0].d_prime.n, analysis.groups[0].d_prime.n_missing) == (1, 1)
    assert "No d' and c for 1 of them (w2): no stimulus that is fake." in render_detection(analysis)


def test_one_class_in_all_leaves_reasons(tmp_path: Path) -> None:
    analysis = analysed(tmp_path, counted("w1", 3, 4, 0, 0) + counted("w2", 2, 4, 0, 0))
    group = analysis.groups[0]
    assert (group.d_prime.mean, group.d_prime.reason) == (None, "no participant has a value")
    assert group.d_prime_pooled is None
    assert analysis.mixed.reason == "no stimulus that is fake"
    assert "not tested, no participant has a value" in render_detection(analysis)


def test_blanks_and_stimuli_without_a_truth_are_counted_apart(tmp_path: Path) -> None:
    rows = [
        *counted("w1", 2, 2, 0, 2),
        ("w1", "r0", "human", "", ""),
        ("w1", "x", "", "1", ""),
        ("w2", "x", "", "", ""),
    ]
    analysis = analysed(tmp_path, rows)
    assert (analysis.n_rows, analysis.n_answers, analysis.n_blank, analysis.n_without_truth) == (7, 4, 1, 2)
    assert analysis.participants["n_blank"].tolist() == [1, 0]
    reasons = [person["reason"] for person in analysis.to_dict()["participants"]]
    assert reasons == [None, "no answer that counts"]
    text = render_detection(analysis)
    assert (
        "4 of 7 answers of 1 participants about 4 stimuli count; left out: 1 blank, 2 about a stimulus"
        in text
    )
    nothing = analysed(tmp_path, [("w1", "x", "", "1", ""), ("w1", "y", "human", "", "")])
    assert (nothing.n_answers, len(nothing.stimuli)) == (0, 0)
    assert render_detection(nothing)
    json.dumps(nothing.to_dict(), allow_nan=False)


def test_everybody_right_is_still_a_number(tmp_path: Path) -> None:
    group = analysed(tmp_path, counted("w1", 5, 5, 0, 5) + counted("w2", 5, 5, 0, 5)).groups[0]
    assert group.d_prime.mean == pytest.approx(2 * norm.ppf(5.5 / 6))
    assert group.criterion.mean == pytest.approx(0)


# ---- mapping files and the command ----


def test_wide_layouts_are_read_too(tmp_path: Path) -> None:
    """One column per stimulus: the same numbers as the long table."""
    (tmp_path / "wide.csv").write_text(
        "worker,label,r1,r2\nw1,human,1,0\nw1,ai,,\nw2,human,1,1\n", encoding="utf-8"
    )
    (tmp_path / "map.yaml").write_text(
        "kind: yes-no\ncolumns: {participant: worker}\nconstants: {truth: real}\nclasses: [real, fake]\n"
        'values: {answer: {"1": real, "0": fake}}\nwide: {items: {answer: "r{n}"}}\n',
        encoding="utf-8",
    )
    analysis = analyze_judgements(read_judgements(tmp_path / "wide.csv", tmp_path / "map.yaml"), resamples=0)
    assert analysis.groups[0].hits == 3
    assert (analysis.n_answers, analysis.groups[0].n_stimuli) == (4, 2)


def test_the_module_prints_text_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, mapping = written(tmp_path, [*counted("w1", 3, 4, 1, 4), *counted("[b]w2[/b]", 4, 4, 0, 4)])
    assert main([str(table), "--mapping", str(mapping), "--resamples", "50"]) == 0
    brief = capsys.readouterr().out
    assert "d' and criterion c are means over participants, which few trials pull towards 0" in brief
    assert "2, 5 are needed" in brief
    assert "[b]w2[/b]" not in brief
    assert main([str(table), "--mapping", str(mapping), "--resamples", "50", "--full"]) == 0
    text = capsys.readouterr().out
    assert "sensitivity d'" in text
    assert "[b]w2[/b]" in text
    assert max(map(len, text.splitlines())) <= 100
    assert main([str(table), "--mapping", str(mapping), "--json", "--resamples", "50"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["format"], printed["settings"]["signal"]) == ("likely-human yes-no 1", "real")
    assert main([str(table), str(table), "--mapping", str(mapping)]) == 1
    assert "are analysed one file at a time" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (("classes: [real, fake]\n", ""), "map.yaml: line 1, classes: nothing says what a stimulus can be"),
        (("[real, fake]", "[real, real]"), "map.yaml: line 3, classes: 'real, real' is not allowed"),
        (
            ("[real, fake]", "[real]"),
            "map.yaml: line 3, classes: 'real' is not allowed; give two different ones",
        ),
        ((", answer: response", ""), "map.yaml: line 4, values.answer: no column is given for answer"),
        (("stimulus: image, ", ""), "map.yaml: line 2, columns: no column is given for stimulus"),
        (("worker,", "rater,"), "map.yaml: line 2, columns.participant: "),
        (("condition:", "kind:"), "map.yaml: line 2, columns.kind: the name is not known"),
        (
            ("human: real", "human: reel"),
            "row 2, column label (our truth): 'reel' is not allowed; allowed: real, fake",
        ),
    ],
)
def test_what_cannot_be_used_is_named_with_its_place(
    tmp_path: Path, change: tuple[str, str], error: str
) -> None:
    with pytest.raises(AnalysisError) as caught:
        read_judgements(*written(tmp_path, counted("w1", 1, 2, 1, 2), MAPPING.replace(*change)))
    assert error in str(caught.value)


@pytest.mark.parametrize(
    ("row", "error"),
    [
        (("", "r0", "human", 1, ""), "row 6, column worker (our participant): the cell is empty"),
        (("w1", "", "human", 1, ""), "row 6, column image (our stimulus): the cell is empty"),
        (("w1", "r0", "human", "yes", ""), "row 6, column response (our answer): 'yes' is not allowed"),
        (("w2", "r0", "ai", 1, ""), "stimulus 'r0' is fake here and real in an earlier row"),
    ],
)
def test_a_bad_row_is_refused_with_its_place(tmp_path: Path, row: Row, error: str) -> None:
    with pytest.raises(SchemaError) as caught:
        read_judgements(*written(tmp_path, [*counted("w1", 1, 2, 1, 2), row]))
    assert error in str(caught.value)


def test_kinds_are_not_mixed_up(tmp_path: Path) -> None:
    table, mapping = written(tmp_path, counted("w1", 1, 2, 1, 2))
    assert mapping_kind(mapping) == "yes-no"
    with pytest.raises(AnalysisError, match="this maps yes-no, and 2AFC answers are needed"):
        read_mapped(table, mapping)
    with pytest.raises(AnalysisError, match="this maps yes-no, and ratings are needed"):
        read_ratings(table, mapping)
    ratings = "kind: ratings\ncolumns: {item: image, rater: worker, score: response}\n"
    with pytest.raises(AnalysisError, match="this maps ratings, and judgements of single stimuli are needed"):
        read_judgements(*written(tmp_path, counted("w1", 1, 2, 1, 2), ratings))
