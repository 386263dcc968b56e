"""A download that a change of page cuts off goes on where it stopped."""

import hashlib
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.factories import make_small_video

from .conftest import Visit
from .pages import debrief, message, trial
from .rig import Rig, Walk
from .steps import answer, expect_end, save, wait_until, wait_until_loaded, watch_both

pytestmark = pytest.mark.browser

CUT = 150_000
KEPT = """
    window.kept = async () => {
      const database = await new Promise((resolve) => {
        const request = indexedDB.open("likely-human-clips");
        request.onsuccess = () => resolve(request.result);
      });
      const request = database.transaction("parts").objectStore("parts").getAll();
      const records = await new Promise((resolve) => { request.onsuccess = () => resolve(request.result); });
      database.close();
      return Object.fromEntries(records.map(({ url, at, bytes }) => [`${url} ${at}`, bytes.byteLength]));
    };
"""
PLAYED = """async (side) => {
    const reply = await fetch(document.querySelector(`[data-clip=${side}] video`).src);
    const digest = await crypto.subtle.digest("SHA-256", await reply.arrayBuffer());
    return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}"""


@pytest.fixture(scope="module")
def noise(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Clips of several hundred kilobytes."""
    folder = tmp_path_factory.mktemp("noise")
    for seed, name in enumerate(("n1", "n2")):
        make_small_video(folder / f"{name}.mp4", seed, width=640, height=400)
        assert (folder / f"{name}.mp4").stat().st_size > 2 * CUT
    return {name: folder / f"{name}.mp4" for name in ("n1", "n2")}


def kept(page: Page) -> dict[str, int]:
    """Bytes by the name of the clip."""
    found: dict[str, int] = page.evaluate("kept()")
    bytes_of: dict[str, int] = {}
    for key, n in found.items():
        name = key.split(" ")[0].rpartition("/")[2]
        bytes_of[name] = bytes_of.get(name, 0) + n
    return bytes_of


def played(page: Page, side: str) -> str:
    return str(page.evaluate(PLAYED, side))


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def cut_in_the_middle(rig: Rig, visit: Visit, noise: dict[str, Path], before: str = "") -> tuple[Walk, Page]:
    """The second trial, whose left clip was cut off while the first was watched."""
    walk = rig.walk(
        trial(1, watch="free", following=("n1", "n2")), trial(2, left="n1", right="n2"), debrief(), message()
    )
    walk.clip_files = {**walk.clip_files, **noise}
    walk.cut_after["n1"] = CUT
    page = visit(walk, before=KEPT + before, bypass_csp=True)
    wait_until_loaded(page)
    if not before:
        wait_until(page, "kept().then((all) => Object.entries(all).some(([k]) => k.includes('n1')))")
    answer(page)
    save(page)
    expect(page.get_by_role("heading", name="Pair 2 of 10")).to_be_visible()
    wait_until_loaded(page)
    return walk, page


def test_only_the_rest_is_asked_for_and_the_very_same_bytes_are_played(
    rig: Rig, visit: Visit, noise: dict[str, Path]
) -> None:
    walk, page = cut_in_the_middle(rig, visit, noise)
    first, second = walk.clip_ranges["n1"]
    start = int(second.removeprefix("bytes=").removesuffix("-"))
    assert (first, walk.clip_ranges["n2"]) == ("", [""])
    assert 2**16 <= start <= CUT
    assert (played(page, "left"), played(page, "right")) == (sha256(noise["n1"]), sha256(noise["n2"]))

    page.reload()  # all is here: nothing more is asked for
    wait_until_loaded(page)
    assert played(page, "left") == sha256(noise["n1"])
    assert (len(walk.clip_ranges["n1"]), len(walk.clip_ranges["n2"])) == (2, 1)


@pytest.mark.exhaustive
def test_only_the_clips_of_a_page_are_kept_and_none_after_the_last(
    rig: Rig, visit: Visit, noise: dict[str, Path]
) -> None:
    _, page = cut_in_the_middle(rig, visit, noise)
    wait_until(page, "kept().then((all) => Object.keys(all).every((key) => !/c[12] /.test(key)))")
    assert kept(page) == {name: path.stat().st_size for name, path in noise.items()}
    watch_both(page)
    answer(page)
    save(page)
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    wait_until(page, "kept().then((all) => Object.keys(all).length === 0)")


REFUSED = (
    "Object.defineProperty(window, 'indexedDB', { get() { throw new DOMException('no', 'SecurityError'); } });",
    "Object.defineProperty(window, 'indexedDB', { value: undefined });",
    "IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); };",
)


@pytest.mark.parametrize(
    "deny",
    [REFUSED[0], *(pytest.param(way, marks=pytest.mark.exhaustive) for way in REFUSED[1:])],
    ids=["refused", "missing", "full"],
)
def test_where_nothing_can_be_kept_the_clip_is_fetched_anew(
    deny: str, rig: Rig, visit: Visit, noise: dict[str, Path]
) -> None:
    walk, page = cut_in_the_middle(rig, visit, noise, before=deny)
    assert played(page, "left") == sha256(noise["n1"])
    assert set(walk.clip_ranges["n1"]) == {""}


@pytest.mark.exhaustive
def test_what_was_kept_of_another_file_is_not_mixed_in(
    rig: Rig, visit: Visit, noise: dict[str, Path]
) -> None:
    """The same address with another length: all is fetched anew."""
    walk = rig.walk(trial(watch="free", left="n1"), message())
    walk.clip_files = {**walk.clip_files, **noise}
    walk.cut_after["n1"] = CUT
    page = visit(walk, before=KEPT, bypass_csp=True)
    wait_until(page, "kept().then((all) => Object.keys(all).some((key) => key.includes('n1')))")
    walk.clip_files["n1"] = noise["n2"]
    page.reload()
    wait_until_loaded(page)
    assert played(page, "left") == sha256(noise["n2"])
    assert len(walk.clip_ranges["n1"]) == 3
    answer(page)
    save(page)
    expect_end(page)


@pytest.mark.exhaustive
def test_a_connection_that_breaks_off_is_taken_up_where_it_broke(
    rig: Rig, visit: Visit, noise: dict[str, Path]
) -> None:
    walk = rig.walk(trial(left="n1", right="n2"), message())
    walk.clip_files = {**walk.clip_files, **noise}
    walk.break_after["n1"] = CUT
    page = visit(walk, before=KEPT, bypass_csp=True)
    wait_until(page, "kept().then((all) => Object.keys(all).some((key) => key.includes('n1')))")
    walk.break_off.set()
    wait_until_loaded(page)
    assert played(page, "left") == sha256(noise["n1"])
    assert walk.clip_ranges["n1"][0] == ""
    assert walk.clip_ranges["n1"][1].startswith("bytes=")
    expect(page.get_by_role("alert")).to_have_count(0)
