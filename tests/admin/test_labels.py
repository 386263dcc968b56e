"""No label on an experimenter's page is a configuration key: over every template, game and task, and all its pages."""

import re
from collections.abc import Collection, Iterator, Sequence
from html.parser import HTMLParser
from typing import Any

import pytest

from app.admin.design.places import ALL, SECTIONS
from app.core.database import Database
from app.studies.drafts import create_study
from app.studies.file.templates import TEMPLATES
from app.tasks.game.games import GAMES
from app.tasks.registry import BLOCKS
from tests.admin.persons import Person
from tests.browser import every_page
from tests.browser.every_page import HERE
from tests.factories import NOW
from tests.studies.test_labels import all_models, values_of

pytestmark = [pytest.mark.slow, pytest.mark.any_database]

FORMS: Sequence[str] = [f"/design/{name}" for name in (ALL, *(section.slug for section in SECTIONS))]
# Every page of a study that is found by its name alone, and every section of its form.
PAGES: Sequence[str] = [
    *(end for route in every_page.PAGES if (end := route.removeprefix(HERE)) != route and "{" not in end),
    *FORMS,
]
FEW = ("play-and-rate", "hntt-arms")
LABELS = {"label", "legend", "summary", "h1", "h2", "h3", "h4", "th", "dt", "option", "strong", "b", "button"}
VOID = {"br", "hr", "img", "input", "link", "meta", "wbr", "source"}
# Names and addresses as they are typed, in small print or in a text.
AS_TYPED = {"code", "textarea", "script", "style", "svg"}


def forbidden() -> set[str]:
    """Keys and values of the study file as they would stand on a page that had no words for them."""
    found: set[str] = set()
    for model in all_models():
        for name, info in model.model_fields.items():
            bare = name.replace("_", " ").capitalize()
            found |= {name} | ({bare} if "_" in name and bare != info.title else set())
            found |= {value for value in values_of(info) if re.search(r"[-_]", value)}
    return found


class Labels(HTMLParser):
    """The texts of labels, headings and choices of a page, and those that stand in attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in ("aria-label", "label") and value]
        if tag not in VOID:
            self.open.append(tag)
        self._end(tag)

    def handle_endtag(self, tag: str) -> None:
        self._end(tag)
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if LABELS & {*self.open} and not AS_TYPED & {*self.open}:
            self.text += data

    def _end(self, tag: str) -> None:
        if tag in LABELS:
            self.found.append(re.sub(r" \(optional\)$", "", " ".join(self.text.split())))
            self.text = ""


def labels_in(html: str) -> Iterator[str]:
    page = Labels()
    page.feed(html)
    yield from page.found


def keys_in(html: str, keys: Collection[str]) -> set[str]:
    """Keys among the labels of a page, alone or within a text."""
    found: set[str] = set()
    for label in labels_in(html):
        found |= {label, *re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", label)}
    return found & set(keys)


def drafts(*, exhaustive: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """A study of every template, of every game, and of every task."""
    for name, template in TEMPLATES.items():
        if exhaustive or name in FEW:
            yield name, {**template.keys(), "study": name}
    for game in GAMES:
        for way in ({}, {"configs": {"sample": "main"}})[: 2 if exhaustive else 1]:
            slug = f"{game}-{len(str(way))}"
            block = {"id": "play", "task": "game", "game": game, "bonus": {"cap_minor": 300}, **way}
            arm = {"id": "slow", "set": {"blocks.play.matching.at_bound": "paid-exit", "blocks.play.gone": 1}}
            rules = [{"rule": "hidden"}, {"rule": "stalls"}]
            yield (
                slug,
                {"study": slug, "title": "Matches", "blocks": [block], "arms": [arm], "exclude": rules},
            )
    for task in BLOCKS:
        if task != "game":
            yield f"only-{task}", {"study": f"only-{task}", "blocks": [{"id": "one", "task": task}]}


def test_no_label_is_a_key(owner: Person, database: Database, exhaustive: bool) -> None:
    keys_as_labels = forbidden()
    assert {"wait_max_s", "Wait max s", "mpcr", "paid-exit"} <= keys_as_labels
    wrong: set[tuple[str, str]] = set()
    for slug, keys in drafts(exhaustive=exhaustive):
        with database.transaction() as session:
            create_study(session, owner.who, slug, keys, NOW)
        # The sections of a form show what its whole shows.
        pages = PAGES if slug in TEMPLATES else FORMS
        for page in (
            pages if exhaustive or slug == FEW[0] else [each for each in pages if each not in FORMS[1:]]
        ):
            reply = owner.get(f"/admin/studies/{slug}{page}")
            assert reply.status_code in (200, 404, 409), (slug, page)  # a page that does not apply says so
            wrong |= {(page, name) for name in keys_in(reply.text, keys_as_labels)}
    assert wrong == set()
