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
_WHOLE_FROM_MBPS, _MOST_MBPS = 10, 1_000.0
_NO_TELEPHONE = noop("The study cannot be done on a telephone.")
_WIDTH = noop("The study needs a window at least {width} pixels wide.")
_SPEED = noop("The study needs a connection of at least {mbps} Mbit/s.")
_SMOOTH = noop("The study plays videos, and needs a device that shows them smoothly.")
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


@dataclass(frozen=True, slots=True)
class Tried:
    """Findings of a script about the device before consent; None where it found nothing out.

    `width` is the window's in CSS pixels, `mbps` the speed of the connection in Mbit/s; `plays` says whether the test
    video could be played, `smooth` whether the browser says that it loses no pictures.
    """

    width: int | None = None
    mbps: float | None = None
    plays: bool | None = None
    smooth: bool | None = None


def is_unsuited(rules: DesignDevices, device: Device, tried: Tried | None = None) -> bool:
    """True if a rule is broken by what is known; what is not known breaks none."""
    known = tried or Tried()
    return (
        (not rules.telephones and device.kind == "telephone")
        or (bool(rules.browsers and device.browser) and device.browser not in rules.browsers)
        or _is_below(known.width, rules.minimum_width)
        or _is_below(known.mbps, rules.minimum_mbps)
        or (rules.smooth and known.smooth is False)
        or known.plays is False
    )


def _is_below(value: float | None, least: float | None) -> bool:
    return value is not None and least is not None and value < least


def needs_of(rules: DesignDevices) -> str:
    """The needs of the study, in words."""
    said = [
        _(_NO_TELEPHONE) if not rules.telephones else "",
        _(_WIDTH).format(width=rules.minimum_width) if rules.minimum_width else "",
        _(_BROWSERS).format(browsers=", ".join(NAMES[name] for name in rules.browsers))
        if rules.browsers
        else "",
        _(_SMOOTH) if rules.smooth else "",
        _(_SPEED).format(mbps=f"{rules.minimum_mbps:g}") if rules.minimum_mbps else "",
    ]
    return " ".join(filter(None, said))


def measured(text: str) -> dict[str, Any]:
    """The stored part of a script's report: the window's `width` and `height` in CSS pixels, down to tens, its
    `pixel_ratio`, `mbps`, `plays` and `smooth`, as far as they can be read.
    """
    said, tried = _read(text), tried_of(text)
    found: dict[str, Any] = {
        name: int(size) // _STEP_PX * _STEP_PX
        for name in ("width", "height")
        if (size := finite_number(said.get(name))) is not None and 0 < size <= _MOST_PX
    }
    ratio = finite_number(said.get("pixel_ratio"))
    if ratio is not None and 0 < ratio <= 10:
        found["pixel_ratio"] = round(ratio, 1)
    if tried.mbps is not None:
        found["mbps"] = round(tried.mbps, 1) if tried.mbps < _WHOLE_FROM_MBPS else round(tried.mbps)
    ways = {"plays": tried.plays, "smooth": tried.smooth}
    return found | {name: value for name, value in ways.items() if value is not None}


def tried_of(text: str) -> Tried:
    """A script's report, to which the rules are held: the width to the pixel, which is not kept."""
    said = _read(text)
    width, mbps = (finite_number(said.get(name)) for name in ("width", "mbps"))
    plays, smooth = (
        value if isinstance(value := said.get(name), bool) else None for name in ("plays", "smooth")
    )
    return Tried(
        None if width is None or not 0 < width <= _MOST_PX else int(width),
        None if mbps is None or mbps <= 0 else min(mbps, _MOST_MBPS),
        plays,
        smooth,
    )


def _read(text: str) -> Mapping[str, Any]:
    try:
        said = json.loads(text[:500]) if text else {}
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
