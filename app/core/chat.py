"""A server of the chat-completions protocol: one question, one reply, kept as it was; tried again where it may help."""

import json
import math
import random
import re
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from typing import Any

import httpx2

from app.core.errors import StudyError

LONGEST_REPLY = 1_000_000
"""Bytes of a reply that are read."""
_AROUND = 20_000  # bytes of a reply that are no text of the model's
_SHOWN_OF_A_FAULT = 300
_LAST = 20_000
_SHORTEST_SECRET = 8
_LONGEST_WAIT_S = 60.0
_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_CHARACTERS_PER_TOKEN = 4
_CHARACTERS_OF_AN_IMAGE = (
    6_000  # 1,500 tokens, which common models take at most for a picture of 1,000 pixels a side
)

TOKEN_FIELDS = ("max_tokens", "max_completion_tokens")
"""Names of the bound of a reply: servers take the one or the other."""


class Unavailable(StudyError):
    """No call came through, however often it was tried."""

    status_code = 502


class Spent(StudyError):
    """The budget does not cover another call."""


class Spending:
    """A run's budget: calls, and tokens as counted by the server (4 characters each if it does not).

    Before each call its prompt and longest reply are reserved, so that concurrent calls keep the limit, too.
    """

    def __init__(self, calls: int, tokens: int) -> None:
        self.most_calls, self.most_tokens = calls, tokens
        self.calls = self.tokens = 0
        self._aside = 0
        self._lock = threading.Lock()

    def before(self, tokens: int) -> int:
        """Reserve a call and return the most tokens it may use: its own and those not reserved by others.

        Raises Spent if the budget does not cover it.
        """
        with self._lock:
            if self.calls >= self.most_calls:
                raise Spent(f"the budget of {self.most_calls} calls is spent")
            if self.tokens + self._aside + tokens > self.most_tokens:
                raise Spent(
                    f"the budget of {self.most_tokens} tokens does not cover another call: {self.tokens} were used,"
                    f" and the next may take {tokens}"
                )
            self.calls += 1
            self._aside += tokens
            return self.most_tokens - self.tokens - self._aside + tokens

    def after(self, aside: int, used: int) -> None:
        """Replace a call's reservation by what it used."""
        with self._lock:
            self._aside -= aside
            self.tokens += used


@dataclass(frozen=True, slots=True)
class Server:
    """Connection settings of a model server. `timeout_s` bounds a whole reply; after a failure `retries` more attempts
    are made, the first after one to two `backoff_s`, each later one after twice as long, or when the server asks for
    it.
    """

    address: str
    key: str = field(default="", repr=False)
    timeout_s: float = 60
    # httpx2 repeats connections and nothing else, so repeating is a loop of ours (docs/decisions/0017).
    retries: int = 3
    backoff_s: float = 1

    @property
    def url(self) -> str:
        """The URL to post calls to. Raises StudyError for an invalid address or one that contains a secret."""
        try:
            url = httpx2.URL(self.address.strip())
        except httpx2.InvalidURL:
            url = httpx2.URL("")
        if url.scheme not in ("http", "https") or not url.host:
            raise StudyError(
                "LIKELY_HUMAN_MODEL_ADDRESS is no address such as http://127.0.0.1:8080/v1, to which"
                " /chat/completions is added"
            )
        if url.userinfo or url.query or url.fragment:
            raise StudyError(
                "LIKELY_HUMAN_MODEL_ADDRESS has a name, a query or a fragment in it; a key goes into"
                " LIKELY_HUMAN_MODEL_KEY"
            )
        return f"{str(url).rstrip('/')}/chat/completions"

    @property
    def host(self) -> str:
        """The host of the address. Raises StudyError as `url` does."""
        return httpx2.URL(self.url).host

    @property
    def is_here(self) -> bool:
        """True if the server is this machine, without asking a name server."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def headers(self) -> Mapping[str, str]:
        """Request headers, with the key if there is one. Raises StudyError for a key invalid in a header."""
        # A line break in a header would begin another one.
        if not all("!" <= c <= "~" for c in self.key):
            raise StudyError("LIKELY_HUMAN_MODEL_KEY has spaces or characters in it that no key has")
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def without_key(self, text: str) -> str:
        """The text where the key does not occur."""
        # A key of a few characters would blank out ordinary words.
        return text.replace(self.key, "[key]") if len(self.key) >= _SHORTEST_SECRET else text


@dataclass(frozen=True, slots=True)
class Call:
    """One recorded call: the reply, or the reason for none. It never contains the key.

    `status` is None without a reply; `response` is the reply's JSON, or else its text; `fault` is empty on success.
    `tokens` is None if the server may have answered but nothing was read.
    """

    request: Mapping[str, Any]
    ms: int = 0
    status: int | None = None
    response: object = None
    fault: str = ""
    tokens: int | None = 0
    retry_after_s: float = 0

    @property
    def message(self) -> Mapping[str, Any]:
        """The reply's message; empty where there is none."""
        message = _at(self.response, "choices", 0, "message")
        return message if isinstance(message, dict) else {}

    @property
    def text(self) -> str:
        """The model's reply; empty if there was none."""
        content = self.message.get("content")
        # JSON may hold half of a surrogate pair, which no file in UTF-8 takes.
        return content.encode("utf-8", "replace").decode() if isinstance(content, str) else ""

    @property
    def refused(self) -> bool:
        """True if the model or its server's filter refused to answer."""
        finish = _at(self.response, "choices", 0, "finish_reason")
        code = _at(self.response, "error", "code")
        return bool(self.message.get("refusal")) or "content_filter" in (finish, code)

    @property
    def worth_another(self) -> bool:
        """True if the same call may succeed later."""
        return bool(self.fault) and (self.status is None or self.status == 200 or self.status in _AGAIN)


