"""Judges and lists where a study has items, which are no pairs."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.core.database import Database
from app.core.errors import Conflict
from app.judges.study import main_pairs, pairs_to_judge
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.studies.summaries import summaries
from tests.factories import open_study
from tests.sessions.test_blocks import pair_block, rating_block

pytestmark = pytest.mark.any_database

Library = tuple[ClipStore, Sequence[ImportedClip]]
# Of clips of the library: units with one stimulus each.
CLIPS = "item,stimulus,group\na,human-g1,g1\nb,hybrid-g1,g1\n"


@pytest.fixture
def opened(database: Database, library: Library, tmp_path: Path) -> Callable[..., None]:
    def open_with(*blocks: dict[str, Any]) -> None:
        with database.transaction() as session:
            open_study(session, tmp_path, library[1], sample=None, trials=None, blocks=list(blocks))

    return open_with


def test_a_study_of_items_has_nothing_for_judges_of_pairs(
    opened: Callable[..., None], database: Database, library: Library
) -> None:
    opened(rating_block(items=CLIPS))
    with database.reading() as session:
        assert main_pairs(session, "nav") == []
        with pytest.raises(Conflict, match="has no main pairs to judge"):
            pairs_to_judge(session, "nav", library[0])
        assert [one.units for one in summaries(session)] == [{"rating": 2}]


def test_of_a_study_with_both_judges_get_the_pairs(
    opened: Callable[..., None], database: Database, library: Library
) -> None:
    opened(pair_block(), rating_block(items=CLIPS))
    with database.reading() as session:
        assert len(pairs_to_judge(session, "nav", library[0]).pairs) == 10
        assert [one.units for one in summaries(session)] == [{"pair": 11, "rating": 2}]
