"""`likely-human flow`: who came, how far they got, and why the others are not in the numbers."""

import json
from pathlib import Path
from typing import Annotated

import typer

from app.cli.console import err, opened, out
from app.core.errors import StudyError


def flow(
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="A study, or an exported CSV file of participants.")
    ],
    mode: Annotated[str, typer.Option(help="live, pilot or simulated.")] = "live",
    as_json: Annotated[bool, typer.Option("--json", help="The steps as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="The table as CSV.")] = False,
) -> None:
    """Print the flow of participants, from arriving to being analysed (CONSORT), by arm where there are several."""
    from analysis.data.flow import Flow, flow_of
    from analysis.data.participants import read_flow
    from analysis.findings.cells import csv_head, csv_rows
    from analysis.findings.flow import flow_numbers, flow_section
    from analysis.terminal import as_text
    from analysis.text.sections import render_sections
    from app.core.spreadsheet import csv_text
    from app.reports.flow import flows_of
    from app.reports.kinds import COUNTED_MODES
    from app.reports.targets import is_file
    from app.studies.queries import study_named

    if mode not in COUNTED_MODES:
        raise StudyError(f"mode {mode!r} has no flow; allowed: {', '.join(COUNTED_MODES)}")
    found: Flow
    if is_file(target):
        found = read_flow(Path(target), mode)
    else:
        with opened() as (_, database), database.reading() as session:
            study_named(session, target)
            flows = flows_of(session, target)
        found = flows.get(mode) or flow_of(mode, ())
        if mode not in flows and flows:
            others = " or ".join(f"--mode {other}" for other in flows)
            err.print(f"{target} has no {mode} sessions; those that it has: {others}.", markup=False)
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    elif as_csv:
        numbers = flow_numbers(found)
        typer.echo(csv_text(csv_head(numbers), csv_rows(numbers)), nl=False)
    else:
        out.print(as_text(list(render_sections(flow_section(found)))), markup=False, end="")
