"""Labels by skill: published fits of the same model, crowd-kit, simulation, and whatever the members are called."""

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.errors import AnalysisError
from analysis.results import table_rows
from analysis.stats.dawid_skene import DawidSkene, VoteModel, dawid_skene, dawid_skene_of_votes
from tests.analysis.tables import answer, checked, person
from tests.analysis.test_agreement import relabelled

pytestmark = pytest.mark.slow

# Five dentists look for caries on 3,869 x-rays (Espeland and Handelman 1989): how often each pattern of findings
# occurred, and how often the two-class model expects it (R's randomLCA, example vignette, column "Exp 2LC").
CARIES = {
    "00000": (1880, 1836.3), "00001": (789, 830.3), "00010": (43, 61.9), "00011": (75, 49.6),
    "00100": (23, 28.6), "00101": (63, 47.5), "00110": (8, 4.0), "00111": (22, 35.2),
    "01000": (188, 213.9), "01001": (191, 152.2), "01010": (17, 12.1), "01011": (67, 61.0),
    "01100": (15, 11.2), "01101": (85, 91.6), "01110": (8, 8.1), "01111": (56, 86.4),
    "10000": (22, 21.2), "10001": (26, 25.2), "10010": (6, 2.1), "10011": (14, 16.1),
    "10100": (1, 2.5), "10101": (20, 24.7), "10110": (2, 2.2), "10111": (17, 23.5),
    "11000": (2, 6.0), "11001": (20, 42.0), "11010": (6, 3.7), "11011": (27, 39.3),
    "11100": (3, 5.7), "11101": (72, 61.1), "11110": (1, 5.4), "11111": (100, 58.4),
}  # fmt: skip

# Dawid and Skene (1979), Table 1: what five anaesthetists said of 45 patients (the first three times).
PATIENTS = """
111 1 1 1 1|333 4 3 3 4|112 2 1 2 2|222 3 1 2 1|222 3 2 2 2|222 3 3 2 2|122 2 1 1 1|333 3 4 3 3|222 2 2 2 3|
232 2 2 2 3|444 4 4 4 4|222 3 3 4 3|111 1 1 1 1|222 3 2 1 2|121 1 1 1 1|111 2 1 1 1|111 1 1 1 1|111 1 1 1 1|
222 2 2 2 1|222 1 3 2 2|222 2 2 2 2|222 2 2 2 1|222 3 2 2 2|221 2 2 2 2|111 1 1 1 1|111 1 1 1 1|232 2 2 2 2|
111 1 1 1 1|111 1 1 1 1|112 1 1 2 1|111 1 1 1 1|333 3 2 3 3|111 1 1 1 1|222 2 2 2 2|222 3 2 3 2|433 4 3 4 3|
221 2 2 3 2|232 3 2 3 3|333 3 4 3 2|111 1 1 1 1|111 1 1 1 1|121 2 1 1 1|232 2 2 2 2|121 1 1 1 1|222 2 2 2 2
""".replace("\n", "").split("|")  # fmt: skip

# Both start from the vote shares: after as many steps they are at the same place, converged or not. crowd-kit is slow.
STEPS = 20
SAME_STEPS: dict[str, Any] = {"close": -1, "most_steps": STEPS}


def caries() -> pd.DataFrame:
    rows, patient = [], 0
    for pattern, (times, _) in CARIES.items():
        for _ in range(times):
            rows += [(patient, dentist, finding) for dentist, finding in enumerate(pattern)]
            patient += 1
    return pd.DataFrame(rows, columns=["task", "worker", "label"])


def anaesthetists() -> pd.DataFrame:
    rows = [
        (patient, observer, label)
        for patient, said in enumerate(PATIENTS)
        for observer, labels in enumerate(said.split())
        for label in labels
    ]
    return pd.DataFrame(rows, columns=["task", "worker", "label"])


def simulated(n_tasks: int, skills: np.ndarray, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n_tasks)
    task, worker = (grid.ravel() for grid in np.indices((n_tasks, len(skills))))
    right = rng.random(len(task)) < skills[worker]
    label = np.where(right, truth[task], 1 - truth[task])
    return pd.DataFrame({"task": task, "worker": worker, "label": np.array(["a", "b"])[label]}), truth


