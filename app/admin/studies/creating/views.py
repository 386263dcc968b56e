"""The data of the page of a new study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from sqlmodel import Session

from app.accounts.logins import Who
from app.admin.access import Shell
from app.admin.forms import Files
from app.admin.pages import AdminPage
from app.catalog.collections import own_slug
from app.catalog.packed import BadPackedCollections
from app.core.errors import Conflict, NotFound, StudyError, page_words
from app.core.problems import Problem
from app.library.uploads import LARGEST_FILE_BYTES
from app.studies.access import BadSlug, StudyHere, visible_slugs
from app.studies.drafts import draft_for
from app.studies.file.bundle import MOST_BYTES
from app.studies.file.problems import StudyFileProblems
from app.studies.file.templates import TEMPLATES, Template
from app.studies.history import BadWhich
from app.studies.making import BadStart, Start
from app.studies.seeing import facts_for
from app.trials.stimuli import own_of


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStudyPage(AdminPage):
    """The page of a new study. `form` holds the input; `problems` those of an uploaded study file."""

    template: ClassVar[str] = "studies-new.html"
    tab: ClassVar[str] = "studies"
    largest: int
    most_small: int
    templates: Sequence[Template]
    studies: Sequence[str]
    form: Mapping[str, str]
    errors: Mapping[str, str] = field(default_factory=dict)
    problems: Sequence[Problem] = ()


_EMPTY = dict.fromkeys(("title", "slug", "clone", "which", "package", "package_name"), "")
_FIELDS: Mapping[type[StudyError], str] = {BadSlug: "slug", Conflict: "slug", BadWhich: "clone"}


def new_study_page(
    session: Session, shell: Shell, who: Who, form: Mapping[str, str], error: StudyError | None = None
) -> NewStudyPage:
    typed = {key: form.get(key, usual) for key, usual in {"start": "template:hntt", **_EMPTY}.items()}
    if form.get("clone") and "start" not in form:
        typed["start"] = "clone"
    if isinstance(error, StudyFileProblems | BadPackedCollections | NotFound):
        typed |= {"package": "", "package_name": ""}  # to be chosen again
    problems = error.problems if isinstance(error, StudyFileProblems) else ()
    errors = _by_field(error) if error else {}
    return NewStudyPage(
        shell=shell,
        error="" if problems or error is None else page_words(error),
        largest=LARGEST_FILE_BYTES,
        most_small=MOST_BYTES,
        templates=tuple(TEMPLATES.values()),
        studies=visible_slugs(session, who),
        form=typed,
        errors=errors,
        problems=problems,
    )


def _by_field(error: StudyError) -> dict[str, str]:
    field = error.field if isinstance(error, BadStart) else _FIELDS.get(type(error))
    return {field: page_words(error)} if field else {}


def start_in(form: Mapping[str, str], files: Files) -> Start:
    """The starting point in the form. Raises BadStart."""
    start, title, slug = (form.get(name, "").strip() for name in ("start", "title", "slug"))
    if start == "clone":
        source = form.get("clone", "").strip()
        if not source:
            raise BadStart("clone", "Choose the study to begin from.")
        return Start(slug, title, clone=source, which=form.get("which", "").strip())
    if start == "upload":
        sent = files.get("file", ())
        if not sent and package_in(form, files):
            return Start(slug, title, files={})
        if not sent:
            raise BadStart("file", "Choose a study file; choose the files that it names together with it.")
        return Start(slug, title, files={file.name: file.data for file in sent})
    if not start.startswith("template:"):
        raise BadStart("start", "Choose what to begin from.")
    return Start(slug, title, template=start.removeprefix("template:"))


def package_in(form: Mapping[str, str], files: Files) -> str:
    """The token of the package that the study begins from; empty where it begins from something else."""
    return "" if form.get("start") != "upload" or files.get("file") else form.get("package", "").strip()


def first_page(session: Session, study: StudyHere) -> str:
    """The page on which a new study is gone on with: the upload of its clips, or its design where it has what it shows.

    The design also where it shows no clips of its own, such as a game.
    """
    draft, own = draft_for(session, study), own_slug(session, study)
    shows_pairs = draft.keys.get("trials") is not None and draft.keys.get("blocks") is None
    if own and shows_pairs and draft.keys.get("pairs") is None and not own_of(facts_for(session, study)):
        return f"/admin/stimuli/upload?collection={own}&said=created"
    return f"/admin/studies/{study.slug}/design?said=created"
