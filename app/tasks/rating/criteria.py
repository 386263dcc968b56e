"""Questions about items: those of every type but choices between two, with what more may be said of them."""

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.config import JsonDict

from app.core.widgets import Widget
from app.questions.base import Asked, Part, QuestionType, different
from app.questions.registry import Models, any_of


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _one_or_more(schema: JsonDict) -> None:
    several = {key: schema.pop(key) for key in ("type", "items", "minItems")}
    schema["anyOf"] = [{"type": "string", "minLength": 1}, several]


class When(Part):
    """The items about which a question is asked."""

    group: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=80)], ...],
        BeforeValidator(_as_list),
        AfterValidator(different),
        Widget(rows=2),
    ] = Field(
        min_length=1,
        title="Asked of these groups alone, one per line",
        description="The group, or list of groups, of `items` to which the question applies.",
        json_schema_extra=_one_or_more,
    )


class _OfItems(Part):
    when: When | None = Field(
        default=None, title="When", description="Asks it of some items alone; of all unless said."
    )


@cache
def _criterion(type_: QuestionType) -> type[Asked] | None:
    """The settings of a type of question where it is asked about items."""
    if type_.only_pairs:
        return None
    bases: tuple[type, ...] = (*filter(None, [type_.of_items]), _OfItems, type_.settings)
    name = type_.settings.__name__.replace("Question", "Criterion")
    return type(name, bases, {"__module__": __name__, "__doc__": type_.settings.__doc__})


CRITERIA = Models(_criterion)

if TYPE_CHECKING:
    RatingQuestion = Asked
else:
    # A union of the types that are registered, which only a running program knows.
    RatingQuestion = any_of(CRITERIA)
