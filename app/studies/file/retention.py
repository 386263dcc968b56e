"""The key `retention` of a study file: after how many days identities are erased."""

from typing import Annotated

from pydantic import Field

from app.core.widgets import Widget
from app.questions.base import Frozen, Part


class Retention(Part):
    """The time that identities are kept; answers stay."""

    days: Annotated[int, Widget(unit="days", is_short=True, placeholder="90")] = Field(
        ge=0,
        le=36_500,
        title="Days that identities are kept",
        description="Counted from a session's end, or from a day after it was last seen if it never ended. "
        "From then on recruiters' ids, parameters and details of the device can be erased; answers stay.",
    )


class DesignRetention(Frozen):
    days: int
