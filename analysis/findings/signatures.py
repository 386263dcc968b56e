"""Movement and play of sources, against people, on the results page: a figure for each signature."""

import math
from collections.abc import Iterator, Mapping

from analysis.distances import SourceDistance
from analysis.findings.marks import nothing
from analysis.findings.model import Band, Caution, Cell, Column, Figure, Mark, Numbers
from analysis.findings.words import first_few, sentence
from analysis.options import LEVEL
from analysis.signatures import NoSignatures, PlaySignatures, SignatureResult, Signatures
from analysis.signatures.against import NOT_COVERED
from analysis.signatures.text import band_words, lacking_words, outside_words
from analysis.stats.evidence import NOT_YET

SECTION, PLAY = "moves", "plays"
ABOUT = (
    "Each figure sets one signature, source by source, beside that of people. Distances have no interval: "
    f"{NOT_COVERED}."
)
_COLUMNS = (
    Column("source", "Source", "text"),
    Column("distance", "Distance to people"),
    Column("unit", "Unit", "text"),
    Column("n", "Clips or matches", "count"),
    Column("settled", "Settled", "text"),
    Column("nearest_share", "Nearest, of resamples", "share"),
    Column("people_median", "People among themselves"),
    Column("people_low", "5%"),
    Column("people_high", "95%"),
    Column("n_people", "People", "count"),
)


def signature_figures(
    found: Signatures | PlaySignatures | NoSignatures | None, section: str = SECTION
) -> Iterator[Figure]:
    """The figures of signatures: none without a path or match; the reason for a missing number if they cannot be
    compared.
    """
    if found is None:
        return
    if isinstance(found, NoSignatures):
        yield nothing(
            "signatures" if section == SECTION else "play",
            section,
            sentence(f"no signatures: {found.reason}"),
            "",
        )
        return
    for one in found.signatures:
        name = one.signature.replace("-", "")
        if one.reason is None:
            yield _figure(name, one, section)
        else:
            yield nothing(name, section, sentence(f"no “{one.title}”: {one.reason}"), "")


def signature_cautions(
    *found: Signatures | PlaySignatures | NoSignatures | None, titles: Mapping[str, str] | None = None
) -> Iterator[Caution]:
    """Cautions about the people with whom sources are compared; `titles` are those of games, which data name by key."""
    for one in found:
        if one is not None and not isinstance(one, NoSignatures):
            yield from (Caution("Sources against people.", titled(note, titles or {})) for note in one.notes)


def titled(note: str, titles: Mapping[str, str]) -> str:
    """A note with the title of the game that it begins with."""
    game = note.partition(" ")[0].rstrip(":")
    return f"{titles[game]}{note[len(game) :]}" if game in titles else note


def _figure(name: str, one: SignatureResult, section: str) -> Figure:
    band, published = one.band, " As published by Tencé and Buche (2010)." if one.published else ""
    people = Band(band.median, band.low, band.high) if band and band.median is not None else None
    ends = [each.distance for each in one.distances] + ([band.high] if band and band.high else [])
    most = max(ends)
    highest = 1.05 * most if most > 0 else 1.0
    shade = " Shaded: each person's mean distance to the others, 5 to 95%." if people else ""
    return Figure(
        name=name,
        section=section,
        column="",
        drawing="marks",
        said=_said(one),
        how=f"Distance to people in {one.unit}; 0 is the same.{published}{shade}",
        strong=one.nearest or "",
        numbers=Numbers(f"{one.title}: distance to people", _COLUMNS, tuple(_rows(one))),
        marks=tuple(
            Mark(
                each.source,
                each.distance,
                None,
                None,
                _three(each.distance),
                _beside(one, each),
                "computer",
                band=people,
                spoken=f"{each.source}: {_three(each.distance)} {one.unit} from people",
            )
            for each in one.distances
        ),
        chance=None,
        ends=("0", _three(highest)),
        scale=(0.0, highest),
        caution=_caution(one),
    )


def _caution(one: SignatureResult) -> str:
    few = ", ".join(one.not_settled)
    unsettled = f"Not settled, with fewer than {one.settled_at:,} observations: {few}." if few else ""
    return " ".join(filter(None, (unsettled, lacking_words(one) if one.lacking else "")))


def _said(one: SignatureResult) -> str:
    order = [each.source for each in sorted(one.distances, key=lambda each: each.distance)]
    if len(order) == 1:
        return f"{one.title}: {order[0]} {_by_the_band(one, order[0])}."
    if one.nearest is None:
        return f"{one.title}: {first_few(order)} are equally near to people."
    if one.nearest_share is None or one.nearest_share < LEVEL:
        share = "" if one.nearest_share is None else f" (in {100 * one.nearest_share:.0f}% of resamples)"
        return (
            f"{one.title}: which source is nearest to people {NOT_YET}; here it is {one.nearest}{share}"
            f"{outside_words(one)}."
        )
    share = f", in {100 * one.nearest_share:.0f}% of resamples"
    return f"{one.title}: nearest to people is {one.nearest}{share}{outside_words(one)}."


def _by_the_band(one: SignatureResult, source: str) -> str:
    words = band_words(one, source)
    if not words:
        return "was held against people, who have no band"
    return (
        "lies within the band of people"
        if words == "within"
        else f"lies {words.removesuffix('its end')}the upper end of people's band"
    )


def _beside(one: SignatureResult, each: SourceDistance) -> str:
    counted = "not settled" if each.source in one.not_settled else f"{each.n:,} {each.unit}"
    words = band_words(one, each.source)
    return f"{counted}; {words.partition(',')[0]} the band" if words else counted


def _three(value: float) -> str:
    """Three digits that count, six after the point at most."""
    if value < 5e-7:
        return "0"
    return f"{value:.{min(6, max(0, 2 - math.floor(math.log10(value))))}f}"


def _rows(one: SignatureResult) -> Iterator[tuple[Cell, ...]]:
    band = one.band
    for each in one.distances:
        yield (
            *(each.source, each.distance, one.unit, each.n),
            "no" if each.source in one.not_settled else "yes",
            one.nearest_share if each.source == one.nearest else None,
            *((band.median, band.low, band.high, band.n) if band else (None,) * 4),
        )
