"""A stranger's request body is not even read: the answer comes before the body's own faults could."""

import pytest
from starlette.testclient import TestClient

from app.admin.access import COOKIE

JUNK = b"[" * 12_000_000  # larger than any route takes, and no JSON


@pytest.mark.parametrize(
    ("path", "status"), [("/api/v1/studies", 401), ("/admin/stimuli/uploads", 303), ("/admin/users", 303)]
)
@pytest.mark.parametrize(
    "brought",
    [{}, {"Authorization": "Bearer lh_made-up", "Cookie": f"{COOKIE}=made-up"}],
    ids=["nothing", "forged"],
)
def test_a_strangers_body_is_not_read(
    stranger: TestClient, path: str, status: int, brought: dict[str, str]
) -> None:
    headers = {"Content-Type": "application/json", **brought}
    response = stranger.post(path, content=JUNK, headers=headers, follow_redirects=False)
    assert response.status_code == status
