"""The sections of the design's form, each at an address of its own, and the section of each place in the file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.core.errors import NotFound
from app.core.problems import Place

ALL = "all"
_QUESTIONS = "trials.questions"


@dataclass(frozen=True, slots=True)
class Section:
    """A page of the form: its address, its `parts` by their ids, and the places of the study file that it edits."""

    slug: str
    title: str
    parts: Sequence[str]
    keys: frozenset[str]


SECTIONS: Sequence[Section] = (
    Section("study", "The study", ("about", "words"), frozenset({"title", "language", "languages"})),
    Section("consent", "Consent", ("consent",), frozenset({"consent"})),
    Section(
        "screening",
        "Screening",
        ("devices", "screening", "viewing"),
        frozenset({"devices", "screening", "viewing_conditions"}),
    ),
    Section("background", "About participants", ("people",), frozenset({"background"})),
    Section(
        "instructions",
        "Instructions",
        ("before", "comprehension"),
        frozenset({"instructions", "comprehension"}),
    ),
    Section(
        "trials",
        "Trials",
        ("trials", "parts"),
        frozenset({"trials", "pairs", "sample", "truth", "blocks", "block_order"}),
    ),
    Section("questions", "Questions", ("questions", "named"), frozenset({"trials.questions", "scales"})),
    Section(
        "arms",
        "Arms and numbers",
        ("arms", "stop_when"),
        frozenset({"arms", "target", "idle_minutes", "opens", "ends", "stop_when"}),
    ),
    Section(
        "analysis", "Exclusion, hypotheses", ("exclude", "hypotheses"), frozenset({"exclude", "hypotheses"})
    ),
    Section("end", "The end", ("completion",), frozenset({"completion"})),
    Section(
        "recruitment",
        "Recruitment, retention",
        ("recruitment", "days"),
        frozenset({"recruitment", "retention"}),
    ),
)
FIRST = SECTIONS[0].slug
_BY_SLUG: Mapping[str, Section] = {section.slug: section for section in SECTIONS}
_BY_KEY: Mapping[str, str] = {key: section.slug for section in SECTIONS for key in section.keys}
_BY_PART: Mapping[str, str] = {part: section.slug for section in SECTIONS for part in section.parts}


def section_named(slug: str) -> Section | None:
    """A section by its address; None for all of them on one page. Raises NotFound."""
    if slug == ALL:
        return None
    if slug not in _BY_SLUG:
        raise NotFound(f"The design has no section {slug!r}.")
    return _BY_SLUG[slug]


def is_within(slug: str, place: Place) -> bool:
    """True for what a section's form sends."""
    section_named(slug)
    return slug == ALL or section_of(".".join(map(str, place))) == slug


def section_of(at: str) -> str:
    """The section with a field or a part of the form; the first where the form has none."""
    first = at.partition(".")[0]
    if f"{at}.".startswith(f"{_QUESTIONS}."):
        return _BY_KEY[_QUESTIONS]
    return _BY_KEY.get(first) or _BY_PART.get(first) or (first if first in _BY_SLUG else FIRST)


def address_of(here: str, at: str = "") -> str:
    """The address of a field; without one, of the first section with something missing."""
    return f"{here}/design/{section_of(at)}#{at}" if at else f"{here}/design"


def part_of(part: str) -> str:
    """The section that shows a part of the form; a part that no section names is in the first."""
    return _BY_PART.get(part, FIRST)


def counts(places: Iterable[str]) -> Mapping[str, int]:
    """The number of these places in each section, by its address."""
    found = {section.slug: 0 for section in SECTIONS}
    for at in places:
        found[section_of(at)] += 1
    return found
