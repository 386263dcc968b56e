"""Cross-fitting of a judge of votes: test data share no clip, scene or voter with the training data."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from analysis.errors import AnalysisError
from analysis.learning.examples import counted, joined
from analysis.learning.votes import (
    ENOUGH_PAIRS,
    FEWEST_PAIRS,
    FEWEST_PEOPLE,
    Bools,
    Ceilings,
    CurvePoint,
    Ints,
    Learnt,
    Preference,
    Reached,
    Untrained,
    Voted,
    Votes,
    Weight,
    fit_preference,
)
from analysis.stats.intervals import Floats

OnProgress = Callable[[int, int, str], None]

FOLDS = 5
REPEATS = 10
RESAMPLES = 500
RIDGES = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
CURVE_PAIRS = (10, 20, 40, 80, 160, 320)
CURVE_VOTES = (1, 2, 5, 10)
_INNER = 3
_FEW_NUMBERS = 10
_DUST = 1e-9


def learn(
    votes: Votes,
    names: Sequence[str] = (),
    *,
    seed: int = 1,
    repeats: int = REPEATS,
    beside: Mapping[str, Floats] = MappingProxyType({}),
    on_progress: OnProgress = lambda done, total, what: None,
) -> Learnt:
    """Train on all votes, and cross-fit: half of the people label the pairs to train on, the other half those to test,
    which share no clip and no group with them; then the halves swap. Every pair is tested once in each repeat, one
    whose clips are of two groups by a judge that learnt from neither. The ridge is chosen within the training pairs.
    `names` are those of the table's columns; columns without names, as features of a network, get no intervals.
    `beside` are values of each clip by untrained judges, more counting as human.

    Raises AnalysisError below 40 pairs with votes, 4 people or 5 groups of clips; below 80 pairs it warns.
    """
    n_people = len(np.unique(votes.person))
    voted = int((votes.counts(np.ones(len(votes.pair), dtype=np.bool_))[1] > 0).sum())
    if voted < FEWEST_PAIRS or n_people < FEWEST_PEOPLE:
        raise AnalysisError(
            f"{voted} pairs with votes of {n_people} people: at least {FEWEST_PAIRS} pairs and {FEWEST_PEOPLE} people "
            f"are needed to learn from some and test on others, {ENOUGH_PAIRS} pairs are advised; more pairs help more "
            "than more votes"
        )
    groups = _groups(votes)
    # A stream for each repeat: more repeats leave the first ones as they are.
    rounds = [_Round(votes, groups, np.random.default_rng([seed, number])) for number in range(repeats)]
    votes_each = _votes_each(votes, rounds)
    held, curve_pairs, curve_votes, alone, halves = [], [], [], [], []
    for done, each in enumerate(rounds, start=1):
        held.append(each.chances())
        curve_pairs.append([each.chances(most_pairs=n) for n in _sizes(votes.n_pairs)])
        curve_votes.append([each.chances(most_votes=n) for n in votes_each])
        alone.append(each.chances(only=~votes.has_truth))
        halves.append(each.shares())
        on_progress(done, len(rounds), "repeats")
    everything = np.ones(votes.n_pairs, dtype=np.bool_)
    few = (~votes.has_truth).sum() < FEWEST_PAIRS
    judge, weights = final_judge(votes, groups, names, seed)
    warning = (
        f"{voted} pairs: below {ENOUGH_PAIRS} what is reached, and the weights, are uncertain"
        if voted < ENOUGH_PAIRS
        else ""
    )
    numbers = Voted(
        n_pairs=voted,
        n_people=n_people,
        n_votes=len(votes.pair),
        reached=_reached(held, rounds, everything),
        human_agent=_reached(held, rounds, votes.has_truth),
        agent_agent=_reached(held, rounds, ~votes.has_truth),
        agent_agent_alone=_reached([] if few else alone, rounds, ~votes.has_truth),
        by_pairs=_curve(_sizes(votes.n_pairs), curve_pairs, rounds),
        by_votes=_curve(votes_each, curve_votes, rounds),
        ceilings=_ceilings(votes, halves),
        untrained=tuple(_untrained(name, values, rounds) for name, values in beside.items()),
        weights=weights,
        ridge=judge.ridge,
        n_tried=len(RIDGES),
        warning=warning,
    )
    return Learnt(judge, numbers, np.array([_mean_of_halves(each) for each in held]))


def _mean_of_halves(chances: Floats) -> Floats:
    """The mean of both halves; for a pair tested by one half, that half's value; NaN if by neither."""
    return _share(np.nansum(chances, axis=0), (~np.isnan(chances)).sum(axis=0).astype(np.float64))


