"""The steps of a study from clips to data: which are done and what comes next, according to the database."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlmodel import Session

from app.accounts.logins import Who
from app.admin.design.fault_words import in_form_words
from app.core.problems import counted, listed
from app.jobs.queue import jobs_of
from app.jobs.tables import JobStatus, Kind
from app.library.kinds import StimulusKind
from app.outputs.clues import clips_of, clue_runs, is_of, verdict_of
from app.outputs.results import ResultsRequest, standing
from app.outputs.taken import Taken, downloads_of
from app.pairs.capacity import pairable, true_first
from app.pairs.view import FoundPairs, find_pairs
from app.studies.access import StudyHere
from app.studies.collections import own_collection
from app.studies.current import Current, current
from app.studies.drafts import DraftHere, DraftView, draft_here
from app.studies.file.comparable import blocks_in, unit_counts
from app.studies.file.drafts import DraftCheck
from app.studies.file.templates import unfilled
from app.studies.listing import StudyBrief, completed_of, study_brief
from app.studies.seeing import own_facts
from app.tasks.listed import SHORT_TASK, units_in_words
from app.tasks.pair.pairs import shown_in
from app.tasks.pair.settings import pairs_of
from app.tasks.pair.truth import truth_view
from app.trials.stimuli import StimulusFacts, own_of, true_source_of
from app.trials.tables import Mode, State, Status

_LAUNCHED = (State.LIVE, State.PAUSED, State.CLOSED)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a study. `says` is its progress in words; `link` is where it is done.

    `is_after`: it can only be done once the study is launched. `is_optional`: it is offered and never asked for. `then`
    is the next action for a user already at `link`: in words, and its address. `does` says in two or three words what
    is to be done, where the name says too little.
    """

    name: str
    about: str
    is_done: bool
    says: str
    link: str
    is_after: bool = False
    is_optional: bool = False
    then: tuple[str, str] | None = None
    does: str = ""


def brief_and_next(
    session: Session, who: Who, study: StudyHere
) -> tuple[StudyBrief, Step | None, Current, DraftHere | None]:
    """The study's brief and next step: after its launch, the one that follows. None if all is done.

    Also what was read for that: the study's row and, before the launch, its draft.
    """
    row = current(session, study)
    line = study_brief(session, row)
    if line.state in _LAUNCHED:
        return line, next_of(_after(session, study, line), line.state), row, None
    draft = draft_here(session, study, row)
    return line, next_of(steps_of(session, who, study, line, draft), line.state), row, draft


def next_of(steps: Iterable[Step], state: State) -> Step | None:
    """The first of these steps that is not done; after the launch, earlier steps are skipped."""
    launched = state in _LAUNCHED
    open_ones = (step for step in steps if not step.is_done and not step.is_optional)
    return next((step for step in open_ones if step.is_after or not launched), None)


def steps_of(
    session: Session, who: Who, study: StudyHere, line: StudyBrief, looked_at: DraftHere
) -> Iterator[Step]:
    """The steps that this study has, in the one order. Having looked at a page does no step.

    Each is looked up when it is reached: a list of sixty studies wants the first that is not done.
    """
    here = f"/admin/studies/{study.slug}"
    draft, stimuli, check = looked_at.draft, looked_at.stimuli, looked_at.check
    shows_any = check.design is None or bool(check.design.stimuli)
    is_of_blocks = draft.keys.get("blocks") is not None
    found = None if is_of_blocks else find_pairs(draft.keys, stimuli)
    if shows_any:
        has_pairs = not is_of_blocks or "pair" in unit_counts(draft.keys)
        # Whoever wrote the draft last sees what it may name: the same stimuli are not read twice.
        mine = own_of(stimuli) if draft.saved_by == who.email else own_facts(session, study, who)
        if found is not None:
            # A collection may hold records that pairs of clips are never made of, and the other way round.
            mine = pairable(mine, draft.keys.get("sample"), shown_in(found.pairs, stimuli)) or mine
        own = None if mine else own_collection(session, study.id)
        link = f"/admin/stimuli/upload?collection={own.slug}" if own else f"{here}/clips"
        yield _clips(mine, true_source_of(draft.keys), has_pairs, link)
    yield _blocks(draft, check, here) if found is None else _pairs(draft, found, here)
    yield _design(line, draft, check, here)
    if shows_any:
        yield _clues(session, study, looked_at, here)
    walked = completed_of(session, study, line.version)
    yield _preview(line, walked, here)
    yield _pilot(line, walked, here)
    yield _launch(line, here)
    yield from _after(session, study, line)


