"""Labels from votes weighted by each voter's accuracy: the model of Dawid and Skene.

Probabilities are `label_probability`'s: EM's are 0.99 for labels of which 80% are right (bench/calibration.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from analysis.data.outcomes import names_a_member
from analysis.errors import AnalysisError
from analysis.natural import natural
from analysis.options import chosen
from analysis.results import Result
from analysis.stats.agreement.units import Codes, Units, pairs_of, people_of
from analysis.stats.intervals import Floats
from analysis.stats.label_probability import log_odds_of_a

Model = Literal["confusion", "one-coin"]
Prior = Literal["estimated", "uniform"]
MODELS: tuple[Model, ...] = ("confusion", "one-coin")
PRIORS: tuple[Prior, ...] = ("estimated", "uniform")

MOST_STEPS = 500
CLOSE = 1e-6
_LEAST = 1e-10
_TIED = 1e-9
_ONE_SIDED = 1.645

_NOT_CONVERGED = "EM had not converged after {steps:,} steps: these are the numbers it had reached"


@dataclass(frozen=True, slots=True, eq=False)
class DawidSkene(Result):
    """Labels of the pairs under the hierarchical model, skills under the one-coin model.

    `pairs`: one row for each pair with a vote, with the votes, their `majority`, `p_a` (the probability that a is the
    label) and `label` (``a``, ``b``, or ``tie`` at 1/2). `participants`: `n_votes` and `skill`, the probability that a
    vote of theirs is the label. Model and majority are compared where there is a majority: `disagreements` are the rows
    of these pairs whose label is not the majority; of the `n_truth` of them with a truth, `n_label_is_truth` and
    `n_majority_is_truth` find it, and `n_truth_expected` is the sum of the labels' probabilities on them. Of the
    `n_tied` pairs with a tied vote `n_tied_truth` have a truth, which `n_tied_label_is_truth` labels find, where a coin
    finds half. `too_sure`: whether fewer labels are right, over all pairs with a truth, than by their own probabilities
    with p below .05; None without a truth. `n_steps`, `converged` and `log_likelihood` are of the one-coin model."""

    n_pairs: int
    n_participants: int
    n_votes: int
    n_steps: int
    converged: bool
    log_likelihood: float | None
    n_truth: int
    n_label_is_truth: int
    n_majority_is_truth: int
    n_disagreements: int
    disagreements: pd.DataFrame
    pairs: pd.DataFrame
    participants: pd.DataFrame
    reason: str | None
    n_truth_expected: float | None
    n_tied: int
    n_tied_truth: int
    n_tied_label_is_truth: int
    too_sure: bool | None


@dataclass(frozen=True, slots=True, eq=False)
class VoteModel(Result):
    """A fitted model of any votes.

    `prior`: the probability of each class. `tasks`: `task`, `label` (the likeliest class; missing where two are equal)
    and the probability `p_<class>` of each. `workers`: the `probability` that `worker` says `label` where `truth` is
    right. `skills`: `worker`, `n_votes` and `skill`, the expected share of right ones."""

    model: Model
    n_steps: int
    converged: bool
    log_likelihood: float | None
    prior: dict[str, float]
    tasks: pd.DataFrame
    workers: pd.DataFrame
    skills: pd.DataFrame
    reason: str | None


def dawid_skene(rows: pd.DataFrame, *, most_steps: int = MOST_STEPS, close: float = CLOSE) -> DawidSkene:
    """Label each pair by votes weighed by the skill of who cast them [DS79]_.

    One row is one answer. A blank is no vote, and a tie is none for either member: it is left out. Which member of a
    pair is called a means nothing, so a participant cannot err one way for a and another for b, and neither is likelier
    beforehand: each has one `skill`, the probability that a vote of theirs is the label, and the prior is 1/2. That is
    the one-coin model [ZCZJ16]_ with two classes, fitted by EM from the vote shares: `skill` is agreement with the
    crowd and not with a truth. A skill below 1/2 counts against its own votes.

    Given the label, EM takes votes as independent, and is certain of labels that it gets wrong. `label` and `p_a` are
    therefore those of `log_odds_of_a`, in which pairs mislead their voters together [Car08]_. How good people are and
    how far pairs differ is settled by few votes only in part, and `p_a` says so.

    Parameters
    ----------
    rows
        Checked responses, already selected.
    most_steps, close
        EM ends with the first step that raises the log-likelihood by less than `close` of itself, or after
        `most_steps`; the result then says that it had not converged.

    Returns
    -------
    DawidSkene
        Without numbers and with a `reason` where no pair has two votes.
    """
    pairs, people = pairs_of(rows), people_of(rows)
    choice = rows["choice"].cat.codes.to_numpy()
    voted = names_a_member(choice)
    pair, person = pairs.code[voted], people.code[voted]
    side = np.where(choice[voted] == 0, 1.0, -1.0)
    votes = np.bincount(pair * 2 + choice[voted], minlength=2 * pairs.n).reshape(pairs.n, 2)
    n_votes = np.bincount(person, minlength=people.n)
    fit = None
    if votes.sum(axis=1).max(initial=0) >= 2:
        fit = _one_coin(pair, person, side, votes.sum(axis=1), n_votes, most_steps, close)
    log_odds = None if fit is None else log_odds_of_a(pair, person, side, pairs.n)
    table = _pair_table(rows, pairs, votes, log_odds)
    participants = pd.DataFrame({name: people.texts(rows[name]) for name in ("study", "participant")})
    participants["n_votes"] = n_votes
    participants["skill"] = np.nan if fit is None else fit.skill
    tied, known = table["majority"] == "tie", table["truth"].notna()
    found = table["label"] == table["truth"]
    differs = table[~tied & table["label"].notna() & (table["label"] != table["majority"])]
    return DawidSkene(
        n_pairs=len(table),
        n_participants=int((n_votes > 0).sum()),
        n_votes=len(pair),
        n_steps=0 if fit is None else fit.n_steps,
        converged=fit is not None and fit.converged,
        log_likelihood=None if fit is None else fit.log_likelihood,
        n_truth=int((known & ~tied).sum()),
        n_label_is_truth=int((found & ~tied).sum()),
        n_majority_is_truth=int((table["majority"] == table["truth"]).sum()),
        n_disagreements=len(differs),
        disagreements=differs.reset_index(drop=True),
        pairs=table,
        participants=participants[n_votes > 0].reset_index(drop=True),
        reason=_reason(fit, most_steps),
        n_truth_expected=None if fit is None else float(_probabilities(table[known & ~tied]).sum()),
        n_tied=int(tied.sum()),
        n_tied_truth=int((known & tied).sum()),
        n_tied_label_is_truth=int((found & tied).sum()),
        too_sure=None if fit is None else _too_sure(table[known]),
    )


def _probabilities(table: pd.DataFrame) -> Floats:
    """The labels' probabilities in the model."""
    p_a = table["p_a"].to_numpy(dtype=float)
    sure: Floats = np.maximum(p_a, 1 - p_a)
    return sure


