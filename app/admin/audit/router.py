"""The audit log as a page and as CSV."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import StreamingResponse

from app.accounts.audit import record
from app.accounts.dependencies import WhoDep
from app.admin.access import ShellDep, editors, owners_only
from app.admin.audit.views import AuditWish, audit_csv, audit_page
from app.core.dependencies import DatabaseDep, Now, without_nul
from app.core.templating import render
from app.studies.dependencies import StudyDep

owners = APIRouter(dependencies=[owners_only])
study_log = APIRouter(dependencies=[editors])

Before = Annotated[int, Query(ge=0, lt=2**31)]
Rows = Annotated[int, Query(ge=0, lt=2**31)]
Text = Annotated[str, Query(max_length=300)]


async def read_wish(
    study: Text = "",
    kind: Text = "",
    who: Text = "",
    action: Text = "",
    period: Text = "",
    before: Before = 0,
    rows: Rows = 0,
) -> AuditWish:
    """The parameters of the address."""
    study, kind, who, action, period = map(without_nul, (study, kind, who, action, period))
    return AuditWish(study, kind, who, action, period, before, rows)


WishDep = Annotated[AuditWish, Depends(read_wish)]


@owners.get("/audit")
async def show_audit(database: DatabaseDep, shell: ShellDep, wish: WishDep, now: Now) -> Response:
    return render(await database.read(audit_page, shell, wish, None, now))


@owners.get("/audit.csv")
async def export_audit(database: DatabaseDep, who: WhoDep, wish: WishDep, now: Now) -> Response:
    await database.write(record, who.actor, "log.export", now=now)
    return _csv(audit_csv(database, wish, None, now), "audit-log.csv")


@study_log.get("/studies/{slug}/audit")
async def show_study_audit(
    database: DatabaseDep, shell: ShellDep, study: StudyDep, wish: WishDep, now: Now
) -> Response:
    return render(await database.read(audit_page, shell, wish, study, now))


@study_log.get("/studies/{slug}/audit.csv")
async def export_study_audit(
    database: DatabaseDep, who: WhoDep, study: StudyDep, wish: WishDep, now: Now
) -> Response:
    await database.write(record, who.actor, "log.export", now=now, study=study.slug)
    return _csv(audit_csv(database, wish, study, now), f"{study.slug}-audit-log.csv")


def _csv(parts: AsyncIterator[str], name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingResponse(parts, media_type="text/csv; charset=utf-8", headers=headers)


router = APIRouter()
for part in (owners, study_log):
    router.include_router(part)