def _clips(stimuli: Mapping[str, StimulusFacts], true_source: str, has_pairs: bool, link: str) -> Step:
    """The step of stimuli, each kind with its sources."""
    kinds: dict[StimulusKind, Counter[str]] = {}
    for one in stimuli.values():
        kinds.setdefault(one.kind, Counter())[one.source] += 1
    parts = [
        f"{counted(sources.total(), kind)}: "
        + listed([f"{sources[name]} {name}" for name in sorted(sources, key=true_first(true_source))], "and")
        for kind, sources in sorted(kinds.items())
    ]
    of_clips = has_pairs and kinds.keys() <= {StimulusKind.CLIP}
    says = "; ".join(parts) or ("No clip yet" if of_clips else "Nothing yet")
    name, shown = ("Clips", "the videos to be compared") if of_clips else ("Stimuli", "what is to be shown")
    about = f"Upload {shown}, and say which source each is of"
    return Step(name, about, len(stimuli) > 1, says, link)


def _pairs(draft: DraftView, found: FoundPairs, here: str) -> Step:
    """The step of pairs: done if they have a truth, or it was stated that no source is the true one."""
    about = "Say which two clips are shown side by side"
    if found.faults:
        says = f"{counted(len(found.faults), 'problem')} to correct: {in_form_words(found.faults[0]).message}"
        return Step("Pairs", about, False, says, f"{here}/pairs")
    if not found.pairs:
        return Step("Pairs", about, False, "No pairs yet", f"{here}/pairs")
    how = {"listed": ", listed", "drawn": ", drawn at random"}.get(found.way, "")
    says = f"{counted(len(found.pairs), 'pair')}{how}"
    truth = truth_view(true_source_of(draft.keys), found.pairs)
    if truth.is_missing:
        says += ", and none has a truth: say which source is the true one, or that none is"
        return Step("Pairs", about, False, says, f"{here}/pairs#truth")
    return Step("Pairs", about, True, says, f"{here}/pairs")


def _blocks(draft: DraftView, check: DraftCheck, here: str) -> Step:
    """The step of blocks, which replaces that of pairs in a study with blocks."""
    about, faults = "Say what people do in each part of a session", check.within("blocks")
    if faults:
        says = f"{counted(len(faults), 'problem')} to correct: {in_form_words(faults[0]).message}"
        return Step("Blocks", about, False, says, f"{here}/design/trials#blocks")
    says = f"{counted(len(blocks_in(draft.keys)), 'block')}: {units_in_words(unit_counts(draft.keys))}"
    truth = truth_view(true_source_of(draft.keys), pairs_of(check.design.blocks)) if check.design else None
    if truth is not None and truth.n_pairs and truth.is_missing:
        says += "; no pair has a truth: say which source is the true one, or that none is"
        return Step("Blocks", about, False, says, f"{here}/pairs#truth")
    return Step("Blocks", about, True, says, f"{here}/design/trials#blocks")


def _clues(session: Session, study: StudyHere, looked_at: DraftHere, here: str) -> Step:
    """The step of clues: done if a report on exactly the current clips is finished, whatever it found."""
    runs, found = clue_runs(session, study), clips_of(session, study, looked_at)
    clips = found.clips
    done = [run for run in runs if run.status is JobStatus.DONE]
    current = next((run for run in done if is_of(run, found)), None)
    if current is not None:
        says = verdict_of(current.result).says.rstrip(".")
    elif any(not run.is_over for run in runs):
        says = "The report is being made"
    else:
        says = "The report is of other clips, or of an earlier release" if done else "No report yet"
    of_clips = any(clip.kind == StimulusKind.CLIP for clip in clips)
    clue = "brightness, length" if of_clips or not clips else "length, names"
    about = f"Check that {clue} or the like do not give the source away"
    return Step("Clues", about, current is not None, says, f"{here}/clues")


def _design(line: StudyBrief, draft: DraftView, check: DraftCheck, here: str) -> Step:
    about = "Write the texts and questions, and save them as a version"
    if check.design is None:
        n_faults = counted(len(check.faults), "problem")
        says = f"{n_faults} to correct: {in_form_words(check.faults[0]).message}"
        return Step("Design", about, False, says, f"{here}/design", does=f"Correct {n_faults}")
    if line.is_unsaved:
        says = "Complete, and not saved as a version yet"
        if line.version:
            says = f"Version {line.version} is saved; later changes are not"
        return Step("Design", about, False, says, f"{here}/versions", does="Save a version")
    n_open = len(unfilled(draft.keys))
    says = f"Saved as version {line.version}"
    if n_open:
        says += f"; {counted(n_open, 'place')} in [BRACKETS] still to be filled in"
    does = f"Fill in {counted(n_open, 'place')}"
    return Step("Design", about, not n_open, says, f"{here}/design", does=does)


def _preview(line: StudyBrief, walked: Mapping[str, int], here: str) -> Step:
    """The step of previewing: done once someone reached the last page of this version, in a preview or the pilot."""
    is_done = bool(walked.get(Mode.PREVIEW) or walked.get(Mode.PILOT))
    says = f"Version {line.version} was previewed to its last page"
    if not is_done:
        says = f"Version {line.version} has not been previewed to its last page"
    if not line.version:
        says = "Possible once a version is saved"
    about = "Preview the pages as participants see them; nothing is counted"
    return Step("Preview", about, is_done, says, f"{here}/launch")


