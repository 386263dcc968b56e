"""Help: `/admin/help`, a page for each screen, and the reference."""

from dataclasses import dataclass
from typing import ClassVar

from fastapi import APIRouter, Response

from app.admin.access import ShellDep, editors
from app.admin.help.documents import Document, document
from app.admin.pages import AdminPage
from app.core.templating import render

router = APIRouter(prefix="/help", dependencies=[editors])


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpPage(AdminPage):
    template: ClassVar[str] = "help.html"
    tab: ClassVar[str] = "help"
    document: Document
    is_index: bool


@router.get("")
async def show_index(shell: ShellDep) -> Response:
    return render(HelpPage(shell=shell, document=document("README"), is_index=True))


@router.get("/{name:path}")
async def show_help(shell: ShellDep, name: str) -> Response:
    return render(HelpPage(shell=shell, document=document(name), is_index=False))
