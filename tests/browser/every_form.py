"""Every form of the service with a value that it refuses, and the field that then says why; or why none is wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tests.browser.every_page import HERE
from tests.browser.whole_lab import CLOSED, EMPTY, FAULTY, IN_TURN, LIVE, OWNER, YES_NO

OFFER: Final = "game-of-offers"


@dataclass(frozen=True, slots=True)
class Wrong:
    """A form sent with wrong values: its route, the page it stands on, and what is sent in place of what it holds.

    `field` is the id or name of the field that says why it was refused; empty where the form has none that could be
    corrected, so that the message is of the page. `is_draft`: the value is kept in the draft of a design, which may be
    wrong until it is saved as a version, and is marked there.
    """

    route: str
    at: str
    fields: Mapping[str, str]
    field: str = ""
    is_draft: bool = False


def _of(slug: str, page: str) -> str:
    return f"/admin/studies/{slug}{page}"


LONG: Final = "a" * 3000
A_SESSION: Final = f"/sessions/{{session_of_{LIVE}}}"
A_PASSWORD: Final = "seven green herons wait"
BLOCK: Final = "/blocks/watch"
FOUND: Final = {"do": "exclude", "which": "found", "reason": ""}
BAD_SEED: Final = {"seed": "x", "do": "preview"}
NO_COLUMNS: Final = {"text": "a,b\n1,2\n", "columns": "x"}
# By the owner, who may do everything.
REFUSED: Sequence[Wrong] = (
    Wrong("/admin/users", "/admin/users", {"email": "nobody", "role": "editor"}, "email"),
    Wrong("/admin/account/profile", "/admin/account", {"name": "a" * 300}, "profile-name"),
    Wrong("/admin/account/password", "/admin/account", {"old": "w", "new": A_PASSWORD, "again": A_PASSWORD}, "old"),
    Wrong("/admin/account/password", "/admin/account", {"old": "w", "new": "short", "again": "short"}, "new"),
    Wrong("/admin/account/password", "/admin/account", {"old": "w", "new": A_PASSWORD, "again": "x"}, "again"),
    Wrong("/admin/account/tokens", "/admin/account", {"name": ""}, "name"),
    Wrong("/admin/studies/new", "/admin/studies/new", {"title": "New", "slug": "No name!"}, "slug"),
    Wrong("/admin/studies/new", "/admin/studies/new", {"title": "New", "slug": LIVE}, "slug"),
    # The library.
    Wrong("/admin/stimuli/upload", "/admin/stimuli/upload", {"source": ""}, "source"),
    Wrong("/admin/stimuli/upload", "/admin/stimuli/upload", {"source": "human"}, "files"),
    Wrong("/admin/stimuli/rules", "/admin/stimuli/rules", {"width": "x", "height": "0", "action": "apply"}, "width"),
    Wrong("/admin/stimuli/{name}/edit", "/admin/stimuli/{clip}/edit", {"source": ""}, "source"),
    Wrong("/admin/stimuli/{name}/edit", "/admin/stimuli/{spare}/edit", {"name": "no name"}, "name"),
    Wrong("/admin/stimuli.csv", "/admin/stimuli", {}, "file"),
    Wrong("/admin/stimuli/chosen", "/admin/stimuli", {"do": "source", "to_source": "human"}),
    Wrong("/admin/stimuli/collections", "/admin/stimuli/collections", {"title": ""}, "title"),
    Wrong(
        "/admin/stimuli/collections/{collection}/change",
        "/admin/stimuli/collections",
        {"do": "rename", "title": ""},
        "title-demo-clips",
    ),
    # A study.
    Wrong(HERE + "/shares", _of(LIVE, ""), {"email": "nobody@example.org"}, "email"),
    Wrong(HERE + "/tags", _of(LIVE, ""), {"tags": "a" * 200}, "tags"),
    Wrong(HERE + "/delete", _of(EMPTY, ""), {"name": "wrong"}, "name"),
    Wrong(HERE + "/notes", _of(LIVE, ""), {"text": ""}, "note-text"),
    Wrong(HERE + "/notes/{note_id}", _of(CLOSED, ""), {"text": ""}, "note-1"),
    Wrong(HERE + "/design/{section}", _of(FAULTY, "/design/consent"), {"consent.text": ""}, "consent.text", True),
    # Somebody else has changed the draft: the page says what was changed where.
    Wrong(HERE + "/design/{section}", _of(IN_TURN, "/design/consent"), {"revision": "999999"}),
    Wrong(HERE + "/versions", _of(FAULTY, "/versions"), {"reason": ""}),
    Wrong(HERE + "/versions", _of(CLOSED, "/versions"), {"reason": ""}, "reason"),
    Wrong(HERE + "/draft/file", _of(FAULTY, "/versions"), {}, "file"),
    Wrong(HERE + "/pairs/rows", _of(LIVE, "/pairs?edit=1"), {"do": "change 1", "position": "x"}, "position"),
    Wrong(HERE + "/pairs/pick", _of(LIVE, "/pairs/pick"), {"a": "", "b": ""}, "a"),
    Wrong(HERE + "/pairs/csv", _of(LIVE, "/pairs/csv"), {"text": ""}, "text"),
    Wrong(HERE + "/pairs/csv", _of(LIVE, "/pairs/csv"), {"text": "pair,a,b\np1,none,none\n"}, "text"),
    Wrong(HERE + "/pairs/draw", _of(EMPTY, "/pairs/draw"), BAD_SEED, "seed"),
    Wrong(HERE + "/blocks/{block}/pairs/rows", _of(YES_NO, BLOCK + "/pairs?edit=1"),
          {"do": "change 1", "position": "x"}, "position"),
    Wrong(HERE + "/blocks/{block}/pairs/pick", _of(YES_NO, BLOCK + "/pairs/pick"), {"a": "", "b": ""}, "a"),
    Wrong(HERE + "/blocks/{block}/pairs/csv", _of(YES_NO, BLOCK + "/pairs/csv"), {"text": ""}, "text"),
    Wrong(HERE + "/blocks/{block}/pairs/draw", _of(YES_NO, BLOCK + "/pairs/draw"), BAD_SEED, "seed"),
    Wrong(HERE + "/launch", _of(EMPTY, "/launch"), {"to": "live"}),
    Wrong(HERE + "/launch", _of(LIVE, "/launch"), {"to": "closed", "grace": "99999", "under_way": "finish"}, "grace"),
    Wrong(HERE + "/launch", _of(LIVE, "/launch"), {"to": "closed", "closing": ""}, "closing"),
    Wrong(HERE + "/places", _of(LIVE, "/launch"), {"target": "-1"}, "target"),
    Wrong(HERE + "/places", _of(LIVE, "/launch"), {"opens": "soon"}, "opens"),
    Wrong(HERE + "/places", _of(LIVE, "/launch"), {"ends": "late"}, "ends"),
    Wrong(HERE + "/register", _of(LIVE, "/launch"), {"address": "nowhere"}, "address"),
    Wrong(HERE + "/simulated", _of(OFFER, "/launch"), {"people": "-1"}, "people"),
    Wrong(HERE + "/simulated", _of(OFFER, "/launch"), {"seed": "x"}, "seed"),
    Wrong(HERE + "/links", _of(LIVE, "/links"), {"names": ""}, "names"),
    Wrong(HERE + "/sessions", _of(LIVE, "/sessions"), FOUND, "reason"),
    Wrong(HERE + "/sessions/{session_id}/exclude", _of(LIVE, A_SESSION), {"reason": ""}, "reason"),
    Wrong(HERE + "/sessions/{session_id}/notes", _of(LIVE, A_SESSION), {"note": ""}, "note"),
    Wrong(HERE + "/recruiting/submissions", _of(LIVE, "/recruiting"), {}, "file"),
    Wrong(HERE + "/recruiting/submissions", _of(LIVE, "/recruiting"), NO_COLUMNS, "columns"),
    Wrong(HERE + "/results/open", _of(LIVE, "/results"), {"known": ""}, "known"),
    Wrong(HERE + "/results/links", _of(CLOSED, "/results"), {"name": ""}, "link-name"),
    Wrong(HERE + "/results/links", _of(CLOSED, "/results"), {"name": "A", "ends": "never"}, "ends"),
    Wrong(HERE + "/judges", _of(CLOSED, "/judges"), {}, "verdicts"),
    Wrong(HERE + "/judges/train", _of(CLOSED, "/judges/train"), {"name": "no name", "seed": "1"}, "name"),
    Wrong(HERE + "/judges/train", _of(CLOSED, "/judges/train"), {"name": "one", "seed": "x"}, "seed"),
    Wrong(HERE + "/packages", _of(CLOSED, "/data"), {"authors": LONG}, "authors"),
    Wrong(HERE + "/packages", _of(CLOSED, "/data"), {"license": LONG}, "license"),
)  # fmt: skip
# By somebody without a login.
REFUSED_TO_STRANGERS: Sequence[Wrong] = (
    Wrong("/admin/login", "/admin/login", {"email": OWNER, "password": "wrong"}, "password"),
    Wrong("/password/{token}", "/password/{password_link}", {"new": "short", "again": "short"}, "new"),
    Wrong("/password/{token}", "/password/{password_link}", {"new": A_PASSWORD, "again": "x"}, "again"),
    Wrong("/s/{slug}/withdraw", f"/s/{LIVE}/withdraw", {"receipt": "wrong"}, "receipt"),
)
PRESS: Final = "has a button and nothing to fill in"
CHOICE: Final = "offers only what can be chosen"
SCRIPT: Final = "is sent by the script of a page, which shows what is answered"
# Forms that cannot be wrong, by their routes.
NEVER_WRONG: Mapping[str, str] = {
    "/admin/logout": PRESS,
    "/admin/users/{user_id}/role": CHOICE,
    "/admin/users/{user_id}/disable": PRESS,
    "/admin/users/{user_id}/enable": PRESS,
    "/admin/users/{user_id}/password": PRESS,
    "/admin/users/{user_id}/mail": PRESS,
    "/admin/account/logins/revoke": PRESS,
    "/admin/account/logins/{login_id}/revoke": PRESS,
    "/admin/account/tokens/{token_id}/revoke": PRESS,
    "/admin/jobs/{job_id}/cancel": PRESS,
    "/admin/stimuli/{name}/delete": PRESS,
    "/admin/stimuli/rules/apply": PRESS,
    "/admin/stimuli/uploads": SCRIPT,
    "/admin/stimuli/uploads/{token}": SCRIPT,
    "/admin/stimuli/uploads/cancel": PRESS,
    "/admin/stimuli/uploads/{token}/cancel": PRESS,
    "/admin/stimuli/frame-size": SCRIPT,
    "/admin/study-packages": SCRIPT,
    "/admin/study-packages/{token}": SCRIPT,
    HERE + "/reports": CHOICE,
    HERE + "/walk-clips": CHOICE,
    HERE + "/judges/check": SCRIPT,
    HERE + "/judges/again": PRESS,
    HERE + "/judges/train/{name}/delete": PRESS,
    HERE + "/design": "is the same form as that of a section, with all of them",
    HERE + "/draft": SCRIPT,
    HERE + "/draft/undo": PRESS,
    HERE + "/draft/redo": PRESS,
    HERE + "/draft/drop": PRESS,
    HERE + "/versions/{number}/restore": PRESS,
    HERE + "/shares/{user_id}/remove": PRESS,
    HERE + "/archive": PRESS,
    HERE + "/unarchive": PRESS,
    HERE + "/notes/{note_id}/delete": PRESS,
    HERE + "/clips": CHOICE,
    HERE + "/clues": PRESS,
    **{
        f"{HERE}{block}/pairs/{end}": PRESS
        for block in ("", "/blocks/{block}")
        for end in ("clear", "list", "again")
    },
    HERE + "/pairs/truth": CHOICE,
    HERE + "/blocks/{block}/pairs/truth": CHOICE,
    HERE + "/recruiting/codes": PRESS,
    HERE + "/results/again": PRESS,
    HERE + "/results/links/{link_id}/revoke": PRESS,
    HERE + "/preview": PRESS,
    HERE + "/simulated/remove": PRESS,
    HERE + "/sessions/{session_id}/include": PRESS,
    HERE + "/sessions/{session_id}/link": PRESS,
    HERE + "/sessions/{session_id}/person.{format_}": PRESS,
    HERE
    + "/matches/{match_id}/stop": "any reason is taken, or none, and the field ends where it is too long",
    HERE + "/matches/{match_id}/offer": CHOICE,
    "/password": "the same is answered for any address, so that nobody learns who is a user",
    # Of participants.
    "/p/{token}": "is sent empty on each of its pages, by the test that walks through previews",
    "/p/{token}/fill": PRESS,
    "/p/{token}/stop": PRESS,
    "/p/{token}/walk": SCRIPT,
    "/api/seat/{token}/moves": "is sent by a program that plays",
}
WITHOUT_FIELDS: Final = {route for route, why in NEVER_WRONG.items() if why in (PRESS, CHOICE)}
WITH_FIELDS: Final = {wrong.route for wrong in (*REFUSED, *REFUSED_TO_STRANGERS)}
