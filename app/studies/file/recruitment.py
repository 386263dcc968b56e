"""The key `recruitment` of a study file: who sends participants, how their ids come and are kept, whom to keep out."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, create_model

from app.core.problems import Fault, Place, quoted
from app.core.widgets import Widget
from app.questions.base import Frozen, Part
from app.studies.file.recruiters import OTHER, PARTS, RECRUITERS

From = Literal["prolific", "mturk", "sona", "connect", "other"]
Ids = Literal["plain", "apart", "hashed"]
APART: Ids = "apart"
NAME_PATTERN = r"^[A-Za-z][A-Za-z0-9_.-]{0,63}$"
_OWN = ("as", "signed", "go-on", "came", "lang", "language")
"""Parameters of our own links."""
_SLUG = r"^[a-z0-9][a-z0-9-]{0,63}$"
Name = Annotated[str, Field(pattern=NAME_PATTERN)]

_WORDS = {
    "": "No recruiter",
    **{key: recruiter.name for key, recruiter in RECRUITERS.items()},
    OTHER: "Another, by the names of its parameters",
}


class LinkParameters(Part):
    """Names of the link's parameters, where they are not the recruiter's own."""

    participant: Annotated[Name | None, Widget(is_short=True, placeholder="id")] = Field(
        default=None, title="Participant's id", description="The parameter that holds the participant's id."
    )
    study: Annotated[Name | None, Widget(is_short=True)] = Field(
        default=None, title="Recruiter's study", description="The parameter that names the recruiter's study."
    )
    session: Annotated[Name | None, Widget(is_short=True)] = Field(
        default=None, title="Submission", description="The parameter that names the submission or assignment."
    )


# A field cannot be called `from` in a class's own words.
if TYPE_CHECKING:
    _From = Part
else:
    _From = create_model(
        "_From",
        __base__=Part,
        **{
            "from": (
                Annotated[From, Widget(words=_WORDS, settles=True)],
                Field(
                    title="Who sends participants",
                    description="The recruiter, whose link parameters and ways back are known; `other` names them "
                    "under `parameters`.",
                ),
            )
        },
    )


class Recruitment(_From):
    """The recruiter, its link parameters and the treatment of ids."""

    parameters: LinkParameters = Field(
        default=LinkParameters(),
        title="Parameters of the link",
        description="Their names, where they are not those that the recruiter sends by itself.",
    )
    ids: Annotated[
        Ids,
        Widget(
            words={
                "plain": "With the answers, as given",
                "apart": "Apart from the answers",
                "hashed": "As a keyed hash alone",
            }
        ),
    ] = Field(
        default=APART,
        title="Participants' ids are kept",
        description="`apart` from the answers, which name a pseudonym; `hashed`: as a hash with this service's key "
        "alone; `plain`: with the answers, as without a recruiter.",
    )
    not_if_in: tuple[Annotated[str, Field(pattern=_SLUG)], ...] = Field(
        default=(),
        max_length=50,
        title="Not for participants of",
        description="Studies of this service: whoever took part in one of them is told so before consent.",
    )


class DesignParameters(Frozen):
    participant: str | None = None
    study: str | None = None
    session: str | None = None


class DesignRecruitment(Frozen):
    """`recruitment` as it is run. The parameters' names are those of the file; `names` has the recruiter's as well."""

    recruiter: From
    parameters: DesignParameters = DesignParameters()
    ids: Ids = APART
    not_if_in: tuple[str, ...] = ()

    @property
    def names(self) -> Mapping[str, str]:
        """The names of the link's parameters, by what they say."""
        known = RECRUITERS[self.recruiter].parameters if self.recruiter in RECRUITERS else {}
        given = {part: name for part, name in self.parameters.model_dump().items() if name}
        named = {**known, **given}
        return {part: named[part] for part in PARTS if part in named}

    @property
    def is_apart(self) -> bool:
        """True where `participant` is a pseudonym."""
        return self.ids != "plain"


def resolved(file: Any) -> DesignRecruitment | None:
    """The part of a study file as it is run; None without one."""
    if file is None:
        return None
    keys = file.model_dump()
    return DesignRecruitment(recruiter=keys.pop("from"), **keys)


def keys_of(recruitment: DesignRecruitment | None) -> dict[str, Any] | None:
    """The keys of a study file that make it."""
    if recruitment is None:
        return None
    keys = recruitment.model_dump(mode="json", exclude_defaults=True)
    return {"from": keys.pop("recruiter"), **keys}


def broken_rules(
    study: object, recruitment: Mapping[str, Any], completion: Mapping[str, Any]
) -> Iterator[Fault]:
    """Rules between these keys, and between them and the way out."""
    at: Place = ("recruitment",)
    parameters = recruitment.get("parameters")
    names = parameters if isinstance(parameters, Mapping) else {}
    if recruitment.get("from") == OTHER and not names.get("participant"):
        yield Fault(
            (*at, "parameters", "participant"),
            "the parameter that holds the participant's id is not named",
            "write `parameters: {participant: NAME}`, as the recruiter's links have it",
        )
    taken: dict[str, str] = {}
    for part, name in names.items():
        if not isinstance(name, str):
            continue
        if name.casefold() in _OWN:
            yield Fault(
                (*at, "parameters", part),
                f"{quoted(name)} is a parameter of our own links",
                "choose another name",
            )
        if name.casefold() in taken:
            yield Fault(
                (*at, "parameters", part),
                f"{quoted(name)} is named twice",
                "name a parameter for each, or leave it out",
            )
        taken[name.casefold()] = part
    others = recruitment.get("not_if_in")
    for index, slug in enumerate(others if isinstance(others, (list, tuple)) else ()):
        if slug == study:
            yield Fault(
                (*at, "not_if_in", index),
                "this is the study itself, in which an id takes part once anyway",
                "name other studies",
            )
    if recruitment.get("ids") == "hashed":
        for place, address in _addresses(completion):
            if "{participant}" in address:
                yield Fault(
                    place,
                    "the address sends {participant}, and with `ids: hashed` the id is not kept",
                    "write `ids: apart`, or an address without {participant}",
                )


def _addresses(completion: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    codes = completion.get("codes")
    ends = {("completion", "redirect"): completion.get("redirect")} | {
        ("completion", "codes", str(way)): end
        for way, end in (codes.items() if isinstance(codes, Mapping) else ())
    }
    yield from ((place, end) for place, end in ends.items() if isinstance(end, str))
