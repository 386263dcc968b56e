"""The data of the pages of recruitment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlmodel import Session

from app.admin.access import Shell
from app.admin.forms import Files
from app.admin.pages import AdminPage
from app.core.errors import NotFound, StudyError, at_field
from app.core.markdown import markdown
from app.core.spreadsheet import text_of
from app.monitor.reconciling.lists import lists_of
from app.monitor.reconciling.reconcile import Action, Line, Reconciled, reconcile, recruiter_of, summary
from app.monitor.reconciling.submissions import columns_named, read_submissions
from app.studies.access import StudyHere
from app.studies.recruiting import RecruitingView, recruiting_view

ACTIONS: Mapping[Action, str] = {
    Action.PAY: "Pay",
    Action.RETURN: "Ask to return",
    Action.REJECT: "Reject, with the reason",
    Action.LOOK: "Look at",
    Action.NOTHING: "Nothing to do",
}
LISTS: Mapping[str, str] = {
    "approve.txt": "Whom to approve: one id in a line",
    "approve.csv": "The batch with Approve and Reject filled in, to be uploaded again",
    "return.csv": "Whom to ask to return, and why",
    "reject.csv": "Whom to reject, with the reason",
    "bonuses.csv": "Bonuses",
    "reconciled.csv": "Everything, a row for each submission and session",
}
MOST_SHOWN = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class RecruitingPage(AdminPage):
    """The link, steps and codes to enter at the recruiter; `view` is None without a version, `steps` are HTML."""

    template: ClassVar[str] = "recruiting.html"
    tab: ClassVar[str] = "recruiting"
    slug: str
    view: RecruitingView | None
    steps: Sequence[str]
    columns: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionsPage(AdminPage):
    """Submissions compared. `text` and `columns` are what was sent, for the lists to be made again from."""

    template: ClassVar[str] = "recruiting-submissions.html"
    tab: ClassVar[str] = "recruiting"
    slug: str
    text: str
    columns: str
    says: str
    notes: Sequence[str]
    groups: Sequence[tuple[str, Sequence[Line]]]
    only_here: Sequence[Line]
    lists: Sequence[tuple[str, str]]
    most_shown: int = MOST_SHOWN


def recruiting_page(
    session: Session, shell: Shell, study: StudyHere, site: str, error: str = "", columns: str = ""
) -> RecruitingPage:
    view = recruiting_view(session, study, site)
    steps = [markdown(step) for step in view.steps] if view else []
    return RecruitingPage(shell=shell, error=error, slug=study.slug, view=view, steps=steps, columns=columns)


def text_sent(form: Mapping[str, str], files: Files) -> str:
    """The file of submissions in a form. Raises StudyError."""
    sent = [file for file in files.get("file", ()) if file.data]
    if form.get("text"):
        return form["text"]
    if len(sent) != 1:
        raise StudyError("Choose the recruiter's file of submissions.")
    return text_of(sent[0].data, sent[0].name[:80])


def compared(session: Session, study: StudyHere, text: str, columns: str, secret: str) -> Reconciled:
    """The submissions in a text, compared. Raises BadSubmissions."""
    recruiter = recruiter_of(session, study)
    with at_field("columns"):
        named = columns_named(columns)
    submissions = read_submissions(text, recruiter, named)
    return reconcile(session, study, submissions, recruiter, secret)


def submissions_page(
    shell: Shell, study: StudyHere, found: Reconciled, text: str, columns: str
) -> SubmissionsPage:
    made = lists_of(found)
    return SubmissionsPage(
        shell=shell,
        slug=study.slug,
        text=text,
        columns=columns,
        says=summary(found),
        notes=found.notes,
        groups=[(words, lines) for action, words in ACTIONS.items() if (lines := found.by(action))],
        only_here=found.only_here,
        lists=[(name, words) for name, words in LISTS.items() if name in made],
    )


def list_named(found: Reconciled, name: str) -> str:
    """One of the lists. Raises NotFound."""
    made = lists_of(found)
    if name not in made:
        raise NotFound("There is no such list.")
    return made[name]
