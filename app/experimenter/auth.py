"""One key lets the experimenter in: made from the installation's secret, printed when the service starts."""

import hashlib
import hmac
from typing import Annotated

from fastapi import Depends, Request

from app.dependencies import SettingsDep

COOKIE = "lh-experimenter"


def experimenter_key(secret: str) -> str:
    return hmac.new(secret.encode(), b"experimenter's key", hashlib.sha256).hexdigest()[:24]


def fits(key: str, secret: str) -> bool:
    return hmac.compare_digest(key.encode(), experimenter_key(secret).encode())


async def is_experimenter(request: Request, settings: SettingsDep) -> bool:
    return fits(request.cookies.get(COOKIE, ""), settings.secret)


IsExperimenter = Annotated[bool, Depends(is_experimenter)]
