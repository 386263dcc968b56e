"""The application to an ethics board, made from a study's design; what no study file can know is a marked blank."""

from collections.abc import Iterator
from datetime import datetime
from importlib.metadata import version

from app.core.problems import counted
from app.reports.documents.design_words import block_lines, disclosure_lines, questions_of
from app.reports.documents.document import Chapter, Document, Items, Piece, blank
from app.reports.documents.hypothesis_words import expectation
from app.reports.documents.people_words import arm_lines, eligibility_lines, recruited_line, size_lines
from app.reports.study_facts import StudyFacts
from app.studies.file.design import StudyDesign
from app.studies.file.placeholders import filled


def ethics(facts: StudyFacts, made_at: datetime) -> Document:
    """The newest version's application. The study has a version."""
    newest = facts.versions[-1]
    design = newest.design
    about = (
        f"Study {facts.slug}, version {newest.number}; SHA-256 of its design {newest.sha256}. Written "
        f"{made_at:%Y-%m-%d %H:%M} UTC by Likely Human {version('likely-human')} from the study file. Parts in "
        "brackets are to be filled in.",
    )
    parts = (
        ("1. Title and researchers", _title),
        ("2. Purpose", _purpose),
        ("3. Participants and recruitment", _participants),
        ("4. Procedure", _procedure),
        ("5. Duration and pay", _pay),
        ("6. Risks, burdens and benefits", _risks),
        ("7. Consent and withdrawal", _withdrawal),
        ("8. Data that are kept", _data),
        ("9. Retention, access and sharing", _retention),
        ("10. Consent text", _consent),
        ("11. Instructions and closing text", _texts),
    )
    chapters = tuple(Chapter(heading, tuple(part(design))) for heading, part in parts)
    return Document(f"Application for ethical review: {design.title}", about, chapters)


def _title(design: StudyDesign) -> Iterator[Piece]:
    yield design.title
    yield blank("responsible researchers, institution, funding and conflicts of interest")
    contact = design.completion.contact
    yield (
        f"Contact for participants: {contact}."
        if contact
        else blank("contact for participants (completion.contact)")
    )


def _purpose(design: StudyDesign) -> Iterator[Piece]:
    yield blank("the question of the study and why it is worth asking people")
    if design.hypotheses:
        yield f"The study file states {counted(len(design.hypotheses), 'hypothesis', 'hypotheses')}:"
        yield Items(tuple(f"{one.id}: {one.says or expectation(one)}" for one in design.hypotheses))


def _participants(design: StudyDesign) -> Iterator[Piece]:
    age = design.consent.minimum_age
    yield (
        f"Participants state that they are at least {age} years old; who is younger is turned away."
        if age
        else f"No minimum age is asked for. {blank('whether minors may take part')}"
    )
    yield recruited_line(design)
    yield from eligibility_lines(design)
    if len(design.arms) > 1:
        yield from arm_lines(design)
    yield from size_lines(design)
    yield blank("inclusion and exclusion criteria, vulnerable groups")


def _procedure(design: StudyDesign) -> Iterator[Piece]:
    yield "Participants take part in a web browser, in this order:"
    steps = ["The consent page; who declines leaves nothing but a count."]
    if design.background:
        asked = "; ".join(f"“{one.ask}”" for one in design.background)
        steps.append(f"Questions about themselves: {asked}.")
    if design.instructions:
        steps.append("The instructions (below).")
    steps += [" ".join(block_lines(block)) for block in design.blocks]
    steps.append("The closing page, with the code with which answers can be deleted later.")
    yield Items(tuple(steps))
    if questions := questions_of(design):
        yield "What is asked in the trials:"
        yield Items(tuple(questions))
    if design.true_source and design.stimuli:
        yield (
            "What is shown comes from people or from programs, and participants are not told which while they answer. "
            f"{blank('whether they are told afterwards, and whether anything else is held back')}"
        )
    yield from disclosure_lines(design)


def _pay(design: StudyDesign) -> Iterator[Piece]:
    completion = design.completion
    yield (
        f"Duration: {counted(completion.minutes, 'minute')}." if completion.minutes else blank("the duration")
    )
    yield (
        f"Pay: {completion.pay}." if completion.pay else blank("the pay, and what is paid to who stops early")
    )


def _risks(design: StudyDesign) -> Iterator[Piece]:
    risks = ["Tiredness from looking at a screen; participants can stop at any page."]
    if design.stimuli or any(block.has_texts for block in design.blocks):
        risks.append(
            f"What the clips, records or texts show: {blank('violence, flashing images or offensive content')}"
        )
    if design.has_partners:
        risks.append("Participants play with each other, and may read what others write or do.")
    if any(question.type == "text" for block in design.blocks for question in block.asked):
        risks.append("Free texts may hold what participants say about themselves or others.")
    if design.may_show_play:
        risks.append("How a participant played or walked may be shown to others, as the consent text says.")
    yield Items(tuple(risks))
    yield blank("further risks, how they are reduced, and the benefits")


def _withdrawal(design: StudyDesign) -> Iterator[Piece]:
    yield (
        f"Consent is given on the first page (text {design.consent.version}, below) and stored with its version and "
        "the time. Participants can close the page at any time. With the code of the last page they can delete their "
        "answers themselves, without giving a reason; moves stay in matches with others, without their number."
    )


def _data(design: StudyDesign) -> Iterator[Piece]:
    kept = [
        "Answers, with the times at which pages were shown and answered.",
        "The recruiter's id and parameters of the link, apart from the answers or as a hash where the study says so.",
        "What the browser reports: screen, playback, hidden tabs, and how texts were entered.",
    ]
    if design.has_partners:
        kept.append("Moves and messages in matches.")
    yield Items(tuple(kept))
    yield "Network addresses of participants are not in the database."


def _retention(design: StudyDesign) -> Iterator[Piece]:
    days = design.retention.days if design.retention else None
    yield (
        blank("after how many days identities are erased (retention)")
        if days is None
        else f"Identities are erased {counted(days, 'day')} after a session's end; answers stay under random names."
    )
    yield (
        "Experimenters who have access to the study see its sessions; what they open, change and download is in the "
        "audit log. Packages for publication replace participants' names by numbers."
    )
    yield blank(
        "where the service and its backups are, who has access, how long answers are kept and where shared"
    )


def _consent(design: StudyDesign) -> Iterator[Piece]:
    yield Items(tuple(filled(design).consent.text.splitlines()), is_quoted=True)


def _texts(design: StudyDesign) -> Iterator[Piece]:
    own = [(f"Instructions of block {block.id}", block.instructions) for block in design.blocks]
    for name, text in (
        ("Instructions", design.instructions),
        *own,
        ("Closing text", design.completion.message),
    ):
        if text:
            yield f"{name}:"
            yield Items(tuple(text.splitlines()), is_quoted=True)
