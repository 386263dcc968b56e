"""Positions without clips: three shapes of them come to the same signatures and verdicts, and faults are named."""

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.judges import run_
from app.cli.moving import signatures
from app.core.errors import StudyError
from app.judges.located import are_positions, located, pairs_of
from app.judges.training import Wish
from app.judges.training_data import of_folder
from tests.judges.files import circling, later, straight, wavy, write_positions

pytestmark = pytest.mark.any_database

WALKS = {"human": wavy, "hybrid": circling, "symbolic": straight}
Shape = Callable[[Path], Path]


def as_folder(at: Path) -> Path:
    """`SOURCE/PLAYER/NAME.csv`."""
    for source, walk in WALKS.items():
        for number in range(4):
            path = at / source / f"p{number % 2}" / f"{number}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            write_positions(path, later(walk, 0.37 * number), seconds=6)
    return at


def as_manifest(at: Path) -> Path:
    """A manifest that names no video."""
    folder, lines = as_folder(at / "raw"), ["name,source,player,positions"]
    for path in sorted(folder.rglob("*.csv")):
        source, player = path.relative_to(folder).parts[:2]
        lines.append(f"{source}-{player}-{path.stem},{source},{player},{path.relative_to(at)}")
    (at / "manifest.csv").write_text("\n".join(lines))
    return at


