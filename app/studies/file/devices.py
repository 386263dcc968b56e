"""The devices on which a study may be done, as its file says it."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from app.core.widgets import Widget
from app.questions.base import Frozen, Part, different

Browser = Literal["chrome", "edge", "firefox", "safari"]
BROWSERS = {"chrome": "Chrome", "edge": "Edge", "firefox": "Firefox", "safari": "Safari"}


class Devices(Part):
    """The devices on which the study may be done."""

    minimum_width: Annotated[int | None, Widget(unit="pixels", is_short=True)] = Field(
        default=None,
        ge=200,
        le=4000,
        title="Width of the window, at least",
        description="In CSS pixels, measured by a script before consent; what cannot be measured is not refused.",
    )
    telephones: bool = Field(
        default=True,
        title="May be done on a telephone",
        description="Whether the study may be done on a telephone.",
    )
    browsers: Annotated[tuple[Browser, ...], AfterValidator(different), Widget(rows=4, words=BROWSERS)] = (
        Field(
            default=(),
            title="Browsers",
            description="Of `chrome`, `edge`, `firefox`, `safari`; any browser unless said, and one that does not say "
            "which it is comes in.",
        )
    )
    smooth: bool = Field(
        default=False,
        title="Smooth playback",
        description="Whether the browser has to say that it plays a video as large and fast as the study's clips "
        "without losing pictures, asked by a script before consent; one that does not say it comes in.",
    )
    minimum_mbps: Annotated[float | None, Widget(unit="Mbit/s", is_short=True, placeholder="2")] = Field(
        default=None,
        ge=0.1,
        le=100,
        title="Speed of the connection, at least",
        description="In Mbit/s, measured by a script before consent on a file of half a megabyte; what cannot be "
        "measured is not refused.",
    )
    kept: bool = Field(
        default=False,
        title="Keep what the device is",
        description="Stores with consent the window's size and pixel ratio, roughly, the kind of device, the "
        "browser's name, and what was tried of playback and speed.",
    )


class DesignDevices(Frozen):
    minimum_width: int | None = None
    telephones: bool = True
    browsers: tuple[Browser, ...] = ()
    smooth: bool = False
    minimum_mbps: float | None = None
    kept: bool = False

    @property
    def measures(self) -> bool:
        """True if a script looks at the device before consent."""
        rules = self.minimum_width, self.minimum_mbps
        return self.kept or self.smooth or any(rule is not None for rule in rules)

    @property
    def asks_speed(self) -> bool:
        """True if a script measures the connection before consent."""
        return self.kept or self.minimum_mbps is not None


def resolved_devices(file: Devices) -> DesignDevices:
    return DesignDevices(**file.model_dump())


def keys_of_devices(design: DesignDevices) -> dict[str, Any] | None:
    """The keys that differ from the defaults; None where all are defaults."""
    return design.model_dump(mode="json", exclude_defaults=True) or None
