"""The file by which a script measures the speed of a connection before consent."""

import random

from fastapi.responses import Response

# Four megabits: two seconds at 2 Mbit/s. Random bytes, which no proxy makes smaller; the same ones each time.
SPEED_BYTES = 2**19
_BYTES = random.Random(1).randbytes(SPEED_BYTES)


def speed_address(action: str) -> str:
    """The address of the file; empty for a page without a session, such as a draft's preview."""
    return f"{action}/speed" if action.startswith("/p/") else ""


def speed_response() -> Response:
    return Response(_BYTES, media_type="application/octet-stream", headers={"Cache-Control": "no-store"})