def _pilot(line: StudyBrief, walked: Mapping[str, int], here: str) -> Step:
    done = walked.get(Mode.PILOT, 0)
    says = f"{counted(done, 'person', 'people')} completed version {line.version} as a pilot"
    if not done:
        says = "Nobody has completed this version as a pilot" if line.version else "No version to pilot yet"
    about = "Try it with a few people; their answers are kept apart for ever"
    return Step("Pilot", about, done > 0, says, f"{here}/launch")


def _launch(line: StudyBrief, here: str) -> Step:
    says = {State.LIVE: "Open since its launch", State.PAUSED: "Launched, and paused", State.CLOSED: "Closed"}
    about = "Complete the checklist and open the study"
    is_done = line.state in _LAUNCHED
    return Step("Launch", about, is_done, says.get(line.state, "Not launched"), f"{here}/launch")


def _after(session: Session, study: StudyHere, line: StudyBrief) -> Iterator[Step]:
    here = f"/admin/studies/{study.slug}"
    yield _watch(line, here)
    taken = downloads_of(session, study, line.units or (SHORT_TASK,))
    yield _results(session, study, line, taken, here)
    yield _judges(session, study, here)
    yield _data(line, taken, here)


def _watch(line: StudyBrief, here: str) -> Step:
    """The step of watching: done when the study is closed; the experimenter decides how many answers are enough."""
    done, open_ = line.n_completed(Mode.LIVE), line.sessions.get((Mode.LIVE, Status.ACTIVE), 0)
    # Who left without a word is among them: *Monitor* tells who is there.
    asked = line.sessions.get((Mode.LIVE, Status.ARRIVED), 0)
    # Nor is anybody known to be on the consent page still; of a closed study nobody is.
    at_consent = f"{asked} asked for consent, " if asked and line.state is not State.CLOSED else ""
    says = f"{counted(done, 'live session')} completed, {at_consent}{open_} under way or left"
    if not line.n_sessions(Mode.LIVE):
        says = "No live session yet"
    about, link = "See who comes, where people leave, and what goes wrong", f"{here}/monitor"
    then = None
    if line.state is State.LIVE:
        about += "; close the study once enough people have come"
        then = ("Pause or close the study", f"{here}/launch")
    elif line.state is State.PAUSED:
        says += "; paused, nobody new comes in"
        about, link = "Open the study again, or close it if enough people have come", f"{here}/launch"
    return Step("Watch", about, line.state is State.CLOSED, says, link, is_after=True, then=then)


def _results(session: Session, study: StudyHere, line: StudyBrief, taken: Taken, here: str) -> Step:
    """The step of results: done once those of all live answers of a closed study are computed."""
    about = "Read the finding, what the answers can carry, and what not yet"
    if taken.answered is None:
        says, is_current = "No live answer yet", True
    else:
        computed = standing(session, study, ResultsRequest(Mode.LIVE, None))
        is_current = computed.is_current
        says = "Computed from all live answers"
        if not is_current:
            says = "Answers, exclusions or judges have changed since they were computed"
        if computed.shown is None:
            says = "Not computed yet; opening the page computes them"
    if line.state in (State.LIVE, State.PAUSED):
        says += "; they open once the study is closed"
    return Step(
        "Results", about, line.state is State.CLOSED and is_current, says, f"{here}/results", is_after=True
    )


def _judges(session: Session, study: StudyHere, here: str) -> Step:
    """The step of judges, which a study may do without."""
    ran = [run for run in jobs_of(session, Kind.JUDGES, study.id) if run.status is JobStatus.DONE]
    says = f"{counted(len(ran), 'run')} of judges" if ran else "No judge has run"
    about = "Hold automated judges against people, if you have any"
    return Step("Judges", about, bool(ran), says, f"{here}/judges", is_after=True, is_optional=True)


def _data(line: StudyBrief, taken: Taken, here: str) -> Step:
    """Done once all live answers of a closed study were downloaded, as tables or in the package."""
    tables = "responses and labels" if "pair" in (line.units or {"pair": 0}) else "the answers"
    about = f"Download {tables}, or the study package with everything"
    if taken.answered is None:
        says = "No live answer yet; those of the pilot and of simulated people can be downloaded"
    elif taken.at is None:
        says = "No live answer has been downloaded"
        if taken.missing:
            names = [name.replace("_", " ") for name in taken.missing]
            says = f"Not downloaded yet: {listed(names, 'and')}"
    else:
        says = "All live answers have been downloaded"
        if not taken.is_all:
            says = "Live answers have come since the last download"
    is_done = line.state is State.CLOSED and taken.is_all
    return Step("Data", about, is_done, says, f"{here}/data", is_after=True)


def marks_of(steps: Sequence[Step], next_one: Step | None, state: State) -> list[str]:
    """`done`, `next`, `to do`, `optional`, or `left out` for each step; the last if it was not done before a launch."""
    launched = state in _LAUNCHED
    return [
        "done"
        if step.is_done
        else "next"
        if next_one and step.name == next_one.name
        else "optional"
        if step.is_optional
        else "left out"
        if launched and not step.is_after
        else "to do"
        for step in steps
    ]
