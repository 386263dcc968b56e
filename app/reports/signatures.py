"""How sources move, as files of a report: distances with the band of people, the map, how soon all settles."""

from collections.abc import Iterable, Iterator, Sequence

from analysis.distances import SourceDistance
from analysis.figures import AnyFigure
from analysis.figures.signatures import MAP_HEAD, map_rows, signature_figures
from analysis.signatures import Signatures
from app.reports.page.signatures import MAP, TABLE, Found
from app.reports.page.writing import csv_text, json_text

HEAD = (
    *(
        "signature",
        "published",
        "source",
        "distance",
        "unit",
        "n_clips",
        "settled",
        "nearest",
        "nearest_share",
    ),
    *("people_median", "people_low", "people_high", "n_people", "reason"),
)
SETTLING_HEAD = ("signature", "source", "n_clips", "n_observations", "median", "high")


def distances_of(found: Found | None) -> Sequence[SourceDistance]:
    """What is held against people's choices."""
    if not isinstance(found, Signatures):
        return ()
    return [each for one in found.signatures for each in one.distances]


def figures_of_signatures(found: Found | None) -> Iterable[AnyFigure]:
    """Their distances and maps; none where nothing was compared."""
    return signature_figures(found) if isinstance(found, Signatures) else ()


def signature_files(found: Found | None) -> dict[str, str | bytes]:
    """The numbers as JSON and CSV, by the file's name."""
    if not isinstance(found, Signatures):
        return {}
    settling = (
        (one.signature, each.source, each.n_clips, each.n_observations, each.median, each.high)
        for one in found.signatures
        for each in one.settling
    )
    return {
        "signatures.json": json_text(found.to_dict()),
        TABLE: csv_text(HEAD, _rows(found)),
        MAP: csv_text(MAP_HEAD, map_rows(found.signatures)),
        "tables/signatures_settling.csv": csv_text(SETTLING_HEAD, settling),
    }


def _rows(found: Signatures) -> Iterator[tuple[object, ...]]:
    for one in found.signatures:
        band = one.band
        if band is None:
            yield (one.signature, one.published, *[None] * 11, one.reason)
            continue
        for each in one.distances:
            yield (
                *(one.signature, one.published, each.source, each.distance, one.unit, each.n),
                each.source not in one.not_settled,
                each.source == one.nearest,
                one.nearest_share if each.source == one.nearest else None,
                *(band.median, band.low, band.high, band.n, each.interval.reason),
            )
