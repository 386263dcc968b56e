"""The report's sections on how sources move and play: distances by signatures, the maps, and what is settled."""

from collections.abc import Iterator, Sequence

from analysis.signatures import NoSignatures, PlaySignatures, SignatureResult, Signatures
from analysis.signatures.against import NOT_COVERED
from analysis.signatures.text import lacking_words
from app.reports.page.views import FigureView, SectionView, TableView, as_sentence, number

TABLE, MAP = "tables/signatures.csv", "tables/signatures_map.csv"
PLAY_TABLE, PLAY_MAP = "tables/play_signatures.csv", "tables/play_signatures_map.csv"

Found = Signatures | NoSignatures
Played = PlaySignatures | NoSignatures
_WITHOUT = f"Distances have no interval: {NOT_COVERED}. Read them against the band of people."


def signatures_section(found: Found | None, figures: Sequence[FigureView]) -> Iterator[SectionView]:
    """Nothing where no clip has positions; a reason where they could not be compared."""
    anchor, title = "signatures", "How sources move, against people"
    if found is None:
        return
    if isinstance(found, NoSignatures):
        yield SectionView(anchor, title, warning=f"No signatures: {as_sentence(found.reason)}")
        return
    about = (
        f"Nobody was asked: these are distances between the paths of sources and those of {found.human!r}, by "
        "signatures (Tencé and Buche 2010, and finer ones). They say nothing of what people notice; whether that order "
        "agrees with people's choices stands under Distance to people, where there are answers."
    )
    yield SectionView(
        anchor,
        title,
        paragraphs=(about, _WITHOUT),
        figures=tuple(figures),
        tables=(_sources(found),),
        notes=(*found.notes, *_remarks(found.signatures)),
    )


def play_section(found: Played | None, figures: Sequence[FigureView]) -> Iterator[SectionView]:
    """Nothing where no match is over; a reason where play could not be compared."""
    anchor, title = "play-signatures", "How sources play, given what they perceive, against people"
    if found is None:
        return
    if isinstance(found, NoSignatures):
        yield SectionView(anchor, title, warning=f"No signatures: {as_sentence(found.reason)}")
        return
    about = (
        f"What each source did in matches, given what it had perceived before, against {found.human!r}: within each "
        "kind of situation, so that who meets other situations is not therefore far. Linear Earth Mover's Distance; "
        "where what was done has no order, all of it is 1 apart."
    )
    rows = tuple(
        (one.source, one.game, str(one.n_players), str(one.n_matches), f"{one.n_acts:,}")
        for one in found.sources
    )
    head = ("source", "game", "players", "matches", "acts counted")
    yield SectionView(
        anchor,
        title,
        paragraphs=(about, _WITHOUT),
        figures=tuple(figures),
        tables=(TableView("What there is of each source", head, rows, 2, PLAY_TABLE),),
        notes=(*found.notes, *_remarks(found.signatures)),
    )


def _sources(found: Signatures) -> TableView:
    named = ("full_speed", "slow", "straight", "reversals_per_s")
    rows = tuple(
        (
            *(one.source, str(one.n_players), str(one.n_clips), number(one.seconds, 0), f"{one.n_angles:,}"),
            number(one.standing),
            *(number((one.features or {}).get(name), 2) for name in named),
        )
        for one in found.sources
    )
    head = (
        *("source", "players", "clips", "s", "angles", "standing"),
        *("full speed", "slow", "straight", "reversals/s"),
    )
    return TableView("What there is of each source; shares of time, of all clips", head, rows, 1, TABLE)


def _remarks(found: Sequence[SignatureResult]) -> Iterator[str]:
    """What was refused, then what of the others is settled."""
    for one in found:
        if one.reason:
            yield f"{one.title} is not given: {one.reason}."
    for one in found:
        if one.reason:
            continue
        rows = one.distances[0].unit
        last = {step.source: step for step in one.settling}
        halves = "; ".join(
            f"{step.source} {number(step.median)} (95% below {number(step.high)}; {step.n_clips} {rows} each)"
            for step in last.values()
        )
        said = (
            f"two sets of {rows} of one source differ by {halves}" if halves else f"no source has two {rows}"
        )
        few = ", ".join(one.not_settled)
        ending = (
            f" Not settled, with fewer than {one.settled_at:,} observations: {few}."
            if few
            else " All are settled."
        )
        lacking = ", ".join(one.not_compared)
        none = f" No distance, as nothing was counted where people have any: {lacking}." if lacking else ""
        partly = f" {lacking_words(one)}" if one.lacking else ""
        yield f"{one.title}: {said}.{ending}{none}{partly}"
