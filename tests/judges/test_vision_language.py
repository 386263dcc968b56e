"""A vision-language model that judges: a real server on a real socket, real clips, the whole command."""

import base64
import csv
import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from app.cli.asking import ask
from app.cli.console import opened
from app.cli.judging import validate
from app.cli.simulating import simulate
from app.core.errors import StudyError
from app.judges.base import StimulusFiles
from app.judges.strips import strip
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from tests.chat_server import ChatServer, Said, chat_server, reply
from tests.factories import open_study
from tests.library.clips.videos import Pixels, make_video

pytestmark = [pytest.mark.slow, pytest.mark.videos]

Library = tuple[ClipStore, Sequence[ImportedClip]]
Heard = pytest.CaptureFixture[str]


@pytest.fixture
def nav(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: Library, migrated_sqlite: Path) -> str:
    """An open study of five pairs of real clips."""
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy(migrated_sqlite, data / "likely-human.sqlite3")
    sample = {"match": "goal", "seed": 7, "conditions": {"human-hybrid": 3, "hybrid-symbolic": 2}}
    (data / "clips").symlink_to(library[0].root / "clips")
    monkeypatch.setenv("LIKELY_HUMAN_DATA", str(data))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    with opened() as (_, database), database.transaction() as session:
        open_study(session, tmp_path, library[1], sample=sample)
    return "nav"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    with chat_server() as server:
        monkeypatch.setenv("LIKELY_HUMAN_MODEL_ADDRESS", server.address)
        monkeypatch.setenv("LIKELY_HUMAN_MODEL", "eyes-1")
        yield server


def pictures(request: Mapping[str, Any]) -> list[bytes]:
    (message,) = request["messages"]
    urls = [part["image_url"]["url"] for part in message["content"] if part["type"] == "image_url"]
    return [base64.b64decode(url.removeprefix("data:image/jpeg;base64,")) for url in urls]


def by_picture(request: Mapping[str, Any]) -> Said:
    """Names the picture whose bytes are the larger in order, whichever place it has."""
    first, second = pictures(request)
    choice = "first" if first > second else "second"
    p = 0.8 if choice == "first" else 0.2
    answer = {"choice": choice, "probability": p, "reason": "It slows before corners."}
    return reply(f"<think>hm {{}}</think>\n```json\n{json.dumps(answer)}\n```")


