"""Common parts of the pages of the two games of alternating offers: proposer, message and answer."""

from collections.abc import Mapping
from typing import Any

from app.core.language import gettext as _
from app.core.language import noop
from app.tasks.game.base import View
from app.tasks.game.moves import MoveSchema
from app.tasks.game.parts import Entered, Quote, Text
from app.tasks.game.presenters.base import seat_of

ANSWERED = {"accept": noop("accepted"), "reject": noop("rejected"), "outside": noop("ended the talks")}


def is_own(view: View, entry: Mapping[str, Any]) -> bool:
    """True if the viewer made this offer."""
    return bool(entry["proposer"] == seat_of(view))


def by(view: View, entry: Mapping[str, Any]) -> str:
    """The proposer, as the beginning of a sentence or cell."""
    return _("You") if is_own(view, entry) else _("The other player")


def standing_quote(view: View) -> Quote | None:
    """The message of the pending offer, from either player."""
    offer = view.facts["standing"]
    return Quote(by(view, offer), offer["message"]) if offer and offer["message"] else None


def is_last(view: View) -> bool:
    """True if this is known to be the last round."""
    return view.rounds is not None and view.round >= view.rounds


def message_field(legal: MoveSchema, entered: Entered, label: str) -> tuple[Text, ...]:
    """The field for a message, where one may go with the move."""
    if not legal.kinds[0].message:
        return ()
    return (Text(label, legal.max_length, value=entered.value("message"), error=entered.error("message")),)
