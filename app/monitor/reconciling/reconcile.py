"""The comparison: for each submission what is here, what to do, and the evidence for it.

A rejection costs a participant more than the pay, so it is proposed on a verdict of the study's rules alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from sqlmodel import Session

from analysis.quality.registry import RULES
from app.accounts.audit import Actor, record
from app.core.money import money
from app.core.problems import counted, listed
from app.monitor.reconciling.people import Book, Here, sessions_here
from app.monitor.reconciling.submissions import Submission, Submissions, There
from app.studies.access import StudyHere
from app.studies.drafts import design_of_version, newest_number
from app.studies.file.design import StudyDesign
from app.studies.file.recruiters import OTHER
from app.studies.file.redirects import is_address
from app.trials.ending import Earned, Way
from app.trials.tables import Mode

_WAYS: Mapping[Way, str] = {
    Way.FINISHED: "who finished",
    Way.NO_CONSENT: "who did not consent",
    Way.SCREENED_OUT: "who was screened out",
    Way.FAILED_CHECKS: "who failed the study's checks",
    Way.FULL: "who found no place",
    Way.PARTIAL: "who did a part",
    Way.FAILED: "on whose device nothing worked",
}
_HANDED_IN = (There.WAITING, There.APPROVED)
_BEFORE_CONSENT = (Way.NO_CONSENT, Way.SCREENED_OUT, Way.FULL)


class Action(StrEnum):
    """The action proposed for a submission at the recruiter."""

    PAY = "pay"
    RETURN = "return"
    REJECT = "reject"
    LOOK = "look"
    NOTHING = "nothing"


class CodeIs(StrEnum):
    RIGHT = "right"
    OTHER_WAY = "of another way out"
    WRONG = "wrong"
    MISSING = "missing"
    UNASKED = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A submission, a session, or both. `reason` is the evidence in a sentence."""

    submission: Submission | None
    here: Here | None
    code: CodeIs
    action: Action
    reason: str
    is_twice: bool = False

    @property
    def id(self) -> str:
        return self.submission.participant if self.submission else self.here.id if self.here else ""

    @property
    def bonus(self) -> Sequence[Earned]:
        """Earnings that are paid: of a session that finished, or did a part."""
        if self.here is None or self.here.pay is False or self.action in (Action.RETURN, Action.REJECT):
            return ()
        return [each for each in self.here.earned if each.total_minor]


@dataclass(frozen=True, slots=True)
class Reconciled:
    """`lines` are the submissions in their order; `only_here` completed here and are in no submission."""

    recruiter: str
    lines: Sequence[Line]
    only_here: Sequence[Line]
    submissions: Submissions

    def by(self, *actions: Action) -> Sequence[Line]:
        return [line for line in self.lines if line.action in actions]

    @property
    def counts(self) -> Mapping[Action, int]:
        found = Counter(line.action for line in self.lines)
        return {action: found[action] for action in Action}

    @property
    def bonuses(self) -> Sequence[tuple[Line, Earned]]:
        """Earnings to be paid, those of a session once, however often its participant is in the file."""
        first: dict[int, Line] = {}
        for line in sorted(self.lines, key=lambda line: line.action is not Action.PAY):
            if line.here is not None and line.bonus:
                first.setdefault(line.here.session, line)
        chosen = {id(line) for line in first.values()}
        return [(line, each) for line in self.lines if id(line) in chosen for each in line.bonus]

    @property
    def notes(self) -> Sequence[str]:
        """Sentences on what could not be compared."""
        return [*self._notes()]

    def _notes(self) -> Iterator[str]:
        if unknown := self.submissions.unknown:
            words = listed(f"“{word[:40]}”" for word in [*unknown][:5])
            yield f"States of submissions that are not known: {words}. They are listed to be looked at."
        if "status" not in self.submissions.has:
            yield "The file has no column with states, so every submission is taken to wait for a decision."
        if "code" not in self.submissions.has:
            yield "The file has no column with completion codes, so that codes are not compared."


def recruiter_of(session: Session, study: StudyHere) -> str:
    """The recruiter that the newest version names."""
    newest = newest_number(session, study)
    recruitment = design_of_version(session, study, newest).recruitment if newest else None
    return recruitment.recruiter if recruitment else OTHER


