"""Sentences on who may take part in a study, in which arm, how many, and when it ends."""

import json
from collections.abc import Iterator, Sequence

from app.core.language import ENGLISH, name_of
from app.core.problems import counted, listed
from app.questions.base import Question
from app.questions.checked import ACCEPT, ANSWER
from app.reports.documents.document import Items, Piece, blank
from app.studies.file.arms import DesignArm
from app.studies.file.design import StudyDesign
from app.studies.file.recruiters import RECRUITERS
from app.studies.file.stopping import DesignStopWhen
from app.trials.headline import OF_PAIRS
from app.trials.loads import LEFT_AFTER

_LONGEST = 120
_BROWSERS = {"chrome": "Chrome", "edge": "Edge", "firefox": "Firefox", "safari": "Safari"}


def arm_lines(design: StudyDesign) -> Iterator[Piece]:
    """The assignment to arms and what each arm changes, or that there is one group."""
    arms = design.arms
    if len(arms) < 2:
        yield "All participants are in one group: conditions differ within participants."
        return
    yield f"Participants are assigned to one of {len(arms)} arms (between subjects): {listed(design.arm_ids, 'and')}."
    least = "the smallest share of its target" if arms[0].target is not None else "the fewest participants"
    yield (
        f"With consent each participant gets the arm with {least}, counting who has completed and who is under way "
        "and is not excluded; between equal ones a seeded draw decides. Arm, pairs, sides and items are decided in one "
        "transaction of the database, and are balanced within each arm."
    )
    yield Items(tuple(_arm(design, arm) for arm in arms))


def arms_in_words(design: StudyDesign) -> Iterator[str]:
    """The arms of a study that has any, and what each changes."""
    if design.arms:
        yield f"Participants were assigned to one of {len(design.arms)} arms: {listed(design.arm_ids, 'and')}."
        yield from (_arm(design, arm) for arm in design.arms)


def _arm(design: StudyDesign, arm: DesignArm) -> str:
    own = [block.id for block in design.blocks if arm.id in block.arms]
    said = [f"{path} is {_short(value)}" for path, value in arm.set.items()]
    if own:
        said.append(f"has {'block' if len(own) == 1 else 'blocks'} {listed(own, 'and')}")
    return f"Arm {arm.id}: {'; '.join(said) or 'as the study file says it'}."


