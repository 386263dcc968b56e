"""Ratings, classes and yes / no judgements from elsewhere through the database: the same data and numbers come out."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sqlmodel import func, select

from analysis import analyze_judgement_rows, analyze_rating_rows, analyze_ratings, read_ratings
from analysis.data.mapping import read_judgements
from analysis.data.reading import read_rating_rows
from analysis.detection.measures import analyze_judgements
from app.core.database import Database
from app.core.errors import Conflict, StudyError
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.stimuli import add_stimuli
from app.library.tables import Stimulus
from app.reports.export import export
from app.reports.imported import Imported
from app.reports.kinds import Format
from app.reports.mapped import import_mapped
from app.reports.package import build_package
from app.reports.rated import ratings_frame
from app.reports.report import build_report
from app.studies.versions import set_state
from app.trials.responses import Response
from app.trials.tables import ParticipantSession, State, Study, Trial, Unit
from tests.factories import NOW

pytestmark = pytest.mark.any_database

TABLES = (Study, Unit, Stimulus, ParticipantSession, Trial, Response)
RATED = "kind: ratings\nstudy: rated\ncolumns: {item: what, rater: who, criterion: by, score: points, group: of}\n"
# In no order that is the alphabet's; a score that is none, one that is empty, one off the scale and a fraction.
SCORES = [
    {
        "what": f"x | {item}",
        "who": who,
        "by": by,
        "points": str(1 + (item * 7 + len(who) + number) % 5),
        "of": of,
    }
    for item, of in enumerate(["ape", "bot", "ape", "bot", "ape", "bot"])
    for who in ("Zoë", "10", "9")
    for number, by in enumerate(("Wit", "logic", "ease"))
    if (item, who) != (2, "9")
]
SCORES[0]["points"], SCORES[4]["points"], SCORES[8]["points"], SCORES[10]["points"] = (
    "2 point",
    "",
    "17",
    "2.50",
)
JUDGED = (
    "kind: yes-no\nstudy: judged\ncolumns: {participant: who, stimulus: clip, truth: is, answer: said, condition: by}\n"
    "classes: [real, fake]\n"
)
SAID = [
    {
        "who": who,
        "clip": f"c{clip}",
        "is": "" if clip == 7 else ("real" if clip % 2 else "fake"),
        "said": "" if (who, clip) == ("p1", 2) else ("real" if (clip * 5 + person * 3) % 7 > 2 else "fake"),
        "by": "" if clip % 2 else f"g{clip % 4}",
    }
    for person, who in enumerate(("p0", "p1", "p2", "p10"))
    for clip in range(8)
]
# Somebody who was asked about a stimulus once more.
SAID.append({**SAID[0], "said": "real"})

Row = Mapping[str, str]


def written(folder: Path, rows: Sequence[Row], mapping: str) -> tuple[Path, Path]:
    with (folder / "t.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    (folder / "map.yaml").write_text(mapping, encoding="utf-8")
    return folder / "t.csv", folder / "map.yaml"


def imported(database: Database, folder: Path, rows: Sequence[Row], mapping: str) -> list[Imported]:
    with database.transaction() as session:
        return import_mapped(session, *written(folder, rows, mapping), NOW)


def exported(database: Database, slug: str, folder: Path) -> list[dict[str, str]]:
    path = folder / f"{slug}.csv"
    with database.reading() as session:
        export(session, slug, "ratings", Format.CSV, path)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def without_rows(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Without what a study says of each criterion and a mapping of all, and without numbers of rows."""
    odd = sorted(
        tuple(each[name] for name in ("item", "rater", "criterion", "why")) for each in numbers["odd"]
    )
    settings = {name: value for name, value in numbers["settings"].items() if name != "scale"}
    return {**numbers, "settings": settings, "odd": odd}


def test_matches_of_a_file_are_the_groups_of_its_study(database: Database, tmp_path: Path) -> None:
    rows = [
        {
            "what": f"{group}-{game}",
            "who": who,
            "by": "logic",
            "points": str(1 + place),
            "of": group,
            "game": game,
        }
        for game, both in {"g1": (3, 1), "g2": (4, 2), "g3": (2, 3)}.items()
        for group, place in zip(("persona", "plain"), both, strict=True)
        for who in ("ann", "bob")
    ]
    mapping = RATED.replace("group: of", "group: of, match: game")
    assert imported(database, tmp_path, rows, mapping) == [Imported("rated", 2, len(rows))]
    direct = analyze_ratings(read_ratings(tmp_path / "t.csv", tmp_path / "map.yaml"), resamples=40)
    with database.reading() as session:
        (block,) = analyze_rating_rows([ratings_frame(session, "rated")], resamples=40)
    assert (block.grouped_by, block.matched_by) == ("condition", "group")
    [one] = block.analysis.matched_groups
    assert (one.first, one.second, one.test.n) == ("persona", "plain", 3)
    assert without_rows(block.analysis.to_dict()) == without_rows(direct.to_dict())


