"""Training a judge: asked for, followed, called off; trained ones with their cards."""

from collections.abc import Mapping

import anyio.to_thread
from fastapi import APIRouter, Response
from fastapi.responses import FileResponse, RedirectResponse

from app.accounts.audit import record
from app.admin.access import ShellDep, StudyDep, WhoDep, editors
from app.admin.forms import AnyForm
from app.admin.judges.training_pages import ALLOW, training_page
from app.core.dependencies import DatabaseDep, Now, SettingsDep
from app.core.errors import StudyError, at_field, page_words
from app.core.refusing import refused
from app.core.templating import render
from app.judges.asking_training import NotTrainable, TrainingWish, ask_training
from app.judges.models import CARD, CARD_TEXT, CURVE, delete_model, model_file, model_shown_in
from app.judges.trainable import trainable
from app.studies.blinding import require_open

router = APIRouter(prefix="/studies/{slug}/judges/train", dependencies=[editors])
_KINDS = {CARD: "application/json", CARD_TEXT: "text/plain; charset=utf-8", CURVE: "image/png"}


@router.get("")
async def show_training(
    database: DatabaseDep, settings: SettingsDep, shell: ShellDep, study: StudyDep
) -> Response:
    here = await anyio.to_thread.run_sync(trainable)
    return render(await database.read(training_page, shell, study, settings.data_dir, here))


@router.post("")
async def ask_for_training(
    database: DatabaseDep,
    settings: SettingsDep,
    who: WhoDep,
    shell: ShellDep,
    study: StudyDep,
    form: AnyForm,
    now: Now,
) -> Response:
    here = await anyio.to_thread.run_sync(trainable)
    try:
        await ask_training(database, settings.data_dir, who, study, _wish(form), here, now)
    except StudyError as error:
        page = database.read(training_page, shell, study, settings.data_dir, here, form, page_words(error))
        return refused(await page, error, "name")
    return RedirectResponse(f"/admin/studies/{study.slug}/judges/train?said=started", 303)


@router.get("/{name}/{file}")
async def open_card(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, study: StudyDep, name: str, file: str
) -> Response:
    model, folder = await anyio.to_thread.run_sync(model_shown_in, settings.data_dir, study.slug, name)
    await database.read(require_open, who, study, model.mode)
    path = await anyio.to_thread.run_sync(model_file, folder, file)
    return FileResponse(path, media_type=_KINDS[file], headers={"Cache-Control": "no-store"})


@router.post("/{name}/delete")
async def delete(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, study: StudyDep, name: str, now: Now
) -> Response:
    """The judge goes; verdicts that it gave stay."""
    _, folder = await anyio.to_thread.run_sync(model_shown_in, settings.data_dir, study.slug, name)
    # Noted first: a stop in between leaves an entry too many, not a deletion without one.
    await database.write(record, who.actor, "judge.delete", now=now, study=study.slug, subject=name)
    await anyio.to_thread.run_sync(delete_model, folder)
    return RedirectResponse(f"/admin/studies/{study.slug}/judges/train?said=deleted", 303)


def _wish(form: Mapping[str, str]) -> TrainingWish:
    """The training request in a form. Raises NotTrainable for an invalid number."""
    return TrainingWish(
        name=form.get("name", "").strip(),
        network=form.get("network", ""),
        folder=form.get("folder", ""),
        human=form.get("human", "").strip() or "human",
        seed=_whole(form, "seed") or 0,
        epochs=_whole(form, "epochs", may_lack=True),
        search="search" in form,
        allowed=[name.removeprefix(ALLOW) for name in form if name.startswith(ALLOW)],
        licence=form.get("licence", "").strip(),
    )


def _whole(form: Mapping[str, str], name: str, *, may_lack: bool = False) -> int | None:
    text = form.get(name, "").strip()
    if not text and may_lack:
        return None
    with at_field(name):
        if not (text.isascii() and text.isdecimal() and len(text) <= 10):
            raise NotTrainable(f"{name.capitalize()}: a whole number is needed.")
    return int(text)
