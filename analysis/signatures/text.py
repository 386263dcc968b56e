"""Signatures as text for a terminal, 100 columns wide."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from analysis.distances import Closing, agreement
from analysis.options import LEVEL
from analysis.signatures.against import MAP_PEOPLE, NOT_COVERED, SignatureResult
from analysis.signatures.comparing import Signatures
from analysis.signatures.play import PlaySignatures
from analysis.stats.evidence import NOT_YET, separated
from analysis.terminal import (
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


def render_play(found: PlaySignatures, width: int = WIDTH) -> str:
    """Return the comparison of play as plain text, in the same order."""
    return as_text(list(_play_parts(found)), width)


def _play_parts(found: PlaySignatures) -> Iterator[RenderableType]:
    yield heading("Signatures: how sources play, given what they perceive, against people")
    yield (
        f"People are the source {name_of(found.human)!r}. {_sentence(resamples_words(found.resamples))} over players "
        f"and matches, seed {found.seed}."
    )
    table = table_of("source", "game", "players", "matches", "acts counted")
    for one in found.sources:
        counts = one.n_players, one.n_matches, one.n_acts
        table.add_row(name_of(one.source), one.game, *map(str, counts))
    yield table
    yield from _common(found.notes, found.signatures)
    yield from _closing(found.closing)


def _parts(found: Signatures) -> Iterator[RenderableType]:
    yield heading("Signatures: how sources move, against people")
    yield (
        f"People are the source {name_of(found.human)!r}. {_full_speed(found)} "
        f"{_sentence(resamples_words(found.resamples))} over players and clips, seed {found.seed}."
    )
    yield _sources(found)
    yield from _common(found.notes, found.signatures)
    yield from _closing(found.closing)


def _full_speed(found: Signatures) -> str:
    if len(found.scales) == 1:
        return f"Full speed is taken to be {found.full_m_per_s:.2f} m/s."
    each = ", ".join(
        f"{one.full_m_per_s:.2f} by {logged!r}"
        if logged
        else f"{one.full_m_per_s:.2f} where nobody says by what"
        for logged, one in found.scales.items()
    )
    return f"Full speed is taken to be, in the units of what logged the positions, {each}."


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _common(notes: Sequence[str], signatures: Sequence[SignatureResult]) -> Iterator[RenderableType]:
    yield f"  Distances have no interval: {NOT_COVERED}. Read them against the band of people."
    for note in notes:
        yield f"  {note}"
    for one in signatures:
        yield heading(f"{one.title} ({one.signature}{', published' if one.published else ''})")
        yield from _signature(one)


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
    table = table_of(f"distance to people, {one.unit}", "distance", "band of people", "")
    for each in one.distances:
        said = "not settled" if each.source in one.not_settled else ""
        table.add_row(name_of(each.source), number(each.distance), band_words(one, each.source), said)
    yield table
    if one.band and one.band.median is not None:
        yield (
            f"  People among themselves: median {number(one.band.median)}, from {number(one.band.low)} to "
            f"{number(one.band.high)} (5 to 95% of {one.band.n})."
        )
    elif one.band:
        yield f"  No band of people: {one.band.reason}."
    if one.left_off_map:
        yield f"  {left_off_words(one)}"
    if one.lacking:
        yield f"  {lacking_words(one)}"
    if len(one.distances) > 1:
        share = "" if one.nearest_share is None else f", in {one.nearest_share:.0%} of resamples"
        nearest = "several are equally near" if one.nearest is None else name_of(one.nearest)
        open_ = one.nearest is not None and (one.nearest_share is None or one.nearest_share < LEVEL)
        which = f"Nearest to people here, which {NOT_YET} for others" if open_ else "Nearest to people"
        yield f"  {which}: {nearest}{share}{outside_words(one)}."
    if one.not_compared:
        names = ", ".join(name_of(source) for source in one.not_compared)
        yield f"  No distance, as nothing was counted where people have any: {names}."
    last = {step.source: step for step in one.settling}
    rows = one.distances[0].unit
    if last:
        steps = ", ".join(
            f"{name_of(source)} {number(step.median)} (95% {number(step.high)}, {step.n_clips} {rows})"
            for source, step in last.items()
        )
        yield f"  Two halves of one source: {steps}."
    if one.not_settled:
        names = ", ".join(name_of(source) for source in one.not_settled)
        yield f"  Not settled, with fewer than {one.settled_at:,} observations: {names}."


def lacking_words(one: SignatureResult) -> str:
    """The number of clips that a signature is computed from, if some lack its input."""
    each = ", ".join(f"{found.n_known} of {found.n} clips of {found.source}" for found in one.lacking)
    return f"Computed from {each}: {one.needs} in the others."


def left_off_words(one: SignatureResult) -> str:
    """A sentence on the number of people left out of the map, with the reason."""
    return (
        f"The map leaves out {one.left_off_map:,} people: it has those with a distance to each other, of at most "
        f"{MAP_PEOPLE:,} drawn."
    )


def band_words(one: SignatureResult, source: str) -> str:
    """A source's position relative to the band of people: within, or how many times as far as its upper end."""
    away = one.bands_away(source)
    if away is None:
        return ""
    return "within" if away <= 1 else f"outside, {_times(away)}"


def _times(away: float) -> str:
    return "beyond its end" if away == float("inf") else f"{away:.1f} times its end"


def outside_words(one: SignatureResult) -> str:
    """A remark if the nearest source is outside the band; empty otherwise."""
    away = None if one.nearest is None else one.bands_away(one.nearest)
    return f"; it, too, lies outside the band, {_times(away)}" if away and away > 1 else ""


def _closing(found: Closing | None) -> Iterator[RenderableType]:
    yield heading("Does that order agree with people's votes?")
    if found is None or not found.taken:
        yield "  Nobody has voted on pairs of these sources with people."
        return
    table = table_of("source", "taken for human", "95% interval", "people", "trials")
    for one in found.taken:
        counts = str(one.n_participants), str(one.n_trials)
        table.add_row(name_of(one.source), number(one.share, 2), interval_of(one.interval, 2), *counts)
    yield table
    same = agreement(found)
    if same is not None:
        first = next(one for one in found.taken if one.source == same.source)
        is_clear = all(separated(first.interval, one.interval) for one in found.taken if one is not first)
        which = (
            "Most often taken for human"
            if is_clear
            else f"Most often taken for human here, which {NOT_YET} for others"
        )
        yield f"  {which}: {name_of(same.source)}; nearest to people by {same.n_nearest} of {same.n} distances."
    shown = [metric for metric in found.metrics if metric.rho is not None]
    if shown:
        for metric in shown:
            n = len(metric.distances)
            yield f"  {metric.metric}: Spearman's rho of distance and share {number(metric.rho)} over {n} sources."
    elif found.metrics:
        yield f"  No correlation: {found.metrics[0].reason}."
