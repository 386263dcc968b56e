"""The form of the library by which the clips that are chosen there are acted on."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from sqlmodel import Session

from app.accounts.logins import Who
from app.admin.stimuli.chooser import shown_at
from app.admin.stimuli.stimuli_pages import library_address
from app.catalog import many
from app.catalog.many import BadChoice, Chosen, chosen_names
from app.core.database import Database
from app.library.clips.store import ClipStore
from app.studies.access import study_for

# The field of each action, at which it says why it was refused.
AT: Final = {"source": "to-source", "attribute": "to-key", "move": "to-collection", "pair": "to-study"}


async def acted(
    database: Database, store: ClipStore, who: Who, form: Mapping[str, str], now: datetime
) -> str:
    """Do what the form's button says; returns the address to go to. Raises StudyError, and then nothing is done."""
    back, chosen, said = library_address(form.get("back", "")), chosen_in(form), "saved"
    match form.get("do"):
        case "source":
            await many.set_source(database, who, chosen, form.get("to_source", ""), now)
        case "attribute":
            key, value = form.get("key", ""), form.get("value", "")
            await many.set_attribute(database, who, chosen, key, value, now)
        case "move":
            slug = form.get("to_collection", "")
            await database.write(many.move, who, chosen, slug, now)
            return _said(back, said="moved", moved=slug)
        case "delete":
            await many.delete(database, store, who, chosen, now)
            said = "deleted"
        case "pair":
            return await database.read(_pair_address, who, chosen, form.get("study", ""))
        case _:
            raise BadChoice("Say what to do with the chosen clips, by one of the buttons.")
    return _said(back, said=said)


def _said(back: str, **said: str) -> str:
    return f"{back}{'&' if '?' in back else '?'}{urlencode(said)}"


def _pair_address(session: Session, who: Who, chosen: Chosen, slug: str) -> str:
    """The address at which a study's page takes two chosen clips as a pair. Raises BadChoice, NotFound."""
    study = study_for(session, who, slug)
    names = chosen_names(session, who, chosen)
    if len(names) != 2:
        raise BadChoice(
            f"A pair is two clips, and {len(names)} are chosen. Choose two; many pairs at once are drawn, or "
            "listed in a file, on the study's page of pairs."
        )
    return f"/admin/studies/{study.slug}/pairs/pick?{urlencode(dict(zip(('a', 'b'), names, strict=True)))}"


def chosen_in(form: Mapping[str, str]) -> Chosen:
    """The clips ticked (`clip.NAME`), or all that fit the address that the form was on."""
    if form.get("all") == "yes":
        n_fitting = form.get("n_found", "")
        n = int(n_fitting) if n_fitting.isascii() and n_fitting.isdecimal() and len(n_fitting) < 9 else -1
        return Chosen(fitting=shown_at(library_address(form.get("back", ""))).wanted, n_fitting=n)
    return Chosen(tuple(key.removeprefix("clip.") for key in form if key.startswith("clip.")))
