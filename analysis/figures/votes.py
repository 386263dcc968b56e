"""The votes on each pair of a study: the share for one clip, with its interval."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analysis import words
from analysis.choice.studies import StudyResult
from analysis.figures import canvas
from analysis.figures.figure import AnyFigure, Figure, NoFigure, numbers_of
from analysis.natural import natural
from analysis.results import table_rows
from analysis.stats.intervals import wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

NAME = "votes"
MOST_NAMED, MOST_DRAWN, MOST_GROUPS = 30, 300, 12
MIXED = "the right member, or the source named first"
RIGHT, EARLIER = "the right member", "the member whose name comes first"
_WIDEST, _RIGHT, _BELOW, _ABOVE = 1.25, 0.56, 0.52, 0.06
_ROW, _THIN_ROW, _HEADING = 0.155, 0.014, 0.26
_HEAD = ("pair", "condition", "kind", "share for", "votes for", "votes", "share", "95% interval", "majority")
_KINDS = (
    ("for", "o", "majority for it"),
    ("against", "X", "majority against it"),
    ("tie", "D", "tie"),
)


@dataclass(frozen=True, slots=True)
class PairVotes:
    """A pair's votes for `target`, a clip that does not depend on which is called a; `outcome`: for, against or tie.

    `member` is that clip's label here; `low` and `high` are the interval of its share.
    """

    pair: str
    condition: str
    kind: str
    target: str
    votes: int
    n: int
    low: float
    high: float
    outcome: str
    member: str

    @property
    def share(self) -> float:
        return self.votes / self.n


@dataclass(frozen=True, slots=True)
class _Group:
    heading: str
    condition: str
    target: str
    pairs: tuple[PairVotes, ...]


def votes_figure(study: StudyResult, labels: pd.DataFrame, name: str = NAME) -> AnyFigure:
    """Draw the share of votes on each main pair of a study with its Wilson interval [Wil27]_, by condition.

    The share is that of the right clip; where there is none, of the source that the study's preferences name first.
    Beyond 30 pairs they go unnamed, and beyond 300 they are chosen evenly by rank.

    Parameters
    ----------
    labels
        As `majority_vote` gives them; those of other studies are left out.
    """
    title = f"Votes on each pair of {study.study}"
    table = [pair_votes(row, study) for row in table_rows(labels[labels["study"] == study.study])]
    voted = [one for one in table if one.n]
    main = [one for one in voted if one.kind == "main"]
    if not main:
        return NoFigure(name, title, "No main pair has a vote: there is nothing to draw.")
    groups = _groups(main)
    height = _BELOW + _ABOVE + _height(groups)
    alt = _alt(groups)
    svg, png = canvas.drawn(height, lambda sheet: _paint(sheet, groups, height), title, alt)
    return Figure(
        name=name,
        title=title,
        sentence=" ".join(_sentences(groups, main)),
        alt=alt,
        numbers=numbers_of(_HEAD, [_row(one) for one in _sorted(voted)], n_names=4),
        size=(canvas.WIDTH, height),
        svg=svg,
        png=png,
        reading=" ".join(_reading(groups, main, sum(one.n == 0 for one in table))) + _note(groups),
    )


def pair_votes(row: Mapping[str, Any], study: StudyResult) -> PairVotes:
    member, target = _target(row, study)
    low, high, votes = row["ci_low"], row["ci_high"], row["votes_a"]
    if member == "b" and row["n"]:
        # Not the mirror of a's interval: ties are in n, and for neither member.
        votes = row["votes_b"]
        ((low,), (high,)) = wilson(np.array([votes]), np.array([row["n"]]))
    outcome = "tie" if row["majority"] == "tie" else "for" if row["majority"] == member else "against"
    about = row["pair"], row["condition"] or "", row["kind"], target
    return PairVotes(*about, votes, row["n"], low or 0.0, high or 0.0, outcome, member)


def _target(row: Mapping[str, Any], study: StudyResult) -> tuple[str, str]:
    """The member whose share is drawn, and its description."""
    if row["truth"]:
        return row["truth"], RIGHT
    sources = {row["source_a"], row["source_b"]}
    for one in study.preferences:
        if one.condition == (row["condition"] or "") and {one.source, one.against} == sources:
            return ("a" if row["source_a"] == one.source else "b"), one.source
    # By the clips' names: which member is called a must not decide.
    earlier = natural(row["stimulus_a"] or "") <= natural(row["stimulus_b"] or "")
    return ("a" if earlier else "b"), EARLIER


def _groups(main: Sequence[PairVotes]) -> list[_Group]:
    def key(one: PairVotes) -> tuple[bool, str, str]:
        return one.target != RIGHT, one.condition, one.target

    grouped = [(found, tuple(pairs)) for found, pairs in groupby(_sorted(main), key=key)]
    if len(grouped) > MOST_GROUPS:
        target = main[0].target if len({one.target for one in main}) == 1 else MIXED
        return [_Group(f"share for {target}", "", target, _by_share(main))]
    return [
        _Group(
            f"{condition}: share for {target}" if condition else f"share for {target}",
            condition,
            target,
            _by_share(pairs),
        )
        for (_, condition, target), pairs in grouped
    ]


def _sorted(votes: Sequence[PairVotes]) -> list[PairVotes]:
    """Pairs by condition, those with a right clip first, and highest share first."""
    return sorted(
        votes,
        key=lambda one: (one.kind != "main", one.target != RIGHT, one.condition, one.target, *_rank(one)),
    )


def _by_share(votes: Sequence[PairVotes]) -> tuple[PairVotes, ...]:
    return tuple(sorted(votes, key=_rank))


def _rank(one: PairVotes) -> tuple[Any, ...]:
    return -one.share, natural(one.pair)


def _is_named(groups: Sequence[_Group]) -> bool:
    return sum(len(group.pairs) for group in groups) <= MOST_NAMED


def _drawn(group: _Group, groups: Sequence[_Group]) -> Sequence[PairVotes]:
    n, total = len(group.pairs), sum(len(one.pairs) for one in groups)
    most = max(1, MOST_DRAWN * n // total)
    if total <= MOST_DRAWN or n <= most:
        return group.pairs
    return [group.pairs[at] for at in np.linspace(0, n - 1, most).round().astype(int)]


def _height(groups: Sequence[_Group]) -> float:
    row = _ROW if _is_named(groups) else _THIN_ROW
    return sum(_HEADING + max(_ROW, row * len(_drawn(group, groups))) for group in groups)


def _paint(sheet: "Sheet", groups: Sequence[_Group], height: float) -> None:
    """One axes in inches from the top, so that each row is where its name is."""
    named = _is_named(groups)
    left = _room(groups) if named else 0.3
    tall = height - _BELOW - _ABOVE
    axes = canvas.axes_at(sheet, left, _BELOW, canvas.WIDTH - left - _RIGHT, tall)
    axes.set_xlim(-0.015, 1.015)
    axes.set_ylim(tall, 0)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    top = 0.0
    for group in groups:
        heading = canvas.fitted(group.heading, canvas.WIDTH - 0.1)
        axes.text(
            0.08,
            height - _ABOVE - top - 0.6 * _HEADING,
            heading,
            va="center",
            transform=sheet.dpi_scale_trans,
            color=canvas.INK,
        )
        rows = _drawn(group, groups)
        step = _ROW if named else max(_THIN_ROW, _ROW / len(rows))
        middles = [top + _HEADING + (number + 0.5) * step for number in range(len(rows))]
        axes.plot(
            [0.5, 0.5],
            [top + _HEADING, middles[-1] + step / 2],
            color=canvas.MUTED,
            linewidth=0.9,
            linestyle=(0, (4, 3)),
            zorder=0,
        )
        _intervals(axes, rows, middles, named)
        if named:
            _names(axes, rows, middles, left)
        top = middles[-1] + step / 2
    axes.set_xlabel("share of the votes", fontsize=canvas.SMALL, labelpad=1)
    _legend(axes, groups)


def _room(groups: Sequence[_Group]) -> float:
    """Room for the longest name of a pair, within bounds."""
    widest = max(
        canvas.width_of(canvas.legible(one.pair), canvas.SMALL) for group in groups for one in group.pairs
    )
    return min(_WIDEST, max(0.45, widest + 0.2))


def _intervals(axes: "Axes", rows: Sequence[PairVotes], middles: Sequence[float], named: bool) -> None:
    colours = dict(zip((kind for kind, _, _ in _KINDS), canvas.COLOURS, strict=False))
    axes.hlines(
        middles,
        [one.low for one in rows],
        [one.high for one in rows],
        color=canvas.LINE,
        linewidth=1.4 if named else 0.5,
        zorder=1,
    )
    for kind, marker, _ in _KINDS:
        here = [(one.share, middle) for one, middle in zip(rows, middles, strict=True) if one.outcome == kind]
        if here:
            across, down = zip(*here, strict=True)
            size = 4.5 if named else 1.8
            axes.plot(across, down, marker, color=colours[kind], markersize=size, markeredgewidth=0, zorder=2)


def _names(axes: "Axes", rows: Sequence[PairVotes], middles: Sequence[float], left: float) -> None:
    for one, middle in zip(rows, middles, strict=True):
        name = canvas.fitted(one.pair, left - 0.15, canvas.SMALL)
        axes.annotate(
            name,
            (0, middle),
            xycoords=("axes fraction", "data"),
            xytext=(-5, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=canvas.SMALL,
        )
        axes.annotate(
            f"{one.votes}/{one.n}",
            (1, middle),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            ha="left",
            va="center",
            fontsize=canvas.SMALL,
        )


def _legend(axes: "Axes", groups: Sequence[_Group]) -> None:
    there = {one.outcome for group in groups for one in group.pairs}
    handles = [
        axes.plot([], [], marker, color=colour, markersize=4.5, markeredgewidth=0, label=label)[0]
        for (kind, marker, label), colour in zip(_KINDS, canvas.COLOURS, strict=False)
        if kind in there
    ]
    axes.legend(
        handles=handles, loc="lower center", bbox_to_anchor=(canvas.WIDTH / 2, 0.02), ncols=len(handles),
        bbox_transform=axes.figure.dpi_scale_trans, frameon=False, fontsize=canvas.SMALL, handletextpad=0.1,
        columnspacing=0.9, borderpad=0.1, borderaxespad=0.0,
    )  # fmt: skip


def _sentences(groups: Sequence[_Group], main: Sequence[PairVotes]) -> Iterator[str]:
    parts = []
    for group in groups:
        n, won = len(group.pairs), sum(one.outcome == "for" for one in group.pairs)
        ties = sum(one.outcome == "tie" for one in group.pairs)
        tied = f" ({words.count(ties, 'tie')})" if ties else ""
        where = f" of {group.condition}" if group.condition else ""
        parts.append(f"for {group.target} on {won:,} of {words.count(n, 'pair')}{where}{tied}")
    yield words.sentence(f"the majority is {words.listed(parts)}")
    clear = sum(one.low > 0.5 or one.high < 0.5 for one in main)
    yield f"The interval leaves out one half on {clear:,} of {words.count(len(main), 'pair')}."


def _reading(groups: Sequence[_Group], main: Sequence[PairVotes], n_unvoted: int) -> Iterator[str]:
    votes = sorted(one.n for one in main)
    most = words.count(votes[-1], "vote")
    each = most if votes[0] == votes[-1] else f"{votes[0]:,} to {most}"
    yield f"Lines are 95% Wilson intervals over {each} a pair; the dashed line is one half, no preference."
    if sum(len(_drawn(group, groups)) for group in groups) < len(main):
        yield f"{sum(len(_drawn(group, groups)) for group in groups)} of {len(main):,} pairs are drawn, evenly by rank."
    if n_unvoted:
        yield f"{words.count(n_unvoted, 'pair')} without a vote {'is' if n_unvoted == 1 else 'are'} not drawn."


def _note(groups: Sequence[_Group]) -> str:
    names = [group.heading for group in groups]
    pairs = [one.pair for group in groups for one in group.pairs] if _is_named(groups) else []
    return canvas.missing_note(names + pairs)


def _row(one: PairVotes) -> tuple[str, ...]:
    majority = {"for": one.target, "against": "the other member", "tie": "tie"}[one.outcome]
    shares = f"{one.share:.3f}", f"{one.low:.3f} to {one.high:.3f}"
    return one.pair, one.condition, one.kind, one.target, str(one.votes), str(one.n), *shares, majority


def _alt(groups: Sequence[_Group]) -> str:
    parts = [
        f"{group.heading}, {words.count(len(group.pairs), 'pair')} from {group.pairs[0].share:.2f} down to "
        f"{group.pairs[-1].share:.2f}"
        for group in groups
    ]
    return f"A dot with its interval for each pair. {'; '.join(parts)}."