def rows(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


def test_both_orders_and_repeats_become_verdicts_with_reasons(
    nav: str, model: ChatServer, tmp_path: Path, capfd: Heard
) -> None:
    model.answers = [by_picture]
    out = tmp_path / "eyes"
    ask(nav, out, frames=4, repeats=3, temperature=0.7)
    verdicts, reasons = rows(out / "verdicts.csv"), rows(out / "reasons.csv")
    n = len({row["pair"] for row in verdicts})
    assert n == 5
    assert len(verdicts) == 3 * n
    assert len(reasons) == len(model.requests) == 6 * n
    assert {row["judge"] for row in verdicts} == {"vision-language"}
    assert {row["run"] for row in verdicts} == {"1", "2", "3"}
    assert {row["score"] for row in verdicts} <= {"0.8", "0.2"}
    assert all((row["choice"] == "a") == (row["score"] == "0.8") for row in verdicts)
    assert {row["reason"] for row in reasons} == {"It slows before corners."}
    for row in verdicts:  # each answer names the member that its verdict does, whichever came first
        said = [each for each in reasons if (each["pair"], each["repeat"]) == (row["pair"], row["run"])]
        assert [(each["order"], each["choice"]) for each in said] == [
            ("ab", row["choice"]),
            ("ba", row["choice"]),
        ]
    said_out = capfd.readouterr().out
    assert f"{6 * n} answers, 0 refused, 0 unreadable, 0 without" in said_out
    assert (
        "Both orders name the same clip: 1.00. Two repeats do: 1.00. The first clip is named: 0.50."
        in said_out
    )
    card = json.loads((out / "card.json").read_text())
    assert (card["model"], card["server"], card["study"]) == ("eyes-1", "127.0.0.1", "nav")
    assert card["made_at"]
    first = model.requests[0]
    assert (first["model"], first["temperature"]) == ("eyes-1", 0.7)
    assert "Which" in first["messages"][0]["content"][0]["text"]
    for picture in pictures(first):
        (tmp_path / "seen.jpg").write_bytes(picture)
        with av.open(str(tmp_path / "seen.jpg")) as container:
            stream = container.streams.video[0]
            assert (stream.width, stream.codec_context.name) == (4 * 240 + 3 * 4, "mjpeg")
    kept = (out / "exchanges.jsonl").read_text()
    assert "base64" not in kept
    assert len(re.findall('"image_sha256"', kept)) == 2 * len(model.requests)
    names = {"human", "hybrid", "symbolic"}
    assert not [name for name in names if name in json.dumps(first["messages"][0]["content"][0])]
    # The file goes where every file of verdicts goes.
    simulate(nav, 3)
    capfd.readouterr()
    validate([nav], out / "verdicts.csv", as_json=True, mode="simulated", resamples=0)
    (judge,) = json.loads(capfd.readouterr().out)["judges"]
    assert len(judge["runs"]) == 3


def test_a_strip_has_what_is_on_screen_at_equal_steps_of_time(tmp_path: Path) -> None:
    """Four frames of other greys, at 0, 0.1, 2.0 and 2.1 s; the file says that the last stays until 4.0 s."""

    def grey(number: int, width: int, height: int) -> Pixels:
        return np.full((height, width, 3), 40 * number + 40, dtype=np.uint8)

    clip = make_video(tmp_path / "uneven.mp4", times_ms=[0, 100, 2000, 2100], paint=grey)
    (tmp_path / "seen.jpg").write_bytes(strip(StimulusFiles(clip, None), 6))
    with av.open(str(tmp_path / "seen.jpg")) as container:
        sheet = next(container.decode(video=0)).to_ndarray(format="gray")
    tall = (sheet.shape[0] - 4) // 2
    seen = [sheet[row, 120 + 244 * at] for row, n in ((tall // 2, 4), (-tall // 2, 2)) for at in range(n)]
    assert [round((int(value) - 40) / 40) for value in seen] == [1, 1, 1, 3, 3, 3]


def test_a_model_that_names_whatever_comes_first_is_warned_of(
    nav: str, model: ChatServer, tmp_path: Path, capfd: Heard
) -> None:
    model.answers = [reply('{"choice": "first", "probability": 0.9, "reason": ""}')]
    ask(nav, tmp_path / "eyes", repeats=1, max_tokens_name="max_completion_tokens")
    assert all(
        request["max_completion_tokens"] == 500 and "max_tokens" not in request for request in model.requests
    )
    assert {(row["choice"], row["score"]) for row in rows(tmp_path / "eyes" / "verdicts.csv")} == {
        ("", "0.5")
    }
    said = capfd.readouterr()
    assert (
        "Both orders name the same clip: 0.00. Two repeats do: -. The first clip is named: 1.00." in said.out
    )
    assert "in 0.00 of pairs both orders name the same clip, under 0.8" in said.err


def test_refusals_and_nonsense_are_counted_and_decide_nothing(
    nav: str, model: ChatServer, tmp_path: Path, capfd: Heard
) -> None:
    refused = Said(json.dumps({"choices": [{"message": {"refusal": "I may not."}}]}).encode())
    model.answers = [refused, reply("Neither looks human to me."), by_picture]
    ask(nav, tmp_path / "eyes", repeats=1)
    verdicts = rows(tmp_path / "eyes" / "verdicts.csv")
    assert verdicts[0]["choice"] == verdicts[0]["score"] == ""
    assert verdicts[0]["problem"] == "not answered in both orders: refused and unreadable"
    assert all(row["choice"] for row in verdicts[1:])
    said = capfd.readouterr()
    assert "1 refused, 1 unreadable" in said.out
    assert "1 of" in said.err


def test_odd_replies_end_no_run_and_make_nobody_surer(
    nav: str, model: ChatServer, tmp_path: Path, capfd: Heard
) -> None:
    half = '{"choice": "first", "probability": 1' + "0" * 400 + ', "reason": "half \\ud83d of it"}'
    model.answers = [reply(half), reply('{"choice": "second", "probability": 0.8}'), by_picture]
    ask(nav, tmp_path / "eyes", repeats=1)
    reasons = rows(tmp_path / "eyes" / "reasons.csv")
    assert reasons[0]["reason"] == "half ? of it"
    assert {row["probability_a"] for row in reasons[:1]} <= {"0.0", "1.0"}
    assert "1 without a probability" in capfd.readouterr().out
    ask(nav, tmp_path / "eyes", repeats=1)  # what was kept can be read again


def test_the_probability_that_a_reply_states_is_used(nav: str, model: ChatServer, tmp_path: Path) -> None:
    """Also where it is a little on the other side of what is named: nobody is certain at .49."""
    model.answers = [reply('{"choice": "first", "probability": 0.49, "reason": ""}')]
    ask(nav, tmp_path / "eyes", repeats=1)
    reasons = rows(tmp_path / "eyes" / "reasons.csv")
    assert {row["probability_a"] for row in reasons} == {"0.49", "0.51"}
    assert {row["score"] for row in rows(tmp_path / "eyes" / "verdicts.csv")} == {"0.5"}
    card = json.loads((tmp_path / "eyes" / "card.json").read_text())["consistency"]
    assert card["n_without_probability"] == 0
    assert card["n_contradicting"] == len(reasons)
    # One half is on no side.
    model.answers = [reply('{"choice": "first", "probability": 0.5, "reason": ""}')]
    ask(nav, tmp_path / "even", repeats=1)
    assert json.loads((tmp_path / "even" / "card.json").read_text())["consistency"]["n_contradicting"] == 0


def test_a_server_here_is_asked_without_a_proxy(
    nav: str, model: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.answers = [by_picture]
    with chat_server() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.address.removesuffix("/v1"))
        monkeypatch.setenv("http_proxy", proxy.address.removesuffix("/v1"))
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        ask(nav, tmp_path / "eyes", repeats=1)
        assert proxy.requests == []
    assert model.requests


def test_where_every_pair_fails_the_card_and_the_reasons_are_written_all_the_same(
    nav: str, model: ChatServer, tmp_path: Path
) -> None:
    model.answers = [reply("No."), reply("I'm sorry, but I can't judge people.")]
    with pytest.raises(StudyError, match="eyes-1 judged none of 5 pairs"):
        ask(nav, tmp_path / "eyes", repeats=1)
    out = tmp_path / "eyes"
    assert {row["result"] for row in rows(out / "reasons.csv")} == {"unreadable", "refused"}
    card = json.loads((out / "card.json").read_text())["consistency"]
    assert (card["n_answers"], card["n_unreadable"], card["n_refused"]) == (10, 1, 9)
    assert all(row["problem"] and not row["choice"] for row in rows(out / "verdicts.csv"))


def test_what_was_answered_is_kept_and_not_asked_again(nav: str, model: ChatServer, tmp_path: Path) -> None:
    model.answers = [by_picture]
    out = tmp_path / "eyes"
    with pytest.raises(StudyError, match="the budget of 3 calls is spent; what was answered is kept"):
        ask(nav, out, repeats=1, calls=3)
    assert not (out / "verdicts.csv").exists()
    with (out / "exchanges.jsonl").open("a") as file:
        file.write('{"key": "cut sh')
    ask(nav, out, repeats=1)
    n = len(rows(out / "verdicts.csv"))
    assert len(model.requests) == 2 * n
    ask(nav, out, repeats=1)
    assert len(model.requests) == 2 * n


def test_without_a_server_a_name_or_leave_nothing_is_sent(
    nav: str, model: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.answers = [Said(b"busy", status=401)]
    with pytest.raises(StudyError, match="answered with status 401"):
        ask(nav, tmp_path / "eyes", repeats=1)
    monkeypatch.setenv("LIKELY_HUMAN_MODEL_ADDRESS", "https://models.example.org/v1")
    with pytest.raises(StudyError, match=r"would leave this machine, for models.example.org.*--send-clips"):
        ask(nav, tmp_path / "eyes")
    monkeypatch.delenv("LIKELY_HUMAN_MODEL_ADDRESS")
    with pytest.raises(StudyError, match="no model is set up"):
        ask(nav, tmp_path / "eyes")
    assert len(model.requests) == 1
