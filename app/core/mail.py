"""Email by the server that `LIKELY_HUMAN_MAIL` names. Only the worker and `doctor` connect to it, never a request."""

import re
import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import make_msgid
from urllib.parse import unquote, urlsplit

from app.core.errors import StudyError

TIMEOUT_S = 20.0
_PORTS = {"smtp": 587, "smtps": 465}
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_EXAMPLE = "smtp://user:password@mail.example.org:587, or smtps:// for TLS from the start"


class MailError(StudyError):
    """A mail that was not sent; `is_temporary` if it may be accepted later."""

    def __init__(self, message: str, *, is_temporary: bool = False) -> None:
        super().__init__(message)
        self.is_temporary = is_temporary


@dataclass(frozen=True, slots=True)
class MailServer:
    """A server that takes our mail; `sender` is the address that it comes from."""

    host: str
    port: int
    is_tls: bool
    sender: str
    user: str = ""
    password: str = field(default="", repr=False)


def mail_server(address: str, sender: str) -> MailServer | None:
    """The server of the settings, None without one. Raises StudyError, which never has the password."""
    if not address.strip():
        return None
    try:
        parts = urlsplit(address.strip())
        host, port = parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:
        raise StudyError(f"LIKELY_HUMAN_MAIL is no address of a mail server; write {_EXAMPLE}") from None
    if parts.scheme not in _PORTS or not host or parts.path.strip("/") or parts.query or parts.fragment:
        raise StudyError(f"LIKELY_HUMAN_MAIL is no address of a mail server; write {_EXAMPLE}")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    sender = sender.strip() or (user if "@" in user else "")
    if not sender:
        raise StudyError(
            "LIKELY_HUMAN_MAIL_FROM is not set: name the address that mail comes from, as lab@example.org"
        )
    try:
        _address(sender)
    except MailError:
        raise StudyError("LIKELY_HUMAN_MAIL_FROM is no email address; write it as lab@example.org") from None
    return MailServer(host, port, parts.scheme == "smtps", sender, user, password)


def send(server: MailServer, to: str, subject: str, text: str) -> None:
    """Send one plain text to one address. Raises MailError."""
    message = _message(server, to, subject, text)
    with _connected(server) as smtp:
        refused = smtp.send_message(message, from_addr=server.sender, to_addrs=[to])
    if refused:
        raise MailError("the server took no recipient")


def check(server: MailServer) -> None:
    """Connect and log in, sending nothing. Raises MailError."""
    with _connected(server) as smtp:
        smtp.noop()


def _message(server: MailServer, to: str, subject: str, text: str) -> EmailMessage:
    message = EmailMessage(policy=SMTP)
    try:
        # Parsed as one address each, so that no comma or line end makes another recipient or header.
        message["From"], message["To"] = _address(server.sender), _address(to)
        message["Subject"] = " ".join(re.sub(r"[\x00-\x1f\x7f\u2028\u2029\x85]", " ", subject).split())[:200]
        message["Message-ID"] = make_msgid(domain=server.sender.rpartition("@")[2])
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(text)
    except (ValueError, MessageError, UnicodeError):
        raise MailError("the address, subject or text cannot be written as a mail") from None
    return message


def _address(text: str) -> Address:
    """Raises MailError unless the text is one plain address."""
    try:
        address = Address(addr_spec=text)
    except (ValueError, MessageError, IndexError):
        raise MailError(f"{text[:80]!r} is no email address") from None
    if not text.isascii() or address.addr_spec != text or not text.isprintable():
        raise MailError(f"{text[:80]!r} is no email address that a mail server takes")
    return address


@contextmanager
def _connected(server: MailServer) -> Iterator[smtplib.SMTP]:
    context = ssl.create_default_context()
    try:
        if server.is_tls:
            smtp: smtplib.SMTP = smtplib.SMTP_SSL(
                server.host, server.port, timeout=TIMEOUT_S, context=context
            )
        else:
            smtp = smtplib.SMTP(server.host, server.port, timeout=TIMEOUT_S)
        with _left(smtp):
            smtp.ehlo()
            if not server.is_tls and smtp.has_extn("starttls"):
                smtp.starttls(context=context)
                smtp.ehlo()
            elif not server.is_tls and server.user and server.host not in _LOCAL:
                raise MailError(
                    "the server offers no TLS, and the password is not sent without; use smtps://"
                )
            if server.user:
                smtp.login(server.user, server.password)
            yield smtp
    except smtplib.SMTPRecipientsRefused as error:
        code, words = next(iter(error.recipients.values()), (0, b""))
        raise _refused(server, code, words) from None
    except smtplib.SMTPResponseException as error:
        raise _refused(server, error.smtp_code, error.smtp_error) from None
    except ssl.SSLCertVerificationError as error:
        raise MailError(f"the server's certificate is not valid: {error.verify_message}") from None
    except smtplib.SMTPNotSupportedError:
        raise MailError("the server does not offer what is needed to log in or to send this") from None
    except (smtplib.SMTPException, OSError) as error:
        what = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
        raise MailError(f"the server {server.host} does not answer ({what})", is_temporary=True) from None


@contextmanager
def _left(smtp: smtplib.SMTP) -> Iterator[None]:
    """Leave the server at the end, whatever it answers: a mail that it took is sent, and must not be tried again."""
    try:
        yield
    finally:
        with suppress(smtplib.SMTPException, OSError):
            smtp.quit()
        smtp.close()


def _refused(server: MailServer, code: int, words: bytes | str) -> MailError:
    """A refusal in the server's words, without the password, should it repeat that."""
    text = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
    text = " ".join(text.split())
    if server.password:
        text = text.replace(server.password, "…")
    return MailError(f"the server refused it: {code} {text}"[:300], is_temporary=400 <= code < 500)