def by_crowdkit(votes: pd.DataFrame, one_coin: bool) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from crowdkit.aggregation import DawidSkene as Theirs
        from crowdkit.aggregation import OneCoinDawidSkene

        return (OneCoinDawidSkene if one_coin else Theirs)(n_iter=STEPS, tol=-1).fit(votes)


def test_five_dentists_have_the_expected_frequencies_of_randomlca() -> None:
    """And its BIC, 15021.6, which is -2 log L + 11 log 3869."""
    found = dawid_skene_of_votes(caries(), close=1e-13, most_steps=20_000)
    chance = {
        (row["worker"], row["truth"], row["label"]): row["probability"] for row in table_rows(found.workers)
    }
    for pattern, (_, expected) in CARIES.items():
        likelihood = sum(
            prior * math.prod(chance[dentist, truth, finding] for dentist, finding in enumerate(pattern))
            for truth, prior in found.prior.items()
        )
        assert likelihood * 3869 == pytest.approx(expected, abs=0.1), pattern
    assert found.log_likelihood is not None
    assert -2 * found.log_likelihood + 11 * math.log(3869) == pytest.approx(15021.6, abs=0.05)


@pytest.mark.parametrize("one_coin", [False, True])
def test_the_anaesthetists_are_as_crowdkit_has_them(one_coin: bool) -> None:
    """Four classes, and an observer who spoke three times of each patient."""
    votes = anaesthetists()
    theirs = by_crowdkit(votes, one_coin)
    found = dawid_skene_of_votes(votes, model="one-coin" if one_coin else "confusion", **SAME_STEPS)
    ours = found.tasks.set_index("task")[[f"p_{label}" for label in "1234"]].to_numpy()
    assert ours == pytest.approx(theirs.probas_.sort_index()[list("1234")].to_numpy(), abs=1e-9)
    if one_coin:
        assert found.skills["skill"].to_numpy() == pytest.approx(
            theirs.skills_.sort_index().to_numpy(), abs=1e-4
        )


@pytest.mark.parametrize("one_coin", [False, True])
def test_simulated_workers_are_as_crowdkit_has_them_and_as_they_are(one_coin: bool) -> None:
    skills = np.array([0.95, 0.9, 0.8, 0.7, 0.6, 0.55])
    votes, truth = simulated(800, skills, 3)
    theirs = by_crowdkit(votes, one_coin)
    found = dawid_skene_of_votes(votes, model="one-coin" if one_coin else "confusion", **SAME_STEPS)
    assert found.tasks["p_b"].to_numpy() == pytest.approx(
        theirs.probas_.sort_index()["b"].to_numpy(), abs=1e-9
    )
    assert found.skills["skill"].to_numpy() == pytest.approx(skills, abs=0.05)
    assert (found.tasks["label"].to_numpy() == np.array(["a", "b"])[truth]).mean() > 0.95


def responses_of(votes: pd.DataFrame) -> pd.DataFrame:
    return checked(
        *(
            answer(participant=f"p{worker}", pair=f"q{task}", choice=label)
            for task, worker, label in votes.itertuples(index=False)
        )
    )


def test_skills_of_responses_are_crowdkits_for_pairs_that_stand_there_twice_under_either_name() -> None:
    """With each pair's mirror image beside it the estimated prior is 1/2: that names mean nothing comes to that."""
    votes, _ = simulated(60, np.array([0.9, 0.8, 0.7, 0.6, 0.6]), 5)
    mirror = votes.assign(task=votes["task"] + 1_000, label=votes["label"].map({"a": "b", "b": "a"}))
    theirs = by_crowdkit(pd.concat([votes, mirror]), one_coin=True)
    found = dawid_skene(responses_of(votes), **SAME_STEPS)
    assert found.participants["skill"].to_numpy() == pytest.approx(
        theirs.skills_.sort_index().to_numpy(), abs=1e-2
    )
    plain = dawid_skene_of_votes(votes, model="one-coin", prior="uniform", **SAME_STEPS)
    expected = theirs.probas_.sort_index()["a"].loc[:999]
    assert plain.tasks["p_a"].to_numpy() == pytest.approx(expected.to_numpy(), abs=1e-9)
    assert plain.log_likelihood == pytest.approx(found.log_likelihood)


