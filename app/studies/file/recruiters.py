"""The recruiters that are known: parameters of their links, ways back, and steps on their side (`recruiters.yaml`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote

import yaml

OTHER = "other"
PARTS = ("participant", "study", "session")
"""What a link's parameters say: who comes, in which of the recruiter's studies, and by which submission."""


@dataclass(frozen=True, slots=True)
class SubmissionFile:
    """A recruiter's file of submissions: names of its columns by what they hold, words of its statuses by their
    meaning, what stands for a code where none was entered, and the columns at the end for which rows have no cell.
    """

    columns: Mapping[str, Sequence[str]]
    statuses: Mapping[str, Sequence[str]]
    no_code: Sequence[str] = ()
    without_cells: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Recruiter:
    """`parameters` names the link's parameters by what they say; `link` has the recruiter's placeholders.

    `adds`: the recruiter puts the parameters into the link itself. `beside` are further ones that it sends, and
    `preview` is what one holds while nobody has accepted the task. `redirect` is the pattern of the way back, None
    where a code is entered by hand; `codes` are the ways out that it takes a code for, and `actions` what to let it
    do with each. `submissions` is the file that it gives out.
    """

    name: str
    people: str
    parameters: Mapping[str, str]
    link: Mapping[str, str]
    steps: Sequence[str]
    submissions: SubmissionFile
    beside: Sequence[str] = ()
    codes: Sequence[str] = ()
    redirect: str | None = None
    adds: bool = False
    preview: Mapping[str, str] = field(default_factory=dict)
    actions: Mapping[str, str] = field(default_factory=dict)


def _read() -> Mapping[str, Recruiter]:
    text = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
    return {
        key: Recruiter(**{**about, "submissions": SubmissionFile(**about["submissions"])})
        for key, about in yaml.safe_load(text).items()
    }


RECRUITERS: Mapping[str, Recruiter] = MappingProxyType(_read())


def plain_name(column: str) -> str:
    """The letters and digits of a column's name in lower case, by which spellings of it are one."""
    return "".join(letter for letter in column.casefold() if letter.isalnum())


def heads_participants(cell: str) -> bool:
    """True for a heading above participants' ids: our own or a recruiter's, however it is spelled."""
    names = (name for each in RECRUITERS.values() for name in each.submissions.columns["participant"])
    return plain_name(cell) in {"participant", *map(plain_name, names)}


def query_of(recruiter: str, names: Mapping[str, str]) -> str:
    """The query string of a study's link at a recruiter, with its placeholders; empty where it adds them itself.

    `names` has the names of the parameters in the study, which may differ from the recruiter's own.
    """
    known = RECRUITERS.get(recruiter)
    if known is None:
        return "&".join(f"{quote(name)}=..." for name in names.values())
    if known.adds:
        return ""
    # As it stands: the recruiter looks for its placeholder, and not for one that is escaped.
    return "&".join(f"{quote(name)}={known.link[known.parameters[part]]}" for part, name in names.items())


def known_parameters() -> frozenset[str]:
    """Every parameter that a recruiter sends, in lower case."""
    every = (
        name
        for recruiter in RECRUITERS.values()
        for name in (*recruiter.parameters.values(), *recruiter.beside)
    )
    return frozenset(name.casefold() for name in every)
