"""Settings, such as the data folder and the database: the only reader of the environment."""

import os
import re
import secrets
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from app.core.errors import StudyError

if TYPE_CHECKING:
    from app.core.mail import MailServer

_TOKEN = re.compile(r"[A-Za-z0-9_-]{20,200}")


class Settings(BaseSettings):
    """Read from the environment: `DATABASE_URL`, and `LIKELY_HUMAN_` with `DATA`, `SECRET`, `SECURE_COOKIES`.

    `LIKELY_HUMAN_ADDRESS` is where the service is reached from outside, for links that pages show.
    `LIKELY_HUMAN_MAX_STARTS` sessions may begin from one network in ten minutes; 0 for any number.
    `LIKELY_HUMAN_MAX_CONNECTIONS` connections and requests of one network are served at once; 0 for any number.
    `LIKELY_HUMAN_MODEL_ADDRESS`, `LIKELY_HUMAN_MODEL` and `LIKELY_HUMAN_MODEL_KEY`: a model that plays or judges.
    `LIKELY_HUMAN_MAIL` is the address of a mail server, `LIKELY_HUMAN_MAIL_FROM` the address that mail comes from.
    `LIKELY_HUMAN_PROGRAMS` has the tokens of programs that play with people: `NAME=TOKEN`, with spaces between them.
    """

    model_config = SettingsConfigDict(extra="ignore", protected_namespaces=())

    data: Path = Field(default=Path("data"), validation_alias="LIKELY_HUMAN_DATA")
    database: str = Field(default="", validation_alias="DATABASE_URL")
    secret_override: str = Field(default="", validation_alias="LIKELY_HUMAN_SECRET")
    secure_cookies_override: str = Field(default="", validation_alias="LIKELY_HUMAN_SECURE_COOKIES")
    public_address: str = Field(default="", validation_alias="LIKELY_HUMAN_ADDRESS")
    max_starts: int = Field(default=300, ge=0, validation_alias="LIKELY_HUMAN_MAX_STARTS")
    max_connections: int = Field(default=500, ge=0, validation_alias="LIKELY_HUMAN_MAX_CONNECTIONS")
    believed: str = Field(default="127.0.0.1,::1", validation_alias="FORWARDED_ALLOW_IPS")
    model_address: str = Field(default="", validation_alias="LIKELY_HUMAN_MODEL_ADDRESS")
    model_name: str = Field(default="", validation_alias="LIKELY_HUMAN_MODEL")
    model_key: SecretStr = Field(default=SecretStr(""), validation_alias="LIKELY_HUMAN_MODEL_KEY")
    mail_address: SecretStr = Field(default=SecretStr(""), validation_alias="LIKELY_HUMAN_MAIL")
    mail_from: str = Field(default="", validation_alias="LIKELY_HUMAN_MAIL_FROM")
    programs: SecretStr = Field(default=SecretStr(""), validation_alias="LIKELY_HUMAN_PROGRAMS")

    @cached_property
    def database_url(self) -> URL:
        """The database; PostgreSQL always through psycopg 3."""
        if not self.database:
            return URL.create("sqlite", database=str(self.data_dir / "likely-human.sqlite3"))
        try:
            url = make_url(self.database)
        except ArgumentError:
            raise StudyError(
                "DATABASE_URL is not a database address; for example postgresql://user@localhost/likely_human"
            ) from None
        if url.get_backend_name() == "postgresql":
            return url.set(drivername="postgresql+psycopg")
        if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
            return url
        raise StudyError(f"DATABASE_URL names {url.drivername!r}; SQLite files and PostgreSQL are supported")

    @cached_property
    def data_dir(self) -> Path:
        """The data folder, made if need be. Raises StudyError where it cannot be written."""
        folder = self.data.absolute()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Permission bits do not tell: root ignores them, and a file system may be mounted read-only. So write.
            probe = folder / f".write-test-{secrets.token_hex(4)}"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise StudyError(
                f"cannot write to the data folder {folder} ({error.strerror}); set LIKELY_HUMAN_DATA to one you can"
            ) from None
        return folder

    @cached_property
    def secret(self) -> str:
        """Signs addresses and cookies; made once and kept in the data folder, readable by its owner alone."""
        if self.secret_override:
            return self.secret_override
        try:
            return self._kept_secret(self.data_dir / "secret")
        except OSError as error:
            name = error.filename or self.data / "secret"  # a write that fails names no file
            raise StudyError(f"cannot use {name}: {error.strerror}") from None

    def _kept_secret(self, path: Path) -> str:
        if not path.exists():
            fresh = self.data_dir / f"secret-{secrets.token_hex(4)}"
            # The mode is set at creation: a chmod after the write would leave the secret readable for a moment.
            fresh.touch(mode=0o600)
            fresh.write_text(secrets.token_urlsafe(32))
            try:
                path.hardlink_to(fresh)  # atomic: of two processes starting together, one makes it
            except FileExistsError:
                pass
            finally:
                fresh.unlink()
        return path.read_text()

    @cached_property
    def mail(self) -> "MailServer | None":
        """The mail server, None without one. Raises StudyError for an invalid address."""
        # Imported here: every command reads the settings, and few send mail.
        from app.core.mail import mail_server

        return mail_server(self.mail_address.get_secret_value(), self.mail_from)

    @property
    def can_mail(self) -> bool:
        """True if mails can be sent: there is a server, and an address that their links begin with."""
        return self.mail is not None and bool(self.public_address.rstrip("/"))

    @cached_property
    def program_tokens(self) -> Mapping[str, str]:
        """Tokens by program name. Raises StudyError for invalid entries."""
        found: dict[str, str] = {}
        for at, word in enumerate(self.programs.get_secret_value().split(), start=1):
            name, _, token = word.partition("=")
            # A token that two programs share would not tell which of them asks.
            if not name or name in found or not _TOKEN.fullmatch(token) or token in found.values():
                raise StudyError(
                    f"LIKELY_HUMAN_PROGRAMS: entry {at} is no NAME=TOKEN of its own; a token has 20 letters, digits, -"
                    " or _ at least, as `python -c 'import secrets; print(secrets.token_urlsafe())'` makes one"
                )
            found[name] = token
        return found

    @cached_property
    def secure_cookies(self) -> bool:
        """True if the service is reached by HTTPS only, whatever a proxy says. Raises StudyError for other words."""
        word = self.secure_cookies_override.strip().lower()
        if word in ("1", "true", "yes", "on"):
            return True
        if word in ("", "0", "false", "no", "off"):
            return False
        raise StudyError(f"LIKELY_HUMAN_SECURE_COOKIES is {word!r}; it takes true or false")

    def environment(self) -> dict[str, str]:
        """The environment for child processes, with these settings."""
        own = {
            "LIKELY_HUMAN_DATA": str(self.data_dir),
            "DATABASE_URL": self.database,
            "LIKELY_HUMAN_SECRET": self.secret_override,
            "LIKELY_HUMAN_SECURE_COOKIES": self.secure_cookies_override,
        }
        return {**os.environ, **{name: value for name, value in own.items() if value}}


def environment_with(**more: str) -> dict[str, str]:
    """The environment for an external program: this process's, with additions."""
    return {**os.environ, **more}
