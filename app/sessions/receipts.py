"""The code on the last page with which a participant can delete their answers later.

It is derived from the service's secret and not stored.
"""

import base64
import hashlib
import hmac

from app.core.errors import NotFound
from app.core.language import gettext as _
from app.core.language import noop

NO_RECEIPT = noop(
    "No answers were found for this code. Please check that it matches the code on the last page."
)


def receipt_of(session_id: int, secret: str) -> str:
    """The code of a session."""
    digest = hmac.digest(secret.encode(), f"receipt\n{session_id}".encode(), hashlib.sha256)
    # Base32 has one case and neither 0 nor 1 (RFC 4648): the code may be copied from paper.
    code = base64.b32encode(digest).decode()[:16]
    return "-".join([str(session_id), *(code[at : at + 4] for at in range(0, 16, 4))])


def session_of_receipt(code: str, secret: str) -> int:
    """The session id of a code, in upper or lower case. Raises NotFound."""
    code = "".join(code.split()).upper()
    number = code.partition("-")[0]
    # Nine digits always fit PostgreSQL's 32-bit integer; isdigit() alone accepts digits that int() refuses.
    if number.isascii() and number.isdigit() and len(number) < 10:
        known = receipt_of(int(number), secret)
        # As bytes: compare_digest raises TypeError for a text that is not ASCII.
        if hmac.compare_digest(
            known.replace("-", "").encode(), code.replace("-", "").encode("utf-8", "replace")
        ):
            return int(number)
    raise NotFound(_(NO_RECEIPT))
