"""Addresses of every page of the service, by their routes, and the routes that are no page, with the reason."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, get_args

from app.admin.design.places import ALL, SECTIONS
from app.admin.design.views import PageName
from app.admin.help.documents import documents
from app.demo.build import PLAY, RATE
from tests.browser.whole_lab import (
    ARCHIVED,
    ARMS,
    CLOSED,
    EMPTY,
    ESSAYS,
    FAULTY,
    IN_TURN,
    LIVE,
    STUDIES,
    YES_NO,
    WholeLab,
)
from tools.lab import WALK

HERE: Final = "/admin/studies/{slug}"
FILE, PICTURE, DATA = "a file to keep", "a picture or video of a page", "read by the script of a page"
WITH_PAIRS = (LIVE, CLOSED, IN_TURN, EMPTY, FAULTY, ARMS)
SIMULATED = (ESSAYS, YES_NO, IN_TURN, PLAY, RATE, WALK)


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
    HERE + "/results": (
        HERE + "/results",
        *_of((ESSAYS, YES_NO, IN_TURN, PLAY, RATE, WALK), "/results?mode=simulated"),
    ),
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
# States of pages that the lab has to be in, with what is to be seen there.
STATES: Sequence[tuple[str, str]] = (
    (f"/admin/studies/{ARCHIVED}", ".study-name .badge:has-text('archived')"),
    (f"/admin/studies/{CLOSED}/results?mode=live", ".figure, figure, svg.chart"),
    (f"/admin/studies/{PLAY}/results?mode=simulated", "#play"),
    (f"/admin/studies/{PLAY}/results?mode=simulated", "#signatures"),
    ("/admin/stimuli/rules?clip={clip}", "label:has-text('Encoder')"),
)
STATES_OF_VIEWERS: Sequence[tuple[str, str]] = (
    ("/admin/stimuli/{clip}/edit", "main:not(:has(form.edit)) video"),
)
# Of the live study, as a recruiter would send them: some came to the end there, some not, and one is not known here.
SUBMISSIONS = """participant,status,code
p-000000000001,awaiting review,
p-000000000004,awaiting review,WRONG
p-000000000003,returned,
p-somebody-else,awaiting review,NONE
"""
FOR_OWNERS = ("/admin/users", "/admin/users/{user_id}", "/admin/audit")
IN_PREVIEWS = (LIVE, IN_TURN, PLAY, RATE, WALK, ESSAYS, YES_NO)


def addresses(lab: WholeLab, route: str) -> Iterator[str]:
    """Addresses of the pages of a route, filled in."""
    for address in PAGES[route]:
        for slug in STUDIES if "{slug}" in address else ("",):
            yield address.format(slug=slug, **lab.names)
