"""Signatures as text for a terminal, 100 columns wide."""

from collections.abc import Iterator

from rich.console import RenderableType

from analysis.signatures.comparing import NOT_COVERED, SETTLED, SignatureResult, Signatures
from analysis.text.terminal import (
    WIDTH,
    as_text,
    heading,
    interval_of,
    name_of,
    number,
    resamples_words,
    table_of,
)


def render_signatures(found: Signatures, width: int = WIDTH) -> str:
    """Return the comparison as plain text: what there is, each signature's distances, and how people chose."""
    return as_text(list(_parts(found)), width)


def _parts(found: Signatures) -> Iterator[RenderableType]:
    yield heading("Signatures: how sources move, against people")
    yield (
        f"People are the source {name_of(found.human)!r}. Full speed is taken to be {found.full_m_per_s:.2f} m/s. "
        f"{resamples_words(found.resamples)} over players and clips, seed {found.seed}."
    )
    yield _sources(found)
    yield f"  Distances have no interval: {NOT_COVERED}. Read them against the band of people."
    for note in found.notes:
        yield f"  {note}"
    for one in found.signatures:
        yield heading(f"{one.title} ({one.signature}{', published' if one.published else ''})")
        yield from _signature(one)
    yield from _closing(found)


def _sources(found: Signatures) -> RenderableType:
    table = table_of(
        "source",
        "players",
        "clips",
        "s",
        "angles",
        "standing",
        "full speed",
        "slow",
        "straight",
        "reversals/s",
    )
    for one in found.sources:
        features = one.features or {}
        table.add_row(
            name_of(one.source),
            *(
                str(one.n_players),
                str(one.n_clips),
                f"{one.seconds:.0f}",
                str(one.n_angles),
                number(one.standing),
            ),
            *(
                number(features.get(name), 2)
                for name in ("full_speed", "slow", "straight", "reversals_per_s")
            ),
        )
    return table


def _signature(one: SignatureResult) -> Iterator[RenderableType]:
    if one.reason:
        yield f"  Refused: {one.reason}."
        return
    table = table_of(f"distance to people, {one.unit}", "distance", "")
    for each in one.distances:
        said = "not settled" if each.source in one.not_settled else ""
        table.add_row(name_of(each.source), number(each.distance), said)
    yield table
    if one.band and one.band.median is not None:
        yield (
            f"  People among themselves: median {number(one.band.median)}, from {number(one.band.low)} to "
            f"{number(one.band.high)} (5 to 95 % of {one.band.n})."
        )
    elif one.band:
        yield f"  No band of people: {one.band.reason}."
    share = "" if one.nearest_share is None else f", in {one.nearest_share:.0%} of resamples"
    nearest = "several are equally near" if one.nearest is None else name_of(one.nearest)
    yield f"  Nearest to people: {nearest}{share}."
    last = {step.source: step for step in one.settling}
    if last:
        steps = ", ".join(
            f"{name_of(source)} {number(step.median)} (95 % {number(step.high)}, {step.n_clips} clips)"
            for source, step in last.items()
        )
        yield f"  Two halves of one source: {steps}."
    if one.not_settled:
        names = ", ".join(name_of(source) for source in one.not_settled)
        yield f"  Not settled, with fewer than {SETTLED:,} observations: {names}."


def _closing(found: Signatures) -> Iterator[RenderableType]:
    yield heading("Does that order agree with people's votes?")
    if found.closing is None or not found.closing.taken:
        yield "  Nobody has voted on pairs of these sources with people."
        return
    table = table_of("source", "taken for human", "95 % interval", "people", "trials")
    for one in found.closing.taken:
        counts = str(one.n_participants), str(one.n_trials)
        table.add_row(name_of(one.source), number(one.share, 2), interval_of(one.interval, 2), *counts)
    yield table
    shown = [metric for metric in found.closing.metrics if metric.rho is not None]
    if shown:
        for metric in shown:
            n = len(metric.distances)
            yield f"  {metric.metric}: Spearman's rho of distance and share {number(metric.rho)} over {n} sources."
    elif found.closing.metrics:
        yield f"  No correlation: {found.closing.metrics[0].reason}."
