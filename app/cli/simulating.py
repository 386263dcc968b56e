"""Simulated participants, at the command line."""

from typing import Annotated

import typer

from app.cli.console import lines, opened, out, progress


def simulate(
    slug: Annotated[str, typer.Argument(metavar="SLUG")],
    n: Annotated[int, typer.Option("-n", min=1, max=100_000, help="How many participants.")] = 20,
    accuracy: Annotated[float, typer.Option(help="How often the true clip is found, 0 to 1.")] = 0.75,
    preference: Annotated[
        float, typer.Option(help="How often the first-named source is chosen if no clip is true.")
    ] = 0.75,
    side_bias: Annotated[float, typer.Option(help="How often the left is pressed unseen.")] = 0.0,
    lapse: Annotated[float, typer.Option(help="How often a side is pressed at random.")] = 0.0,
    uncertainty: Annotated[float, typer.Option(help="Mean uncertainty as a share of the scale.")] = 0.4,
    speed: Annotated[float, typer.Option(help="2 answers twice as fast as 1.")] = 1.0,
    tie: Annotated[
        float, typer.Option(help="How often no difference is chosen, if the study offers that answer.")
    ] = 0.0,
    severity: Annotated[
        float, typer.Option(help="Of ratings: SD of how harsh people are, in points of the scale.")
    ] = 0.5,
    halo: Annotated[
        float,
        typer.Option(help="Of ratings: SD of what a person adds to all criteria of an item, in points."),
    ] = 0.3,
    noise: Annotated[float, typer.Option(help="Of ratings: SD of each score around that, in points.")] = 0.5,
    seed: Annotated[int, typer.Option(help="The same seed, the same people.")] = 1,
    for_service: Annotated[
        bool, typer.Option("--for-service", hidden=True, help="A line of progress for each participant.")
    ] = False,
) -> None:
    """Send simulated participants through the real pages; their data are marked `simulated`."""
    from app.reports.facts import designs_of
    from app.simulation.people import Traits
    from app.simulation.run import run_simulation
    from app.studies.queries import study_named
    from app.tasks.pair.settings import PairDesign

    traits = Traits(accuracy, preference, side_bias, lapse, uncertainty, speed, tie, severity, halo, noise)
    with opened() as (settings, database):
        with database.reading() as session:
            study_named(session, slug)
            has_pairs = any(design.blocks_of(PairDesign) for design in designs_of(session, slug).values())
        shown = lines() if for_service else progress("Simulating participants")
        with shown as on_progress:
            taken = run_simulation(
                settings, database, slug, n=n, traits=traits, seed=seed, on_progress=on_progress
            )
    said = f"{taken} simulated participants walked through {slug}"
    if has_pairs:
        said += f"; in pairs their expected accuracy is {traits.expected_accuracy:.3f}"
    if taken < n:
        said += f"; {n - taken} more found it full"
    out.print(said, markup=False)