def _groups(votes: Votes) -> Ints:
    """Groups held out together: clips that share a scene or, if enough groups are left, a chain of pairs."""
    linked = votes.group.copy()
    for one, other in zip(votes.first, votes.second, strict=True):
        linked[linked == linked[other]] = linked[one]
    if len(np.unique(linked)) >= FOLDS:
        return linked
    own = joined([votes.group])
    if len(np.unique(own)) < FOLDS:
        raise AnalysisError(
            f"{counted(len(np.unique(own)), 'group')} of clips that share a scene; at least {FOLDS} are needed to hold "
            "some back"
        )
    return own


class _Round:
    """One repeat: two halves of the people, and folds of the groups of clips."""

    def __init__(self, votes: Votes, groups: Ints, rng: np.random.Generator) -> None:
        self.votes, self.rng = votes, rng
        people = rng.permutation(np.unique(votes.person))
        self.halves = [np.isin(votes.person, people[half::2]) for half in (0, 1)]
        names = rng.permutation(np.unique(groups))
        fold_of = {name: number % FOLDS for number, name in enumerate(names)}
        fold = np.array([fold_of[group] for group in groups])
        self.first, self.second = fold[votes.first], fold[votes.second]
        self.lower, self.upper = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        self.held_out = sorted(set(zip(self.lower.tolist(), self.upper.tolist(), strict=True)))
        self.groups = groups[votes.first]

    def shares(self) -> tuple[Floats, Floats]:
        """The share of votes for the first in either half; NaN without a vote."""
        first, second = (_share(*self.votes.counts(half)) for half in self.halves)
        return first, second

    def chances(
        self, *, most_pairs: int | None = None, most_votes: int | None = None, only: Bools | None = None
    ) -> Floats:
        """For each testing half (rows) and each pair, the probability of the first.

        A pair whose clips are in two folds is held out by leaving out both. NaN if too few pairs, or fewer than
        `most_pairs`, are left to train on.
        """
        votes = self.votes
        found = np.full((2, votes.n_pairs), np.nan)
        for half in (0, 1):
            labels = _thinned(votes, self.halves[half], most_votes, self.rng)
            won, n = votes.counts(labels)
            for one, other in self.held_out:
                held = one, other
                train = ~np.isin(self.first, held) & ~np.isin(self.second, held) & (n > 0)
                test = (self.lower == one) & (self.upper == other)
                train = train if only is None else train & only
                rows = np.flatnonzero(train)
                if len(rows) < max(_INNER, most_pairs or 0):
                    continue
                if most_pairs is not None:
                    rows = self.rng.choice(rows, most_pairs, replace=False)
                judge = _chosen(votes, rows, won, n, self.groups, self.rng)
                found[1 - half, test] = judge.chance(_difference(votes)[test])
        return found


def _difference(votes: Votes) -> Floats:
    return votes.table[votes.first] - votes.table[votes.second]


def _thinned(votes: Votes, of: Bools, most: int | None, rng: np.random.Generator) -> Bools:
    """At most so many votes of each pair, drawn at random."""
    if most is None:
        return of
    rows = rng.permutation(np.flatnonzero(of))
    rows = rows[np.argsort(votes.pair[rows], kind="stable")]
    starts = np.searchsorted(votes.pair[rows], np.arange(votes.n_pairs))
    kept = np.zeros(len(of), dtype=np.bool_)
    kept[rows[np.arange(len(rows)) - starts[votes.pair[rows]] < most]] = True
    return kept


