"""A study's way from clips to data: what is done and what comes next, from what the database holds."""

from collections import Counter
from collections.abc import Mapping

from sqlmodel import Session

from app.experimenter.studies.pages import Step
from app.jobs.queue import jobs_of
from app.jobs.tables import JobStatus, Kind
from app.study.access import StudyHere
from app.study.drafts import DraftView
from app.study.file.drafts import DraftCheck, check_draft
from app.study.file.pairs import StimulusFacts
from app.study.file.problems import counted, listed
from app.study.file.templates import unfilled
from app.study.listing import StudyLine, has_preview
from app.study.pairs_view import find_pairs
from app.study.tables import Mode, State
from app.study.versions import stimulus_facts

_LAUNCHED = (State.LIVE, State.PAUSED, State.CLOSED)


def steps_of(session: Session, study: StudyHere, line: StudyLine, draft: DraftView) -> list[Step]:
    """Clips, pairs, design, preview, clues, pilot, launch, watch, data."""
    here, stimuli = f"/admin/studies/{study.slug}", stimulus_facts(session)
    check = check_draft(draft.keys, stimuli)
    return [
        _clips(stimuli),
        _pairs(draft, stimuli, here),
        _design(line, draft, check, here),
        _preview(session, study, line, here),
        _clues(session, study, here),
        _pilot(line, here),
        _launch(line, here),
        _watch(line, here),
        _data(session, study, line, here),
    ]


def _clips(stimuli: Mapping[str, StimulusFacts]) -> Step:
    sources = Counter(clip.source for clip in stimuli.values())
    parts = [f"{n} {source}" for source, n in sorted(sources.items(), key=lambda s: (s[0] != "human", s[0]))]
    says = f"{counted(len(stimuli), 'clip')}: {listed(parts, 'and')}" if parts else "No clip yet"
    about = "Upload the videos to be compared, and say which source each is of"
    return Step("Clips", about, len(stimuli) > 1, says, "/admin/stimuli")


def _pairs(draft: DraftView, stimuli: Mapping[str, StimulusFacts], here: str) -> Step:
    found = find_pairs(draft.keys, stimuli)
    how = {"listed": ", listed", "drawn": ", drawn at random"}.get(found.way, "")
    says = f"{counted(len(found.pairs), 'pair')}{how}" if found.pairs else "No pairs yet"
    if found.faults:
        says = f"{counted(len(found.faults), 'thing')} to mend: {found.faults[0].message}"
    about = "Say which two clips are shown side by side"
    return Step("Pairs", about, bool(found.pairs) and not found.faults, says, f"{here}/pairs")


def _design(line: StudyLine, draft: DraftView, check: DraftCheck, here: str) -> Step:
    about = "Write the texts and questions, and save them as a version"
    if check.design is None:
        says = f"{counted(len(check.faults), 'thing')} to mend: {check.faults[0].message}"
        return Step("Design", about, False, says, f"{here}/design")
    if line.is_unsaved:
        says = "Complete, and not saved as a version yet"
        if line.version:
            says = f"Version {line.version} is saved; later changes are not"
        return Step("Design", about, False, says, f"{here}/versions")
    n_open = len(unfilled(draft.keys))
    says = f"Saved as version {line.version}"
    if n_open:
        says += f"; {counted(n_open, 'place')} in [BRACKETS] still to be filled in"
    return Step("Design", about, not n_open, says, f"{here}/design")


def _preview(session: Session, study: StudyHere, line: StudyLine, here: str) -> Step:
    seen = bool(line.version) and has_preview(session, study, line.version)
    says = f"Version {line.version} was walked through" if seen else "Not walked through yet"
    if not line.version:
        says = "Possible once a version is saved"
    about = "Walk through the pages as a participant sees them; nothing of it counts"
    return Step("Preview", about, seen, says, f"{here}/launch")


def _clues(session: Session, study: StudyHere, here: str) -> Step:
    runs = jobs_of(session, Kind.CLUES, study.id)
    done = [run for run in runs if run.status is JobStatus.DONE]
    is_read = any(run.seen_at for run in done)
    says = "Read" if is_read else "Ready to be read" if done else "Not looked for yet"
    about = "Check that brightness, length or the like do not give the source away"
    return Step("Clues", about, is_read, says, f"{here}/clues")


def _pilot(line: StudyLine, here: str) -> Step:
    n, done = line.n_sessions(Mode.PILOT), line.n_completed(Mode.PILOT)
    says = f"{done} of {counted(n, 'pilot session')} completed" if n else "No pilot session yet"
    about = "Let a few people try it; their answers are kept apart for ever"
    return Step("Pilot", about, done > 0, says, f"{here}/launch")


def _launch(line: StudyLine, here: str) -> Step:
    says = {State.LIVE: "Open since its launch", State.PAUSED: "Launched, and paused", State.CLOSED: "Closed"}
    about = "Go through the checklist and let participants in"
    return Step(
        "Launch", about, line.state in _LAUNCHED, says.get(line.state, "Not launched"), f"{here}/launch"
    )


def _watch(line: StudyLine, here: str) -> Step:
    n, done = line.n_sessions(Mode.LIVE), line.n_completed(Mode.LIVE)
    says = f"{done} of {counted(n, 'live session')} completed" if n else "No live session yet"
    about = "See who comes, where people leave, and whether clips play"
    return Step("Watch", about, done > 0, says, f"{here}/monitor")


def _data(session: Session, study: StudyHere, line: StudyLine, here: str) -> Step:
    runs = [*jobs_of(session, Kind.PACKAGE, study.id), *jobs_of(session, Kind.REPORT, study.id)]
    is_made = any(run.status is JobStatus.DONE for run in runs)
    says = "Report or package made" if is_made else "Tables can be downloaded at any time"
    about = "Download labels and answers, the report, and the study package"
    return Step("Data", about, is_made, says, f"{here}/data")