def _too_sure(table: pd.DataFrame) -> bool | None:
    """True if fewer labels are right than the model's probabilities predict, one-sided; a tie is half right."""
    if table.empty:
        return None
    p = _probabilities(table)
    right = np.where(table["label"] == "tie", 0.5, (table["label"] == table["truth"]).to_numpy(dtype=float))
    spread = float(np.sqrt((p * (1 - p)).sum()))
    return bool(p.sum() - right.sum() > _ONE_SIDED * spread)


def one_coin_log_odds(pair: Codes, person: Codes, side: Floats, n_pairs: int) -> Floats:
    """The log odds of a under the one-coin model alone, which takes votes as independent and is too certain."""
    fit = _one_coin(
        pair, person, side, np.bincount(pair, minlength=n_pairs), np.bincount(person), MOST_STEPS, CLOSE
    )
    right = np.clip(fit.skill, _LEAST, 1 - _LEAST)
    weight = side * np.log(right / (1 - right))[person]
    return np.bincount(pair, weights=weight, minlength=n_pairs).astype(np.float64)


@dataclass(frozen=True, slots=True)
class _Coins:
    skill: Floats
    n_steps: int
    converged: bool
    log_likelihood: float


def _one_coin(
    pair: Codes,
    person: Codes,
    side: Floats,
    per_pair: Codes,
    per_person: Codes,
    most_steps: int,
    close: float,
) -> _Coins:
    """EM with votes as +1 for a and -1 for b: members that change their names change a sign, and no rounding."""
    shape = (len(per_pair), len(per_person))
    votes = sparse.csr_array(sparse.coo_array((side, (_small(pair), _small(person))), shape=shape))
    of_person = sparse.csr_array(votes.T)
    # A vote share as 2 p - 1; pairs and people without a vote stay at 0 and take no part.
    expected = np.asarray(votes.sum(axis=1)) / np.maximum(per_pair, 1)
    reached, step = -np.inf, 0
    while True:
        right = (1 + of_person @ expected / np.maximum(per_person, 1)) / 2
        skill = np.clip(right, _LEAST, 1 - _LEAST)
        log_odds = votes @ np.log(skill / (1 - skill))
        expected = np.tanh(log_odds / 2)
        step += 1
        now = per_person @ np.log(skill * (1 - skill)) / 2
        now += np.sum(np.logaddexp(log_odds / 2, -log_odds / 2) - np.log(2))
        converged = bool(now - reached <= close * abs(now))
        if converged or step == most_steps:
            return _Coins(right, step, converged, float(now))
        reached = now


