"""`likely-human study exclude` and `include`: sessions left out of the numbers by hand."""

from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.console import now, opened, out
from app.core.errors import StudyError
from app.core.problems import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlmodel import Session

    from app.accounts.audit import Actor
    from app.studies.access import StudyHere

SlugArgument = Annotated[str, typer.Argument(metavar="SLUG", help="The study's name, as in `study: name`.")]
SessionsOption = Annotated[
    list[int] | None, typer.Option("--session", metavar="N", min=1, help="A session; once for each.")
]
RuleOption = Annotated[str, typer.Option(help="All sessions that met this exclusion rule.")]


def exclude(
    slug: SlugArgument,
    reason: Annotated[str, typer.Option(help="Why; it is in the exported data.")],
    session_ids: SessionsOption = None,
    rule: RuleOption = "",
    preview: Annotated[
        bool, typer.Option("--preview", help="Say how many they are; change nothing.")
    ] = False,
) -> None:
    """Leave sessions out of the numbers, by number or by the exclusion rule that they met; `include` undoes it."""
    from app.sessions.exclusions import exclude_many

    with opened() as (_, database), database.transaction() as session:
        actor, study, ids = _chosen(session, slug, session_ids, rule)
        if preview:
            out.print(f"{slug}: {counted(len(ids), 'session')}", markup=False)
            return
        done = exclude_many(session, actor, study, ids, reason, now())
    already = f"; {len(done.unchanged)} already were" if done.unchanged else ""
    out.print(f"{slug}: {counted(len(done.changed), 'session')} excluded{already}", markup=False)


def include(
    slug: SlugArgument,
    session_ids: SessionsOption = None,
    rule: RuleOption = "",
) -> None:
    """Count sessions again that were excluded by hand."""
    from app.sessions.exclusions import include_many

    with opened() as (_, database), database.transaction() as session:
        actor, study, ids = _chosen(session, slug, session_ids, rule)
        done = include_many(session, actor, study, ids, now())
    out.print(f"{slug}: {counted(len(done.changed), 'session')} counted again", markup=False)


def _chosen(
    session: "Session", slug: str, ids: list[int] | None, rule: str
) -> "tuple[Actor, StudyHere, Sequence[int]]":
    """The sessions named, or those that met a rule. Raises StudyError for neither and for both."""
    from app.accounts.audit import COMMAND_LINE
    from app.monitor.sessions_list import Search, checked_search, found_ids
    from app.studies.launch import study_here

    study = study_here(session, slug)
    if bool(ids) == bool(rule):
        raise StudyError("say which sessions: --session N, once for each, or --rule NAME")
    chosen = ids or found_ids(session, study, checked_search(Search(rule=rule)))
    if not chosen:
        raise StudyError(f"{slug}: no session met the rule {rule}")
    return COMMAND_LINE, study, chosen
