"""Study packages of any size: sent in pieces, read in again whole, and refused by the name of the file that is bad."""

import shutil
import tracemalloc
import zipfile
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from sqlmodel import Session, select

from app.catalog.collections import own_slug
from app.core.database import Database
from app.core.settings import Settings
from app.library.packages import MOST_OF_ONE_USER
from app.library.uploads import LARGEST_FILE_BYTES
from app.reports.package import build_package
from app.studies.access import StudyHere
from app.studies.collections import own_collection
from app.studies.drafts import draft_for
from app.studies.file.bundle import MOST_BYTES
from app.studies.file.packed_study import read_package
from app.studies.file.problems import StudyFileProblems
from app.trials.tables import State, Study
from app.worker.handlers.reports import study_files
from tests.admin.conftest import ProgramOf
from tests.admin.persons import Person
from tests.factories import NOW, load_file
from tests.library.clips.videos import make_video
from tests.studies.clips import add_clips

pytestmark = [pytest.mark.slow, pytest.mark.any_database, pytest.mark.videos]
HERE = "/admin/study-packages"
PIECE = 2_000_000
CLIP = "materials/videos/noise.mp4"


@pytest.fixture(autouse=True)
def _nothing_left(settings: Settings) -> None:
    """The data folder is that of all tests."""
    for name in left(settings.data_dir):
        (settings.data_dir / "incoming" / name).unlink()


