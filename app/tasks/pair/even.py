"""Drawing pairs so that each clip is used as seldom as can be: the least used clips first, by chance among these.

Uses count over all conditions of a study, main pairs before practice pairs. Where clips suffice, no clip of a source
is in more than one pair more than another. The same clips, seed and numbers give the same pairs on every machine:
chance is `random.Random(seed).random()` alone.
"""

import heapq
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from app.trials.stimuli import StimulusFacts

Clips = Sequence[StimulusFacts]
ClipPair = tuple[StimulusFacts, StimulusFacts]


@dataclass(frozen=True, slots=True)
class Group:
    """Clips that may be paired: each of `first` with each of `second`, but not with itself."""

    first: Clips
    second: Clips


@dataclass(frozen=True, slots=True)
class DrawRequest:
    """The number of pairs to draw, and the groups to draw from; a clip without a twin is in one group per condition."""

    groups: Sequence[Group]
    n_main: int
    n_practice: int


@dataclass(frozen=True, slots=True)
class _Step:
    """A pair to add; where it takes two clips of the pair `instead`, `also` is what becomes of the other two."""

    cost: int
    pair: ClipPair
    instead: ClipPair | None = None
    also: ClipPair | None = None


def draw_evenly(asked: Sequence[DrawRequest], seed: str) -> list[tuple[list[ClipPair], list[ClipPair]]]:
    """Main and practice pairs for each condition asked; there must be enough different pairs in its groups."""
    rng = random.Random(seed)
    uses = _Uses(rng)
    draws = [_Draw(each.groups, uses, rng) for each in asked]
    # Those with the least choice first: the others can then make up for what these cannot help.
    order = sorted(range(len(asked)), key=lambda i: (_slack(asked[i]), i))
    main: list[list[ClipPair]] = [[] for _ in asked]
    practice: list[list[ClipPair]] = [[] for _ in asked]
    for i in order:
        main[i] = draws[i].some(asked[i].n_main)
    for i in order:
        practice[i] = draws[i].some(asked[i].n_practice)
    return list(zip(main, practice, strict=True))


def _slack(asked: DrawRequest) -> float:
    """The number of possible different pairs per requested pair."""
    possible = sum(_size(group) for group in asked.groups)
    return possible / max(asked.n_main + asked.n_practice, 1)


def _size(group: Group) -> int:
    return len(group.first) * len(group.second)


