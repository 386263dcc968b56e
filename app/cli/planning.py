"""`likely-human plan`: how many participants and trials a study needs. No database is opened."""

import json
from typing import TYPE_CHECKING, Annotated, cast

import typer

from app.cli.console import progress

if TYPE_CHECKING:
    from analysis.planning.asked import Design, Measure


def plan(
    share_from: Annotated[float, typer.Option("--from", help="Share in the first group or condition.")],
    share_to: Annotated[float, typer.Option("--to", help="Share in the second.")],
    measure: Annotated[str, typer.Option(help="accuracy or preference.")] = "accuracy",
    design: Annotated[
        str, typer.Option(help="between: two groups; within: the same participants in both conditions.")
    ] = "between",
    participants: Annotated[
        int | None, typer.Option(help="Of each group; without it, the number needed is sought.")
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(help="Of each participant in each condition; without it, the number needed is sought."),
    ] = None,
    pairs: Annotated[
        int | None, typer.Option(help="Of each condition; without it, every participant sees all pairs.")
    ] = None,
    own_pairs: Annotated[
        bool | None,
        typer.Option("--own-pairs/--same-pairs", help="Whether each condition has its own; within: it has."),
    ] = None,
    power: Annotated[float, typer.Option(help="Sought, where a number is.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Level of the two-sided tests.")] = 0.05,
    participant_sd: Annotated[float, typer.Option(help="How participants differ, in log odds.")] = 0.5,
    pair_sd: Annotated[float, typer.Option(help="How pairs differ, in log odds.")] = 0.3,
    test: Annotated[
        str, typer.Option(help="mann-whitney (within: Wilcoxon signed-rank), mixed or both.")
    ] = "both",
    simulations: Annotated[
        int | None,
        typer.Option(help="Studies simulated for each number; else 10,000, and 1,000 for the mixed model."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed, the same numbers.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON (docs/analysis.md).")] = False,
) -> None:
    """Simulate a study's power, or the participants or trials needed."""
    from analysis.planning import plan, render_plan

    with progress("Simulating studies") as on_progress:
        planned = plan(
            measure=cast("Measure", measure),
            design=cast("Design", design),
            share_from=share_from,
            share_to=share_to,
            participants=participants,
            trials=trials,
            pairs=pairs,
            own_pairs=own_pairs,
            power=power,
            alpha=alpha,
            participant_sd=participant_sd,
            pair_sd=pair_sd,
            test=test,
            simulations=simulations,
            seed=seed,
            on_progress=on_progress,
        )
    if as_json:
        typer.echo(json.dumps(planned.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        typer.echo(render_plan(planned), nl=False)
