"""schemathesis over the API: whatever an owner's program sends, nothing breaks and replies are as documented.

In one test for all operations, within which it is imported: pytest would give each of them the same name, of which
xdist runs one, and each process of ours would read the whole document before its first test.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from sqlalchemy import URL
from sqlmodel import Session
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from app.accounts import passwords
from app.accounts.logins import Who, token_hash
from app.accounts.tables import ApiToken, Role, User
from app.api.app import make_api
from app.core.database import Database
from app.core.settings import Settings
from app.jobs.queue import ask
from app.jobs.tables import Kind
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.main import create_app
from app.outputs.clues import ask_clues
from app.outputs.outputs import PackageWish, ask_package, ask_report
from app.studies.access import study_for
from app.studies.drafts import create_study
from tests.admin.persons import make_user
from tests.factories import open_study
from tests.sessions.walks import Walk

if TYPE_CHECKING:
    from schemathesis import Case, CheckContext, Response

FEW, EXAMPLES = 2, 5  # for each operation in make test, and in make test-all
# Starts a process, and is let through once.
SLOW = {"/studies/{slug}/data/{what}.{format_}": iter([True])}
# Out of the reach of numbers that are tried: or the program might revoke its own token on the way.
OWN_ID = 1_900_000_000
TOKEN = "lh_a-token-for-schemathesis"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
TIMEOUT_S = 120

CONFIG = {
    "generation": {
        "max-examples": EXAMPLES,
        "deterministic": True,
        "database": "none",
        "with-security-parameters": False,
    },
    "phases": {"coverage": {"enabled": False}},
}


def json_as_documented(ctx: CheckContext, response: Response, case: Case[Any]) -> bool | None:
    """Other replies (YAML, CSV) are text to us, which schemathesis would read."""
    from schemathesis.checks import response_schema_conformance

    is_json = response.headers.get("content-type", [""])[0].startswith("application/json")
    return response_schema_conformance(ctx, response, case) if is_json else None


@dataclass(frozen=True)
class Service:
    """The service without its lifespan, as schemathesis keeps one going until the interpreter ends."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self.app(scope, receive, send)


@pytest.fixture(scope="module")
def service(
    migrated_sqlite: Path,
    library: tuple[ClipStore, Sequence[ImportedClip]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Service]:
    """Users, a running study with answers, another without a version, jobs of every kind."""
    folder = tmp_path_factory.mktemp("api")
    shutil.copytree(library[0].root, folder / "data")
    path = folder / "data" / "likely-human.sqlite3"
    shutil.copy(migrated_sqlite, path)
    settings = Settings(LIKELY_HUMAN_DATA=folder / "data", DATABASE_URL="", LIKELY_HUMAN_SECRET="test")  # type: ignore[call-arg]
    database = Database(URL.create("sqlite", database=str(path)))
    with database.transaction() as session:
        open_study(session, folder, library[1])
        _fill(session)
    app = create_app(settings, database)
    client = TestClient(app)
    for number, answers in enumerate((20, 20, 6, 1)):
        walk = Walk(client, "nav", PROLIFIC_PID=f"p{number}")
        while walk.page != "end" and answers:
            walk.answer()
            answers -= 1
    yield Service(app)
    database.close()


def _fill(session: Session) -> None:
    now = datetime.now(UTC)
    for role in (Role.EDITOR, Role.VIEWER):
        make_user(session, role, f"{role}@example.org")
    owner = Who(OWN_ID, "owner@example.org", Role.OWNER)
    session.add(
        User(
            id=OWN_ID,
            email=owner.email,
            role=Role.OWNER,
            password_hash=passwords.hashed("correct horse"),
            created_at=now,
        )
    )
    session.flush()
    session.add(
        ApiToken(id=OWN_ID, user_id=OWN_ID, name="own", token_sha256=token_hash(TOKEN), created_at=now)
    )
    create_study(session, owner, "bare", {"title": "Not yet a study"}, now)
    study = study_for(session, owner, "nav")
    ask_report(session, owner, study, "", 1, now)
    ask_package(session, owner, study, PackageWish(), now)
    ask_clues(session, owner, study, now)
    ask(session, Kind.IMPORT, {}, now=now, asked_by=OWN_ID)


def within_reach(case: Case[Any]) -> dict[str, object]:
    """Most addresses name what is there: random ones would meet nothing but 404."""
    parameters = case.path_parameters or {}
    there = dict(parameters)
    if case.path in SLOW and not next(SLOW[case.path], False):
        return {**there, "slug": "none"}
    for name, value in parameters.items():
        if name == "slug" and len(str(value)) % 4:
            there[name] = "nav" if len(str(value)) % 2 else "bare"
        elif isinstance(value, int) and 0 < value < 2**31 and value % 4:
            there[name] = value % 12 + 1
    return there


def test_nothing_breaks_and_replies_are_as_documented(service: Service, exhaustive: bool) -> None:
    from schemathesis import checks, openapi
    from schemathesis.config import SchemathesisConfig
    from schemathesis.core.result import Ok

    of_all = [checks.not_a_server_error, checks.status_code_conformance, checks.content_type_conformance]
    schema = openapi.from_dict(make_api().openapi(), config=SchemathesisConfig.from_dict(CONFIG))
    read = list(schema.get_all_operations())
    operations = [found.ok() for found in read if isinstance(found, Ok)]
    assert len(operations) == len(read) > 80
    often = settings(
        max_examples=EXAMPLES if exhaustive else FEW,
        suppress_health_check=list(HealthCheck),
        deadline=None,
        derandomize=True,
        database=None,
    )
    for operation in operations:

        @often
        @given(case=operation.as_strategy())
        def answered(case: Case[Any]) -> None:
            case.path_parameters = within_reach(case)
            call: dict[str, Any] = {"app": service, "headers": BEARER, "timeout": TIMEOUT_S}
            case.call_and_validate(checks=[*of_all, json_as_documented], **call)

        answered()