def as_table(at: Path) -> Path:
    """One table, the rows of all paths mixed by time."""
    folder, rows = as_folder(at / "raw"), []
    for path in folder.rglob("*.csv"):
        source, player = path.relative_to(folder).parts[:2]
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                named = {"name": f"{source}-{player}-{path.stem}", "source": source, "player": player}
                rows.append({**named, **row})
    rows.sort(key=lambda row: float(row["t_s"]))
    with (at / "walks.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return at / "walks.csv"


SHAPES: dict[str, Shape] = {"folder": as_folder, "manifest": as_manifest, "table": as_table}


@pytest.mark.slow
def test_every_shape_gives_the_same_signatures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = {}
    for name, shape in SHAPES.items():
        (tmp_path / name).mkdir()
        target = shape(tmp_path / name)
        assert are_positions(target)
        signatures([str(target)], as_json=True, resamples=0)
        found[name] = json.loads(capsys.readouterr().out)
    assert found["folder"] == found["manifest"] == found["table"]
    sources = found["table"]["sources"]
    assert [(one["source"], one["n_players"], one["n_clips"]) for one in sources] == [
        ("human", 2, 4),
        ("hybrid", 2, 4),
        ("symbolic", 2, 4),
    ]


def test_each_logging_has_a_scale_of_its_own_and_it_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """People logged in centimetres move as people logged in metres do, once each is held against its own full speed."""
    folder, lines = as_folder(tmp_path / "raw"), ["name,source,player,logged_by,positions"]
    for path in sorted(folder.rglob("*.csv")):
        source, player = path.relative_to(folder).parts[:2]
        if source == "human":
            lines.append(f"h-{player}-{path.stem},human,{player},metres,{path.relative_to(tmp_path)}")
            with path.open(newline="") as file:
                rows = list(csv.DictReader(file))
            scaled = [
                {key: float(cell) * 100 if key in ("x_m", "y_m") else cell for key, cell in row.items()}
                for row in rows
            ]
            other = path.with_name(f"cm-{path.name}")
            with other.open("w", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(scaled)
            lines.append(f"a-{player}-{path.stem},copy,{player},centimetres,{other.relative_to(tmp_path)}")
    manifest = tmp_path / "manifest.csv"
    manifest.write_text("\n".join(lines))

    def speed() -> float:
        signatures([str(tmp_path)], as_json=True, resamples=0)
        found = json.loads(capsys.readouterr().out)
        [one] = [each for each in found["signatures"] if each["signature"] == "speed"]
        scales = found["scales"]
        if len(scales) == 2:
            ratio = scales["centimetres"]["full_m_per_s"] / scales["metres"]["full_m_per_s"]
            assert ratio == pytest.approx(100)
            assert "centimetres, metres logged one source alone" in found["notes"][-1]
        return float(one["distances"][0]["distance"])

    own = speed()
    signatures([str(tmp_path)], resamples=0)
    assert "by 'centimetres'" in capsys.readouterr().out
    manifest.write_text(manifest.read_text().replace("centimetres", "one").replace("metres", "one"))
    together = speed()
    assert own < 0.05 < together


def test_a_path_without_headings_is_left_out_of_what_needs_them_and_shared_matches_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = as_manifest(tmp_path) / "manifest.csv"
    bare = tmp_path / "raw" / "human" / "p0" / "0.csv"
    with bare.open(newline="") as file:
        rows = [[cell for key, cell in row.items() if key != "heading_rad"] for row in csv.DictReader(file)]
    with bare.open("w", newline="") as file:
        csv.writer(file).writerows([["t_s", "x_m", "y_m", "z_m"], *rows])
    head, *lines = manifest.read_text().splitlines()
    # One match for each number: people, agents and all others of that number were there together.
    shared = [f"{line},m{line.split(',')[0][-1]}" for line in lines]
    manifest.write_text("\n".join([f"{head},match", *shared]))
    signatures([str(tmp_path)], resamples=0)
    said = " ".join(capsys.readouterr().out.split())
    assert "Computed from 3 of 4 clips of human: positions have no heading_rad in the others." in said
    assert "In 4 of 4 matches of human there were others, too (hybrid, symbolic), where the protocol" in said


def test_judges_that_never_look_judge_pairs_of_positions(tmp_path: Path) -> None:
    table, pairs = as_table(tmp_path), tmp_path / "pairs.csv"
    pairs.write_text("pair,a,b\none,human-p0-0,symbolic-p0-0\ntwo,symbolic-p1-1,human-p1-1\n")
    run_("straightness", str(table), tmp_path / "verdicts.csv", listed=pairs)
    with (tmp_path / "verdicts.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["pair"], row["choice"], row["study"]) for row in rows] == [
        ("one", "a", "walks"),
        ("two", "b", "walks"),
    ]
    refused = {
        "motion does not judge by positions alone": ("motion", table, pairs.read_text(), None),
        "is not there; give a folder or a table": ("fidget", tmp_path / "none", pairs.read_text(), None),
        "row 2, column b, value 'x': is the name of no path": (
            "fidget",
            table,
            "pair,a,b\none,human-p0-0,x\n",
            None,
        ),
        "row 3, column pair, value 'one': names no pair, or one twice": (
            "fidget",
            table,
            "pair,a,b\none,human-p0-0,human-p0-2\none,human-p0-0,human-p0-2\n",
            None,
        ),
        "names no pair": ("fidget", table, "pair,a,b\n", None),
        "leave out --version": ("fidget", table, pairs.read_text(), 1),
    }
    for why, (judge, target, listed, version) in refused.items():
        pairs.write_text(listed)
        with pytest.raises(StudyError) as refusal:
            run_(judge, str(target), tmp_path / "no.csv", version, listed=pairs)
        assert why in str(refusal.value)
        assert not (tmp_path / "no.csv").exists()


def test_judges_that_never_look_are_trained_on_positions_and_know_them_again(tmp_path: Path) -> None:
    folder = as_folder(tmp_path / "walks")
    wish = Wish("turn-speed-ff", 1, (), search=False, licence="", epochs=None)
    found = of_folder(folder, "human", wish.wanted, lambda done, total, name: None)
    assert [(one.source, one.is_human, one.maker) for one in found.examples[:5]] == [
        *[("human", True, "p0")] * 2,
        *[("human", True, "p1")] * 2,
        ("hybrid", False, "p0"),
    ]
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("pair,a,b\none,human-p0-0,symbolic-p0-0\n")
    with located(folder) as paths:
        [pair] = pairs_of(paths, pairs, "walks")
    assert pair.hashes_a <= found.examples[0].files
    without_heights(folder)
    bare = of_folder(folder, "human", wish.wanted, lambda done, total, name: None)
    assert [list(one.path.x_m) for one in bare.examples] == [list(one.path.x_m) for one in found.examples]
    places = replace(wish.wanted, settings=replace(wish.wanted.settings, reads="positions"))
    with pytest.raises(StudyError, match="the column 'z_m' is missing"):
        of_folder(folder, "human", places, lambda done, total, name: None)
    looks = replace(wish.wanted, settings=replace(wish.wanted.settings, reads="frames"))
    with pytest.raises(StudyError, match="positions without clips, and this judge looks at clips"):
        of_folder(folder, "human", looks, lambda done, total, name: None)


def without_heights(folder: Path) -> None:
    """Positions as most games and trackers write them: in the plane."""
    for file in folder.rglob("*.csv"):
        rows = [line.split(",") for line in file.read_text().splitlines()]
        at = rows[0].index("z_m")
        file.write_text("\n".join(",".join(row[:at] + row[at + 1 :]) for row in rows) + "\n")


HEAD = "name,source,player,t_s,x_m,y_m\n"
TABLES = {
    "row 3, column player, value 'q': differs within w, which has 'p' in row 2": "w,s,p,0,0,0\nw,s,q,1,0,0\n",
    "row 2, column source: is empty": "w,,p,0,0,0\n",
    "holds no positions": "",
}


def test_what_cannot_be_placed_is_refused_with_where_it_stands(tmp_path: Path) -> None:
    for why, rows in TABLES.items():
        path = tmp_path / "walks.csv"
        path.write_text(HEAD + rows)
        with pytest.raises(StudyError) as refusal, located(path):
            pass
        assert why in str(refusal.value)
    path.unlink()
    write_positions(tmp_path / "alone.csv", wavy, seconds=2)
    with pytest.raises(StudyError, match=r"alone\.csv: stands in no folder of a source"), located(tmp_path):
        pass
    (tmp_path / "manifest.csv").write_text("name,source,positions\nw,human,gone.csv\n")
    with (
        pytest.raises(StudyError, match=r"row 2, column positions, value 'gone\.csv': is no file here"),
        located(tmp_path),
    ):
        pass
    (tmp_path / "manifest.csv").write_text("name,source,positions\nw,human,alone.csv\nw,agent,alone.csv\n")
    with pytest.raises(StudyError, match="two paths are called w"), located(tmp_path):
        pass
