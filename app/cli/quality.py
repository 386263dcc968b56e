"""`likely-human quality`: the verdicts of exclusion rules, computed anew from a study or from its exported files."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.console import err, opened, out
from app.core.errors import StudyError
from app.core.problems import counted

if TYPE_CHECKING:
    from analysis.quality.records import Row
    from analysis.quality.rules import ChosenRule, Verdict


def quality(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGET...",
            help="A study; or its exported files, CSV or JSON lines, or the folder that they are in.",
        ),
    ],
    rules: Annotated[
        str | None,
        typer.Option(
            help="For files: the study file with the exclusion rules, or `default` for the default ones."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Every verdict as JSON.")] = False,
) -> None:
    """Apply the exclusion rules: who meets which rule, by which values, who is used and who is paid."""
    from app.reports.targets import is_file, is_folder

    if not (is_file(targets[0]) or is_folder(targets[0])):
        if rules is not None:
            raise StudyError("a study has rules of its own; --rules is for files")
        found, without = _of_study(targets)
        differing = None
        if without:
            (err if as_json else out).print(without, markup=False)
        if without and not as_json:
            return
    else:
        found, rows = _of_files([Path(target) for target in targets], rules)
        differing = _differing(found, rows)
    if as_json:
        typer.echo(json.dumps({session: _keys(each) for session, each in found.items()}, indent=2))
        return
    _print(found, differing)


def _of_study(targets: Sequence[str]) -> tuple[Mapping[str, "Verdict"], str]:
    """The verdicts of a study; and where it has no rules, that it has none."""
    from app.verdicts.judging import n_ended, not_judged, study_verdicts

    if len(targets) > 1:
        raise StudyError("one study at a time")
    with opened() as (_, database), database.reading() as session:
        found = {str(id_): each for id_, each in study_verdicts(session, targets[0]).items()}
        n = None if found else n_ended(session, targets[0])
        # The verdicts here are computed anew: it is other commands and pages that wait for them.
        waiting = not_judged(session, targets[0])
    if waiting:
        err.print(f"{targets[0]}: {waiting}; other numbers than these may change.", markup=False)
    if n is None:
        return found, ""
    return found, f"This study has no rules of exclusion; {counted(n, 'session')} ended."


def _of_files(paths: Sequence[Path], rules: str | None) -> tuple[Mapping[str, "Verdict"], Sequence["Row"]]:
    from analysis.data.exported import read_sessions
    from analysis.quality.verdicts import verdicts

    if rules is None:
        raise StudyError("say by which rules: --rules STUDY.yaml, or --rules default")
    chosen = _chosen(rules)
    sessions, rows = read_sessions(paths)
    return verdicts(lambda _: chosen, sessions), rows


def _chosen(rules: str) -> "Sequence[ChosenRule]":
    from analysis.quality.registry import DEFAULT
    from app.studies.file.exclusion import TAKEN
    from app.studies.file.load import rules_in

    return DEFAULT if rules == TAKEN else rules_in(Path(rules))


def _differing(found: Mapping[str, "Verdict"], rows: Sequence["Row"]) -> Sequence[str] | None:
    """The sessions of which the table says something else; None where it has no verdicts."""
    if not rows or "rules" not in rows[0]:
        return None
    return [
        str(row["session"])
        for row in rows
        if (row["rules"] or "", row["pay"], row["use"] or bool(row.get("excluded")))
        != (
            (each := found[row["session"]]).names,
            each.pay,
            each.use or bool(row.get("excluded")),
        )
    ]


def _keys(verdict: "Verdict") -> dict[str, Any]:
    return {"use": verdict.use, "pay": verdict.pay, "rules": {k: dict(v) for k, v in verdict.rules.items()}}


def _print(found: Mapping[str, "Verdict"], differing: Sequence[str] | None) -> None:
    from rich.table import Table

    met = Counter(name for each in found.values() for name in each.rules)
    alone = Counter(next(iter(each.rules)) for each in found.values() if not each.use)
    table = Table("rule", "sessions", "left out by it first")
    for name, n in met.most_common():
        table.add_row(name, str(n), str(alone[name] or ""))
    if met:
        out.print(table)
    unused = sum(not each.use for each in found.values())
    unpaid = sum(not each.pay for each in found.values())
    out.print(f"{len(found)} sessions: {unused} not used, {unpaid} not paid.", markup=False)
    for session, each in found.items():
        if each.rules:
            values = "; ".join(f"{name} ({_said(given)})" for name, given in each.rules.items())
            marks = ", ".join(filter(None, ("" if each.use else "not used", "" if each.pay else "not paid")))
            out.print(f"  session {session}{f' ({marks})' if marks else ''}: {values}", markup=False)
    if differing is not None:
        n = len(differing)
        agrees = "The verdicts in the files are the same." if not n else ""
        out.print(
            agrees or f"{n} verdicts in the files differ: sessions {', '.join(differing)}.", markup=False
        )


def _said(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items())