class Chat:
    """A server that may be called from several threads; `close` gives its connections back."""

    def __init__(self, server: Server, spending: Spending) -> None:
        self._server, self._url, self._spending = server, server.url, spending
        # Whatever proxy the environment names: what is sent goes to the server that was named, and nowhere else.
        self._client = httpx2.Client(headers=dict(server.headers), trust_env=not server.is_here)

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()

    def ask(
        self, request: Mapping[str, Any], rng: random.Random, seconds: float | None = None
    ) -> Iterator[Call]:
        """The calls that one question takes: those with a fault, then the one with a reply unless none came.

        `seconds` bounds all of them. Raises Spent where the budget does not cover a call.
        """
        end = time.monotonic() + (math.inf if seconds is None else seconds)
        for tries in range(self._server.retries + 1):
            call = self._counted(request, end)
            yield call
            # Doubled and spread at random: clients that failed together would otherwise return together.
            wait = self._server.backoff_s * 2**tries * (1 + rng.random())
            wait = min(_LONGEST_WAIT_S, max(wait, call.retry_after_s))
            if not call.worth_another or tries == self._server.retries or time.monotonic() + wait >= end:
                return
            time.sleep(wait)

    def _counted(self, request: Mapping[str, Any], end: float) -> Call:
        aside = _length(request) // _CHARACTERS_PER_TOKEN + max(request.get(name, 0) for name in TOKEN_FIELDS)
        most = self._spending.before(aside)
        used = aside
        try:
            call = self._posted(request, end, most)
            # Unknown use is counted as the whole reservation, so that a budget is never exceeded unseen.
            used = aside if call.tokens is None else call.tokens
            return call
        finally:
            self._spending.after(aside, used)

    def _posted(self, request: Mapping[str, Any], end: float, most: int) -> Call:
        """Post a request for a reply of `most` tokens; a longer reply is cut off by closing the connection."""
        start = time.monotonic()
        limit = max(0.001, min(end - start, self._server.timeout_s))
        try:
            with self._client.stream("POST", self._url, json=request, timeout=limit) as reply:
                body = _read(reply, start + limit, min(LONGEST_REPLY, most * _CHARACTERS_PER_TOKEN + _AROUND))
                status, asked = reply.status_code, reply.headers.get("retry-after", "")
        except (TimeoutError, httpx2.TimeoutException):
            fault = f"no reply within {limit:.3g} s"
            return Call(request, _ms(start), fault=fault, tokens=None)
        except httpx2.HTTPError as error:
            words = self._server.without_key(str(error)) or type(error).__name__
            # Without a connection nothing was asked; after it the server may have counted tokens that nobody reports.
            tokens = 0 if isinstance(error, httpx2.ConnectError) else None
            return Call(request, _ms(start), fault=f"cannot be reached: {words}", tokens=tokens)
        text = self._server.without_key(body.decode(errors="replace"))
        # Retry-After may be a date, too (RFC 9110, 10.2.3); that form is not read.
        wait = float(asked) if asked.isdecimal() else 0.0
        call = Call(request, _ms(start), status, _json(text), retry_after_s=wait)
        return replace(call, fault=_fault(call, text), tokens=_tokens(call, text, most))