class _Uses:
    """The number of pairs each clip is in, with a random number that orders ties."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._n: dict[str, int] = {}
        self._chance: dict[str, float] = {}

    def of(self, clip: StimulusFacts) -> int:
        return self._n.get(clip.name, 0)

    def order(self, clip: StimulusFacts) -> tuple[int, float]:
        if clip.name not in self._chance:
            self._chance[clip.name] = self._rng.random()
        return self.of(clip), self._chance[clip.name]

    def add(self, clip: StimulusFacts) -> None:
        # A new number with each use: with one for good, the same clips would be first among equals each time.
        self._n[clip.name] = self.of(clip) + 1
        self._chance[clip.name] = self._rng.random()


@dataclass(slots=True)
class _Draw:
    """The pairs of one condition. `taken` holds both ways to turn every pair drawn so far."""

    groups: Sequence[Group]
    uses: _Uses
    rng: random.Random
    taken: set[tuple[str, str]] = field(default_factory=set)

    def some(self, n: int) -> list[ClipPair]:
        """`n` pairs more, in an order by chance."""
        drawn: dict[int, list[ClipPair]] = {}
        queue = [(0, self._chance(group), i) for i, group in enumerate(self.groups)]
        heapq.heapify(queue)
        for _ in range(n):
            i, step = self._next(queue, drawn)
            pairs = drawn.setdefault(i, [])
            if step.instead and step.also:
                pairs.remove(step.instead)
                self._free(step.instead)
                self._take(step.also)
                pairs.append(step.also)
            self._take(step.pair)
            pairs.append(step.pair)
            for clip in self._used_by(step):
                self.uses.add(clip)
            heapq.heappush(queue, (step.cost, self._chance(self.groups[i]), i))
        found = [pair for i in sorted(drawn) for pair in drawn[i]]
        # `k` decides where two numbers are equal, as stimuli have no order.
        return [pair for _, _, pair in sorted((self.rng.random(), k, pair) for k, pair in enumerate(found))]

    def _next(
        self, queue: list[tuple[int, float, int]], drawn: dict[int, list[ClipPair]]
    ) -> tuple[int, _Step]:
        """The cheapest step of any group. A group's next step never gets cheaper, so old costs are lower bounds."""
        while True:
            _, chance, i = heapq.heappop(queue)
            step = self._step(self.groups[i], drawn.get(i, []))
            if step is None:
                continue
            if not queue or step.cost <= queue[0][0]:
                return i, step
            heapq.heappush(queue, (step.cost, chance, i))

    def _step(self, group: Group, drawn: Sequence[ClipPair]) -> _Step | None:
        first, second = (sorted(clips, key=self.uses.order) for clips in (group.first, group.second))
        best: _Step | None = None
        for a, b in self._free_pairs(first, second):
            cost = self.uses.of(a) + self.uses.of(b)
            if best is None or cost < best.cost:
                best = _Step(cost, (a, b))
        if best is None:
            return None
        least = self._least(first, second)
        return best if best.cost <= least else self._swap(first, second, drawn, best)

    def _free_pairs(self, first: Clips, second: Clips) -> Iterator[ClipPair]:
        """For each clip its least used partner, while it may still be the best: clips come in order of use."""
        cheapest = math.inf
        for a in first:
            if self.uses.of(a) + self.uses.of(second[0]) >= cheapest:
                return
            b = next((b for b in second if self._is_free(a, b)), None)
            if b is not None:
                cheapest = min(cheapest, self.uses.of(a) + self.uses.of(b))
                yield a, b

    def _least(self, first: Clips, second: Clips) -> int:
        """The least cost of two different clips."""
        a, b = first[0], second[0]
        if a.name != b.name:
            return self.uses.of(a) + self.uses.of(b)
        others = [clips[1] for clips in (first, second) if len(clips) > 1]
        return self.uses.of(a) + min(map(self.uses.of, others), default=0)

    def _swap(self, first: Clips, second: Clips, drawn: Sequence[ClipPair], best: _Step) -> _Step:
        """Two cheaper clips that are a pair already: they go into two pairs, in exchange with one that was drawn."""
        for a in first:
            for b in second:
                cost = self.uses.of(a) + self.uses.of(b)
                if cost >= best.cost:
                    break
                if a.name == b.name:
                    continue
                for x, y in drawn:
                    if (
                        len({a.name, b.name, x.name, y.name}) == 4
                        and self._is_free(a, y)
                        and self._is_free(x, b)
                    ):
                        return _Step(cost, (a, y), (x, y), (x, b))
        return best

    def _used_by(self, step: _Step) -> ClipPair:
        """The two clips that are in one pair more after a step."""
        return (step.pair[0], step.also[1]) if step.also else step.pair

    def _is_free(self, a: StimulusFacts, b: StimulusFacts) -> bool:
        return a.name != b.name and (a.name, b.name) not in self.taken

    def _take(self, pair: ClipPair) -> None:
        a, b = (clip.name for clip in pair)
        self.taken |= {(a, b), (b, a)}

    def _free(self, pair: ClipPair) -> None:
        a, b = (clip.name for clip in pair)
        self.taken -= {(a, b), (b, a)}

    def _chance(self, group: Group) -> float:
        """Orders equally cheap groups by chance, in the proportion of their pairs."""
        # The least of exponential times comes from each in proportion to its rate; 1 - random() is never 0.
        return -math.log(1 - self.rng.random()) / _size(group)
