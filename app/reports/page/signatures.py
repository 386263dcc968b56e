"""The report's section on how sources move: distances by signatures, the maps, and what is settled."""

from collections.abc import Iterator, Sequence

from analysis.signatures import NoSignatures, SignatureResult, Signatures
from analysis.signatures.comparing import NOT_COVERED, SETTLED
from app.reports.page.views import FigureView, SectionView, TableView, as_sentence, number

TABLE, MAP = "tables/signatures.csv", "tables/signatures_map.csv"

Found = Signatures | NoSignatures


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
    without = f"Distances have no interval: {NOT_COVERED}. Read them against the band of people."
    yield SectionView(
        anchor,
        title,
        paragraphs=(about, without),
        figures=tuple(figures),
        tables=(_sources(found),),
        notes=(*found.notes, *_refused(found.signatures), *_settled(found)),
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


def _refused(found: Sequence[SignatureResult]) -> Iterator[str]:
    for one in found:
        if one.reason:
            yield f"{one.title} is not given: {one.reason}."


def _settled(found: Signatures) -> Iterator[str]:
    for one in found.signatures:
        if one.reason:
            continue
        last = {step.source: step for step in one.settling}
        halves = "; ".join(
            f"{step.source} {number(step.median)} (95 % below {number(step.high)}; {step.n_clips} clips each)"
            for step in last.values()
        )
        said = f"two sets of clips of one source differ by {halves}" if halves else "no source has two clips"
        few = ", ".join(one.not_settled)
        ending = (
            f" Not settled, with fewer than {SETTLED:,} observations: {few}." if few else " All are settled."
        )
        yield f"{one.title}: {said}.{ending}"
