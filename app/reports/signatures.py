"""Signatures of movement and play as files of a report: distances with the band of people, maps, convergence."""

from collections.abc import Iterable, Iterator, Sequence

from analysis.distances import SourceDistance
from analysis.figures import AnyFigure
from analysis.figures.signatures import MAP_HEAD, map_rows, signature_figures
from analysis.findings.signature_tables import MAP, PLAY_MAP, PLAY_TABLE, TABLE, Found, Played
from analysis.signatures import NoSignatures, PlaySignatures, SignatureResult
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


def distances_of(found: Found | Played | None) -> Sequence[SourceDistance]:
    """The distances to be compared with people's choices."""
    if found is None or isinstance(found, NoSignatures):
        return ()
    return [each for one in found.signatures for each in one.distances]


def figures_of_signatures(found: Found | Played | None) -> Iterable[AnyFigure]:
    """Figures of distances and maps; none if nothing was compared."""
    return () if found is None or isinstance(found, NoSignatures) else signature_figures(found)


def signature_files(found: Found | Played | None) -> dict[str, str | bytes]:
    """The numbers as JSON and CSV, by the file's name."""
    if found is None or isinstance(found, NoSignatures):
        return {}
    is_play = isinstance(found, PlaySignatures)
    prefix = "play_" if is_play else ""
    table, places = (PLAY_TABLE, PLAY_MAP) if is_play else (TABLE, MAP)
    rows_are = "matches" if is_play else "clips"
    settling = (
        (one.signature, each.source, each.n_clips, each.n_observations, each.median, each.high)
        for one in found.signatures
        for each in one.settling
    )
    return {
        f"{prefix}signatures.json": json_text(found.to_dict()),
        table: csv_text(_named(HEAD, rows_are), _rows(found.signatures)),
        places: csv_text(MAP_HEAD, map_rows(found.signatures)),
        f"tables/{prefix}signatures_settling.csv": csv_text(_named(SETTLING_HEAD, rows_are), settling),
    }


def _named(head: Sequence[str], rows_are: str) -> tuple[str, ...]:
    return tuple(f"n_{rows_are}" if name == "n_clips" else name for name in head)


def _rows(found: Sequence[SignatureResult]) -> Iterator[tuple[object, ...]]:
    for one in found:
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
