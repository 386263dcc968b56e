"""`likely-human game predict`: how well people's next decisions are predicted."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analysis.signs import signed
from app.cli.console import err, out
from app.cli.game_metrics import EVERYTHING

if TYPE_CHECKING:
    from analysis.games.choices import ChoicePrediction


def predict(
    moves: Annotated[Path, typer.Argument(metavar="MOVES.csv", help="Moves of one game.")],
    predictions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Predictions from elsewhere: CSV of match, seq, probability."),
    ] = None,
    decisions: Annotated[
        Path | None,
        typer.Option("--decisions", metavar="OUT.csv", help="Write the decisions with features and folds."),
    ] = None,
    folds: Annotated[
        int, typer.Option(min=2, help="Parts into which people, or configurations, are dealt.")
    ] = 10,
    resamples: Annotated[int, typer.Option(min=0, help="Of bootstrap intervals over people.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Of folds and resamples.")] = 1,
    everything: EVERYTHING = False,
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON.")] = False,
) -> None:
    """Predict each next decision of people (accept or buy) held out, by baselines and by predictions from elsewhere."""
    from analysis.games.choices import folds_of, predict_choices
    from app.reports.decisions import decisions_of, read_predictions, write_decisions
    from app.tasks.game.match_files import left_out_note, read_matches

    file = read_matches(moves, everything=everything)
    found = decisions_of(file)
    given = {str(predictions): read_predictions(predictions, found)} if predictions else {}
    scored = predict_choices(found.table, found.features, given, folds=folds, seed=seed, resamples=resamples)
    if decisions:
        by = {
            f"fold_{unit}": folds_of(found.table[unit], folds, seed).tolist() for unit in ("person", "config")
        }
        write_decisions(found, by, decisions)
    if as_json:
        whole = {
            "occupant": found.occupant,
            "left_out": dict(file.left_out),
            "features": list(found.features),
            **scored.to_dict(),
        }
        typer.echo(json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False))
        return
    _print(scored, found.occupant)
    if note := left_out_note([file]):
        err.print(note, markup=False)
    if decisions:
        out.print(f"decisions: {decisions}", markup=False)


def _print(scored: "ChoicePrediction", occupant: str) -> None:
    who = "simulated people" if occupant == "simulated" else "people"
    out.print(
        f"{scored.n} decisions of {scored.people} {who} in {scored.configurations} configurations; yes in "
        f"{scored.share:.3f}",
        markup=False,
    )
    for held in scored.held_out:
        what = "person" if held.held_out == "person" else "configuration"
        if held.reason:
            out.print(f"Held out by {what}: {held.reason}", markup=False)
            continue
        out.print(f"Held out by {what}, {held.groups} in {held.folds} folds:", markup=False)
        for one in held.scores:
            limits = (
                "" if one.interval.low is None else f" ({one.interval.low:.3f} to {one.interval.high:.3f})"
            )
            out.print(
                f"  {one.predictor}: log loss {one.log_loss:.3f}{limits}, {signed(one.better, 3)} better than the base "
                f"rate; Brier {one.brier:.3f}, accuracy {one.accuracy:.3f}",
                markup=False,
            )
            for part in one.calibration:
                limits = f"{part.observed_low:.3f} to {part.observed_high:.3f}"
                out.print(
                    f"    predicted {part.low:.1f} to {part.high:.1f}: {part.n} decisions, mean {part.predicted:.3f}, "
                    f"yes in {part.observed:.3f} ({limits})",
                    markup=False,
                )
