"""Words in the search box of the library, as SQL on both databases."""

import pytest
from sqlmodel import select

from app.accounts.logins import Who
from app.accounts.tables import Role
from app.catalog.catalog import catalog
from app.catalog.search import CatalogFilter, counts, found_ids, values
from app.core.database import Database
from app.library.tables import Stimulus
from tests.studies.clips import Clip, add_clips

OWNER = Who(0, "owner@example.org", Role.OWNER)
ODD: list[Clip] = [
    ("walk-2", "human", {"goal": "g1", "note": "100% sure"}),
    ("walk-10", "human", {"goal": "g10", "note": "it's \\ a_b"}),
    ("run_1", "hybrid", {"goal": "g1", 'say "x"': "Ärger ÜBER Öl"}),
    ("run-2", "hybrid", {"Goal": "G2", "note": "日本語"}),
    ("jump", "symbolic", {}),
]


@pytest.fixture
def odd(database: Database) -> Database:
    with database.transaction() as session:
        add_clips(session, ODD)
    return database


def names(database: Database, text: str = "", **more: object) -> list[str]:
    with database.reading() as session:
        found = catalog(session, OWNER, CatalogFilter(text, **more))  # type: ignore[arg-type]
    return [each.name for each in found.stimuli]


@pytest.mark.both_databases
def test_words_are_found_in_names_sources_and_attributes_whatever_characters_they_have(odd: Database) -> None:
    for text, expected in {
        "walk": ["walk-2", "walk-10"],
        "WALK g1": ["walk-2", "walk-10"],
        "hybrid": ["run-2", "run_1"],
        "goal=g1": ["run_1", "walk-2"],
        "GOAL=g2": ["run-2"],
        "goal=": ["run-2", "run_1", "walk-2", "walk-10"],
        "%": ["walk-2"],
        "_": ["run_1", "walk-10"],
        "'": ["walk-10"],
        "\\": ["walk-10"],
        "ärger über": ["run_1"],
        "ÖL": ["run_1"],
        "本": ["run-2"],
        '"': [],
        "=": [],
        "walk run": [],
        "\x00": [],
        "\ud800": [],
        "' OR 1=1 --": [],
        "x" * 5000: [],
    }.items():
        assert names(odd, text) == expected, text
    assert names(odd, attributes={'say "x"': "Ärger ÜBER Öl"}) == ["run_1"]
    assert names(odd, attributes={"note": "100% sure"}, source="human") == ["walk-2"]
    assert names(odd, attributes={"\x00": "\x00"}) == []
    assert names(odd, sort='say "x"')[-1] == "run_1"
    assert len(names(odd, sort="\x00")) == 5


@pytest.mark.both_databases
def test_each_choice_says_how_many_it_would_leave(odd: Database) -> None:
    with odd.reading() as session:
        some = counts(session, OWNER, CatalogFilter("goal=g1", source="human"))
        assert (some.n_all, some.sources, some.kinds) == (
            5,
            {"human": 1, "hybrid": 1, "symbolic": 0},
            {"clip": 1},
        )
        assert values(session, OWNER)["note"] == ["100% sure", "it's \\ a_b", "日本語"]
        assert len(found_ids(session, OWNER, CatalogFilter())) == 5


def test_a_word_too_many_is_left_out_and_the_rest_is_found(odd: Database) -> None:
    assert names(odd, "walk " * 12 + "nowhere") == ["walk-2", "walk-10"]


def test_a_clip_without_anything_to_show_is_not_counted(odd: Database) -> None:
    with odd.transaction() as session:
        session.exec(select(Stimulus).where(Stimulus.name == "jump")).one().clip_sha256 = None
    with odd.reading() as session:
        assert counts(session, OWNER, CatalogFilter()).sources == {"human": 2, "hybrid": 2}