# How models decline in words, as the first of what they say. Apostrophes of both kinds are taken alike.
_REFUSALS = re.compile(
    r"""\W*(
        (i'm|i\ am)\ (very\ |so\ |really\ )?sorry\b | sorry,\ (but\ )?i\b | i\ apologi[sz]e\b
        | as\ an\ ai\b | as\ a\ (large\ )?language\ model\b
        | (i'm|i\ am)\ (unable|not\ able|not\ comfortable|not\ allowed|not\ willing)\b
        | i\ (can't|cannot|can\ not|won't|will\ not|must|have\ to|need\ to)\ (help|assist|comply|do\ that|engage
          |take\ part|participate|continue|provide|respond|decline|refuse|play|answer|judge)\b
        | i\ (respectfully\ )?(decline|refuse)\b | (i'd|i\ would)\ rather\ not\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)


def refusal_in(text: str) -> str:
    """The words by which a reply without an answer declines to give one; empty where it begins with none of them."""
    found = _REFUSALS.match(text.replace("\u2019", "'"))
    return found[0].strip() if found else ""


def objects_in(text: str) -> list[dict[str, Any]]:
    """The JSON objects in the last 20,000 characters of a reply that stand in no other one."""
    # A model may argue at length first; the decoder is tried at every brace, so the text is bounded.
    text = text[-_LAST:]
    decoder, found, at = json.JSONDecoder(), [], text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
            found.append(value)
        except (ValueError, RecursionError):
            end = at + 1
        at = text.find("{", end)
    return found


def _read(reply: httpx2.Response, end: float, most: int) -> bytes:
    """The body as far as it is read. Raises TimeoutError where it takes too long as a whole."""
    body = bytearray()
    # Of the whole reply: the client's timeout is for each read, and a server may send a byte at a time for ever.
    for part in reply.iter_bytes():
        body += part
        if time.monotonic() > end:
            raise TimeoutError
        if len(body) > most:
            break
    return bytes(body[:most])


def _json(text: str) -> object:
    """Parse JSON that can be serialized again; otherwise return the text."""
    try:
        # NaN and Infinity are no JSON (RFC 8259), though Python reads them: the log could not be read elsewhere.
        value = json.loads(text, parse_constant=str)
        # Written at once, nested as the log nests it: what parses at the limit of depth may fail to serialize.
        json.dumps([[[[value]]]])
    except (ValueError, RecursionError):
        return text
    return value


def _fault(call: Call, text: str) -> str:
    if call.refused:
        return ""
    if call.status != 200:
        return f"answered with status {call.status}: {' '.join(text.split())[:_SHOWN_OF_A_FAULT]}"
    too_long = (
        isinstance(call.response, str) and text.lstrip().startswith("{") and len(text.encode()) >= _AROUND
    )
    return "" if call.message or too_long else "its answer is not one of the chat-completions protocol"


def _tokens(call: Call, text: str, most: int) -> int:
    """Tokens used, as counted by the server or estimated by length up to the cut-off; 0 for a rejected call."""
    if call.status != 200:
        return 0
    counted = _at(call.response, "usage", "total_tokens")
    if isinstance(counted, int) and counted >= 0:
        return counted
    return min((_length(call.request) + len(text)) // _CHARACTERS_PER_TOKEN, most)


def _length(request: Mapping[str, Any]) -> int:
    """Characters of all messages; pictures among their parts count as many as one may take."""
    parts = [
        part
        for message in request["messages"]
        for part in ([message["content"]] if isinstance(message["content"], str) else message["content"])
    ]
    return sum(
        len(part) if isinstance(part, str) else len(part.get("text", "")) or _CHARACTERS_OF_AN_IMAGE
        for part in parts
    )


def _at(value: object, *path: str | int) -> Any:
    """The value at a path in JSON; None if absent."""
    for step in path:
        try:
            value = value[step]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _ms(start: float) -> int:
    return round((time.monotonic() - start) * 1000)