def reconcile(
    session: Session, study: StudyHere, submissions: Submissions, recruiter: str, secret: str
) -> Reconciled:
    """Hold a recruiter's submissions against the sessions of a study, live and of its pilot."""
    here = sessions_here(session, study)
    newest = newest_number(session, study)
    codes = codes_of(design_of_version(session, study, newest)) if newest else {}
    book, rows_of = Book(here, secret), defaultdict[str, list[Submission]](list)
    for one in submissions.rows:
        if one.participant:
            rows_of[one.participant].append(one)
    asks = "code" in submissions.has and bool(codes)
    lines, seen = list[Line](), set[int]()
    paid: set[int] = set()
    for one in submissions.rows:
        found = book.of(one.participant, one.submission)
        others = [each for each in rows_of[one.participant] if each is not one]
        line = _line(one, found, codes, asks=asks, is_twice=bool(others))
        if found is not None:
            seen.add(found.session)
            line = _among(line, found, others, is_paid=found.session in paid)
            if line.action is Action.PAY:
                paid.add(found.session)
        lines.append(line)
    only_here = [
        Line(None, one, CodeIs.UNASKED, Action.LOOK, _only_here(one))
        for one in here
        if one.is_done and one.mode == Mode.LIVE and one.session not in seen
    ]
    return Reconciled(recruiter, lines, only_here, submissions)


def _among(line: Line, here: Here, others: Sequence[Submission], *, is_paid: bool) -> Line:
    """The line of a session, where the file has its participant in other rows as well.

    Recruiters give a place anew to who returned it or ran out of time: one session is then of two submissions, and is
    paid once, by that with which the participant came, where the link says so."""
    one = line.submission
    if one is None:
        return line
    own = next((each for each in others if here.submission and each.submission == here.submission), None)
    if line.action is Action.PAY:
        if own is not None and own.submission != one.submission and own.there in _HANDED_IN:
            reason = f"The session here is of submission {own.submission} (row {own.row}). {line.reason}"
            return replace(line, action=Action.LOOK, reason=reason)
        if is_paid:
            return replace(line, action=Action.LOOK, reason=f"Listed before for pay. {line.reason}")
    again = next((each for each in others if each.there in _HANDED_IN), None)
    if again is not None and one.there in (There.RETURNED, There.TIMED_OUT) and line.action is Action.LOOK:
        word = one.there.replace("-", " ").capitalize()
        reason = f"{word} there, and handed in again (row {again.row}). {_done(here)}"
        return replace(line, action=Action.NOTHING, reason=reason)
    return line


def note_reconciled(session: Session, by: Actor, study: StudyHere, found: Reconciled, now: datetime) -> None:
    """Record in the audit log that ids were read, and what came of it."""
    after = {"recruiter": found.recruiter, **{str(action): n for action, n in found.counts.items()}}
    record(session, by, "submissions.reconcile", now=now, study=study.slug, after=after)


def codes_of(design: StudyDesign) -> Mapping[str, Way]:
    """The codes of a design's ways out, in lower case; addresses are none."""
    completion = design.completion
    given = {**completion.codes.model_dump(), Way.FINISHED: completion.codes.finished or completion.code}
    found: dict[str, Way] = {}
    for way, end in given.items():
        if end and not is_address(end):
            found.setdefault(end.casefold(), Way(way))
    return found


def _code(one: Submission, here: Here | None, codes: Mapping[str, Way], *, asks: bool) -> CodeIs:
    if not asks:
        return CodeIs.UNASKED
    if not one.code:
        return CodeIs.MISSING
    way = codes.get(one.code.casefold())
    if way is None:
        return CodeIs.WRONG
    if here is None:
        return CodeIs.OTHER_WAY if way in _BEFORE_CONSENT else CodeIs.RIGHT
    # An ending without a code of its own shows that of who finished.
    shown = here.way if here.way in codes.values() else Way.FINISHED
    return CodeIs.RIGHT if here.is_over and way in (shown, here.way) else CodeIs.OTHER_WAY


def _line(
    one: Submission, here: Here | None, codes: Mapping[str, Way], *, asks: bool, is_twice: bool
) -> Line:
    code = _code(one, here, codes, asks=asks)
    action, reason = _decided(one, here, code, codes)
    words = [
        reason,
        *_of_code(one, code, codes, here),
        *(["This id is in the file more than once."] if is_twice else []),
    ]
    return Line(one, here, code, action, " ".join(words), is_twice)