def _small(codes: Codes) -> npt.NDArray[np.int32]:
    return codes.astype(np.int32)


def _reason(fit: _Coins | None, most_steps: int) -> str | None:
    if fit is None:
        return "no pair has two votes: nothing tells one participant's votes from another's"
    return None if fit.converged else _NOT_CONVERGED.format(steps=most_steps)


def _pair_table(rows: pd.DataFrame, pairs: Units, votes: Codes, log_odds: Floats | None) -> pd.DataFrame:
    """One row for each pair with a vote, in the order people count in."""
    columns = ("study", "pair", "condition", "kind", "stimulus_a", "stimulus_b", "truth")
    table = pd.DataFrame({name: pairs.texts(rows[name]) for name in columns})
    table["votes_a"], table["votes_b"] = votes.T
    table["majority"] = _named(votes[:, 0] - votes[:, 1], 0)
    if log_odds is None:
        table["p_a"], table["label"] = np.nan, None
    else:
        table["p_a"] = np.where(np.abs(log_odds) <= _TIED, 0.5, (1 + np.tanh(log_odds / 2)) / 2)
        table["label"] = _named(log_odds, _TIED)
    table = table.iloc[np.flatnonzero(votes.sum(axis=1))]
    order = _ranks(table["study"]), _ranks(table["pair"])
    return table.iloc[np.lexsort((np.arange(len(table)), order[1], order[0]))].reset_index(drop=True)


def _named(for_a: Floats | Codes, tied: float) -> npt.NDArray[np.str_]:
    return np.where(np.abs(for_a) <= tied, "tie", np.where(for_a > 0, "a", "b"))


def _ranks(texts: pd.Series) -> Codes:
    codes, distinct = pd.factorize(texts)
    ranks = np.empty(len(distinct), dtype=np.int64)
    ranks[sorted(range(len(distinct)), key=lambda place: natural(str(distinct[place])))] = np.arange(
        len(distinct)
    )
    return ranks[codes]


def dawid_skene_of_votes(
    votes: pd.DataFrame,
    *,
    model: str = "confusion",
    prior: str = "estimated",
    classes: Sequence[object] | None = None,
    most_steps: int = MOST_STEPS,
    close: float = CLOSE,
) -> VoteModel:
    """Fit the model of Dawid and Skene to votes on any tasks, with any number of classes [DS79]_.

    One row is one vote; given the truth, votes are independent. It is fitted by EM from the vote shares of each task.

    Parameters
    ----------
    votes
        Columns `task`, `worker` and `label`; a row without a label is no vote.
    model
        ``confusion``: each worker has a probability of each label for each true class. ``one-coin``: each is right
        with one probability, and wrong alike for all other classes [ZCZJ16]_.
    prior
        ``estimated``, or ``uniform``: all classes are equally likely beforehand.
    classes
        The possible labels, where some were never given.
    most_steps, close
        EM ends with the first step that raises the log-likelihood by less than `close` of itself, or after
        `most_steps`; the result then says that it had not converged.

    Raises
    ------
    AnalysisError
        For a missing column, a model or prior that there is not, or a label that is not among `classes`.
    """
    model, prior = chosen("model", model, MODELS), chosen("prior", prior, PRIORS)
    for name in ("task", "worker", "label"):
        if name not in votes:
            raise AnalysisError(f"votes: the column {name} is missing; needed: task, worker, label")
    votes = votes.loc[votes["label"].notna()]
    task, tasks = pd.factorize(votes["task"], sort=True)
    worker, workers = pd.factorize(votes["worker"], sort=True)
    label, labels = pd.factorize(votes["label"], sort=True)
    if classes is not None:
        label, labels = _among(label, labels, classes), pd.Index(list(classes))
    names = [str(name) for name in labels]
    if not len(task):
        empty = pd.DataFrame()
        return VoteModel(model, 0, False, None, {}, empty, empty, empty, "there is no vote")
    fit = _confusion(task, worker, label, len(names), model, prior, most_steps, close)
    shares = fit.expected.max(axis=1, keepdims=True) - fit.expected <= _TIED
    best = np.where(shares.sum(axis=1) == 1, np.asarray(names, dtype=object)[shares.argmax(axis=1)], None)
    columns = {f"p_{name}": fit.expected[:, number] for number, name in enumerate(names)}
    n, k = len(workers), len(names)
    return VoteModel(
        model=model,
        n_steps=fit.n_steps,
        converged=fit.converged,
        log_likelihood=fit.log_likelihood,
        prior=dict(zip(names, fit.prior.tolist(), strict=True)),
        tasks=pd.DataFrame({"task": tasks, "label": best, **columns}),
        workers=pd.DataFrame(
            {
                "worker": np.repeat(workers, k * k),
                "truth": np.tile(np.repeat(names, k), n),
                "label": np.tile(names, n * k),
                "probability": fit.errors.transpose(0, 2, 1).ravel(),
            }
        ),
        skills=pd.DataFrame({"worker": workers, "n_votes": np.bincount(worker), "skill": fit.skill}),
        reason=None if fit.converged else _NOT_CONVERGED.format(steps=most_steps),
    )


