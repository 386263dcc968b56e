"""Over every page of a small lab, by its HTML: one solid button at most, and no number without what it counts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import cycle, islice
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.accounts.logins import Who
from app.accounts.users import user_named
from app.core.database import Database
from app.core.migrating import open_database
from app.main import create_app
from app.studies.versions import set_state
from app.trials.tables import State
from tests.admin.persons import Person, make_login
from tests.admin.test_labels import VOID
from tests.browser.every_page import HERE
from tests.browser.every_page import PAGES as ADDRESSES
from tests.browser.whole_lab import OWNER, settings_in
from tools.lab import main, make_lab
from tools.lab_plan import planned

pytestmark = pytest.mark.slow

N_STUDIES, N_CLIPS, N_SESSIONS = 6, 30, 3
STUDIES = planned(N_STUDIES, N_SESSIONS, 1)
# The states that a lab of this size has not, of studies that are closed there.
STATES = {STUDIES[3].slug: State.PILOT, STUDIES[4].slug: State.PAUSED}
# What is not seen while the page is read: it is opened, or shown by a script, in its own view.
UNSEEN = {"dialog", "template", "noscript"}


@dataclass
class Main(HTMLParser):
    """The solid buttons that are seen in the main part of a page, by their words."""

    buttons: list[str] = field(default_factory=list)
    open: list[tuple[str, str, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        classes = (given.get("class") or "").split()
        folded = any(of == "details-closed" for of, _, _ in self.open) and tag != "summary"
        hidden = "hidden" in given or tag in UNSEEN or folded or any(unseen for _, _, unseen in self.open)
        within = {name for _, name, _ in self.open}
        if (
            "btn" in classes
            and "main" in within
            and not hidden
            and ("primary" in classes or "next" in within)
        ):
            self.buttons.append(given.get("href") or given.get("value") or tag)
        if tag not in VOID:
            is_folded = tag == "details" and "open" not in given
            name = "main" if tag == "main" else "next" if "next" in classes else tag
            self.open.append(("details-closed" if is_folded else tag, name, hidden))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0].removesuffix("-closed") != tag:
            pass


def solid_in(html: str) -> Sequence[str]:
    """The addresses or values of the solid buttons that are seen in the main part of a page."""
    page = Main()
    page.feed(html)
    return page.buttons


def bare_numbers_in(html: str) -> Sequence[str]:
    """Texts that end with a number in brackets, and counts beside a word, that do not say what they count."""
    in_brackets = re.findall(r">([^<>]*[^\s<>(][^<>(]*\([\d,]+\))\s*<", html)
    return [*in_brackets, *re.findall(r'class="count">([\d,]+)</span>', html)]


@pytest.fixture(scope="module")
def owner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    folder = tmp_path_factory.mktemp("lab") / "data"
    make_lab(folder, N_STUDIES, N_CLIPS, N_SESSIONS, with_others=False)
    settings = settings_in(folder)
    database: Database = open_database(settings)
    with database.transaction() as session:
        found = user_named(session, OWNER)
        who = Who(found.id, found.email, found.role)
        for slug, state in STATES.items():
            set_state(session, slug, state, by=who.actor, now=found.created_at)
        cookie = make_login(session, who)
    with TestClient(create_app(settings, database)) as client:
        yield Person(client, cookie, who)
    database.close()


def addresses(n_studies: int) -> Iterator[str]:
    """Pages of the service, and those that are found by the name of a study alone: each of so many studies, in turn."""
    turns = cycle(study.slug for study in STUDIES)
    of_pairs = [f"{HERE}/pairs{end}" for end in ("", "/csv", "/draw", "/pick")]
    for route, ways in {**ADDRESSES, **{each: (each,) for each in of_pairs}}.items():
        if route.startswith("/admin") and route != "/admin/login" and "{" not in route.removeprefix(HERE):
            slugs = [*islice(turns, n_studies)]
            ends = {way.replace("{slug}", slug) for way in ways for slug in slugs}
            yield from sorted(end for end in ends if "{" not in end)


def test_a_page_has_one_solid_button_at_most_and_says_what_it_counts(owner: Person, exhaustive: bool) -> None:
    n_studies = N_STUDIES if exhaustive else 2
    faults: list[str] = []
    n = 0
    for address in dict.fromkeys(addresses(n_studies)):
        reply = owner.get(address)
        if reply.status_code == 200:
            n += 1
            solid = solid_in(reply.text)
            faults += [f"{address} has {len(solid)} solid buttons: {solid}"] if len(solid) > 1 else []
            faults += [
                f"{address} does not say what is counted: {each}" for each in bare_numbers_in(reply.text)
            ]
    assert faults == []
    assert n > 12 * n_studies


def test_the_pages_of_a_study_lead_with_what_its_state_asks_for(owner: Person) -> None:
    """A closed study leads to its results, a draft to its pilot, all others to taking people in again."""
    found = {study.slug: solid_in(owner.get(f"/admin/studies/{study.slug}/launch").text) for study in STUDIES}
    closed = STUDIES[2].slug
    assert found[closed] == [f"/admin/studies/{closed}/results"]
    assert all(len(buttons) <= 1 for buttons in found.values())


def test_what_results_and_the_monitor_offer_is_counted_in_words(owner: Person) -> None:
    live = STUDIES[0].slug
    results = owner.get(f"/admin/studies/{live}/results").text
    assert re.search(r">Live, \d+ answers</a>", results)
    assert ">Pilot, 0 answers</a>" in results
    assert f"live, {N_SESSIONS} sessions</option>" in owner.get(f"/admin/studies/{live}/monitor").text


def test_the_sieve_finds_what_it_is_for() -> None:
    solid = '<a class="btn primary" href="/a">A</a>'
    html = f"<main>{solid}<details><summary>More</summary>{solid}</details><dialog>{solid}</dialog>"
    assert solid_in(html + '<section class="next"><a class="btn" href="/b">B</a></section></main>') == [
        "/a",
        "/b",
    ]
    assert solid_in(f"<details open>{solid}</details>") == []
    assert bare_numbers_in('<a>Live (30)</a><b class="count">7</b><i>30 clips (2 long)</i>') == ["Live (30)"]
    assert bare_numbers_in('<span class="count">7</span>') == ["7"]


def test_a_lab_of_too_few_clips_is_refused_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--folder", str(tmp_path), "--studies", "1", "--clips", "12"]) == 1
    assert (
        capsys.readouterr().err == "lab: 12 clips are too few for pairs in each of 6 topics; 30 are enough\n"
    )