TIED = ("q9", "q10", "q11", "q12")


def test_the_skilled_are_believed_against_a_majority_of_guessers() -> None:
    rng = np.random.default_rng(9)
    skills = np.array([0.97, 0.97, *[0.5] * 5])
    votes, truth = simulated(200, skills, 9)
    found = dawid_skene(responses_of(votes.iloc[rng.permutation(len(votes))]))
    named = np.array(["a", "b"])[truth[found.pairs["pair"].str[1:].astype(int)]]
    assert (found.pairs["label"] == named).mean() > 0.95 > 0.9 > (found.pairs["majority"] == named).mean()
    assert found.participants["skill"].to_numpy() == pytest.approx(skills, abs=0.1)
    assert found.n_disagreements == len(found.disagreements) > 10
    assert (found.disagreements["label"] != found.disagreements["majority"]).all()


def test_a_result_has_the_votes_the_majority_and_the_truth_beside_the_label() -> None:
    """Three votes for q1, two for q2 and one against: by hand, with the skill of all three at 1 in the limit of q1."""
    rows = [*person("p1", "aa-"), *person("p2", "aab"), *person("p3", "abb", truth="a")]
    rows = [row | {"truth": "a"} for row in rows]
    found = dawid_skene(checked(*rows))
    assert found.pairs["pair"].tolist() == ["q1", "q2", "q3"]
    assert found.pairs["votes_a"].tolist() == [3, 2, 0]
    assert found.pairs["majority"].tolist() == ["a", "a", "b"]
    assert (found.n_pairs, found.n_participants, found.n_votes) == (3, 3, 8)
    assert (found.n_truth, found.n_majority_is_truth) == (3, 2)
    as_json = found.to_dict()
    assert as_json["pairs"][0]["label"] == "a"
    assert as_json["participants"][0] == {
        "study": "s",
        "participant": "p1",
        "n_votes": 2,
        "skill": pytest.approx(found.participants["skill"][0]),
    }


def test_tied_pairs_stand_apart_and_give_the_model_no_credit() -> None:
    """Two good people and two who guess: where votes are level the model sides with the good, which no majority can."""
    good, bad = "aaaaaaaabbbb", "aaaaaaaaaaaa"
    rows = [*person("p1", good), *person("p2", good), *person("p3", bad), *person("p4", bad[:8] + "aaab")]
    found = dawid_skene(checked(*[row | {"truth": "b" if row["pair"] in TIED else "a"} for row in rows]))
    assert (found.pairs["majority"] == "tie").sum() == found.n_tied == found.n_tied_truth == 3
    assert (found.n_truth, found.n_majority_is_truth, found.n_label_is_truth) == (9, 9, 9)
    assert found.n_disagreements == 0
    assert found.n_tied_label_is_truth <= 3


def test_where_votes_mislead_all_alike_the_model_is_too_sure() -> None:
    rows = [row for number in range(8) for row in person(f"p{number}", "aaaaaaaaaa")]
    mislead = dawid_skene(checked(*[row | {"truth": "b"} for row in rows]))
    assert (mislead.n_label_is_truth, mislead.too_sure) == (0, True)
    assert dawid_skene(checked(*[row | {"truth": "a"} for row in rows])).too_sure is False
    assert dawid_skene(checked(*[row | {"truth": ""} for row in rows])).too_sure is None


def test_two_who_contradict_each_other_leave_a_tie() -> None:
    found = dawid_skene(checked(*person("p1", "abab"), *person("p2", "baba")))
    assert found.pairs["label"].tolist() == ["tie"] * 4
    assert found.pairs["p_a"].tolist() == [0.5] * 4
    assert found.n_disagreements == 0