def _chosen(
    votes: Votes, rows: Ints, won: Floats, n: Floats, groups: Ints, rng: np.random.Generator
) -> Preference:
    """Fitted to the pairs `rows` with the ridge that forecasts held-out groups of them best.

    With more numbers than pairs the fit is made in the space that the pairs span, where the weights of the least ridge
    lie; scales grow with the root of how many numbers there are, so that the same ridges fit many as few.
    """
    clips = np.unique(np.concatenate([votes.first[rows], votes.second[rows]]))
    spread = votes.table[clips].std(axis=0)
    scale = np.where(spread > _DUST, spread, 1.0) * max(1.0, np.sqrt(len(spread) / _FEW_NUMBERS))
    design, basis = _within_span(_difference(votes)[rows] / scale)
    one = np.ones(design.shape[1])
    names = rng.permutation(np.unique(groups[rows]))
    part = np.searchsorted(np.sort(names), groups[rows])
    part = np.argsort(names)[part] % _INNER
    won, n, losses = won[rows], n[rows], []
    for ridge in RIDGES:
        total = 0.0
        for number in range(_INNER):
            inside, outside = part != number, part == number
            if not inside.any() or not outside.any():
                continue
            found = fit_preference(design[inside], won[inside], n[inside], one, ridge)
            total += _log_loss(found.chance(design[outside]), won[outside], n[outside])
        losses.append(total)
    ridge = RIDGES[int(np.argmin(losses))]
    return Preference(basis @ fit_preference(design, won, n, one, ridge).weights, scale, ridge)


def _within_span(design: Floats) -> tuple[Floats, Floats]:
    """Coordinates of the rows within the space that they span, and its basis as columns; of few columns as they are."""
    if design.shape[1] <= len(design):
        return design, np.eye(design.shape[1])
    basis, upper = np.linalg.qr(design.T)
    return upper.T, basis


def _log_loss(chance: Floats, won: Floats, n: Floats) -> float:
    # Off 0 and 1, where a vote to the contrary would cost an infinite loss.
    chance = np.clip(chance, 1e-6, 1 - 1e-6)
    return -float(np.sum(won * np.log(chance) + (n - won) * np.log(1 - chance)))


def _share(won: Floats, n: Floats) -> Floats:
    share: Floats = np.divide(won, n, out=np.full(len(n), np.nan), where=n > 0)
    return share


def _reached(held: Sequence[Floats], rounds: Sequence[_Round], of: Bools) -> Reached:
    """Each repeat against the votes of the half that its copies did not learn from."""
    accuracies, losses, briers, tested = [], [], [], np.zeros(len(of), dtype=np.bool_)
    for chances, each in zip(held, rounds, strict=bool(held)):
        right: list[Floats] = []
        loss = votes = brier = 0.0
        for half in (0, 1):
            won, n = each.votes.counts(each.halves[half])
            share = _share(won, n)
            known = of & ~np.isnan(chances[half]) & (n > 0)
            tested |= known
            decided = known & (share != 0.5)
            # Rounded: one half with a rounding error is a tie, and no guess.
            guess = np.sign(np.round(chances[half][decided] - 0.5, 9))
            right.append(0.5 + 0.5 * guess * np.sign(share[decided] - 0.5))
            loss += _log_loss(chances[half][known], won[known], n[known])
            brier += float(np.sum(n[known] * (share[known] - chances[half][known]) ** 2))
            brier += float(np.sum(n[known] * share[known] * (1 - share[known])))
            votes += float(n[known].sum())
        if votes and len(np.concatenate(right)):
            accuracies.append(float(np.concatenate(right).mean()))
            losses.append(loss / votes)
            briers.append(brier / votes)
    if not accuracies:
        return Reached(int(tested.sum()), None, None, None, None, None)
    low, high = np.quantile(accuracies, [0.05, 0.95])
    return Reached(
        int(tested.sum()),
        float(np.mean(accuracies)),
        float(low),
        float(high),
        float(np.mean(losses)),
        float(np.mean(briers)),
    )


def _untrained(name: str, values: Floats, rounds: Sequence[_Round]) -> Untrained:
    """The untrained baseline against a trained judge's majorities: of one half of the people, then the other."""
    votes = rounds[0].votes
    chance = 0.5 + np.sign(np.round(values[votes.first] - values[votes.second], 9)) / 2
    everything = np.ones(votes.n_pairs, dtype=np.bool_)
    found = _reached([np.array([chance, chance])] * len(rounds), rounds, everything)
    return Untrained(name, found.n_pairs, found.label_accuracy)


