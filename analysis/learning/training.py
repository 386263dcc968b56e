"""Five copies of a network, one for each fold, and their accuracy on held-out data."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from analysis.errors import AnalysisError
from analysis.learning.catalogue import Network, on_features_alone
from analysis.learning.examples import (
    FEWEST_MAKERS,
    Example,
    Pairs,
    Rows,
    Splits,
    agents_of,
    counted,
    labels_of,
    makers_of,
    matched_pairs,
    split,
    with_labels_drawn,
    without,
)
from analysis.learning.fitting import Fitted, Task, fit, refuse_without_jax
from analysis.learning.held import HeldOutScores, Labels, Outcome, by_epoch, called_human, held, win
from analysis.learning.leaks import LeakCheck, check_leaks, refused
from analysis.learning.logged import in_common
from analysis.learning.networks import By, Parameters, Settings, Windows, cut, score
from analysis.learning.paths import spread
from analysis.learning.searching import candidates, search_steps
from analysis.results import Result
from analysis.stats.intervals import Floats, Interval, no_interval, wilson
from analysis.stats.student import added_variance, student

OnProgress = Callable[[int, int, str], None]

FEWEST_CLIPS = 20
_NEAR_M = 0.1
OVER_MAKERS = (
    "Student's t over players and versions of agents, all copies together; Wilson's with the fewer of the two where "
    "all pairs come out alike"
)


@dataclass(frozen=True, slots=True)
class Copy:
    """One trained copy: its weights and settings, the number of settings tried, and the rows it saw.

    `by_epoch` is its accuracy on the single clips that it never saw, after each epoch; nothing is chosen by it.
    """

    settings: Settings
    parameters: Parameters
    n_tried: int
    seen: Rows
    by_epoch: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Agent(Result):
    """The result against one agent: by copies that trained on it, and (`unseen`) by one that did not."""

    source: str
    seen: HeldOutScores
    unseen: HeldOutScores | None


@dataclass(frozen=True, slots=True)
class Evaluation(Result):
    """Mean and SD (that divides by n, as published) over copies, all held-out pairs together, and by agent.

    `null` is the accuracy on single clips after training on permuted labels: 0.5 but for chance and leaks.
    """

    copies: tuple[HeldOutScores, ...]
    mean: float | None
    sd_ddof0: float | None
    pooled: HeldOutScores
    interval: Interval
    agents: tuple[Agent, ...]
    null: HeldOutScores


@dataclass(frozen=True, slots=True)
class Trained:
    """The result of a training; `tested` are the held-out pairs, `allowed` the leaks that were allowed."""

    network: Network
    copies: tuple[Copy, ...]
    splits: Splits
    evaluation: Evaluation
    tested: Pairs
    leaks: tuple[LeakCheck, ...]
    allowed: tuple[str, ...]
    seed: int


def train(
    network: Network,
    examples: Sequence[Example],
    *,
    pairs: Pairs = (),
    seed: int = 1,
    allowed: Sequence[str] = (),
    search: bool = False,
    alike: bool = True,
    on_progress: OnProgress = lambda done, total, what: None,
) -> Trained:
    """Train five copies, each on four fifths of the groups, and evaluate each on the fifth it never saw.

    `pairs` are rows of `examples`, the person's clip first, as a study compares them; without them clips are matched by
    scene. `search` chooses window, dropout and hidden units one after the other for each copy, on a part of what it may
    train on. `alike` brings positions to one step of time and one precision first, where sources were logged otherwise;
    what is left as logged shows what a judge makes of that. `on_progress` may raise to stop.

    Raises AnalysisError where a leak is found that is not `allowed`, a class or group is too small, or JAX is missing.
    """
    refuse_without_jax()
    if not examples or labels_of(examples).all() or not labels_of(examples).any():
        raise AnalysisError("clips of people and of agents are both needed to train a judge")
    settings = fitting_settings(network.settings, examples, alike=alike)
    if network.on_features and not settings.features:
        raise AnalysisError(on_features_alone(network))
    leaks = check_leaks(examples, settings, pairs)
    # A leak stops the training, because a warning is not read (decision 0021).
    if sentences := list(refused(leaks, allowed)):
        refusal = AnalysisError("; ".join(sentences))
        says = "; ".join(leak.says for leak in leaks if leak.found and leak.name not in allowed)
        refusal.on_page = f"{says}. Tick what is found to train all the same; the card says so."
        raise refusal
    splits = split(examples, pairs, seed)
    agents = agents_of(examples) if len(agents_of(examples)) > 1 else ()
    work = _Work(network.by, examples, pairs, seed, on_progress)
    tried = len(candidates(settings)) if search else 0
    work.total = settings.epochs * (1 + (len(splits.folds) * (1 + tried) if search else 0))
    chosen = [
        work.searched(settings, part.train, fold) if search else settings
        for fold, part in enumerate(splits.folds)
    ]
    wanted = [_Wanted(part.train, (fold,), watched=part.test) for fold, part in enumerate(splits.folds)]
    others = [*_unseen(examples, splits, agents), *_null(examples, splits, seed)]
    if search:
        fitted = [
            work.fitted(each, [one], f"copy {one.draw[0] + 1}")[0]
            for each, one in zip(chosen, wanted, strict=True)
        ]
        checks = work.fitted(settings, others, "checks")
    else:
        together = work.fitted(settings, [*wanted, *others], f"{len(wanted)} copies and {len(others)} checks")
        fitted, checks = together[: len(wanted)], together[len(wanted) :]
    copies = [
        Copy(each, one.parameters, max(1, tried), part.train, work.by_epoch(each, one.watched, part.test))
        for each, one, part in zip(chosen, fitted, splits.folds, strict=True)
    ]
    outcomes = [
        work.outcome(copy.settings, copy.parameters, part.test)
        for copy, part in zip(copies, splits.folds, strict=True)
    ]
    unseen, null = {}, []
    for check, one in zip(others, checks, strict=True):
        outcome = work.outcome(settings, one.parameters, check.test, check.labels)
        if check.without:
            unseen[check.without] = held([outcome])
        else:
            null.append(outcome)
    found = _evaluated(work, splits, outcomes, unseen, held(null))
    tested = [pair for part in splits.folds for pair in work.tested(part.test)]
    return Trained(network, tuple(copies), splits, found, tested, leaks, tuple(sorted(allowed)), seed)


def fitting_settings(settings: Settings, examples: Sequence[Example], *, alike: bool = True) -> Settings:
    """The settings for these clips: whether all have headings, what positions are brought to, and what an image from
    above shows for a network that was trained elsewhere. `alike` False leaves positions as they were logged."""
    paths = [example.path for example in examples]
    settings = replace(settings, by_heading=all(path.heading_rad is not None for path in paths))
    if settings.sees:
        return settings
    if alike:
        common = in_common(paths, [example.source for example in examples])
        settings = replace(settings, step_s=common.step_s, decimals=common.decimals)
    if settings.reads == "top-down":
        places = np.concatenate([spread(path, settings.window)[0] for path in paths]).astype(np.float64)
        middle, reach = places.mean(axis=0), np.maximum(places.std(axis=0), _NEAR_M)
        settings = replace(settings, view_m=(*map(float, middle), *map(float, reach)))
    return settings


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A network to fit on clips; as a check also its test clips and labels, and the agent left out."""

    rows: Rows
    draw: tuple[int, ...]
    test: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    labels: Labels | None = None
    without: str = ""
    watched: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.intp))


