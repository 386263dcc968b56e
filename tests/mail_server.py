"""A mail server in the test's own process: real sockets, TLS where it is asked for, and every mail kept."""

import base64
import socketserver
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

USER, PASSWORD = "lab", "s3cret-w0rds"


@dataclass
class Kept:
    """Mails taken, with their envelope; `replies` are given instead of 250 to the next mails, in turn."""

    mails: list[tuple[str, list[str], EmailMessage]] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    was_tls: list[bool] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)
    offers_tls: bool = True
    goodbye: str = "221 bye"


class MailServer(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, kept: Kept, context: ssl.SSLContext | None, *, from_the_start: bool) -> None:
        super().__init__(("127.0.0.1", 0), Session)
        self.kept, self.context, self.from_the_start = kept, context, from_the_start

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that does not trust the certificate ends the handshake."""
        if not isinstance(sys.exc_info()[1], ssl.SSLError | ConnectionError):
            super().handle_error(request, client_address)

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class Session(socketserver.StreamRequestHandler):
    server: MailServer

    def setup(self) -> None:
        self.is_tls = False
        if self.server.from_the_start:
            self._begin_tls()
        super().setup()

    def _begin_tls(self) -> None:
        assert self.server.context
        self.request = self.server.context.wrap_socket(
            self.request, server_side=True, do_handshake_on_connect=False
        )
        try:
            self.request.do_handshake()
        except ssl.SSLError:
            self.request.close()
            raise
        self.is_tls = True

    def finish(self) -> None:
        super().finish()
        self.request.close()

    def say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())
        self.wfile.flush()

    def handle(self) -> None:
        self.say("220 test")
        sender, to, kept = "", [""], self.server.kept
        while line := self.rfile.readline().decode().strip():
            word, _, rest = line.partition(" ")
            match word.upper():
                case "EHLO":
                    offers = kept.offers_tls and not self.is_tls and self.server.context
                    self.say(
                        "250-test\r\n250-8BITMIME\r\n250-AUTH PLAIN" + ("\r\n250-STARTTLS" if offers else "")
                    )
                    self.say("250 HELP")
                case "STARTTLS":
                    self.say("220 go on")
                    self._begin_tls()
                    super().setup()
                case "AUTH":
                    kept.logins.append(base64.b64decode(rest.split()[1]).decode())
                    is_right = kept.logins[-1] == f"\0{USER}\0{PASSWORD}"
                    self.say("235 welcome" if is_right else f"535 wrong: {kept.logins[-1].split(chr(0))[2]}")
                case "MAIL":
                    sender, to = rest, []
                    self.say("250 ok")
                case "RCPT":
                    to.append(rest.partition(":")[2].strip("<>"))
                    self.say("250 ok")
                case "DATA":
                    self.say("354 go on")
                    self._take(sender, to)
                case "QUIT":
                    self.say(kept.goodbye)
                    return
                case _:
                    self.say("250 ok")

    def _take(self, sender: str, to: list[str]) -> None:
        lines: list[bytes] = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line[1:] if line.startswith(b"..") else line)
        kept = self.server.kept
        if kept.replies:
            self.say(kept.replies.pop(0))
            return
        message: Any = message_from_bytes(b"".join(lines), policy=default)
        kept.mails.append((sender, to, message))
        kept.was_tls.append(self.is_tls)
        self.say("250 taken")


def make_certificate(folder: Path) -> Path:
    """A certificate of 127.0.0.1 and its key, in one file."""
    path = folder / "server.pem"
    name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    files = ["-keyout", str(path), "-out", str(folder / "certificate.pem"), "-days", "2"]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *name, *files],
                   check=True, capture_output=True)  # fmt: skip
    path.write_text(path.read_text() + (folder / "certificate.pem").read_text())
    return path


@contextmanager
def serving_mail(
    certificate: Path | None = None, *, from_the_start: bool = False
) -> Iterator[tuple[MailServer, Kept]]:
    context = None
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
    kept = Kept()
    with MailServer(kept, context, from_the_start=from_the_start) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server, kept
        finally:
            server.shutdown()
            thread.join()
