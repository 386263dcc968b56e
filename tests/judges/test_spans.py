"""Judges of positions read what was shown: positions are cut as the clip was."""

from pathlib import Path

import pytest
from sqlmodel import Session, col, select

from app.catalog.rules import set_rules
from app.core.database import Database
from app.judges.runner import Span
from app.judges.spans import as_shown, cut_positions
from app.judges.study import pairs_to_judge
from app.library.clips.imported import ImportedClip
from app.library.clips.rules import Rules
from app.library.clips.store import ClipStore
from app.library.tables import Stimulus
from app.trials.tables import UnitMember
from tests.factories import NOW
from tests.judges.files import wavy, write_positions

pytestmark = pytest.mark.any_database

Library = tuple[ClipStore, list[ImportedClip]]


def times_of(path: Path | None) -> list[str]:
    assert path is not None
    return [line.split(",")[0] for line in path.read_text().splitlines()[1:]]


def test_rows_outside_the_span_are_cut_off_and_times_begin_with_the_clip(tmp_path: Path) -> None:
    whole = write_positions(tmp_path / "whole.csv", wavy, hz=10, seconds=2)
    cut = cut_positions(whole, Span(0.5, 1.0), tmp_path)
    lines = whole.read_text().splitlines()
    assert times_of(cut) == [f"{n / 10:.6f}" for n in range(10)]
    assert [line.split(",", 1)[1] for line in cut.read_text().splitlines()[1:]] == [
        line.split(",", 1)[1] for line in lines[6:16]
    ]
    assert cut_positions(whole, Span(0.0, 3.0), tmp_path) == whole
    for text in ("", "x,y\n1,2\n", "t_s,x_m\n0,1\nsoon,2\n", "t_s,x_m\n0,1\n\n1\n"):
        odd = tmp_path / "odd.csv"
        odd.write_text(text)
        assert cut_positions(odd, Span(0.0, 3.0), tmp_path) == odd  # its reader says what is wrong


def trim(stimulus: Stimulus, start_s: float, end_s: float, duration_s: float) -> None:
    stimulus.rules = {**stimulus.rules, "trim_start_s": start_s, "trim_end_s": end_s}
    stimulus.duration_s = duration_s


def test_a_judge_sees_the_positions_of_what_the_versions_clip_shows(
    database: Database, study: str, library: Library, tmp_path: Path
) -> None:
    """The clip is cut by 0.4 s and 0.6 s; later it is processed anew, without any cut, for other versions."""
    store = library[0]
    kept = store.keep_positions(write_positions(tmp_path / "whole.csv", wavy, hz=10, seconds=2))

    def shown(session: Session) -> list[str] | None:
        found = pairs_to_judge(session, study, store)
        names = {stimulus.clip_sha256: stimulus.name for stimulus in session.exec(select(Stimulus))}
        assert names
        with as_shown(found.pairs) as pairs:
            files = next(pair.a for pair in pairs if pair.a.clip == store.clip_path(clip))
            return times_of(files.positions) if files.positions else None

    with database.transaction() as session:
        stimulus = session.exec(select(Stimulus).where(Stimulus.name == "human-g1")).one()
        clip = stimulus.clip_sha256 or ""
        stimulus.positions_sha256 = kept.sha256
        trim(stimulus, 0.4, 0.6, 1.0)
        session.add(stimulus)
        for member in session.exec(select(UnitMember).where(col(UnitMember.sha256) == clip)):
            member.duration_s = 1.0
            session.add(member)
        session.flush()
        expected = [f"{n / 10:.6f}" for n in range(10)]
        assert shown(session) == expected

        trim(stimulus, 0.0, 0.0, 2.0)
        stimulus.clip_sha256 = "0" * 64
        session.add(stimulus)
        session.flush()
        assert shown(session) is None  # no rules that were ever in force leave 1 s of 2 s

        for rules in (Rules(trim_start_s=0.4, trim_end_s=0.6), Rules(trim_start_s=0.0)):
            set_rules(session, None, rules, NOW)
        session.flush()
        assert shown(session) is None  # in force when the version was saved: no cut


def test_rules_of_the_past_say_what_the_clip_of_an_old_version_shows(
    database: Database, study: str, library: Library, tmp_path: Path
) -> None:
    store = library[0]
    kept = store.keep_positions(write_positions(tmp_path / "whole.csv", wavy, hz=10, seconds=2))
    with database.transaction() as session:
        set_rules(session, None, Rules(trim_start_s=0.4, trim_end_s=0.6), NOW)
        stimulus = session.exec(select(Stimulus).where(Stimulus.name == "human-g1")).one()
        clip, stimulus.clip_sha256 = stimulus.clip_sha256 or "", "0" * 64
        stimulus.positions_sha256 = kept.sha256
        trim(stimulus, 0.0, 0.0, 2.0)
        session.add(stimulus)
        for member in session.exec(select(UnitMember).where(col(UnitMember.sha256) == clip)):
            member.duration_s = 1.0
            session.add(member)
        session.flush()
        found = pairs_to_judge(session, study, store)
        with as_shown(found.pairs) as pairs:
            files = next(pair.a for pair in pairs if pair.a.clip == store.clip_path(clip))
            assert times_of(files.positions) == [f"{n / 10:.6f}" for n in range(10)]
