"""`judge train`, `run`, `card` and `list` of judges that learn: from a folder and from a study."""

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path as File

import numpy as np
import pytest
from sqlmodel import select
from starlette.testclient import TestClient

from analysis.errors import AnalysisError
from analysis.learning import catalogue, cross_fitting
from analysis.learning.paths import Path
from app.cli.console import opened
from app.cli.judges import card_, list_, run_, train_
from app.cli.judging import validate
from app.core import dependencies
from app.core.database import Database
from app.core.errors import StudyError
from app.judges.base import JudgeUnavailable, PairFiles, StimulusFiles
from app.judges.frozen import FrozenFeatures
from app.judges.study import pairs_to_judge
from app.judges.trained import TrainedJudge, load_model
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.tables import Stimulus
from app.main import create_app
from tests.analysis.learning.walked import HZ, SECONDS, stepping, weaving
from tests.clock import Clock
from tests.factories import make_small_video, open_study
from tests.judges.onnx_bytes import mean_colours
from tests.sessions.walks import Walk

pytestmark = [pytest.mark.slow, pytest.mark.videos]

pytest.importorskip("jax", reason="the extra `train` is not installed")

Library = tuple[ClipStore, Sequence[ImportedClip]]


@pytest.fixture(scope="module", autouse=True)
def quick() -> Iterator[None]:
    """Fewer epochs than published: what is tested is the way, not the numbers."""
    known = catalogue.NETWORKS["turn-speed-ff"]
    settings = replace(known.settings, epochs=6, batch=64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(catalogue.NETWORKS, "turn-speed-ff", replace(known, settings=settings))
        yield


def write(file: File, path: Path, seconds: float) -> File:
    n = round(seconds * HZ)
    goal = np.full(len(path.t_s), 50.0)
    columns = (path.t_s, path.x_m, path.y_m, path.z_m, path.heading_rad, goal, goal)
    lines = [",".join(f"{value:.6f}" for value in row) for row in list(zip(*columns, strict=True))[:n]]  # type: ignore[arg-type]
    file.write_text("\n".join(["t_s,x_m,y_m,z_m,heading_rad,goal_x_m,goal_y_m", *lines]) + "\n")
    return file


def made(source: str, rng: np.random.Generator) -> Path:
    return weaving(rng) if source == "human" else stepping(rng)


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> File:
    """A folder as `python -m stimuli` writes it; its videos show nothing, but last as long as the walks."""
    folder, rng = tmp_path_factory.mktemp("walked") / "clips", np.random.default_rng(4)
    folder.mkdir()
    make_small_video(folder / "first.mp4", seed=1, seconds=SECONDS)
    lines = ["file,name,source,goal,player,simulated,positions"]
    for goal in range(6):
        for source in ("human", "agent"):
            name = f"{source}-{goal}"
            shutil.copy(folder / "first.mp4", folder / f"{name}.mp4")
            write(folder / f"{name}.csv", made(source, rng), SECONDS)
            lines.append(f"{name}.mp4,{name},{source},goal {goal},{source} one,yes,{name}.csv")
    (folder / "manifest.csv").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture(scope="module")
def of_clips(clips: File, tmp_path_factory: pytest.TempPathFactory) -> File:
    """A judge of the folder's clips."""
    model = tmp_path_factory.mktemp("of_clips") / "model"
    train_("turn-speed-ff", str(clips), model)
    return model


@contextmanager
def as_data(folder: File) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIKELY_HUMAN_DATA", str(folder))
        patch.delenv("DATABASE_URL", raising=False)
        yield


@pytest.fixture(scope="module")
def opened_folder(tmp_path_factory: pytest.TempPathFactory, library: Library, migrated_sqlite: File) -> File:
    """A data folder with an open study, `nav`, whose clips have positions."""
    folder, rng = tmp_path_factory.mktemp("opened"), np.random.default_rng(5)
    data = folder / "data"
    data.mkdir()
    shutil.copy(migrated_sqlite, data / "likely-human.sqlite3")
    (data / "clips").symlink_to(library[0].root / "clips")
    with as_data(data), opened() as (settings, database), database.transaction() as session:
        open_study(session, folder, library[1])
        store = ClipStore(settings.data_dir)
        for stimulus in session.exec(select(Stimulus)).all():
            file = write(
                folder / f"{stimulus.name}.csv", made(stimulus.source, rng), stimulus.duration_s or SECONDS
            )
            stimulus.positions_sha256 = store.keep_positions(file).sha256
            session.add(stimulus)
    return data


@pytest.fixture(scope="module")
def voted_folder(opened_folder: File, tmp_path_factory: pytest.TempPathFactory) -> File:
    """The same with the votes of four people."""
    data = copied(opened_folder, tmp_path_factory.mktemp("voted") / "data")
    with as_data(data), opened() as (settings, database), pytest.MonkeyPatch.context() as patch:
        patch.setattr(dependencies, "datetime", Clock)
        with TestClient(create_app(settings, Database(database.url))) as client:
            for number in range(4):
                walk, choice = Walk(client), ("left", "right")[number % 2]
                while not walk.page.startswith("end"):
                    walk.answer(**({"choice": choice} if "trial" in walk.page else {}))
    return data


def copied(data: File, to: File) -> File:
    shutil.copytree(data, to, symlinks=True)
    return to


@pytest.fixture
def nav(opened_folder: File, tmp_path: File) -> Iterator[str]:
    """An open study in a data folder of its own; its clips have positions."""
    with as_data(copied(opened_folder, tmp_path / "data")):
        yield "nav"


@pytest.fixture
def voted(voted_folder: File, tmp_path: File, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The same with the votes of four people, which are enough to learn from."""
    monkeypatch.setattr(cross_fitting, "FEWEST_PAIRS", 8)
    with as_data(copied(voted_folder, tmp_path / "data")):
        yield "nav"


def read(path: File) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_judge_is_trained_on_a_folder_shown_listed_and_run_on_a_study(
    clips: File, of_clips: File, nav: str, tmp_path: File, capfd: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "data" / "models" / "mine"
    train_("turn-speed-ff", str(clips), model, licence="CC0")
    assert "5 copies of turn-speed-ff" in capfd.readouterr().out
    card_("mine")
    said = capfd.readouterr().out
    assert "# turn-speed-ff" in said
    assert "simulated: no person made these paths" in said
    assert "licence: CC0" in said
    assert "Do not use it as a reward" in said
    assert "straightness" in said
    assert "goal AUC 0.50" in said
    card_(str(model), as_json=True)
    card = json.loads(capfd.readouterr().out)
    assert len(card["data"]["contents"]) == 12
    assert card["split"]["never_on_both_sides"] == ["path", "scene"]
    assert card["evaluation"]["pooled"]["n_pairs"] == 6
    assert set(card["versions"]) >= {"Python", "numpy", "jax", "optax", "likely-human", "processors"}
    assert len(card["leaks"]) > 7
    assert not any(leak["found"] for leak in card["leaks"])
    list_()
    said = capfd.readouterr().out
    assert "mine  trained turn-speed-ff 1+" in said
    assert re.search(r"12 clips; (0\.\d{3}|1\.000) of 6 held-out pairs right", said)
    assert "sym-gru  to be trained" in said
    run_("mine", nav, tmp_path / "v.csv")
    rows = read(tmp_path / "v.csv")
    assert {row["run"] for row in rows} == {"1", "2", "3", "4", "5"}
    assert len(rows) == 50
    assert {row["version"] for row in rows} == {card["version"]}
    assert not [row["problem"] for row in rows if row["problem"]]
    run_("mine", nav, tmp_path / "logit.csv", by="mean-logit")
    assert {row["judge"] for row in read(tmp_path / "logit.csv")} == {"turn-speed-ff-mean-logit"}
    names = [[path.name for path in one.glob("*.safetensors")] for one in (model, of_clips)]
    assert len(names[0]) == 1
    assert names[0] == names[1]  # same seed, same bytes


def test_a_judge_that_sees_is_trained_on_the_pictures_of_clips_and_judges_them(
    clips: File, nav: str, tmp_path: File, capfd: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model"
    train_("bc-cnn-small", str(clips), model, epochs=1)
    capfd.readouterr()
    card_(str(model))
    said = capfd.readouterr().out
    assert "small: no VGG-16, no features of ImageNet" in said
    assert "the mean line of each frame, 80 pixels at 30 Hz, windows of 100 samples" in said
    assert "1 epoch, batches of 8" in said
    assert "1 setting tried" in said
    assert "1 known player and 1 known version of agents" in said
    assert re.search(r"- motion: \d\.\d{3} of 6 pairs", said)
    assert "the best single number of the path (" in said
    assert "**Not better than " in said  # after one epoch, of straight runs and curves
    run_(str(model), nav, tmp_path / "v.csv")
    rows = read(tmp_path / "v.csv")
    assert len(rows) == 50
    assert {row["problem"] for row in rows} == {""}
    assert {row["judge"] for row in rows} == {"bc-cnn-small"}
    assert {row["choice"] for row in rows if float(row["score"])} <= {"a", "b"}
    list_()
    assert "vis-gru-small  to be trained (judge train)  from clips" in capfd.readouterr().out


def test_judging_needs_numpy_alone(of_clips: File, nav: str, tmp_path: File) -> None:
    code = (
        "import sys\nsys.modules['jax'] = sys.modules['optax'] = None\n"
        "from app.cli.judges import run_\nfrom pathlib import Path\n"
        f"run_({str(of_clips)!r}, 'nav', Path({str(tmp_path / 'v.csv')!r}))"
    )
    env = {**os.environ, "LIKELY_HUMAN_DATA": str(tmp_path / "data")}
    subprocess.run([sys.executable, "-c", code], check=True, env=env)
    assert len(read(tmp_path / "v.csv")) == 50


def test_verdicts_on_what_a_judge_was_trained_on_are_refused_or_cross_fitted(
    nav: str, tmp_path: File, capfd: pytest.CaptureFixture[str]
) -> None:
    train_("turn-speed-ff", nav, tmp_path / "model")
    with pytest.raises(StudyError, match=r"was trained on clips of 10 of the 10 pairs.*--cross-fitted"):
        run_(str(tmp_path / "model"), nav)
    run_(str(tmp_path / "model"), nav, tmp_path / "all.csv", allow=["study-clips"])
    assert len(read(tmp_path / "all.csv")) == 50
    capfd.readouterr()
    run_(str(tmp_path / "model"), nav, tmp_path / "v.csv", cross_fitted=True)
    rows = read(tmp_path / "v.csv")
    assert len(rows) == 10
    assert {row["run"] for row in rows} == {""}
    # Every pair's clips share a goal, and a goal is held back as a whole.
    assert {row["problem"] for row in rows} == {""}
    # Other positions do not make the clips new to a judge that saw them: any of their files tells.
    rng = np.random.default_rng(9)
    with opened() as (settings, database), database.transaction() as session:
        store = ClipStore(settings.data_dir)
        pairs = pairs_to_judge(session, nav, store).pairs
        for stimulus in session.exec(select(Stimulus)).all():
            file = write(tmp_path / "new.csv", made(stimulus.source, rng), stimulus.duration_s or SECONDS)
            stimulus.positions_sha256 = store.keep_positions(file).sha256
            session.add(stimulus)
        originals = {stimulus.original_sha256 for stimulus in session.exec(select(Stimulus)).all()}
    assert all(pair.hashes_a & originals and pair.hashes_b & originals for pair in pairs)
    with pytest.raises(StudyError, match=r"was trained on clips of 10 of the 10 pairs"):
        run_(str(tmp_path / "model"), nav)


def test_a_judge_learns_from_the_votes_of_a_study(
    voted: str, tmp_path: File, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    nav, out = voted, tmp_path / "data" / "models" / "people"
    with monkeypatch.context() as patch:
        patch.setattr(cross_fitting, "FEWEST_PAIRS", 40)
        with pytest.raises(AnalysisError, match="10 pairs with votes of 4 people: at least 40 pairs"):
            train_("votes", nav, out)
    train_("votes", nav, out)
    assert "A judge of 40 votes on 10 pairs" in capfd.readouterr().out
    card_("people")
    said = capfd.readouterr().out
    looked_at = said.split("## What people seem to look at")[1].split("## Use")[0]
    weights = re.findall(r"^- [^:]+: [+-]?\d\.\d+(.*)$", looked_at, re.MULTILINE)
    assert weights
    assert set(weights) <= {", above 0", ", below 0", "; whether above or below 0 cannot be told yet"}
    assert "10 pairs: below 80" in said
    assert "learning curve is drawn in learning.svg" in said
    assert (out / "learning.svg").read_text().startswith("<")
    (out.parent / "odd").mkdir()
    (out.parent / "odd" / "card.json").write_text('{"format": "likely-human judge of votes 1", ')
    list_()
    said = capfd.readouterr().out
    assert re.search(r"people  trained votes 1\+\w+  on nav, \d+ clips; \d\.\d+ of 10 majorities named", said)
    assert "odd" not in said
    rows = read(out / "verdicts.csv")
    assert len(rows) == 100
    assert {row["scale"] for row in rows} == {"probability"}
    validate([nav], out / "verdicts.csv", as_json=True, resamples=0)
    validation = json.loads(capfd.readouterr().out)
    assert len(validation["judges"][0]["runs"]) == 10
    with pytest.raises(StudyError, match=r"learnt from votes on clips of 10 of the 10 pairs.*cross-fitted"):
        run_("people", nav)
    run_("people", nav, tmp_path / "v.csv", allow=["study-clips"])
    verdicts = read(tmp_path / "v.csv")
    assert len(verdicts) == 10
    for row in verdicts:  # No choice at exactly one half, which votes that cancel out end in.
        assert row["choice"] == (
            "a" if float(row["score"]) > 0.5 else "b" if float(row["score"]) < 0.5 else ""
        )
    (tmp_path / "net.onnx").write_bytes(mean_colours(("n", 3, 20, 32), over=(2,), gives=("n", 3, 32)))
    with pytest.raises(JudgeUnavailable, match="leave out --backbone"):
        run_("people", nav, allow=["study-clips"], features=tmp_path / "net.onnx")


def test_a_judge_of_votes_learns_from_the_features_of_an_onnx_file_and_runs_with_that_file_alone(
    voted: str, tmp_path: File
) -> None:
    pytest.importorskip("onnxruntime", reason="the extra `features` is not installed")
    nav = voted
    net, other, model = tmp_path / "net.onnx", tmp_path / "other.onnx", tmp_path / "model"
    net.write_bytes(mean_colours(("n", 3, 20, 32), over=(2,), gives=("n", 3, 32)))
    other.write_bytes(mean_colours(("n", 3, 20, 32), over=(3,), gives=("n", 3, 20)))
    with pytest.raises(
        StudyError, match=r"turn-speed-ff looks through no other.* vis-ff, vis-gru, td-cnn, bc-cnn"
    ):
        train_("turn-speed-ff", nav, model, features=net)
    train_("votes", nav, model, features=net)
    card = json.loads((model / "card.json").read_text())
    assert card["features"] == {
        "file": "net.onnx", "sha256": hashlib.sha256(net.read_bytes()).hexdigest(), "n": 96,
        "frames": 8, "width": 32, "height": 20,
    }  # fmt: skip
    assert card["evaluation"]["weights"] == []
    said = (model / "card.md").read_text()
    assert "Reads 96 features by net.onnx" in said
    assert "mean over 8 frames of 32 x 20 pixels" in said
    allow = ["study-clips"]
    with pytest.raises(JudgeUnavailable, match=r"reads features by net\.onnx .*judge run --backbone"):
        run_(str(model), nav, allow=allow)
    with pytest.raises(
        JudgeUnavailable, match=r"other\.onnx has the SHA-256 .* learnt from features by net\.onnx"
    ):
        run_(str(model), nav, allow=allow, features=other)
    with pytest.raises(StudyError, match="fidget reads no features"):
        run_("fidget", nav, features=net)
    with pytest.raises(StudyError, match=r"learnt from votes on clips of 10 of the 10 pairs"):
        run_(str(model), nav, features=net)
    run_(str(model), nav, tmp_path / "v.csv", allow=allow, features=net)
    verdicts = read(tmp_path / "v.csv")
    assert {row["problem"] for row in verdicts} == {""}
    assert {row["scale"] for row in verdicts} == {"probability"}


def test_networks_look_through_an_onnx_file_and_are_run_with_that_file_alone(
    clips: File, tmp_path: File, exhaustive: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("onnxruntime", reason="the extra `features` is not installed")
    net, other = tmp_path / "net.onnx", tmp_path / "other.onnx"
    net.write_bytes(mean_colours((1, 3, 20, 32), over=(2,), gives=(1, 3, 32)))
    other.write_bytes(mean_colours(("n", 3, 20, 32), over=(3,), gives=("n", 3, 20)))
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("pair,a,b\n0,human-0,agent-0\n1,agent-1,human-1\n")
    with pytest.raises(StudyError, match=r"bc-cnn looks through .*--backbone FILE\.onnx\); bc-cnn-small has"):
        train_("bc-cnn", str(clips), tmp_path / "none")
    with pytest.raises(StudyError, match="vis-ff-small looks through no other network"):
        train_("vis-ff-small", str(clips), tmp_path / "none", features=net)
    for name in ("td-cnn", "bc-cnn", "vis-ff", "vis-gru") if exhaustive else ("td-cnn",):
        model = tmp_path / name
        train_(name, str(clips), model, epochs=2, features=net)
        card = json.loads((model / "card.json").read_text())
        assert card["features"] == {
            "file": "net.onnx", "sha256": hashlib.sha256(net.read_bytes()).hexdigest(), "n": 96,
            "width": 32, "height": 20,
        }  # fmt: skip
        assert {copy["features"] for copy in card["copies"]} == {96}
        said = (model / "card.md").read_text()
        assert "Looks through net.onnx" in said
        assert "Single clips right over epochs, mean of the copies" in said
        assert [len(copy["clips_right_by_epoch"]) for copy in card["copies"]] == [2] * 5
        assert (model / "learning.svg").read_text().startswith("<")
        with pytest.raises(JudgeUnavailable, match=r"reads features by net\.onnx .*judge run --backbone"):
            load_model(model)
        with pytest.raises(JudgeUnavailable, match=r"other\.onnx has the SHA-256 .*net\.onnx"):
            load_model(model, FrozenFeatures(other))
        judge = TrainedJudge(load_model(model, FrozenFeatures(net)), 0)
        files = [StimulusFiles(clips / f"{one}.mp4", clips / f"{one}.csv") for one in ("human-0", "agent-0")]
        assert judge.judge(PairFiles("", "", *files)).score == -(
            judge.judge(PairFiles("", "", *files[::-1])).score or 0
        )
    run_(
        str(tmp_path / "td-cnn"),
        str(clips),
        tmp_path / "v.csv",
        listed=pairs,
        allow=["study-clips"],
        features=net,
    )
    assert {row["problem"] for row in read(tmp_path / "v.csv")} == {""}
    list_()
    assert "vis-gru  to be trained (judge train --backbone)" in capfd.readouterr().out


def test_refusals_say_what_and_where(clips: File, of_clips: File, nav: str, tmp_path: File) -> None:
    out = tmp_path / "model"
    (tmp_path / "empty").mkdir()
    with pytest.raises(StudyError, match=r"there is no manifest\.csv"):
        train_("turn-speed-ff", str(tmp_path / "empty"), out)
    with pytest.raises(StudyError, match="'person' and at least one other source"):
        train_("turn-speed-ff", str(clips), out, human="person")
    with pytest.raises(StudyError, match="--allow luck: there is no such leak"):
        train_("turn-speed-ff", str(clips), out, allow=["luck"])
    with pytest.raises(StudyError, match="holds no trained judge; name a new folder"):
        train_("turn-speed-ff", str(clips), clips)
    with pytest.raises(StudyError, match="is no network that was trained: leave out --by"):
        run_("fidget", nav, by="mean-logit")
    copied(of_clips, out)
    with pytest.raises(StudyError, match="--by 'coin' is not allowed; allowed: share, mean-logit"):
        run_(str(out), nav, by="coin")
    (weights,) = out.glob("*.safetensors")
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-4] + b"\0\0\0\0")
    with pytest.raises(JudgeUnavailable, match="was changed since it was written"):
        load_model(out)
    weights.write_bytes(whole)
    card = json.loads((out / "card.json").read_text())
    for change, problem in (
        ({"format": "other"}, "is no card"),
        ({"name": "oracle"}, "of the network 'oracle'"),
        ({"weights": {"file": "../../etc/passwd", "digest": ""}}, "their file is named by its hash"),
        ({"copies": []}, "has 0 copies"),
        ({"copies": [{**card["copies"][0], "hidden": 10**9}]}, "hidden is 1000000000"),
        ({"copies": card["copies"][:4]}, "missing or unknown: 5/"),
        ({"weights": {**card["weights"], "digest": "0" * 64}}, "is not what the card was written for"),
    ):
        (out / "card.json").write_text(json.dumps({**card, **change}))
        with pytest.raises(JudgeUnavailable, match=problem):
            load_model(out)
