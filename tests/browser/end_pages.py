"""Every way out of a study, as the service makes its page."""

from collections.abc import Mapping

from app.sessions import ends
from app.sessions.beginning import Declined
from app.sessions.entering import BegunElsewhere, NotOpen
from app.sessions.here import StudyWhere
from app.sessions.runs import StudyRun
from app.studies.file.design import DesignCodes, DesignCompletion, DesignConsent, StudyDesign
from app.studies.file.devices import DesignDevices
from app.trials.design import BlockPart, pages_of
from app.trials.ending import Earned, Ending, Way
from app.trials.pages import EndPage
from app.trials.tables import Mode, State, Status
from tests.factories import NOW

BACK = "https://recruiter.example.org/complete?cc={code}"
CODES = DesignCodes(
    no_consent="NOCONSENT1",
    screened_out="SCREENED1",
    full="FULL1",
    partial="PARTIAL1",
    failed="FAILED1",
)
COMPLETION = DesignCompletion(
    message="# Thank you\n\nThe videos showed human players and two kinds of artificial ones.\n",
    code="DONE42",
    redirect=BACK,
    contact="Ann Lee, ann.lee@example.org",
    minutes=20,
    pay="£3.00, and up to £2.00 more by how you play",
    codes=CODES,
)


def design(**changes: object) -> StudyDesign:
    """A study without blocks, whose ends are all given; `changes` are of its completion."""
    return StudyDesign(
        study="nav",
        title="Which navigation looks natural?",
        consent=DesignConsent(version="1", text="# Consent\n", minimum_age=18),
        background=(),
        instructions=None,
        blocks=(),
        completion=COMPLETION.model_copy(update=changes),
    )


def where(of: StudyDesign, *, shows_clips: bool = True) -> StudyWhere:
    """A session under way, on the second of ten trials."""
    pages = pages_of(background=False, instructions=False, parts=[BlockPart("trials", "pair", 10, 0, 1)])
    run = StudyRun(
        "",
        (),
        has_background=False,
        has_instructions=False,
        shows_clips=shows_clips,
        shows_reading=False,
        design=of,
    )
    return StudyWhere(
        1, "token", 1, Mode.LIVE, Status.ACTIVE, State.CLOSED, 2, "P1", NOW, NOW, "", False, run, pages
    )


def ends_of(of: StudyDesign) -> Mapping[str, EndPage]:
    """The page of each way out by a name for its picture."""
    here = where(of)
    rules = DesignDevices(minimum_width=900, telephones=False, browsers=("chrome", "firefox"))
    unsuited = of.model_copy(update={"devices": rules})
    paid = (Earned("GBP", bonus_minor=120, wait_minor=40),)

    def last(ending: Ending) -> EndPage:
        return ends.last_page(of, ending, participant="P1", session="1")

    return {
        "end-finished": last(Ending()),
        "end-earned": last(Ending(earned=paid)),
        "end-left": last(Ending(Way.PARTIAL, "left", paid)),
        "end-withdrew": last(Ending(Way.PARTIAL, "withdrew", paid)),
        "end-questions": last(Ending(Way.SCREENED_OUT, "questions", paid)),
        "end-nobody": last(Ending(Way.PARTIAL, "nobody", (Earned("GBP", wait_minor=60),))),
        "end-refused": ends.farewell(Declined("nav", Status.REFUSED), of),
        "end-under-age": ends.farewell(Declined("nav", Status.UNDER_AGE), of),
        "end-screened-out": ends.farewell(Declined("nav", Status.SCREENED_OUT), of),
        "end-screened-out-id": ends.farewell(Declined("nav", Status.SCREENED_OUT, is_known=True), of),
        "end-unsuited": ends.farewell(Declined("nav", Status.UNSUITED), unsuited),
        "end-failed-checks": ends.failed_checks(here, ""),
        "end-full": ends.full("nav", of),
        "end-paused": ends.turned_away(NotOpen(State.PAUSED, of)),
        "end-closed": ends.turned_away(NotOpen(State.CLOSED, of)),
        "end-elsewhere": ends.turned_away(BegunElsewhere(of)),
        "end-shut-out": ends.shut_out(here),
        "end-shut-before": ends.shut_out(here._replace(status=Status.ARRIVED)),
        "end-unplayable": ends.nothing_played(here, ""),
        "end-undone": ends.nothing_played(where(of, shows_clips=False), ""),
    }