def test_without_two_votes_on_a_pair_there_are_no_labels_and_a_reason() -> None:
    found = dawid_skene(checked(*person("p1", "ab-"))).to_dict()
    assert found["reason"] == "no pair has two votes: nothing tells one participant's votes from another's"
    assert [row["label"] for row in found["pairs"]] == [None, None]
    assert [row["majority"] for row in found["pairs"]] == ["a", "b"]
    assert found["log_likelihood"] is None


@pytest.mark.parametrize("rows", [[], person("p1", "--")], ids=["empty", "blanks"])
def test_no_votes_give_empty_tables(rows: list[dict[str, str]]) -> None:
    found = dawid_skene(checked(*rows) if rows else checked(answer()).iloc[:0])
    assert (len(found.pairs), len(found.participants), found.n_votes) == (0, 0, 0)
    assert found.reason is not None
    found.to_dict()


def test_em_that_was_stopped_says_so() -> None:
    votes, _ = simulated(40, np.array([0.8, 0.7, 0.6, 0.6]), 1)
    for found in (dawid_skene(responses_of(votes), most_steps=2), dawid_skene_of_votes(votes, most_steps=2)):
        assert isinstance(found, DawidSkene | VoteModel)
        assert (found.n_steps, found.converged) == (2, False)
        assert found.reason == "EM had not converged after 2 steps: these are the numbers it had reached"
    assert dawid_skene(responses_of(votes)).reason is None


def test_votes_of_a_class_that_nobody_named_and_bad_votes() -> None:
    votes = pd.DataFrame({"task": [1, 1, 2, 2], "worker": list("xyxy"), "label": ["n", "n", "y", "n"]})
    found = dawid_skene_of_votes(votes, classes=["n", "y", "?"])
    assert list(found.prior) == ["n", "y", "?"]
    assert found.prior["?"] == pytest.approx(0, abs=1e-9)
    with pytest.raises(AnalysisError, match="label 'y' is not among the classes"):
        dawid_skene_of_votes(votes, classes=["n"])
    with pytest.raises(AnalysisError, match="the column worker is missing"):
        dawid_skene_of_votes(votes.drop(columns="worker"))
    with pytest.raises(AnalysisError, match="model 'two-coin' is not allowed; allowed: confusion, one-coin"):
        dawid_skene_of_votes(votes, model="two-coin")
    assert dawid_skene_of_votes(votes.iloc[:0]).reason == "there is no vote"


CAST = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from(["q1", "q2", "q3", "q10"]), st.sampled_from("ab-")),
    max_size=20,
    unique_by=lambda cast: cast[:2],
)


@settings(deadline=None, max_examples=5)
@given(CAST, st.sets(st.sampled_from(["q1", "q2", "q3", "q10"])), st.randoms(use_true_random=False))
def test_relabelling_members_turns_the_labels_and_row_order_changes_nothing(
    cast: list[tuple[int, str, str]], turned: set[str], random: Any
) -> None:
    rows = [
        answer(participant=f"p{number}", pair=pair, choice=choice.replace("-", ""))
        for number, pair, choice in cast
    ]
    rows = rows or [answer()]
    shuffled = random.sample(rows, len(rows))
    other = [relabelled(row) if row["pair"] in turned else row for row in shuffled]
    first, second = dawid_skene(checked(*rows)), dawid_skene(checked(*other))
    back = {"a": "b", "b": "a", "tie": "tie"}
    for one, two in zip(table_rows(first.pairs), table_rows(second.pairs), strict=True):
        if one["pair"] in turned:
            assert two["label"] == (one["label"] and back[one["label"]])
            assert (two["votes_a"], two["votes_b"]) == (one["votes_b"], one["votes_a"])
            assert (
                two["p_a"] is None
                if one["p_a"] is None
                else two["p_a"] == pytest.approx(1 - one["p_a"], abs=1e-15)
            )
        else:
            assert one == two
    assert first.participants.equals(second.participants)
    assert first.log_likelihood == second.log_likelihood
