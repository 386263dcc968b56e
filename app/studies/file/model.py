"""The study file as a pydantic model: its keys, their defaults and what each may hold."""

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic.config import JsonDict
from pydantic_core import InitErrorDetails

from app.sessions.design import Order, Sides
from app.studies.file.pairs import HUMAN, NO_SOURCE
from app.studies.file.questions import (
    AsWritten,
    BackgroundQuestion,
    Labels,
    Part,
    TrialQuestion,
    different,
    exactly_one,
    rule_error,
)
from app.studies.file.redirects import checked_redirect
from app.studies.file.rules import broken_rules

Watch = Literal["both-to-end", "free"]
Use = Literal["even", "free"]
SLUG_PATTERN = r"^[a-z0-9][a-z0-9-]{0,63}$"
SCALE_PATTERN = r"^[a-z][a-z0-9_-]{0,39}$"
DEFAULT_MESSAGE = "# Thank you\n\nYour answers have been saved. You can close this page now.\n"
IN_A_TEXT_FILE = (
    "a Markdown file in the study file's folder, or Markdown itself when it has more than one line"
)
IN_A_PAIR_FILE = "a CSV file in the study file's folder, or the CSV itself when it has more than one line"

Markdown = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _one_or_more(schema: JsonDict) -> None:
    several = {key: schema.pop(key) for key in ("type", "items")}
    schema["anyOf"] = [{"type": "string", "minLength": 1}, several]


class Consent(Part):
    """What a participant agrees to before anything else."""

    version: AsWritten = Field(
        min_length=1,
        max_length=40,
        description="The text's version, kept with every consent; text as written.",
    )
    text: Markdown = Field(description=f"The consent text: {IN_A_TEXT_FILE}.")
    minimum_age: int | None = Field(
        default=None, ge=1, le=120, description="Asks for this age; whoever is younger may not take part."
    )


class Truth(Part):
    """Which answer is right."""

    source: str = Field(
        default=HUMAN,
        min_length=1,
        max_length=200,
        description="The true source: the clips that the question asks for are of it. Pairs with one such clip have "
        f"a truth, all others none; `{NO_SOURCE}` where no answer is right or wrong.",
    )


class Sample(Part):
    """Pairs drawn at random from the stimuli instead of listed in a file."""

    conditions: dict[str, Count] = Field(
        min_length=1,
        description="Condition to number of pairs; a condition is two sources joined by `-`, a's first.",
    )
    seed: int = Field(
        ge=0, lt=2**53, description="Makes the draw: the same stimuli and seed give the same pairs."
    )
    match: Annotated[
        tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_as_list), AfterValidator(different)
    ] = Field(
        default=(),
        description="The attribute, or list of attributes, on which both clips of a pair must agree.",
        json_schema_extra=_one_or_more,
    )
    practice: dict[str, Count] = Field(
        default={}, description="Condition to number of practice pairs, drawn from what `conditions` leaves."
    )
    use: Use = Field(
        default="free",
        description="`even` draws each clip as seldom as can be; `free` draws whatever clips are used already, "
        "as files without this line always did.",
    )
    drawn: Annotated[str, Field(min_length=1)] | None = Field(
        default=None,
        description="The pairs as they were drawn, as CSV: they stay, whatever clips come. Without it they are drawn "
        "anew wherever the file is read.",
    )


class Trials(Part):
    """How the pairs are shown, and what is asked about each."""

    questions: tuple[TrialQuestion, ...] = Field(
        min_length=1, description="The questions of every trial; exactly one is of type 2afc."
    )
    order: Order = Field(
        default="random",
        description="`random` per session, `fixed` as in the file, or `blocked` by condition.",
    )
    sides: Sides = Field(
        default="balanced",
        description="`balanced` within and over sessions, `random` per trial, or `fixed` with a on the left.",
    )
    watch: Watch = Field(
        default="both-to-end",
        description="`both-to-end` opens the questions when both clips were watched, `free` at once.",
    )


class Completion(Part):
    """The last page."""

    message: Markdown = Field(default=DEFAULT_MESSAGE, description=f"The closing text: {IN_A_TEXT_FILE}.")
    code: Annotated[AsWritten, Field(min_length=1, max_length=80)] | None = Field(
        default=None, description="A completion code to show; text as written."
    )
    redirect: Annotated[str, AfterValidator(checked_redirect)] | None = Field(
        default=None,
        description="A web address to go on to; it may hold {code}, {participant} and {session}.",
    )
    contact: Annotated[AsWritten, Field(min_length=1, max_length=200)] | None = Field(
        default=None,
        description="Whom to ask where something goes wrong, as a name with an email address or telephone number.",
    )


class StudyFile(Part, json_schema_extra=exactly_one(pairs="string", sample="object")):
    """A study as its file says it, before the files that it names are read."""

    study: str = Field(
        pattern=SLUG_PATTERN,
        description="The study's name in addresses and data: lower-case letters, digits and -, at most 64.",
    )
    title: str = Field(min_length=1, max_length=200, description="The heading of every participant's page.")
    consent: Consent = Field(description="The consent page.")
    background: tuple[BackgroundQuestion, ...] = Field(
        default=(), description="Questions asked once, before the trials."
    )
    instructions: Markdown | None = Field(
        default=None, description=f"The page before the trials: {IN_A_TEXT_FILE}."
    )
    truth: Truth = Field(default=Truth(), description="Which source the question asks for.")
    pairs: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description=f"The pairs: {IN_A_PAIR_FILE}. Either this or `sample`."
    )
    sample: Sample | None = Field(default=None, description="Draws the pairs. Either this or `pairs`.")
    scales: dict[Annotated[str, Field(pattern=SCALE_PATTERN)], Labels] = Field(
        default={}, description="Named label lists for `scale`, beside the built-in ones."
    )
    trials: Trials = Field(description="The trials.")
    completion: Completion = Field(
        default=Completion(), description="The last page: thanks, a code, a way back."
    )

    @model_validator(mode="wrap")
    @classmethod
    def _with_rules_between_keys(cls, raw: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Report broken rules beside bad values, so that one look shows all of them."""
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