@pytest.fixture(scope="module")
def noise(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real MP4 that no packing makes smaller: seven megabytes of noise."""
    rng = np.random.default_rng(1)
    path = tmp_path_factory.mktemp("noise") / "noise.mp4"
    return make_video(
        path,
        seconds=1.0,
        width=480,
        height=360,
        paint=lambda _, width, height: rng.integers(0, 256, (height, width, 3), dtype=np.uint8),
        options={"crf": "8", "preset": "ultrafast"},
    )


@pytest.fixture
def package(database: Database, tmp_path: Path, noise: Path) -> Path:
    """A study's real package, with a video that somebody put beside its materials."""
    with database.transaction() as session:
        add_clips(session)
        load_file(session, tmp_path, study="walks")
    out = tmp_path / "walks.zip"
    with database.reading() as session:
        build_package(session, "walks", out, made_at=NOW, study_files=study_files(session, "walks"))
    with zipfile.ZipFile(out, "a") as archive:
        archive.write(noise, CLIP)
    assert out.stat().st_size > MOST_BYTES
    return out


def begin(person: Person, path: Path) -> str:
    begun = person.send("POST", HERE, {"file_name": path.name, "bytes": path.stat().st_size})
    assert (begun.status_code, begun.json()["offset"]) == (201, 0), begun.text
    return str(begun.json()["token"])


def send(person: Person, token: str, data: bytes, start: int = 0) -> None:
    for at in range(start, len(data), PIECE):
        piece = data[at : at + PIECE]
        sent = person.request("PATCH", f"{HERE}/{token}?offset={at}", content=piece)
        assert sent.json()["offset"] == at + len(piece), sent.text


def make(person: Person, token: str, slug: str = "again") -> tuple[int, str]:
    form = {"start": "upload", "slug": slug, "package": token, "package_name": "walks.zip"}
    reply = person.post("/admin/studies/new", form, follow_redirects=False)
    return reply.status_code, reply.text


def slugs(database: Database) -> list[str]:
    with database.reading() as session:
        return [*session.exec(select(Study.slug).order_by(Study.slug))]


def left(data: Path) -> list[str]:
    return [path.name for path in (data / "incoming").glob("package-*")]


def test_a_package_larger_than_a_form_takes_is_sent_in_pieces_and_makes_its_study_again(
    owner: Person, database: Database, settings: Settings, package: Path
) -> None:
    page = owner.get("/admin/studies/new").text
    assert f"Or a study package (.zip) of at most {LARGEST_FILE_BYTES / 10**9:g} GB." in page
    assert "at most 5 MB." in page
    data = package.read_bytes()
    token = begin(owner, package)
    send(owner, token, data[: len(data) // 2])
    status, page = make(owner, token)
    assert (status, "walks.zip has not come whole" in page) == (409, True)
    assert slugs(database) == ["walks"]
    known = owner.send("GET", f"{HERE}/{token}").json()
    assert (known["status"], known["offset"]) == ("receiving", len(data) // 2)
    odd = owner.request("PATCH", f"{HERE}/{token}?offset=0", content=data[:9])
    assert (odd.status_code, odd.json()["offset"]) == (409, len(data) // 2)
    more = owner.request("PATCH", f"{HERE}/{token}?offset={len(data) // 2}", content=data)
    assert (more.status_code, "was announced with" in more.json()["message"]) == (413, True)
    send(owner, token, data, len(data) // 2)
    status, page = make(owner, token, "walks")
    assert (status, "walks.zip was sent already, and is used." in page) == (409, True)
    assert make(owner, token)[0] == 303
    assert left(settings.data_dir) == []
    with database.reading() as session:
        here = {slug: StudyHere(id_ or 0, slug, State.DRAFT) for id_, slug in _ids(session)}
        both = [draft_for(session, here[slug]).keys for slug in ("walks", "again")]
        own = own_collection(session, here["again"].id)
        assert own_slug(session, here["again"]) == "again"
        assert own is not None
    assert {**both[1], "study": "walks"} == both[0]
    assert make(owner, token, "third")[0] == 404


def _ids(session: Session) -> list[tuple[int | None, str]]:
    return [*session.exec(select(Study.id, Study.slug))]


def test_what_is_wrong_in_a_package_is_named_and_nothing_is_made(
    owner: Person, database: Database, package: Path, tmp_path: Path, noise: Path
) -> None:
    def changed(name: str, change: str) -> Path:
        path = Path(shutil.copy(package, tmp_path / name))
        with (
            zipfile.ZipFile(path, "a") as archive,
            pytest.warns(UserWarning, match="Duplicate") if change == CLIP else nullcontext(),
        ):
            archive.writestr(change, b"once more")
        return path

    cut = tmp_path / "cut.zip"
    cut.write_bytes(package.read_bytes()[:-PIECE])
    bad = tmp_path / "bad.zip"
    data = bytearray(package.read_bytes())
    at = data.index(noise.read_bytes()[1000:1100])
    data[at] ^= 255
    bad.write_bytes(data)
    for path, reason in (
        (cut, "cut.zip: not readable as a zip file: it may have been cut off"),
        (bad, f"bad.zip: {CLIP}: this file is damaged"),
        (
            changed("out.zip", "materials/../../evil.mp4"),
            "out.zip: materials/../../evil.mp4: this path leads out",
        ),
        (changed("root.zip", "/etc/evil.mp4"), "root.zip: /etc/evil.mp4: this path leads out of the package"),
        (changed("twice.zip", CLIP), f"twice.zip: two files in it are called &#39;{CLIP}&#39;"),
    ):
        token = begin(owner, path)
        send(owner, token, path.read_bytes())
        status, page = make(owner, token)
        said = " ".join(page.replace("<code>", "").replace("</code>", "").split())
        assert status == 422, path.name
        for part in reason.split(": "):
            assert part in said, (path.name, part)
        assert "line 1" not in said
        assert f'value="{token}"' not in page, "another one is to be chosen"
    assert slugs(database) == ["walks"]
    assert not (tmp_path.parent / "evil.mp4").exists()


def test_a_package_is_read_in_pieces_and_a_large_zip_that_is_none_is_refused(
    package: Path, tmp_path: Path, noise: Path
) -> None:
    tracemalloc.start()
    found = read_package(package, package.name)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST_BYTES < package.stat().st_size
    assert [*found.files] == ["materials/version-1/study.yaml"]
    assert found.collections is not None
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("study.yaml", "study: nav\n")
        archive.write(noise, "noise.mp4")
    with pytest.raises(StudyFileProblems, match="no study package, and holds more than 5 MB"):
        read_package(other, "other.zip")


def test_packages_are_their_senders_few_and_of_a_size_that_is_taken(
    owner: Person, editor: Person, viewer: Person, settings: Settings, tmp_path: Path
) -> None:
    small = tmp_path / "small.zip"
    small.write_bytes(b"PK")
    tokens = [begin(owner, small) for _ in range(MOST_OF_ONE_USER + 1)]
    assert len(left(settings.data_dir)) == 2 * MOST_OF_ONE_USER
    assert owner.send("GET", f"{HERE}/{tokens[0]}").status_code == 404
    assert editor.send("GET", f"{HERE}/{tokens[1]}").status_code == 404
    assert editor.send("DELETE", f"{HERE}/{tokens[1]}").status_code == 404
    assert viewer.send("POST", HERE, {"file_name": "a.zip", "bytes": 1}).status_code == 403
    for n_bytes, said in ((0, "small.zip is empty."), (LARGEST_FILE_BYTES + 1, "at most 4 GB")):
        refused = owner.send("POST", HERE, {"file_name": "small.zip", "bytes": n_bytes})
        assert (refused.status_code, said in refused.json()["message"]) == (422, True)
    assert owner.send("DELETE", f"{HERE}/{tokens[1]}").status_code == 200
    assert owner.send("GET", f"{HERE}/..%2Fx").status_code == 404
    assert len(left(settings.data_dir)) == 2 * (MOST_OF_ONE_USER - 1)


def test_programs_send_a_package_in_pieces_too(
    owner: Person, database: Database, package: Path, program_of: ProgramOf
) -> None:
    api = program_of(owner)
    data = package.read_bytes()
    new = {"file_name": "walks.zip", "bytes": len(data)}
    token = api.post("/study-packages", new).json()["token"]
    for at in range(0, len(data), PIECE):
        sent = api.patch(f"/study-packages/{token}", params={"offset": at}, content=data[at : at + PIECE])
        assert sent.status_code == 200, sent.text
    assert api.get(f"/study-packages/{token}").json()["offset"] == len(data)
    wrong = api.patch(f"/study-packages/{token}", params={"offset": 5}, content=b"x")
    assert (wrong.status_code, wrong.json()["offset"]) == (409, len(data))
    both = {"package": token, "template": "hntt"}
    assert api.post("/studies", both).status_code == 422
    assert api.post("/studies", {"slug": "again", "package": token}).json() == {"slug": "again"}
    assert slugs(database) == ["again", "walks"]
    assert api.delete(f"/study-packages/{token}").status_code == 404


def test_a_package_that_goes_while_others_are_counted_is_passed_over(
    owner: Person, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = tmp_path / "small.zip"
    small.write_bytes(b"PK")
    begin(owner, small)
    incoming, glob = settings.data_dir / "incoming", Path.glob
    gone = incoming / "package-gone.json"
    monkeypatch.setattr(Path, "glob", lambda path, pattern: [gone, *glob(path, pattern)])
    begin(owner, small)
    assert not gone.exists()