class _Work:
    """The windows of all clips, cut once for each width, and the trainings made of them."""

    def __init__(
        self, by: By, examples: Sequence[Example], pairs: Pairs, seed: int, on_progress: OnProgress
    ) -> None:
        self.by = by
        self.examples, self.pairs, self.seed = examples, pairs, seed
        self.total, self._done, self._tell = 0, 0, on_progress
        self._cuts: dict[Settings, list[Windows]] = {}

    def cuts(self, settings: Settings) -> list[Windows]:
        if settings not in self._cuts:
            self._cuts[settings] = [_cut_of(example, settings) for example in self.examples]
        return self._cuts[settings]

    def fitted(self, settings: Settings, wanted: "Sequence[_Wanted]", what: str) -> list[Fitted]:
        """Trained side by side, each on its clips."""
        cuts = self.cuts(settings)
        sizes = np.array([len(found) for found in cuts])
        of_clip = np.repeat(np.arange(len(cuts)), sizes)
        known = labels_of(self.examples)

        def on_epoch() -> None:
            self._done += 1
            self._tell(self._done, self.total, what)

        tasks = [
            Task(
                np.flatnonzero(np.isin(of_clip, each.rows)),
                (known if each.labels is None else each.labels)[of_clip],
                # A stream for each copy: neither their order nor their number changes a copy.
                np.random.default_rng([self.seed, 2, *each.draw]),
                np.flatnonzero(np.isin(of_clip, each.watched)),
            )
            for each in wanted
        ]
        # Rounded up; a fold trains on four fifths of the windows, and every task takes as many steps.
        steps = max(1, -(-int(sizes.sum()) * 4 // (5 * settings.batch)))
        return fit(settings, np.concatenate(cuts), tasks, steps=steps, on_epoch=on_epoch)

    def searched(self, settings: Settings, rows: Rows, fold: int) -> Settings:
        """The settings that do best on a fifth of the groups of `rows`, after training on the others."""
        inner = split([self.examples[row] for row in rows], self._pairs_within(rows), self.seed).folds[0]
        train, test = rows[inner.train], rows[inner.test]

        def accuracy(tried: Settings) -> float:
            (one,) = self.fitted(tried, [_Wanted(train, (fold, 3))], f"settings of copy {fold + 1}")
            return held([self.outcome(tried, one.parameters, test)]).clips or 0.0

        best, reached = settings, accuracy(settings)
        for step in search_steps(settings):
            for tried in step(best):
                if (now := accuracy(tried)) > reached:
                    best, reached = tried, now
        return best

    def _pairs_within(self, rows: Rows) -> Pairs:
        place = {int(row): number for number, row in enumerate(rows)}
        return [(place[a], place[b]) for a, b in self.pairs if a in place and b in place]

    def by_epoch(self, settings: Settings, watched: Floats, rows: Rows) -> tuple[float, ...]:
        """The share of the clips `rows` that were right after each epoch; their windows were watched in this order."""
        known = np.sort(rows)
        sizes = [len(self.cuts(settings)[row]) for row in known]
        of_clip = np.repeat(np.arange(len(known)), sizes)
        return by_epoch(watched, of_clip, labels_of(self.examples)[known], self.by)

    def outcome(
        self,
        settings: Settings,
        parameters: Parameters,
        rows: Rows,
        labels: Labels | None = None,
    ) -> Outcome:
        cuts = self.cuts(settings)
        scores = {int(row): score(settings, parameters, cuts[row]) for row in rows}
        is_human = (labels_of(self.examples) if labels is None else labels)[rows]
        said = np.array([called_human(scores[int(row)], self.by) for row in rows])
        pairs = self.tested(rows) if labels is None else []
        return Outcome(
            said,
            is_human,
            np.array([win(scores[a].value(self.by), scores[b].value(self.by)) for a, b in pairs]),
            np.array([win(scores[a].mean_logit, scores[b].mean_logit) for a, b in pairs]),
        )

    def tested(self, rows: Rows) -> Pairs:
        """The pairs whose clips are both held out."""
        if self.pairs:
            within = set(rows.tolist())
            return [pair for pair in self.pairs if within.issuperset(pair)]
        return [(int(rows[a]), int(rows[b])) for a, b in matched_pairs([self.examples[row] for row in rows])]


def _cut_of(example: Example, settings: Settings) -> Windows:
    seen = example.frames if settings.pictured else example.path
    if seen is None:
        raise AnalysisError(f"{example.name}: there are no pictures, which this judge reads")
    try:
        return cut(seen, settings)
    except AnalysisError as error:
        raise AnalysisError(f"{example.name}: {error}") from None


def _unseen(examples: Sequence[Example], splits: Splits, agents: Sequence[str]) -> Iterator[_Wanted]:
    """For each agent one network that is trained without it, and tested on it and on people."""
    for number, source in enumerate(agents):
        part = splits.folds[number % len(splits.folds)]
        tested = [row for row in part.test if examples[row].is_human or examples[row].source == source]
        rows = np.intersect1d(part.train, without(examples, source))
        yield _Wanted(rows, (number, 7), np.array(tested, dtype=np.intp), None, source)


def _null(examples: Sequence[Example], splits: Splits, seed: int) -> Iterator[_Wanted]:
    """For each fold one network that is trained on permuted labels, and tested on these."""
    labels = labels_of(with_labels_drawn(examples, np.random.default_rng([seed, 4])))
    for fold, part in enumerate(splits.folds):
        if len(np.unique(labels[part.train])) == 2:
            yield _Wanted(part.train, (fold, 5), part.test, labels)


def _evaluated(
    work: _Work,
    splits: Splits,
    outcomes: Sequence[Outcome],
    unseen: dict[str, HeldOutScores],
    null: HeldOutScores,
) -> Evaluation:
    of_copies = tuple(held([outcome]) for outcome in outcomes)
    reached = np.array([each.pairs for each in of_copies if each.pairs is not None])
    tested = [pair for part in splits.folds for pair in work.tested(part.test)]
    pooled = held(outcomes)
    value = np.concatenate([each.by_value for each in outcomes])
    logit = np.concatenate([each.by_logit for each in outcomes])
    agents = []
    for source in agents_of(work.examples):
        mine = np.array([work.examples[b].source == source for _, b in tested], dtype=np.bool_)
        none = np.zeros(0)
        seen = held([Outcome(none, none.astype(np.bool_), value[mine], logit[mine])])
        agents.append(Agent(source, seen, unseen.get(source)))
    return Evaluation(
        of_copies,
        float(reached.mean()) if len(reached) else None,
        float(reached.std()) if len(reached) else None,
        pooled,
        interval_of(work.examples, tested, value, work.seed),
        tuple(agents),
        null,
    )


def interval_of(examples: Sequence[Example], tested: Pairs, won: Floats, seed: int) -> Interval:
    """The interval of the share of held-out pairs that are `won`, for other players and other versions of agents.

    Pairs of one player depend on each other, and so do those of one version: the variances between players and between
    versions are added [CGM11]_, Student's t on the logit scale. A clip of unknown maker has one of its own. Variation
    due to the training data is not included.
    """
    people, agents = makers_of(examples)
    fewest = min(len(people), len(agents))
    if len(examples) < FEWEST_CLIPS or fewest < FEWEST_MAKERS:
        return no_interval(
            f"{len(examples)} clips of {counted(len(people), 'known player')} and "
            f"{counted(len(agents), 'known version')} of agents: at "
            f"least {FEWEST_CLIPS} and {FEWEST_MAKERS} of each are needed for an interval that says something",
            seed,
            0,
            OVER_MAKERS,
        )
    makers = np.array([[examples[row].maker or f"clip {row}" for row in pair] for pair in tested]).reshape(
        -1, 2
    )
    sides = [np.unique(of_side, return_inverse=True)[1] for of_side in makers.T]
    if min(len(np.unique(of_side)) for of_side in sides) < 2:
        return no_interval("the pairs held out are of one player or version at most", seed, 0, OVER_MAKERS)
    if np.ptp(won) == 0:
        low, high = wilson(np.array([round(won[0] * fewest)]), np.array([fewest]))
        return replace(
            no_interval("", seed, 0, OVER_MAKERS), low=float(low[0]), high=float(high[0]), reason=None
        )
    variance, df = added_variance(won, sides)
    return student(float(won.mean()), variance**0.5, df, scale="share", method=OVER_MAKERS, seed=seed)
