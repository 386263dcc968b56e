"""Labels and sources under a model: Dawid and Skene beside the majority, Bradley and Terry over sources."""

from collections.abc import Iterator

from app.reporting.reports.parts.cells import Cells, reasons, shortened, with_interval
from app.reporting.reports.views import SectionView, TableView, number

FILE = "tables/estimates.csv"


def labels_part(study: Cells) -> Iterator[SectionView]:
    """From `dawid_skene` of a study: where its labels are not the majority's."""
    found, title = study["dawid_skene"], "Labels by Dawid and Skene's model"
    if found["reason"]:
        yield SectionView("", title, notes=(f"No labels: {found['reason']}.",))
        return
    notes = [
        f"Weighing each participant by how often they agree with the others, the label is not the majority's on "
        f"{found['n_disagreements']} of {found['n_pairs']} pairs."
    ]
    if found["n_truth"]:
        notes.append(
            f"Of {found['n_truth']} pairs with a right member, the model's label is right on "
            f"{found['n_label_is_truth']} (by its own probabilities on {number(found['n_truth_expected'], 0)}), "
            f"the majority on {found['n_majority_is_truth']}."
        )
    if not found["converged"]:
        notes.append(f"The model had not settled after {found['n_steps']} steps: take its labels as rough.")
    yield SectionView(
        "", title, tables=(_disagreements(found),) if found["disagreements"] else (), notes=tuple(notes)
    )


def _disagreements(found: Cells) -> TableView:
    rows = [
        (
            row["pair"],
            row["condition"] or "",
            f"{row['votes_a']} : {row['votes_b']}",
            row["majority"] or "none",
            row["label"] or "none",
            number(row["p_a"]),
            row["truth"] or "none",
        )
        for row in found["disagreements"]
    ]
    head = "pair", "condition", "a : b", "majority", "model's label", "probability of a", "truth"
    return shortened("Pairs on which model and majority disagree", head, rows, n_names=2, file="results.json")


def sources_part(study: Cells) -> Iterator[SectionView]:
    """From `bradley_terry` of a study."""
    found, title = study["bradley_terry"], "Sources by Bradley and Terry's model"
    if found["reason"]:
        yield SectionView("", title, notes=(f"No strengths: {found['reason']}.",))
        return
    strengths = TableView(
        caption="How human-like each source is, in log odds; the side effect is taken out",
        head=(
            "source",
            "comparisons",
            "chosen",
            "strength (95 % interval)",
            "side effect left in (95 % interval)",
        ),
        rows=tuple(
            (
                one["source"],
                str(one["n_comparisons"]),
                str(one["n_wins"]),
                with_interval(one["strength"], 2),
                with_interval(one["strength_plain"], 2),
            )
            for one in found["strengths"]
        ),
        file="results.json",
    )
    rows = [
        (
            f"{one['source']} over {one['against']}",
            str(one["n_comparisons"]),
            str(one["n_wins"]),
            with_interval(one["probability"]),
        )
        for one in found["probabilities"]
    ]
    head = "choice", "comparisons", "chosen", "probability under the model (95 % interval)"
    chances = shortened("How often one source is chosen over another", head, rows, file="results.json")
    named = [(one["source"], one["strength"]) for one in found["strengths"]]
    named += [
        (f"{one['source']} over {one['against']}", one["probability"]) for one in found["probabilities"]
    ]
    notes = [
        f"Over {found['n_comparisons']} comparisons of {found['n_participants']} participants, who are "
        f"resampled; left out are {found['n_blank']} blanks, {found['n_tie']} ties, "
        f"{found['n_same_source']} pairs of one source and {found['n_without_source']} without sources. "
        f"The left has an advantage of {with_interval(found['left_advantage'], 2)} log odds.",
        *reasons([*named, ("the left's advantage", found["left_advantage"])]),
    ]
    yield SectionView("", title, tables=(strengths, chances), notes=tuple(notes))
