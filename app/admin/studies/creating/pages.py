"""What the page of a new study is given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from app.admin.pages import AdminPage
from app.core.problems import Problem
from app.studies.file.templates import Template


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStudyPage(AdminPage):
    """`form` holds what was typed; `problems` what is wrong with an uploaded study file."""

    template: ClassVar[str] = "studies-new.html"
    tab: ClassVar[str] = "studies"
    templates: Sequence[Template]
    studies: Sequence[str]
    form: Mapping[str, str]
    errors: Mapping[str, str] = field(default_factory=dict)
    problems: Sequence[Problem] = ()
