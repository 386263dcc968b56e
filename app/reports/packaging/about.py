"""The descriptive parts of a package that are not data."""

from dataclasses import dataclass
from datetime import datetime

from app.reports.preferences import prompt_of
from app.reports.study_facts import StudyFacts
from app.studies.file.design import StudyDesign
from app.tasks.pair.settings import PairDesign
from app.tasks.rating.settings import RatingDesign

NO_LICENSE = "none stated; ask the study's authors before you use or share these data."

_PAIRS, _RATINGS = ("two-alternative forced choice", "video"), ("rating scale",)
# By whether there are pairs, and ratings.
_KEYWORDS = {
    (True, False): _PAIRS,
    (False, True): _RATINGS,
    (True, True): (*_PAIRS, *_RATINGS),
    (False, False): (),
}


@dataclass(frozen=True, slots=True)
class About:
    """Facts that only a study's authors know; each may be left open. `license` is best a URL."""

    authors: tuple[str, ...] = ()
    license: str | None = None
    url: str | None = None
    citation: str | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """One description for every format in which the package describes itself."""

    slug: str
    name: str
    description: str
    made_at: datetime
    version: str
    identifier: str
    citation: str
    bibtex: str
    license: str
    authors: tuple[str, ...]
    url: str | None
    keywords: tuple[str, ...]


def card_of(facts: StudyFacts, about: About, made_at: datetime) -> Card:
    newest = facts.versions[-1]
    description = (
        f"Answers of participants who {_task(newest.design)} "
        f"Study {facts.slug}, made with Likely Human; its newest version is {newest.number}, with the design "
        f"SHA-256 {newest.sha256}."
    )
    return Card(
        slug=facts.slug,
        name=facts.title,
        description=description,
        made_at=made_at,
        version=f"{newest.number}.0.0",
        identifier=f"urn:sha256:{newest.sha256}",
        citation=about.citation or _citation(facts, about, made_at),
        bibtex=about.citation or _bibtex(facts, about, made_at),
        license=about.license or NO_LICENSE,
        authors=about.authors,
        url=about.url,
        keywords=("human-likeness", *_KEYWORDS[facts.has_pairs, facts.has_ratings], "human judgement"),
    )


def _task(design: StudyDesign) -> str:
    """The participants' task, as the end of a sentence."""
    rated = "; ".join(
        f"“{question.ask}”" for block in design.blocks_of(RatingDesign) for question in block.questions
    )
    parts = [
        *(
            [f"were shown two video clips side by side and asked: “{prompt_of(design)}”"]
            if design.blocks_of(PairDesign)
            else []
        ),
        *([f"were shown one item at a time and asked: {rated}"] if rated else []),
        *dict.fromkeys(
            block.activity()
            for block in design.blocks
            if block not in (*design.blocks_of(PairDesign), *design.blocks_of(RatingDesign))
        ),
    ]
    text = ", and ".join(parts)
    return text if text.endswith("”") else f"{text}."


def _citation(facts: StudyFacts, about: About, made_at: datetime) -> str:
    authors = f"{', '.join(about.authors)} ({made_at.year}). " if about.authors else ""
    year = "" if about.authors else f" ({made_at.year})"
    return (
        f"{authors}{facts.title}{year} [data set]. Study {facts.slug}, version {facts.versions[-1].number}."
    )


def _bibtex(facts: StudyFacts, about: About, made_at: datetime) -> str:
    fields = {
        "title": facts.title,
        "author": " and ".join(about.authors),
        "year": str(made_at.year),
        "note": f"Data set; study {facts.slug}, version {facts.versions[-1].number}",
        "url": about.url or "",
    }
    # A brace in a text would end its field early.
    lines = [f"{key} = {{{text.translate(_NO_BRACES)}}}" for key, text in fields.items() if text]
    return f"@misc{{{facts.slug}-{made_at.year}, {', '.join(lines)}}}"


_NO_BRACES = str.maketrans("{}", "()")
