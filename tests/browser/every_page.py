"""Addresses of every page of the service, by their routes, and the routes that are no page, with the reason."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, get_args

from app.admin.design.places import ALL, SECTIONS
from app.admin.design.views import PageName
from app.admin.help.documents import documents
from app.demo.build import PLAY, RATE
from tests.browser.whole_lab import (
    ARMS,
    CLOSED,
    EMPTY,
    ESSAYS,
    FAULTY,
    IN_TURN,
    LIVE,
    OWNER,
    STUDIES,
    YES_NO,
    WholeLab,
)
from tools.lab import WALK

HERE: Final = "/admin/studies/{slug}"
FILE, PICTURE, DATA = "a file to keep", "a picture or video of a page", "read by the script of a page"
WITH_PAIRS = (LIVE, CLOSED, IN_TURN, EMPTY, FAULTY, ARMS)


def _of(studies: Sequence[str], *ends: str) -> Sequence[str]:
    return [f"/admin/studies/{slug}{end}" for slug in studies for end in ends]


# Of an address with `{slug}` there is one for each of STUDIES; other names in braces are those of `WholeLab.names`.
PAGES: Mapping[str, Sequence[str]] = {
    # Of the owner and of who looks on.
    "/admin": ("/admin", "/admin?state=closed", "/admin?q=nothing-of-this-name", "/admin?archived=yes"),
    "/admin/users": ("/admin/users",),
    "/admin/users/{user_id}": ("/admin/users/{user}",),
    "/admin/account": ("/admin/account", "/admin/account?said=password"),
    "/admin/audit": (
        "/admin/audit",
        "/admin/audit?period=day&action=study.launch",
        "/admin/audit?who=nobody",
    ),
    "/admin/api": ("/admin/api",),
    "/admin/help": ("/admin/help",),
    "/admin/help/{name}": [f"/admin/help/{name}" for name in documents()],
    "/admin/stimuli": (
        "/admin/stimuli",
        "/admin/stimuli?view=table",
        "/admin/stimuli?q=nothing-of-this-name",
    ),
    "/admin/stimuli/{name}/edit": ("/admin/stimuli/{clip}/edit",),
    "/admin/stimuli/collections": ("/admin/stimuli/collections",),
    "/admin/stimuli/upload": ("/admin/stimuli/upload", "/admin/stimuli/upload?collection=" + EMPTY),
    "/admin/stimuli/rules": ("/admin/stimuli/rules", "/admin/stimuli/rules?clip={clip}"),
    "/admin/studies/new": ("/admin/studies/new",),
    # Of a study.
    HERE: (HERE,),
    HERE + "/audit": (HERE + "/audit",),
    HERE + "/clips": (HERE + "/clips",),
    HERE + "/clues": (HERE + "/clues",),
    HERE + "/data": (HERE + "/data",),
    HERE + "/design/{section}": (
        *_of(STUDIES, f"/design/{ALL}"),
        *_of((LIVE, FAULTY, PLAY, WALK), *(f"/design/{section.slug}" for section in SECTIONS)),
    ),
    HERE + "/draft/match/{number}": _of((PLAY,), "/draft/match/1"),
    HERE + "/draft/page/block-{number}": _of((PLAY, RATE, WALK, ESSAYS, YES_NO), "/draft/page/block-1"),
    HERE + "/draft/page/{kind}": _of(
        (LIVE, IN_TURN, PLAY, EMPTY), *(f"/draft/page/{kind}" for kind in get_args(PageName))
    ),
    HERE + "/judges": (HERE + "/judges",),
    HERE + "/judges/run": (HERE + "/judges/run",),
    HERE + "/judges/train": (HERE + "/judges/train",),
    HERE + "/launch": (HERE + "/launch",),
    HERE + "/links": (HERE + "/links",),
    HERE + "/matches": (HERE + "/matches",),
    HERE + "/matches/{match_id}": _of((PLAY,), "/matches/{match}", "/matches/{match}?at=3"),
    HERE + "/monitor": (HERE + "/monitor",),
    HERE + "/pairs": _of(WITH_PAIRS, "/pairs"),
    HERE + "/pairs/pick": _of(WITH_PAIRS, "/pairs/pick"),
    HERE + "/pairs/csv": _of(WITH_PAIRS, "/pairs/csv"),
    HERE + "/pairs/draw": _of(WITH_PAIRS, "/pairs/draw"),
    HERE + "/blocks/{block}/pairs": _of((YES_NO,), "/blocks/watch/pairs"),
    HERE + "/blocks/{block}/pairs/pick": _of((YES_NO,), "/blocks/watch/pairs/pick"),
    HERE + "/blocks/{block}/pairs/csv": _of((YES_NO,), "/blocks/watch/pairs/csv"),
    HERE + "/blocks/{block}/pairs/draw": _of((YES_NO,), "/blocks/watch/pairs/draw"),
    HERE + "/recruiting": (HERE + "/recruiting",),
    HERE + "/reports/{job_id}/{name}": _of((RATE,), "/reports/{report_job}/report.html"),
    HERE + "/results": (HERE + "/results", *_of((ESSAYS, YES_NO, IN_TURN), "/results?mode=simulated")),
    HERE + "/sessions": (
        HERE + "/sessions",
        *_of((LIVE,), "/sessions?state=completed", "/sessions?q=nothing"),
    ),
    HERE + "/sessions/{session_id}": [
        f"/admin/studies/{slug}/sessions/{{session_of_{slug}}}"
        for slug in (LIVE, CLOSED, PLAY, RATE, WALK, ESSAYS, YES_NO, IN_TURN)
    ],
    HERE + "/versions": (HERE + "/versions",),
    HERE + "/versions/compare": _of(
        (LIVE,), "/versions/compare?before=1", "/versions/compare?before=1&after=1"
    ),
    # Of nobody in particular.
    "/": ("/",),
    "/admin/login": ("/admin/login",),
    "/password": ("/password",),
    "/password/{token}": ("/password/{password_link}", "/password/none"),
    "/r/{token}": ("/r/{shared_link}", "/r/none"),
    "/s/{slug}": [*(f"/s/{slug}" for slug in (CLOSED, EMPTY)), "/s/none"],
    "/s/{slug}/declined/{status}": [
        f"/s/{slug}/declined/{status}"
        for slug in (LIVE, PLAY)
        for status in ("refused", "under-age", "screened-out", "unsuited")
    ],
    "/s/{slug}/full": (f"/s/{LIVE}/full", f"/s/{LIVE}/full?paused=1"),
    "/s/{slug}/took-part": (f"/s/{LIVE}/took-part",),
    "/s/{slug}/withdraw": (f"/s/{LIVE}/withdraw", f"/s/{PLAY}/withdraw"),
    "/s/{slug}/withdrawn": (f"/s/{LIVE}/withdrawn",),
}
# Made of a preview, which is filled in page by page.
IN_A_SESSION = {"/p/{token}", "/p/{token}/stop"}
NO_PAGES: Mapping[str, str] = {
    "/admin/api/openapi.json": FILE,
    "/admin/audit.csv": FILE,
    HERE + "/audit.csv": FILE,
    HERE + "/data/{what}.{format_}": FILE,
    HERE + "/packages/{job_id}.zip": FILE,
    HERE + "/judges/train/{name}/{file}": FILE,
    HERE + "/judges/example.csv": FILE,
    HERE + "/judges/{job_id}/numbers-{name}.csv": FILE,
    HERE + "/judges/{job_id}/{name}": FILE,
    HERE + "/pairs.csv": FILE,
    HERE + "/blocks/{block}/pairs.csv": FILE,
    HERE + "/versions/{number}.yaml": FILE,
    HERE + "/draft.yaml": FILE,
    HERE + "/results/{name}.csv": FILE,
    HERE + "/results/numbers/{name}.csv": FILE,
    HERE + "/prereg.{format_}": FILE,
    HERE + "/ethics.md": FILE,
    HERE + "/registrations/{registration}.md": FILE,
    "/admin/stimuli.csv": FILE,
    "/admin/stimuli/{name}/original": FILE,
    HERE + "/results/clips/{clip}.jpg": PICTURE,
    HERE + "/sessions/{session_id}/clips/{clip}.mp4": PICTURE,
    HERE + "/sessions/{session_id}/clips/{clip}.jpg": PICTURE,
    "/admin/stimuli/{name}/clip.mp4": PICTURE,
    "/admin/stimuli/{name}/poster.jpg": PICTURE,
    "/admin/stimuli/{name}/frame.jpg": PICTURE,
    "/admin/stimuli/previews/{job_id}/{name}": PICTURE,
    "/r/{token}/results/clips/{clip}.jpg": PICTURE,
    "/p/{token}/clips/{position}-{place}.mp4": PICTURE,
    "/static": PICTURE,
    "/static/admin": PICTURE,
    "/admin/jobs/{job_id}": DATA,
    HERE + "/monitor/events": DATA,
    HERE + "/matches/live": DATA,
    HERE + "/matches/{match_id}/at": DATA,
    "/admin/stimuli/uploads": DATA,
    "/admin/stimuli/uploads/{token}": DATA,
    "/admin/stimuli/frame-size": DATA,
    "/admin/study-packages/{token}": DATA,
    "/p/{token}/state": DATA,
    "/p/{token}/state/events": DATA,
    "/p/{token}/speed": DATA,
    "/api/seat/{token}": "read by a program that plays",
    "/healthz": "read by a monitor of servers",
    "/readyz": "read by a monitor of servers",
    HERE + "/design": "leads to the first section with something missing",
    "/admin/studies": "leads to the list of studies",
}
# Forms that are refused, or answered with what is wrong: the page, the end of the form's address, and what is sent in
# place of what it holds.
REFUSED: Sequence[tuple[str, str, Mapping[str, str]]] = (
    ("/admin/users", "/users", {"email": "nobody", "role": "editor"}),
    ("/admin/account", "/profile", {"name": "a" * 300}),
    ("/admin/account", "/account/password", {"current": "wrong", "new": "a", "again": "b"}),
    ("/admin/account", "/tokens", {"name": ""}),
    ("/admin/studies/new", "/new", {"title": "New", "slug": "new"}),
    ("/admin/stimuli/upload", "/upload", {"source": ""}),
    ("/admin/stimuli/rules", "/rules", {"width": "x", "height": "0"}),
    ("/admin/stimuli/{clip}/edit", "/edit", {"name": "no name", "source": ""}),
    ("/admin/stimuli", "/stimuli.csv", {}),
    (f"/admin/studies/{EMPTY}/launch", "/launch", {"to": "live"}),
    ("/admin/studies/game-of-offers/launch", "/simulated", {"people": "-1"}),
    (f"/admin/studies/{LIVE}/launch", "/places", {"target": "-1", "opens": "soon"}),
    (f"/admin/studies/{LIVE}/launch", "/register", {"address": "nowhere"}),
    (f"/admin/studies/{LIVE}/links", "/links", {"names": ""}),
    (
        f"/admin/studies/{LIVE}/sessions?select=yes",
        "/sessions",
        {"do": "exclude", "reason": "", "which": "found"},
    ),
    (f"/admin/studies/{LIVE}/sessions/{{session_of_{LIVE}}}", "/exclude", {"reason": ""}),
    (f"/admin/studies/{LIVE}/sessions/{{session_of_{LIVE}}}", "/notes", {"note": ""}),
    (f"/admin/studies/{LIVE}/recruiting", "/submissions", {}),
    (f"/admin/studies/{LIVE}/results", "/results/open", {"known": ""}),
    (f"/admin/studies/{CLOSED}/results", "/links", {"name": ""}),
    (f"/admin/studies/{LIVE}", "/shares", {"email": "nobody@example.org"}),
    (f"/admin/studies/{LIVE}", "/tags", {"tags": "a" * 200}),
    (f"/admin/studies/{LIVE}", "/notes", {"text": ""}),
    (f"/admin/studies/{EMPTY}", "/delete", {"name": "wrong"}),
    (f"/admin/studies/{CLOSED}/judges", "/judges", {}),
    (f"/admin/studies/{FAULTY}/versions", "/versions", {"reason": ""}),
    (f"/admin/studies/{FAULTY}/versions", "/draft/file", {}),
    (f"/admin/studies/{IN_TURN}/pairs/csv", "/csv", {"text": "pair,a,b\np1,none,none\n"}),
    # A draft that somebody else has changed: the page says what was changed where.
    (f"/admin/studies/{IN_TURN}/design/consent", "/design/consent", {"revision": "999999"}),
)
REFUSED_TO_STRANGERS: Sequence[tuple[str, str, Mapping[str, str]]] = (
    ("/admin/login", "/login", {"email": OWNER, "password": "wrong"}),
    ("/password", "/password", {"email": "nobody"}),
    ("/password/{password_link}", "", {"new": "a", "again": "b"}),
    (f"/s/{LIVE}/withdraw", "/withdraw", {"code": "wrong"}),
)
# Pages of what is not there, or not for the one who asks, with their status.
NOT_THERE: Sequence[tuple[str, int]] = (
    ("/nothing", 404),
    ("/admin/nothing", 404),
    ("/admin/studies/nothing", 404),
    (f"/admin/studies/{LIVE}/nothing", 404),
    (f"/admin/studies/{LIVE}/sessions/99999", 404),
    (f"/admin/studies/{LIVE}/design/nothing", 404),
    ("/p/nothing", 404),
    ("/s/nothing", 404),
    ("/r/nothing", 404),
    ("/password/nothing", 404),
)
FOR_OWNERS = ("/admin/users", "/admin/users/{user_id}", "/admin/audit")
IN_PREVIEWS = (LIVE, IN_TURN, PLAY, RATE, WALK, ESSAYS, YES_NO)


def addresses(lab: WholeLab, route: str) -> Iterator[str]:
    """Addresses of the pages of a route, filled in."""
    for address in PAGES[route]:
        for slug in STUDIES if "{slug}" in address else ("",):
            yield address.format(slug=slug, **lab.names)