def _short(value: object) -> str:
    text = " ".join((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def size_lines(design: StudyDesign) -> Iterator[Piece]:
    """The number of participants, of the study and of arms, and when the study opens and ends."""
    arms = [f"{arm.id} {arm.target}" for arm in design.arms if arm.target is not None]
    if design.target is not None:
        yield f"The study closes by itself at {counted(design.target, 'participant')} who count."
    if arms:
        yield f"Participants wanted in each arm: {', '.join(arms)}. An arm that has them takes no one else."
    if design.target is not None or arms:
        idle = design.idle_minutes or round(LEFT_AFTER.total_seconds() / 60)
        yield (
            "A live session counts where it is completed and neither excluded nor, by the rules, left out. While it is "
            f"under way it holds a place; after {counted(idle, 'minute')} without a sign of life the place goes to "
            "others."
        )
    elif design.stop_when is not None:
        yield "No number is fixed: the study ends by its stopping rule."
    else:
        yield blank("the number of participants")
    if design.opens:
        yield f"Nobody enters before {design.opens}."
    if design.ends:
        yield f"Nobody enters from {design.ends} on, whatever the numbers are."


def stopping_lines(design: StudyDesign) -> Iterator[Piece]:
    """The rule of precision, or that there is none."""
    rule = design.stop_when
    if rule is None:
        yield "Nobody looks at the live results before the study is closed, unless the audit log says so."
        return
    first = "; the target above closes it as well, whichever comes first" if _has_target(design) else ""
    yield (
        f"Data collection stops by precision: at the first participant with whom the 95% interval of "
        f"{_number(rule)} is at most {_width(rule)} wide from end to end, and not before "
        f"{counted(rule.at_least, 'participant')} have finished{first}."
    )
    one = "share" if rule.scale is None else "mean score"
    square = "one" if rule.scale is None else f"{rule.span**2:g} (the scale's length squared)"
    yield (
        f"Looked at are finished live participants who count, one {one} each, after every participant, and from 200 "
        "on after every tenth. The rule is Chow and Robbins' (1965) for an interval of fixed width: the width alone "
        f"decides and not the value, and the variance is increased by {square} over answers times people. In "
        f"simulations of this rule the interval at the stop held the {one} in 94% of studies on average."
    )
    if rule.expected is not None:
        yield f"The plan expects a {one} of {rule.expected:g}."


def _has_target(design: StudyDesign) -> bool:
    return design.target is not None or any(arm.target is not None for arm in design.arms)


def _width(rule: DesignStopWhen) -> str:
    if rule.scale is None:
        return f"{100 * rule.narrower_than:g} points"
    return f"{rule.narrower_than:g} on the scale from {rule.scale[0]:g} to {rule.scale[1]:g}"


def _number(rule: DesignStopWhen) -> str:
    if rule.scale is not None:
        return (
            f"the mean score by {rule.measure} (participants' mean scores of main items, items as they are)"
        )
    if rule.measure not in OF_PAIRS:
        return f"the mean accuracy by {rule.measure} (participants' shares of main items judged right)"
    if rule.measure == "accuracy":
        return "the mean accuracy (participants' shares of main pairs answered right)"
    return (
        f"the mean preference for {rule.source} (participants' shares of main pairs in which it was chosen)"
    )


def recruited_line(design: StudyDesign) -> str:
    """A sentence on where participants come from, and who is kept out."""
    rule = design.recruitment
    if rule is None:
        return blank("where participants are recruited")
    known = RECRUITERS.get(rule.recruiter)
    where = f"Participants come from {known.name}." if known else blank("where participants are recruited")
    out = f" People who took part in {listed(rule.not_if_in, 'or')} are not taken." if rule.not_if_in else ""
    return f"{where}{out}"


def eligibility_lines(design: StudyDesign) -> Iterator[Piece]:
    """Languages, devices, screening and comprehension: who may take part besides age and recruiter."""
    yield from language_lines(design)
    yield from _devices(design)
    yield from _asked(
        "Screening, before the study", design.screening, "who answers otherwise is thanked and leaves"
    )
    checks = design.comprehension
    if checks.questions:
        failed = (
            "whoever is wrong then leaves"
            if checks.failed == "end"
            else "whoever is wrong then goes on and is flagged"
        )
        tries = counted(checks.tries, "try", "tries")
        yield from _asked(f"Comprehension of the instructions, {tries}", checks.questions, failed)
    n = sum(len(block.attention_checks.questions) for block in design.blocks)
    if n:
        yield f"{counted(n, 'question that tells', 'questions that tell')} participants what to answer (attention)."


def language_lines(design: StudyDesign) -> Iterator[Piece]:
    """The languages of the pages."""
    if design.languages == (ENGLISH,):
        yield "The pages are in English."
        return
    named = [f"{name_of(one)} ({one})" for one in design.languages]
    if len(named) == 1:
        yield f"The pages are in {named[0]}."
        return
    yield (
        f"The pages are in {listed(named, 'and')}. Participants read them in the language of the link, of their "
        "browser, or that they choose; it is stored with consent, with the hash of that language's consent text."
    )


def _devices(design: StudyDesign) -> Iterator[Piece]:
    devices = design.devices
    rules = []
    if devices.minimum_width is not None:
        rules.append(f"a window at least {devices.minimum_width} CSS pixels wide")
    if not devices.telephones:
        rules.append("no telephone")
    if devices.browsers:
        rules.append(f"the browser {listed([_BROWSERS[one] for one in devices.browsers], 'or')}")
    if rules:
        yield f"Devices: {listed(rules, 'and')}. Others are told so before consent."
    if devices.kept:
        yield "The size of the window, the kind of device and the browser's name are stored with consent."
    if design.viewing_conditions:
        yield "Participants are asked for their viewing conditions."


def _asked(title: str, questions: Sequence[Question], otherwise: str) -> Iterator[Piece]:
    if questions:
        yield f"{title} ({otherwise}):"
        yield Items(tuple(f"“{one.ask}”{_answers(one)}" for one in questions))


def _answers(question: Question) -> str:
    answer = question.own.get(ANSWER)
    right = [answer] if isinstance(answer, str) else question.own_texts(ACCEPT)
    return f" Accepted: {', '.join(right)}." if right else ""