@dataclass(frozen=True, slots=True)
class _Fit:
    """`expected`: task x class. `errors`: worker x label x class."""

    expected: Floats
    errors: Floats
    prior: Floats
    skill: Floats
    n_steps: int
    converged: bool
    log_likelihood: float


def _among(label: npt.NDArray[np.intp], labels: pd.Index, classes: Sequence[object]) -> npt.NDArray[np.intp]:
    place = {name: number for number, name in enumerate(classes)}
    unknown = [name for name in labels if name not in place]
    if unknown:
        raise AnalysisError(f"votes: label {unknown[0]!r} is not among the classes")
    return np.array([place[name] for name in labels], dtype=np.intp)[label]


def _confusion(
    task: npt.NDArray[np.intp],
    worker: npt.NDArray[np.intp],
    label: npt.NDArray[np.intp],
    k: int,
    model: Model,
    prior: Prior,
    most_steps: int,
    close: float,
) -> _Fit:
    n_workers = int(worker.max()) + 1
    cells = (_small(task), _small(worker * k + label))
    shape = (int(task.max()) + 1, n_workers * k)
    votes = sparse.csr_array(sparse.coo_array((np.ones(len(task)), cells), shape=shape))
    of_worker = sparse.csr_array(votes.T)
    per_worker = np.bincount(worker, minlength=n_workers)
    expected = np.bincount(task * k + label, minlength=shape[0] * k).reshape(-1, k) / 1.0
    expected /= expected.sum(axis=1, keepdims=True)
    reached, step = -np.inf, 0
    while True:
        shares = expected.mean(axis=0) if prior == "estimated" else np.full(k, 1 / k)
        counts = (of_worker @ expected).reshape(n_workers, k, k)
        skill = np.trace(counts, axis1=1, axis2=2) / per_worker
        errors = _errors(counts, skill, model)
        logs = votes @ np.log(errors).reshape(n_workers * k, k) + np.log(np.maximum(shares, _LEAST))
        top = logs.max(axis=1, keepdims=True)
        expected = np.exp(logs - top)
        total = expected.sum(axis=1, keepdims=True)
        expected /= total
        step += 1
        now = float(np.sum(top + np.log(total)))
        converged = bool(now - reached <= close * abs(now))
        if converged or step == most_steps:
            return _Fit(expected, errors, shares, skill, step, converged, now)
        reached = now


def _errors(counts: Floats, skill: Floats, model: Model) -> Floats:
    """The probability of each label (second) given each class (third) for each worker (first)."""
    k = counts.shape[1]
    if model == "confusion":
        errors = np.maximum(counts, _LEAST)
        shares: Floats = errors / errors.sum(axis=1, keepdims=True)
        return shares
    right = np.clip(skill, _LEAST, 1 - _LEAST)[:, np.newaxis, np.newaxis]
    return np.where(np.eye(k, dtype=bool), right, (1 - right) / max(1, k - 1))