def _decided(
    one: Submission, here: Here | None, code: CodeIs, codes: Mapping[str, Way]
) -> tuple[Action, str]:
    if one.there is There.ACTIVE:
        return Action.NOTHING, f"Still under way there. {_done(here)}"
    if one.there is There.APPROVED:
        if here is not None and here.is_done:
            return Action.NOTHING, f"Approved there. {_done(here)}"
        return Action.LOOK, f"Approved there, and not completed here. {_done(here)}"
    if one.there in (There.RETURNED, There.TIMED_OUT, There.SCREENED_OUT, There.REJECTED):
        word = one.there.replace("-", " ").capitalize()
        if here is not None and here.is_done:
            return Action.LOOK, f"{word} there, but completed here. {_done(here)}"
        return Action.NOTHING, f"{word} there. {_done(here)}"
    if one.there is There.UNKNOWN:
        return Action.LOOK, f"Its state there is not known. {_done(here)}"
    return _waiting(one, here, code, codes)


def _waiting(
    one: Submission, here: Here | None, code: CodeIs, codes: Mapping[str, Way]
) -> tuple[Action, str]:
    if not one.participant and here is None:
        return Action.LOOK, "The row has no id."
    if here is None:
        way = codes.get(one.code.casefold()) if one.code else None
        if way in _BEFORE_CONSENT:
            return Action.RETURN, f"Nothing is kept here of {_WAYS[way]}; the code is the one for that."
        if way is not None:
            return Action.LOOK, "There is no session with this id, but the code was shown at the end of one."
        return Action.RETURN, "There is no session with this id here."
    if here.pay is False:
        return Action.REJECT, f"By the study's rules not to be paid: {rules_in_words(here)}. {_done(here)}"
    if here.is_done and here.way is Way.FINISHED:
        return Action.PAY, _done(here)
    if here.is_over:
        return Action.LOOK, f"Came to an end of its own: {_WAYS[here.way]}. {_done(here)}"
    return Action.RETURN, f"Not completed here. {_done(here)}"


def _done(here: Here | None) -> str:
    if here is None:
        return "No session with this id here."
    took = f" in {here.minutes:.1f} minutes" if here.minutes is not None else ""
    sums = [money(each.total_minor, each.currency) for each in here.earned]
    earned = f", earned {listed(sums, 'and')}" if sums else ""
    state = here.status_words.capitalize()
    paid = f"{state} here: {here.answers}{took}{earned}."
    return f"{paid} Left out of the analysis: {here.excluded}." if here.excluded else paid


def rules_in_words(here: Here) -> str:
    """The rules that a session met by their titles, with their values."""
    said = [
        f"{RULES[name].title.lower() if name in RULES else name}{_values(values)}"
        for name, values in here.rules.items()
    ]
    return listed(said, "and") if said else "no rule is named"


def _values(values: object) -> str:
    if isinstance(values, Mapping):
        values = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items())
    return f" ({values})" if values not in (None, "") else ""


def _of_code(one: Submission, code: CodeIs, codes: Mapping[str, Way], here: Here | None) -> Iterator[str]:
    if code is CodeIs.MISSING and one.there in (There.WAITING, There.APPROVED):
        yield "No code was entered."
    elif code is CodeIs.WRONG:
        yield f"The code “{one.code[:40]}” is none of the study's."
    elif code is CodeIs.OTHER_WAY and here is not None:
        yield f"The code is that for {_WAYS[codes[one.code.casefold()]]}."


def _only_here(one: Here) -> str:
    who = one.id or one.participant
    return f"{_done(one)} No submission of {who} is in the file."


def summary(found: Reconciled) -> str:
    """One line for the terminal."""
    n = found.counts
    parts = [f"{n[action]} to {action}" for action in (Action.PAY, Action.RETURN, Action.REJECT)]
    parts += [f"{n[Action.LOOK]} to look at", f"{n[Action.NOTHING]} as they should be"]
    alone = counted(len(found.only_here), "session")
    return f"{counted(len(found.lines), 'submission')}: {', '.join(parts)}; {alone} completed here and not submitted."