@pytest.mark.slow
def test_ratings_that_come_out_are_those_of_the_file_and_so_are_the_numbers(
    database: Database, tmp_path: Path, exhaustive: bool
) -> None:
    mappings = {
        "plain": "",
        "kept": "scale: [1, 5]\n",
        "dropped": "scale: [1, 5]\nout_of_range: drop\nlevel: interval\n",
        "classes": "level: nominal\n",
        "numbered": "level: nominal\nscale: [1, 5]\n",
    }
    for name in mappings if exhaustive else ("dropped", "numbered"):
        more = mappings[name]
        mapping = RATED.replace("rated", name) + more
        assert imported(database, tmp_path, SCORES, mapping) == [Imported(name, 3, len(SCORES))]
        direct = analyze_ratings(read_ratings(tmp_path / "t.csv", tmp_path / "map.yaml"), resamples=40)
        assert [one.criterion for one in direct.criteria] == ["Wit", "logic", "ease"], "the order of the file"
        rows = exported(database, name, tmp_path)
        with database.reading() as session:
            stored = ratings_frame(session, name)
        pd.testing.assert_frame_equal(read_rating_rows(tmp_path / f"{name}.csv"), stored)
        (block,) = analyze_rating_rows([stored], resamples=40)
        assert without_rows(block.analysis.to_dict()) == without_rows(direct.to_dict()), name
        kept = {
            (row["item"], row["participant"], row["question"], row["group"]): row["text"] or row["value"]
            for row in rows
        }
        for row in SCORES:
            score = kept.pop((row["what"], row["who"], row["by"], row["of"]))
            is_number = row["points"].replace(".", "").isdigit() and "nominal" not in more
            assert score == row["points"] or (is_number and float(score) == float(row["points"])), (name, row)
        assert not kept


@pytest.mark.slow
def test_judgements_that_come_out_are_those_of_the_file_and_so_are_the_numbers(
    database: Database, tmp_path: Path
) -> None:
    assert imported(database, tmp_path, SAID, JUDGED) == [Imported("judged", 4, len(SAID))]
    direct = analyze_judgements(read_judgements(tmp_path / "t.csv", tmp_path / "map.yaml"), resamples=40)
    rows = exported(database, "judged", tmp_path)
    with database.reading() as session:
        stored = ratings_frame(session, "judged")
    for table in (stored, read_rating_rows(tmp_path / "judged.csv")):
        assert analyze_rating_rows([table], resamples=0) == ()
        (block,) = analyze_judgement_rows([table], resamples=40)
        assert block.analysis.to_dict() == direct.to_dict()
    names = {"who": "participant", "clip": "item", "is": "truth", "said": "text", "by": "condition"}
    assert sorted(tuple(row[ours] for ours in names.values()) for row in rows) == sorted(
        tuple(row[theirs] for theirs in names) for row in SAID
    )
    assert {row["options"] for row in rows} == {'["real", "fake"]'}


@pytest.mark.slow
def test_such_a_study_is_reported_packed_and_stays_closed(database: Database, tmp_path: Path) -> None:
    imported(database, tmp_path, SAID, JUDGED)
    imported(database, tmp_path, SCORES, RATED + "level: nominal\n")
    for slug, counted in (("judged", len(SAID)), ("rated", 17)):
        with database.reading() as session:
            report = build_report(session, slug, tmp_path / slug)
            packed = build_package(session, slug, tmp_path / f"{slug}.zip", made_at=NOW, study_files={})
        assert (report.n_answers, report.ratings) == (counted, ("report.html",))
        assert "data/study-judged_description-ratings_data.csv".replace("judged", slug) in packed.files
    page = (tmp_path / "judged" / "report.html").read_text(encoding="utf-8")
    assert "sensitivity d&#39;" in page
    with database.transaction() as session, pytest.raises(Conflict, match="has no clips to show"):
        set_state(session, "judged", State.LIVE)


def test_an_item_of_the_library_is_that_stimulus(
    database: Database, library: tuple[ClipStore, Sequence[ImportedClip]], tmp_path: Path
) -> None:
    clip = library[1][0]
    with database.transaction() as session:
        add_stimuli(session, library[1], NOW)
    rows = [{**SAID[0], "clip": clip.name, "is": "fake"}, {**SAID[1], "clip": "elsewhere"}]
    imported(database, tmp_path, rows, JUDGED)
    found = exported(database, "judged", tmp_path)
    assert [(row["item"], row["stimulus"], row["source"], row["truth"]) for row in found] == [
        (clip.name, clip.name, clip.source, "fake"),
        ("elsewhere", "judged-elsewhere", "real", "real"),
    ]


def test_what_cannot_be_stored_is_refused_in_one_line_and_nothing_is_kept(
    database: Database, tmp_path: Path
) -> None:
    cases = [
        (SCORES, RATED.replace("study: rated", "study: My Data!"), "write `study: my-data` into the mapping"),
        (
            [SAID[0], {**SAID[8], "by": "other"}],
            JUDGED,
            "stimulus 'c0' has 'g0' and 'other' as its condition",
        ),
        ([SAID[0], {**SAID[8], "is": ""}], JUDGED, "stimulus 'c0' has 'fake' and '' as its truth"),
    ]
    for rows, mapping, said in cases:
        with pytest.raises(StudyError) as caught:
            imported(database, tmp_path, rows, mapping)
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)
    (tmp_path / "t.jsonl").write_text(json.dumps({**SCORES[0], "who": "a\0b"}))
    with database.transaction() as session, pytest.raises(StudyError, match="hold a zero byte; take it out"):
        import_mapped(session, tmp_path / "t.jsonl", written(tmp_path, SCORES, RATED)[1], NOW)
    with database.reading() as session:
        assert [session.exec(select(func.count()).select_from(table)).one() for table in TABLES] == [0] * 6
    imported(database, tmp_path, SCORES, RATED)
    with pytest.raises(Conflict, match="study 'rated' is there already; nothing was imported"):
        imported(database, tmp_path, SCORES, RATED)
