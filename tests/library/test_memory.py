"""A large file costs the service no memory: it goes straight to disk."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from app.accounts.tables import Role
from app.core.migrating import open_database
from app.core.settings import Settings
from tests.admin.persons import make_api_token, make_user
from tests.program import Program
from tests.serving.services import serving

pytestmark = pytest.mark.slow

MEGABYTE = 1_000_000
MEGABYTES = 120
MOST_GROWN_KB = 50_000


def zeros() -> Iterator[bytes]:
    for _ in range(MEGABYTES):
        yield bytes(MEGABYTE)


def peak_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


def test_an_eighth_of_a_gigabyte_costs_less_than_50_mb(program: Program, tmp_path: Path) -> None:
    settings = Settings(LIKELY_HUMAN_DATA=program.begin(tmp_path))  # type: ignore[call-arg]
    database = open_database(settings)
    with database.transaction() as session:
        token = make_api_token(session, make_user(session, Role.EDITOR, "editor@example.org"))
    database.close()
    with serving(program, tmp_path) as service:
        send_large(f"http://127.0.0.1:{service.port}", token, service.process.pid, tmp_path)


def send_large(address: str, token: str, pid: int, folder: Path) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    with httpx2.Client(base_url=f"{address}/api/v1", headers=headers, timeout=120) as program:
        n_bytes = MEGABYTES * MEGABYTE + 1  # the last byte never comes, so that nobody takes it for a clip
        new = {"file_name": "large.mp4", "bytes": n_bytes, "source": "human"}
        upload = program.post("/uploads", json=new).json()["token"]
        before = peak_kb(pid)
        reply = program.patch(f"/uploads/{upload}?offset=0", content=zeros())
        assert reply.json()["offset"] == n_bytes - 1
        assert (folder / "incoming" / "uploads" / f"{upload}.part").stat().st_size == n_bytes - 1
        assert peak_kb(pid) - before < MOST_GROWN_KB
