"""The study file as a pydantic model: its keys, their defaults and what each may hold."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic.config import JsonDict
from pydantic_core import InitErrorDetails

from app.core.widgets import Widget
from app.questions.base import AsWritten, Labels, Part, exactly_one, rule_error
from app.questions.registry import BackgroundQuestion
from app.studies.file.arms import AT, Arm, Moment
from app.studies.file.checks import Comprehension, Screening
from app.studies.file.devices import Devices
from app.studies.file.exclusion import ExclusionRules
from app.studies.file.hypotheses import Hypothesis
from app.studies.file.languages import Languages
from app.studies.file.recruitment import Recruitment
from app.studies.file.redirects import checked_end, checked_redirect
from app.studies.file.retention import Retention
from app.studies.file.rules import broken_rules
from app.studies.file.stopping import StopWhen
from app.tasks.registry import SHORT, Block
from app.trials.parts import IN_A_TEXT_FILE, Count, Markdown
from app.trials.stimuli import HUMAN, NO_SOURCE

SLUG_PATTERN = r"^[a-z0-9][a-z0-9-]{0,63}$"
SCALE_PATTERN = r"^[a-z][a-z0-9_-]{0,39}$"
DEFAULT_MESSAGE = "# Thank you\n\nYour answers have been saved. You can close this page now.\n"


# The parts of the block that a file without blocks is short for.
if TYPE_CHECKING:
    Sample = Part
    Trials = Part
else:
    Sample, Trials = (SHORT.sections[key] for key in ("sample", "trials"))
# A completion code, or a web address in its place.
EndCode = Annotated[AsWritten, Field(min_length=1, max_length=500), AfterValidator(checked_end)]
BlockOrder = Literal["fixed", "random"]


class Consent(Part):
    """The consent text and its conditions, before anything else."""

    text: Annotated[Markdown, Widget(rows=12, is_markdown=True)] = Field(
        title="Consent text", description=f"What is agreed to: {IN_A_TEXT_FILE}."
    )
    version: Annotated[AsWritten, Widget(is_short=True, placeholder="2026-01")] = Field(
        min_length=1,
        max_length=40,
        title="Version of this text",
        description="Kept with every consent, so that it is known which text each person read.",
    )
    minimum_age: Annotated[int | None, Widget(unit="years", is_short=True)] = Field(
        default=None,
        ge=1,
        le=120,
        title="Minimum age",
        description="Asks for this age; younger people may not take part.",
    )
    play_shown: bool = Field(
        default=False,
        title="Play may be shown to others",
        description="Say so only where the text tells people that others may see and judge how they played or walked; "
        "without it no record is made of what they play, and no clip of their walks.",
    )


class Truth(Part):
    """The answer that counts as right."""

    source: str = Field(
        default=HUMAN,
        title="True source",
        min_length=1,
        max_length=200,
        description="The true source: the clips that the question asks for are of it. Pairs with one such clip have "
        f"a truth, all others none; `{NO_SOURCE}` where no answer is right or wrong.",
    )


class Codes(Part):
    """A code, or an address to go on to, for each way out of a study."""

    finished: EndCode | None = Field(
        default=None, title="Finished", description="Who came to the end; the same as `code`."
    )
    no_consent: EndCode | None = Field(
        default=None, title="No consent", description="Who did not agree to take part."
    )
    screened_out: EndCode | None = Field(
        default=None,
        title="Screened out",
        description="Who is under age, gave an answer to a screening question that is not accepted, or did not answer "
        "the questions on a game's rules right and so played no match.",
    )
    failed_checks: EndCode | None = Field(
        default=None,
        title="Checks failed",
        description="Whose session was ended by the checks of comprehension or attention; the same as `screened_out` "
        "unless said.",
    )
    full: EndCode | None = Field(
        default=None,
        title="No place",
        description="Who comes when all places are taken, or the study is paused or closed.",
    )
    partial: EndCode | None = Field(
        default=None,
        title="In part",
        description="Left a match or its waiting room, found no one to play with, or was under way when the "
        "study closed.",
    )
    failed: EndCode | None = Field(
        default=None, title="Could not take part", description="Whose device could play or do nothing of it."
    )


class Completion(Part):
    """The last page, and every other way out."""

    message: Annotated[Markdown, Widget(rows=6, is_markdown=True, placeholder=DEFAULT_MESSAGE.strip())] = (
        Field(
            default=DEFAULT_MESSAGE,
            title="Closing text",
            description=f"Thanks, and what follows: {IN_A_TEXT_FILE}.",
        )
    )
    code: Annotated[AsWritten, Field(min_length=1, max_length=80)] | None = Field(
        default=None,
        title="Completion code",
        description="Shown on the last page, to be copied to where people came from.",
    )
    redirect: Annotated[
        Annotated[str, AfterValidator(checked_redirect)] | None, Widget(placeholder="https://…")
    ] = Field(
        default=None,
        title="Address to go on to",
        description="It may hold {code}, {participant} and {session}.",
    )
    contact: Annotated[
        Annotated[AsWritten, Field(min_length=1, max_length=200)] | None,
        Widget(placeholder="Ann Lee, ann.lee@example.org"),
    ] = Field(
        default=None,
        title="Whom to ask",
        description="Shown to participants who cannot continue, and so may not be paid: a name with an email "
        "address or "
        "telephone number.",
    )
    minutes: Annotated[int | None, Widget(unit="minutes", is_short=True)] = Field(
        default=None,
        ge=1,
        le=1440,
        title="It takes about",
        description="Shown on the first page, before consent.",
    )
    pay: Annotated[
        Annotated[AsWritten, Field(min_length=1, max_length=200)] | None,
        Widget(placeholder="£3.00, and up to £2.00 more by how you play"),
    ] = Field(
        default=None,
        title="Pay",
        description="Shown before consent, and with the sum of earnings.",
    )
    codes: Codes = Field(
        default=Codes(),
        title="Codes of the ways out",
        description="For each way out a code to be copied, or a web address to go on to. Where `redirect` holds "
        "{code}, it leads on from every way out that has a code.",
    )


def _pairs_or_blocks(schema: JsonDict) -> None:
    """Say in the JSON Schema that a study has pairs and trials, or blocks."""
    exactly_one(pairs="string", sample="object", blocks="array")(schema)
    schema["anyOf"] = [{"required": ["trials"]}, {"required": ["blocks"]}]


class StudyFile(Part, json_schema_extra=_pairs_or_blocks):
    """A study as its file says it, before the files that it names are read."""

    study: Annotated[str, Widget(is_nowhere=True)] = Field(
        title="Name in addresses and data",
        pattern=SLUG_PATTERN,
        description="The study's name in addresses and data: lower-case letters, digits and -, at most 64.",
    )
    title: str = Field(
        title="Title", min_length=1, max_length=200, description="The heading of every participant's page."
    )
    consent: Consent = Field(
        title="Consent",
        description="What people agree to before anything else. Who declines leaves nothing but that.",
    )
    devices: Devices = Field(
        default=Devices(),
        title="Devices",
        description="On which devices the study may be done: told before consent, and others are only counted.",
    )
    screening: Screening = Field(
        default=(),
        title="Screening",
        description="Asked after consent, before anything else. With an answer that is not accepted the study ends "
        "politely; of the person a count is kept, and a hash of the id in their link.",
    )
    viewing_conditions: bool = Field(
        default=False,
        title="Ask about viewing conditions",
        description="Asks once, after consent, how people watch: screen, distance, light and eyesight, after ITU-T "
        "P.910.",
    )
    background: tuple[BackgroundQuestion, ...] = Field(
        default=(),
        title="About you",
        description="Asked once, before the trials. Without questions there is no such page.",
    )
    instructions: Annotated[Markdown | None, Widget(rows=10, is_markdown=True)] = Field(
        default=None, title="Instructions", description=f"The page before the trials: {IN_A_TEXT_FILE}."
    )
    comprehension: Comprehension = Field(
        default=Comprehension(),
        title="Comprehension",
        description="Questions on the instructions, with the right answer to each.",
    )
    truth: Annotated[Truth, Widget(is_nowhere=True)] = Field(
        default=Truth(), title="True source", description="Which source the question asks for."
    )
    pairs: Annotated[Annotated[str, Field(min_length=1)] | None, Widget(is_nowhere=True)] = Field(
        default=None, title="List of pairs", description=SHORT.model_fields["pairs"].description
    )
    sample: Annotated[Sample | None, Widget(is_nowhere=True)] = Field(
        default=None, title="Draw of pairs", description=SHORT.model_fields["sample"].description
    )
    scales: dict[Annotated[str, Field(pattern=SCALE_PATTERN)], Labels] = Field(
        default={},
        title="Scales",
        description="Named label lists for `scale`, shared by several questions, in addition to the built-in ones.",
    )
    trials: Trials | None = Field(
        default=None,
        title="Trials",
        description="The trials of `pairs` or `sample`; a study with `blocks` has none of its own.",
    )
    blocks: tuple[Block, ...] = Field(
        default=(),
        title="Blocks",
        description="The parts of a session, each with one task, in place of `trials`, `pairs` and `sample`.",
    )
    block_order: Annotated[
        BlockOrder,
        Widget(words={"fixed": "Fixed, as here", "random": "Random, anew in every session, counterbalanced"}),
    ] = Field(
        default="fixed",
        title="Order of the blocks",
        description="`fixed` as in the file, or `random` per session, counterbalanced.",
    )
    arms: tuple[Arm, ...] = Field(
        default=(),
        title="Arms and places",
        description="Between-subjects conditions: each participant gets one, the least filled.",
    )
    target: Annotated[Count | None, Widget(unit="people", is_short=True)] = Field(
        default=None,
        title="Participants in all",
        description="How many live sessions are to count; the study closes by itself when it has them. Without it, the "
        "sum of the arms' targets.",
    )
    idle_minutes: Annotated[int | None, Widget(unit="minutes", is_short=True)] = Field(
        default=None,
        ge=1,
        le=10_080,
        title="A place comes free after",
        description="After so long without a sign of life a participant's place goes to others; who returns later "
        "continues while there is room. 30 unless said.",
    )
    opens: Annotated[Moment | None, AT] = Field(
        default=None,
        title="Opens",
        description="Nobody enters before: date and time with its time zone. The study has to be live as well.",
    )
    ends: Annotated[Moment | None, AT] = Field(
        default=None,
        title="Ends",
        description="Nobody enters from then on, and who is under way may finish: date and time with its time zone.",
    )
    stop_when: StopWhen | None = Field(
        default=None,
        title="Stopping by precision",
        description="The study closes by itself when the interval of a number is narrow enough.",
    )
    exclude: ExclusionRules = Field(
        default=(),
        title="Exclusion rules",
        description="By which rules a session is left out of the numbers, or not paid; `default` takes the rules that "
        "suit most studies. They are frozen with the version.",
    )
    hypotheses: Annotated[tuple[Hypothesis, ...], Field(max_length=50)] = Field(
        default=(),
        title="Hypotheses",
        description="What is expected, and the test that decides it. Analyses run exactly these, and mark them as "
        "pre-registered once the study is registered.",
    )
    retention: Retention | None = Field(
        default=None,
        title="Retention",
        description="After how long identities are erased; what the consent text promises.",
    )
    completion: Completion = Field(
        default=Completion(),
        title="End",
        description="Thanks, and the way back to where people came from.",
    )
    recruitment: Recruitment | None = Field(
        default=None,
        title="Recruitment",
        description="Who sends participants, how their ids are kept, and who is kept out.",
    )

    languages: Annotated[Languages, Widget(is_nowhere=True)] = Field(
        default={},
        title="Languages",
        description="The languages of the participant's pages: for each its tag, such as `de`, and the folder with the "
        "translated files; the folder `.` for the one that the study file itself is written in.",
    )

    @model_validator(mode="wrap")
    @classmethod
    def _with_rules_between_keys(cls, raw: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Report broken rules together with invalid values, so that one check shows all of them."""
        broken: list[InitErrorDetails] = [
            {"type": rule_error(fault.message, fault.remedy), "loc": fault.place, "input": None}
            for fault in broken_rules(raw)
        ]
        try:
            study = handler(raw)
        except ValidationError as error:
            broken = [*(_again(details) for details in error.errors(include_url=False)), *broken]
        if broken:
            raise ValidationError.from_exception_data(cls.__name__, broken)
        return study


def _again(details: Any) -> InitErrorDetails:
    """An error as it is raised, from an error as it is reported."""
    context = details.get("ctx", {})
    ours = details["type"] == "study_rule"
    type_ = rule_error(context["message"], context["remedy"]) if ours else details["type"]
    return {"type": type_, "loc": details["loc"], "input": details["input"], "ctx": context}