def _sizes(n_pairs: int) -> Sequence[int]:
    return [n for n in CURVE_PAIRS if n < n_pairs * (FOLDS - 1) / FOLDS]


def _votes_each(votes: Votes, rounds: Sequence[_Round]) -> Sequence[int]:
    """The numbers of votes that every half of the people gave to most of its pairs: larger ones cannot be tried."""
    given = [votes.counts(half)[1] for each in rounds for half in each.halves]
    most = min(float(np.median(n[n > 0])) if n.any() else 0.0 for n in given)
    return [n for n in CURVE_VOTES if n <= most]


def _curve(
    sizes: Sequence[int], found: Sequence[Sequence[Floats]], rounds: Sequence[_Round]
) -> tuple[CurvePoint, ...]:
    everything = np.ones(rounds[0].votes.n_pairs, dtype=np.bool_)
    return tuple(
        CurvePoint(n, _reached([each[number] for each in found], rounds, everything))
        for number, n in enumerate(sizes)
    )


def _ceilings(votes: Votes, halves: Sequence[tuple[Floats, Floats]]) -> Ceilings:
    """The ceilings. Tied others count a half, as in `judging.ceiling.one_against_others`, and so does a tied half
    compared with one that has a majority: its verdict would be a coin's.
    """
    won, n = votes.counts(np.ones(len(votes.pair), dtype=np.bool_))
    others = won[votes.pair] - votes.value, n[votes.pair] - 1
    share = _share(*others)
    known = others[1] > 0
    agrees = 0.5 + 0.5 * np.sign(votes.value - 0.5) * np.sign(np.nan_to_num(share, nan=0.5) - 0.5)
    per_pair = _share(
        np.bincount(votes.pair[known], agrees[known], votes.n_pairs).astype(np.float64),
        np.bincount(votes.pair[known], minlength=votes.n_pairs).astype(np.float64),
    )
    of_pairs = per_pair[~np.isnan(per_pair)]
    agreeing, correlations = [], []
    for one, other in halves:
        both = ~np.isnan(one) & ~np.isnan(other)
        same = 0.5 + 0.5 * np.sign(one - 0.5) * np.sign(other - 0.5)
        labelled = [same[both & (label != 0.5)] for label in (one, other)]
        if len(credits := np.concatenate(labelled)):
            agreeing.append(float(credits.mean()))
        if both.sum() > 2 and np.ptp(one[both]) > 0 and np.ptp(other[both]) > 0:
            correlations.append(float(np.corrcoef(one[both], other[both])[0, 1]))
    r = float(np.mean(correlations)) if correlations else None
    return Ceilings(
        float(of_pairs.mean()) if len(of_pairs) else None,
        float(np.mean(agreeing)) if agreeing else None,
        2 * r / (1 + r) if r is not None and r > -1 else None,
    )


def final_judge(
    votes: Votes, groups: Ints, names: Sequence[str], seed: int
) -> tuple[Preference, tuple[Weight, ...]]:
    """The judge of all votes; the bootstrap draws groups of pairs again and keeps the ridge. Without names there are
    no weights to speak of."""
    won, n = votes.counts(np.ones(len(votes.pair), dtype=np.bool_))
    # A stream that no repeat has.
    rows, rng = np.flatnonzero(n > 0), np.random.default_rng([seed, 10_000])
    own = groups[votes.first]
    judge = _chosen(votes, rows, won, n, own, rng)
    if not names:
        return judge, ()
    difference = _difference(votes)
    by_group = [rows[own[rows] == name] for name in np.unique(own[rows])]
    drawn = []
    for _ in range(RESAMPLES):
        again = np.concatenate(
            [by_group[number] for number in rng.integers(len(by_group), size=len(by_group))]
        )
        drawn.append(
            fit_preference(difference[again], won[again], n[again], judge.scale, judge.ridge).weights
        )
    low, high = np.quantile(np.array(drawn), [0.025, 0.975], axis=0)
    weights = [
        Weight(name, float(value), float(least), float(most))
        for name, value, least, most in zip(names, judge.weights, low, high, strict=True)
    ]
    return judge, tuple(sorted(weights, key=lambda weight: -abs(weight.value)))
