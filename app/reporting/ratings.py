"""The report of a table of ratings: who scored what how, and how far raters agree."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from analysis.figures.scores import scores_figure
from analysis.rating_table import Ratings
from analysis.ratings import analyze_ratings
from app.reporting.export import csv_lines
from app.reporting.reports.methods import Methods, software
from app.reporting.reports.page import ReportPage
from app.reporting.reports.parts.cells import Cells, reasons, shortened, with_interval
from app.reporting.reports.references import REFERENCES
from app.reporting.reports.views import NONE, SectionView, TableView, figure_view, number
from app.reporting.reports.writing import (
    drawings,
    json_text,
    made_words,
    require_folder,
    with_page,
    write_folder,
)

MOST_ROWS = 60

_HEADS: Mapping[str, tuple[str, ...]] = {
    "items": ("criterion", "item", "n", "mean", "sd_ddof1", "plurality", "n_plurality"),
    "raters": ("criterion", "rater", "n", "mean", "sd_ddof1"),
    "odd": ("row", "item", "rater", "criterion", "score", "why"),
    "criteria": (
        "criterion", "n_ratings", "n", "n_missing", "n_not_numbers", "n_out_of_range", "n_items", "n_raters", "mean",
        "low", "high", "sd_ddof0", "sd_ddof1", "minimum", "maximum", "reason",
    ),
    "classes": ("criterion", "class", "n", "share"),
    "rater_pairs": (
        "criterion", "first", "second", "n_items", "agreement", "kappa", "kappa_low", "kappa_high", "kappa_linear",
        "kappa_linear_low", "kappa_linear_high", "kappa_quadratic", "kappa_quadratic_low", "kappa_quadratic_high",
        "reason",
    ),
}  # fmt: skip
_COEFFICIENTS = {
    "agreement": "observed",
    "alpha": "Krippendorff's alpha",
    "kappa": "Fleiss' kappa",
    "ac1": "Gwet's AC1",
    "icc_single": "ICC of one rater",
    "icc_average": "ICC of the raters' mean",
    "icc_oneway": "ICC, one-way",
}


def write_ratings_report(
    ratings: Ratings,
    folder: Path,
    *,
    seed: int,
    resamples: int,
    made_at: datetime | None,
    on_progress: Callable[[int, int, str], None] = lambda done, total, what: None,
) -> int:
    """Write the report of checked ratings into `folder`, as `write_report` does for answers; returns how many count.

    Raises StudyError for a folder that cannot be written.
    """
    require_folder(folder)
    on_progress(0, 2, "computing")
    analysis = analyze_ratings(ratings, seed=seed, resamples=resamples)
    numbers = analysis.to_dict()
    on_progress(1, 2, "drawing")
    figure = scores_figure(analysis)
    methods = _methods(numbers, ratings.origin)
    files: dict[str, str | bytes] = {"methods.md": methods.markdown(), "results.json": json_text(numbers)}
    for name, head in _HEADS.items():
        rows = [{column: row.get(column) for column in head} for row in _rows(numbers, name)]
        files[f"tables/{name}.csv"] = "".join(csv_lines(rows, head))
    files |= drawings([figure])
    sections = (
        SectionView(
            "scores",
            "Scores",
            figures=(figure_view(figure, "tables/criteria.csv"),),
            notes=tuple(_counted(numbers)),
        ),
        _agreement(numbers),
        *_pairs(numbers),
        *_classes(numbers),
        *_raters(numbers),
        *_odd(numbers),
    )
    title = f"Ratings in {Path(ratings.origin).name}"
    page = ReportPage(title, made_words(made_at), "", sections, methods, tuple(sorted(files)))
    write_folder(folder, with_page(files, page))
    on_progress(2, 2, "done")
    return sum(one["n"] for one in numbers["criteria"])


def _rows(numbers: Cells, name: str) -> list[dict[str, Any]]:
    if name == "classes":
        return [
            {"criterion": one["criterion"], "class": each["name"], "n": each["n"], "share": each["share"]}
            for one in numbers["criteria"]
            for each in one["classes"]
        ]
    if name == "rater_pairs":
        return [_rater_pair(one, pair) for one in numbers["criteria"] for pair in one["rater_pairs"]["pairs"]]
    rows = [dict(row) for row in numbers[name]]
    if name == "criteria":
        for row in rows:
            interval = row["interval"]
            row |= {
                "low": interval["low"],
                "high": interval["high"],
                "reason": row["reason"] or interval["reason"],
            }
    return rows


def _rater_pair(one: Cells, pair: Cells) -> dict[str, Any]:
    first, second = pair["raters"]
    row = {"criterion": one["criterion"], "first": first, "second": second, "n_items": pair["n_items"]}
    row["agreement"] = pair["agreement"]["value"]
    for name in ("kappa", "kappa_linear", "kappa_quadratic"):
        interval = pair[name]["interval"]
        row |= {name: pair[name]["value"], f"{name}_low": interval["low"], f"{name}_high": interval["high"]}
    return row | {"reason": pair["kappa"]["reason"]}


def _counted(numbers: Cells) -> Iterator[str]:
    for one in numbers["criteria"]:
        outside = (
            "out of range" if numbers["settings"]["out_of_range"] == "drop" else "out of range but counted"
        )
        counts = (
            (one["n_missing"], "empty"),
            (one["n_not_numbers"], "not a number"),
            (one["n_out_of_range"], outside),
        )
        if odd := [f"{n} {words}" for n, words in counts if n]:
            yield f"{one['criterion']}: {one['n']} of {one['n_ratings']} scores count; {', '.join(odd)}."
        if one["reason"]:
            yield f"{one['criterion']}: {one['reason']}."


def _agreement(numbers: Cells) -> SectionView:
    named = [
        (one["criterion"], {**one["agreement"], "icc_oneway": one["icc_oneway"]})
        for one in numbers["criteria"]
    ]
    # The intraclass correlation needs a complete table, which ratings seldom are.
    shown = [
        key
        for key in _COEFFICIENTS
        if "icc" not in key or any(one[key]["value"] is not None for _, one in named)
    ]
    table = TableView(
        caption="Agreement of raters on each criterion, with 95 % intervals over items",
        head=("criterion", "items", *(_COEFFICIENTS[key] for key in shown)),
        rows=tuple(
            (name, str(one["alpha"]["n"]), *(with_interval(one[key], 2) for key in shown))
            for name, one in named
        ),
        file="results.json",
    )
    found = reasons(
        (words if key not in shown else f"{words} ({name})", one[key])
        for key, words in _COEFFICIENTS.items()
        for name, one in named
    )
    return SectionView("agreement", "Agreement", tables=(table,), notes=tuple(found))


def _pairs(numbers: Cells) -> Iterator[SectionView]:
    """Two raters at a time."""
    rows, notes = [], []
    for one in numbers["criteria"]:
        found = one["rater_pairs"]
        for pair in found["pairs"]:
            kappas = (with_interval(pair[name], 2) for name in ("kappa", "kappa_linear", "kappa_quadratic"))
            about = one["criterion"], " and ".join(pair["raters"]), str(pair["n_items"])
            rows.append((*about, number(pair["agreement"]["value"], 2), *kappas))
        if found["reason"]:
            notes.append(f"{one['criterion']}: no pairs of raters, {found['reason']}.")
        elif found["mean_kappa"] is not None:
            notes.append(
                f"{one['criterion']}: mean kappa over pairs of raters {number(found['mean_kappa'], 2)}, linear "
                f"{number(found['mean_kappa_linear'], 2)}, quadratic {number(found['mean_kappa_quadratic'], 2)}."
            )
    head = "criterion", "raters", "items", "agree", "kappa", "linear weights", "quadratic weights"
    tables: tuple[TableView, ...] = ()
    if rows:
        caption = "Cohen's kappa of two raters on the items that both rated, with 95 % intervals over items"
        tables = (shortened(caption, head, rows, n_names=2, file="tables/rater_pairs.csv", most=MOST_ROWS),)
    if rows or notes:
        yield SectionView("pairs", "Two raters at a time", tables=tables, notes=tuple(notes))


def _classes(numbers: Cells) -> Iterator[SectionView]:
    """Scores that are names: how often each was given, and what each item is."""
    rows = [
        (row["criterion"], row["class"], str(row["n"]), number(row["share"], 3))
        for row in _rows(numbers, "classes")
    ]
    if not rows:
        return
    items = [
        (
            row["criterion"],
            row["item"],
            str(row["plurality"] or NONE),
            f"{row['n_plurality'] or 0} of {row['n']}",
        )
        for row in numbers["items"]
    ]
    head, about = ("criterion", "class", "scores", "share"), ("criterion", "item", "class", "scores for it")
    tables = (
        shortened(
            "How often each class was given", head, rows, n_names=2, file="tables/classes.csv", most=MOST_ROWS
        ),
        shortened("The class of each item", about, items, n_names=3, file="tables/items.csv", most=MOST_ROWS),
    )
    yield SectionView("classes", "Classes", tables=tables)


def _raters(numbers: Cells) -> Iterator[SectionView]:
    if numbers["settings"]["agreement_level"] == "nominal":
        return
    rows = [
        (row["criterion"], row["rater"], str(row["n"]), number(row["mean"], 2), number(row["sd_ddof1"], 2))
        for row in numbers["raters"]
    ]
    head = "criterion", "rater", "scores", "mean", "SD (n-1)"
    table = shortened("Each rater's scores", head, rows, n_names=2, file="tables/raters.csv", most=MOST_ROWS)
    yield SectionView("raters", "Raters", tables=(table,))


def _odd(numbers: Cells) -> Iterator[SectionView]:
    if not numbers["odd"]:
        return
    head = _HEADS["odd"]
    rows = [tuple(str(row[column]) for column in head) for row in numbers["odd"]]
    table = shortened(
        "Scores that are no numbers, or out of range",
        head,
        rows,
        n_names=6,
        file="tables/odd.csv",
        most=MOST_ROWS,
    )
    yield SectionView("odd", "Odd scores", tables=(table,))


def _methods(numbers: Cells, origin: str) -> Methods:
    settings = numbers["settings"]
    scale = "not given" if settings["scale"] is None else "{:g} to {:g}".format(*settings["scale"])
    outside = "counted" if settings["out_of_range"] == "keep" else "left out"
    about = (
        f"The scores were read from the file {Path(origin).name}. The scale is {scale}; scores outside of it are "
        f"{outside}. Means and standard deviations are over scores; the intervals resample items and raters "
        f"({settings['resamples']:,} resamples) [ET93]. Agreement takes scores as {settings['agreement_level']}: "
        "Krippendorff's alpha [Kri04], Fleiss' kappa [Fle71], Gwet's AC1 [Gwe08], intraclass correlations [MW96], of "
        "items with different numbers of ratings [SF79], and Cohen's kappa of two raters at a time [Coh60], weighted "
        "where scores have an order [Coh68]."
    )
    sections = (("Ratings", (about,)), ("Software", (software(settings["seed"]),)))
    cited = "Coh60", "Coh68", "ET93", "Fle71", "Gwe08", "Kri04", "MW96", "SF79"
    return Methods(sections, tuple((key, REFERENCES[key]) for key in cited))
