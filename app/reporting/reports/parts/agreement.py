"""How far participants agree: chance-corrected coefficients, intraclass correlation, split halves."""

from collections.abc import Iterator

from app.reporting.reports.parts.cells import Cells, reasons, with_interval
from app.reporting.reports.views import SectionView, TableView

FILE = "tables/estimates.csv"
_COEFFICIENTS = ("agreement", "alpha", "kappa", "ac1")


def agreement_part(study: Cells) -> Iterator[SectionView]:
    """From `agreement` of a study."""
    found = study["agreement"]
    units = [("which clip", found["choice"])]
    units += [(f"which source, {_about(one)}", one) for one in found["sources"]]
    units.append(("uncertainty (ordinal alpha)", found["uncertainty"]))
    coefficients = TableView(
        caption="Agreement beyond chance, with 95 % intervals over pairs",
        head=("on", "pairs", "observed agreement", "Krippendorff's alpha", "Fleiss' kappa", "Gwet's AC1"),
        rows=tuple(
            (name, str(one["alpha"]["n"]), *(with_interval(one[key], 2) for key in _COEFFICIENTS))
            for name, one in units
        ),
        file=FILE,
    )
    others = [
        ("uncertainty, one participant (ICC)", found["uncertainty"]["icc_single"]),
        ("uncertainty, mean of the participants (ICC)", found["uncertainty"]["icc_average"]),
        ("vote shares of two halves of the participants, correlation", found["split_half"]["correlation"]),
        ("vote shares of all participants, reliability by split halves", found["split_half"]["reliability"]),
    ]
    reliability = TableView(
        caption="Reliability of ratings and of vote shares",
        head=("of", "pairs", "value (95 % interval)"),
        rows=tuple((name, str(one["n"]), with_interval(one, 2)) for name, one in others),
        file=FILE,
    )
    named = [(f"{name}: {key}", one[key]) for name, one in units for key in _COEFFICIENTS]
    notes = [
        f"{found['n_votes']} votes of {found['n_participants']} participants on {found['n_pairs']} pairs; "
        f"{found['n_pairs_one_vote']} pairs with a single vote are left out, as are {found['n_blank']} blanks"
        + (f"; {found['n_tie']} votes say that there is no difference." if found["n_tie"] else "."),
        *reasons([*named, *others]),
    ]
    yield SectionView("", "Agreement of participants", tables=(coefficients, reliability), notes=tuple(notes))


def _about(one: Cells) -> str:
    return f"{' or '.join(one['sources'])}{', ' + one['condition'] if one['condition'] else ''}"
