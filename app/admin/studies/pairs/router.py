"""A study's pairs: picked, listed, drawn."""

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import RedirectResponse

from app.admin.access import WhoDep, editors
from app.admin.forms import AnyForm, FilesDep
from app.admin.studies.pairs.drawing import another_seed, draw_page, with_seed
from app.admin.studies.pairs.forms import again_at, csv_in, draw_in, edit_in, row_in
from app.admin.studies.pairs.frame import AtDep
from app.admin.studies.pairs.pairs_pages import csv_page, pairs_csv, pairs_page, pick_page
from app.admin.studies.versions.forms import revision_in
from app.core.dependencies import DatabaseDep, Form, Now, Rng
from app.core.errors import StudyError, page_words
from app.core.refusing import refused
from app.core.templating import render
from app.pairs.draft import (
    add_pair,
    clear_pairs,
    draw_again,
    edit_pair,
    list_drawn,
    of_block,
    refuse_blocks,
    save_pairs,
)
from app.studies.drafts import draft_for
from app.studies.truth import say_truth

_pages = APIRouter(dependencies=[editors])


@_pages.get("/pairs")
async def show_pairs(database: DatabaseDep, at: AtDep, edit: str = "") -> Response:
    number = int(edit) if edit.isascii() and edit.isdigit() and len(edit) < 7 else 0
    return render(await database.read(pairs_page, at, number))


@_pages.get("/pairs.csv")
async def download_pairs(database: DatabaseDep, at: AtDep) -> Response:
    name = "-".join(filter(None, (at.study.slug, at.study.block, "pairs.csv")))
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(await database.read(pairs_csv, at), media_type="text/csv", headers=headers)


@_pages.post("/pairs/rows")
async def take_edit(database: DatabaseDep, at: AtDep, who: WhoDep, form: Form, now: Now) -> Response:
    number = 0
    try:
        what, number = edit_in(form)
        await edit_pair(database, who, at.study, what, number, form, revision_in(form), now)
    except StudyError as error:
        page = await database.read(pairs_page, at, number, page_words(error), form)
        return refused(page, error)
    return RedirectResponse(f"{at.here}?said=saved#pair-{number}", 303)


@_pages.post("/pairs/clear")
async def take_clear(database: DatabaseDep, at: AtDep, who: WhoDep, form: Form, now: Now) -> Response:
    try:
        await clear_pairs(database, who, at.study, revision_in(form), now)
    except StudyError as error:
        return render(await database.read(pairs_page, at, 0, page_words(error)), error.status_code)
    return RedirectResponse(f"{at.here}?said=cleared", 303)


@_pages.post("/pairs/list")
async def take_list(database: DatabaseDep, at: AtDep, who: WhoDep, form: Form, now: Now) -> Response:
    try:
        await list_drawn(database, who, at.study, revision_in(form), now)
    except StudyError as error:
        return render(await database.read(pairs_page, at, 0, page_words(error)), error.status_code)
    return RedirectResponse(f"{at.here}?said=pairs-listed", 303)


@_pages.post("/pairs/again")
async def take_again(database: DatabaseDep, at: AtDep, who: WhoDep, form: Form, now: Now) -> Response:
    """Draw anew from the current clips, and store the pairs."""
    try:
        await draw_again(database, who, at.study, revision_in(form), now)
    except StudyError as error:
        return render(await database.read(pairs_page, at, 0, page_words(error)), error.status_code)
    return RedirectResponse(f"{at.here}?said=drawn", 303)


@_pages.post("/pairs/truth")
async def take_truth(database: DatabaseDep, at: AtDep, who: WhoDep, form: Form, now: Now) -> Response:
    try:
        source = form.get("source", "")
        done = await say_truth(database, who, at.study, source, revision_in(form), now)
    except StudyError as error:
        return render(await database.read(pairs_page, at, 0, page_words(error)), error.status_code)
    said = "truth-kept" if done.kept else "truth-version" if done.version else "truth"
    return RedirectResponse(f"{at.here}?said={said}#truth", 303)


async def without_blocks(database: DatabaseDep, at: AtDep) -> None:
    """Raises InBlocks, NotFound."""
    draft = at.shell.draft.draft if at.shell.draft else await database.read(draft_for, at.study)
    refuse_blocks(of_block(draft.keys, at.study.block))


alone = [Depends(without_blocks)]


@_pages.get("/pairs/pick", dependencies=alone)
async def ask_pair(request: Request, database: DatabaseDep, at: AtDep) -> Response:
    return render(await database.read(pick_page, at, dict(request.query_params)))


@_pages.post("/pairs/pick", dependencies=alone)
async def take_pair(database: DatabaseDep, at: AtDep, who: WhoDep, form: Form, now: Now) -> Response:
    try:
        await add_pair(database, who, at.study, row_in(form), revision_in(form), now)
    except StudyError as error:
        return refused(await database.read(pick_page, at, form, page_words(error)), error)
    return RedirectResponse(f"{at.here}/pick?{again_at(form)}", 303)


@_pages.get("/pairs/csv", dependencies=alone)
async def ask_list(database: DatabaseDep, at: AtDep) -> Response:
    return render(await database.read(csv_page, at))


@_pages.post("/pairs/csv", dependencies=alone)
async def take_csv(
    database: DatabaseDep,
    at: AtDep,
    who: WhoDep,
    form: AnyForm,
    files: FilesDep,
    now: Now,
) -> Response:
    text = ""
    try:
        text = csv_in(form, files)
        if form.get("do") != "save":
            return render(await database.read(csv_page, at, text))
        anyhow, revision = "anyhow" in form, revision_in(form)
        given = {"pairs": text}
        await save_pairs(database, who, at.study, given, revision, now, even_faulty=anyhow)
    except StudyError as error:
        return refused(await database.read(csv_page, at, text, error), error, "text")
    return RedirectResponse(f"{at.here}?said=saved", 303)


@_pages.get("/pairs/draw", dependencies=alone)
async def ask_draw(database: DatabaseDep, at: AtDep, rng: Rng) -> Response:
    return render(await database.read(draw_page, at, None, another_seed(rng)))


@_pages.post("/pairs/draw", dependencies=alone)
async def take_draw(
    database: DatabaseDep, at: AtDep, who: WhoDep, form: Form, now: Now, rng: Rng
) -> Response:
    draw, seed = draw_in(form), another_seed(rng)
    if form.get("do") != "save":
        draw = with_seed(draw, seed) if form.get("do") == "seed" else draw
        return render(await database.read(draw_page, at, draw, seed))
    try:
        given = {"sample": draw.sample()}
        await save_pairs(database, who, at.study, given, revision_in(form), now)
    except StudyError as error:
        page = await database.read(draw_page, at, draw, seed, page_words(error))
        return render(page, error.status_code)
    return RedirectResponse(f"{at.here}?said=saved", 303)


# Of a study of pairs alone, or of one of its blocks.
router = APIRouter()
router.include_router(_pages, prefix="/studies/{slug}")
router.include_router(_pages, prefix="/studies/{slug}/blocks/{block}")
