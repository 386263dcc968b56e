"""The methods section of a report: what was shown, to how many, and how the numbers were made."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from analysis import Analysis, StudyResult
from analysis.data.columns import BY_RULE
from analysis.findings.model import Section
from analysis.findings.references import REFERENCES
from analysis.findings.registry import methods_in
from app.reports.file_studies import FileStudy

if TYPE_CHECKING:
    from app.reports.sources import Source
    from app.reports.study_facts import StudyFacts

SOFTWARE = ("likely-human", "matplotlib", "numpy", "pandas", "pingouin", "scipy", "statsmodels", "choix")

_CITATION = re.compile(r"\[([A-Z][A-Za-z]*[0-9]{2})\]")


@dataclass(frozen=True, slots=True)
class Methods:
    """Paragraphs of plain text under headings, and the references that they cite."""

    sections: tuple[tuple[str, tuple[str, ...]], ...]
    references: tuple[tuple[str, str], ...]

    def markdown(self) -> str:
        parts = ["# Methods"]
        for heading, paragraphs in self.sections:
            parts += [f"## {_escaped(heading)}", *map(_escaped, paragraphs)]
        if self.references:
            parts += ["## References", "\n".join(f"- [{key}] {text}" for key, text in self.references)]
        return "\n\n".join(parts) + "\n"


def methods_of(
    studies: "Sequence[Source]",
    analysis: Analysis | None,
    mode: str,
    seed: int,
    found: Iterable[Section] = (),
) -> Methods:
    """The methods of a report over `studies`, with those of the sections that were `found`; without an `analysis` there
    are no answers, and it says so."""
    results = {result.study: result for result in analysis.studies} if analysis else {}
    sections = [(f"Study {study.slug}", tuple(_study(study, results, mode))) for study in studies]
    if made := methods_in(found):
        sections.append(("Analysis", made))
    return _with_references(sections, seed)


def methods_of_file(
    title: str, about: str, seed: int, judges: str = "", study: "StudyFacts | None" = None, mode: str = ""
) -> Methods:
    """The methods of a report over one table, as `about` and, where there are any, `judges` tell them; of a table of a
    study first those of its sessions.
    """
    of_study = [] if study is None else [(f"Study {study.slug}", tuple(_sessions(study, mode)))]
    return _with_references(
        [*of_study, (title, (about,)), *([("Judges", (judges,))] if judges else [])], seed
    )


def _with_references(sections: Sequence[tuple[str, tuple[str, ...]]], seed: int) -> Methods:
    """The sections, the software and their references."""
    every = (*sections, ("Software", (_software(seed),)))
    cited = _cited(text for _, paragraphs in every for text in paragraphs)
    return Methods(every, tuple((key, REFERENCES[key]) for key in cited))


def _study(study: "Source", results: Mapping[str, StudyResult], mode: str) -> Iterator[str]:
    if isinstance(study, FileStudy):
        yield (
            f"The answers were read from {study.origin}. It does not tell how the pairs were shown, what was "
            f"asked, or how many sessions were opened. {study.taken}".rstrip()
        )
    else:
        yield from _sessions(study, mode)
    yield from _counted(results.get(study.slug), mode)


def _sessions(study: "StudyFacts", mode: str) -> Iterator[str]:
    # Imported here: only a study of the database has a design, and the models of all designs are a second of a start.
    from app.reports.page.session_methods import sessions

    return sessions(study, mode)


def _cited(texts: Iterable[str]) -> list[str]:
    return sorted({key for text in texts for key in _CITATION.findall(text)} & REFERENCES.keys())


def _escaped(text: str) -> str:
    """Text as Markdown that shows it as it is: titles and names come from outside."""
    return re.sub(r"([\\`*_<>&#|])", r"\\\1", text.replace("\r", " ").replace("\n", " "))


def _counted(result: StudyResult | None, mode: str) -> Iterator[str]:
    if result is None:
        yield f"No pair has an answer of mode {mode}: there is nothing to analyse."
        return
    chosen = result.selection
    left_out = [
        f"{n} {_by_rule(value) if value.startswith(BY_RULE) else _LEFT_OUT[why].format(value)}"
        for why, values in chosen.left_out.items()
        for value, n in values.items()
    ]
    yield (
        f"Of {chosen.n_rows} answers to trials by {chosen.n_participants} participants, {chosen.n_used} answers by "
        f"{chosen.n_participants_used} participants are analysed; left out were {'; '.join(left_out) or 'none'}."
    )
    if blanks := int(result.participants["n_blank"].sum()):
        yield f"{blanks} of the analysed answers to pairs with a right member are blank."
    if ties := result.ties.n_tie:
        yield (
            f"Participants could answer that there is no difference: {ties} of {ties + result.ties.n_chosen} votes. "
            "These are votes for neither member, and left out of accuracy and preferences."
        )


_LEFT_OUT = {
    "mode": "answers of mode {}",
    "kind": "answers to {} pairs",
    "excluded": "answers to main pairs by the exclusion rule “{}”",
}


def _by_rule(value: str) -> str:
    return f"answers of sessions by the exclusion rule “{value.removeprefix(BY_RULE)}”"


def _software(seed: int) -> str:
    found = [f"{name} {installed}" for name in SOFTWARE if (installed := _installed(name))]
    return f"Computed with {', '.join(found)}. The seed of every bootstrap is {seed}."


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
