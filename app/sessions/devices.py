"""Devices before consent: read from headers and a script, held against the rules. Coarse: no fingerprint."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from app.core.language import gettext as _
from app.core.language import noop
from app.questions.base import finite_number
from app.studies.file.devices import DesignDevices

Kind = Literal["telephone", "tablet", "computer"]
NAMES = {"chrome": "Chrome", "edge": "Edge", "firefox": "Firefox", "safari": "Safari"}
_STEP_PX, _MOST_PX = 10, 20_000
_NO_TELEPHONE = noop("The study cannot be done on a telephone.")
_WIDTH = noop("The study needs a window at least {width} pixels wide.")
_BROWSERS = noop("The study needs one of these browsers: {browsers}.")


@dataclass(frozen=True, slots=True)
class Device:
    """A device as the request's headers tell it; empty where they do not."""

    kind: Kind | Literal[""] = ""
    browser: str = ""


def device_of(headers: Mapping[str, str]) -> Device:
    """Read client hints, which Chromium's browsers send, before the user agent, which all do."""
    agent, brands = headers.get("user-agent", ""), headers.get("sec-ch-ua", "")
    if not agent:
        return Device()
    is_mobile = headers.get("sec-ch-ua-mobile") == "?1" or "Mobi" in agent or "iPhone" in agent
    is_tablet = "iPad" in agent or "Tablet" in agent or ("Android" in agent and not is_mobile)
    kind: Kind = "tablet" if is_tablet else "telephone" if is_mobile else "computer"
    return Device(kind, _browser(agent, brands))


def _browser(agent: str, brands: str) -> str:
    # Every browser names the ones it descends from: the most special name counts.
    if "Edge" in brands or "Edg" in agent:
        return "edge"
    if "Firefox/" in agent or "FxiOS/" in agent:
        return "firefox"
    if "Chrome" in brands or "Chrome/" in agent or "CriOS/" in agent or "Chromium" in brands:
        return "chrome"
    return "safari" if "Safari/" in agent else ""


def is_unsuited(rules: DesignDevices, device: Device, width: int | None = None) -> bool:
    """True if a rule is broken by what is known; what is not known breaks none."""
    return (
        (not rules.telephones and device.kind == "telephone")
        or (bool(rules.browsers and device.browser) and device.browser not in rules.browsers)
        or (rules.minimum_width is not None and width is not None and width < rules.minimum_width)
    )


def needs_of(rules: DesignDevices) -> str:
    """The needs of the study, in words."""
    said = [
        _(_NO_TELEPHONE) if not rules.telephones else "",
        _(_WIDTH).format(width=rules.minimum_width) if rules.minimum_width else "",
        _(_BROWSERS).format(browsers=", ".join(NAMES[name] for name in rules.browsers))
        if rules.browsers
        else "",
    ]
    return " ".join(filter(None, said))


def measured(text: str) -> dict[str, Any]:
    """The window's `width` and `height` in CSS pixels, down to tens, and its `pixel_ratio`, as far as they are read."""
    try:
        said = json.loads(text[:500]) if text else {}
    except ValueError:
        said = {}
    known = {name: finite_number(value) for name, value in said.items()} if isinstance(said, dict) else {}
    found: dict[str, Any] = {
        name: int(size) // _STEP_PX * _STEP_PX
        for name in ("width", "height")
        if (size := known.get(name)) is not None and 0 < size <= _MOST_PX
    }
    ratio = known.get("pixel_ratio")
    return found | ({"pixel_ratio": round(ratio, 1)} if ratio is not None and 0 < ratio <= 10 else {})


def width_in(text: str) -> int | None:
    """The window's width as it was measured, to the pixel: rules are held against it, and it is not kept."""
    try:
        said = json.loads(text[:500])
    except ValueError:
        return None
    width = finite_number(said.get("width")) if isinstance(said, dict) else None
    return None if width is None or not 0 < width <= _MOST_PX else int(width)
