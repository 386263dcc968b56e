"""A vision-language model as a judge: frames of both clips and the participants' question, in both orders, repeatedly.

The model is behind a server of the chat-completions protocol. Each call is kept as it was, so that a run that was
stopped goes on where it was, and reasons can be read.
"""

import base64
import hashlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from app.core.chat import TOKEN_FIELDS, Call, Chat, Unavailable, objects_in, refusal_in
from app.core.exchanges import EXCHANGES, Keep
from app.judges.base import Choice, JudgeFailed, PairFiles
from app.judges.runner import Clock, OnProgress, PairToJudge, VerdictRow, blinded
from app.judges.strips import WIDTH, strip

NAME = "vision-language"
LEAST_CONSISTENT = 0.8
"""Share of pairs with one verdict in both orders below which the order decides too often."""
PROMPT = (
    "Each picture shows one video as {frames} of its frames, from left to right and from top to bottom. The first "
    "picture is of the first video, the second of the second.\n\n{question}\n\nAnswer with a JSON object and nothing "
    'else: {{"choice": "first" or "second", "probability": from 0 to 1 that it is the first, "reason": in a sentence '
    "or two}}"
)
_LONGEST_REASON = 2_000
Order = Literal["ab", "ba"]
ORDERS: tuple[Order, ...] = ("ab", "ba")
Result = Literal["answered", "refused", "unreadable"]


@dataclass(frozen=True, slots=True)
class Terms:
    """The model and how it is asked: frames per clip, repeats of both orders, and request parameters.

    `tokens_field` is the server's name for `max_tokens`, the limit of one reply (`TOKEN_FIELDS`).
    """

    model: str
    frames: int = 8
    repeats: int = 2
    temperature: float | None = None
    max_tokens: int = 500
    tokens_field: str = TOKEN_FIELDS[0]

    @property
    def version(self) -> str:
        """The judge's version: it changes with the model, the prompt or the number of frames."""
        said = f"{PROMPT}{self.frames}{WIDTH}{self.temperature}{self.max_tokens}"
        return f"1+{self.model}+{hashlib.sha256(said.encode()).hexdigest()[:8]}"


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of one question: `choice` is a member of the study's pair, `for_a` the probability of its a."""

    pair: str
    repeat: int
    order: Order
    result: Result
    choice: Choice | None = None
    for_a: float | None = None
    reason: str = ""
    named_first: bool | None = None
    has_probability: bool = False
    contradicts: bool = False


@dataclass(frozen=True, slots=True)
class Consistency:
    """Consistency of the model. Shares are None if nothing can be compared.

    `n_without_probability` named a clip but no probability, and count as certain; `n_contradicting` named one and a
    probability of the other, which is used as requested. `order_consistency`: both orders of a repeat name the same
    member. `agreement`: two repeats of a pair in one order name the same one. `first_share`: answers that name the
    video that came first.
    """

    n_answers: int
    n_refused: int
    n_unreadable: int
    n_without_probability: int
    n_contradicting: int
    order_consistency: float | None
    agreement: float | None
    first_share: float | None

    @property
    def warning(self) -> str:
        """A warning if the order decides too often; else empty."""
        share = self.order_consistency
        if share is None or share >= LEAST_CONSISTENT:
            return ""
        return (
            f"in {share:.2f} of pairs both orders name the same clip, under {LEAST_CONSISTENT}: which clip comes first "
            "decides too often"
        )


@dataclass(frozen=True, slots=True)
class JudgeAnswers:
    """The verdicts, one for each pair and repeat; every answer; and how steady they are."""

    rows: Sequence[VerdictRow]
    answers: Sequence[Answer]
    consistency: Consistency


def ask_model(
    pairs: Sequence[PairToJudge],
    chat: Chat,
    terms: Terms,
    keep: Keep,
    earlier: Mapping[str, Mapping[str, Any]],
    on_progress: OnProgress,
    now: Clock,
) -> JudgeAnswers:
    """Ask about every pair. `earlier` are answers of a run that was stopped (`answered_in`); `keep` takes each call.

    Raises Spent where the budget does not cover a call, and Unavailable where none comes through.
    """
    total = len(pairs) * terms.repeats * len(ORDERS)
    rows, answers, done = list[VerdictRow](), list[Answer](), 0
    on_progress(0, total, NAME)
    for pair in pairs:
        shown, is_mirrored = blinded(pair)
        try:
            pictures = strip(shown.a, terms.frames), strip(shown.b, terms.frames)
        except JudgeFailed as failure:
            rows += [_row(pair, terms, number, now(), problem=str(failure)) for number in _repeats(terms)]
            done += terms.repeats * len(ORDERS)
            on_progress(done, total, NAME)
            continue
        for repeat in _repeats(terms):
            begun_at, of_repeat = now(), list[Answer]()
            for order in ORDERS:
                key = _key(shown, terms, repeat, order)
                held = earlier.get(key)
                if held is None:
                    held = _ask(chat, _request(shown, pictures, terms, order), key, pair.pair, keep)
                of_repeat.append(_turned(_answer(pair.pair, repeat, order, held), is_mirrored))
                done += 1
                on_progress(done, total, NAME)
            answers += of_repeat
            rows.append(_verdict(pair, terms, repeat, of_repeat, begun_at, now()))
    return JudgeAnswers(rows, answers, consistency_of(answers))


def answered_in(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    """Answers that an earlier run has kept in its folder, by their key; the last line may be cut short."""
    path = folder / EXCHANGES
    found: dict[str, Mapping[str, Any]] = {}
    if not path.is_file():
        return found
    with path.open(encoding="utf-8") as file:
        for text in file:
            try:
                line = json.loads(text)
            except ValueError:
                continue
            if isinstance(line, dict) and line.get("result") in ("answered", "refused", "unreadable"):
                found[str(line.get("key"))] = line
    return found


def consistency_of(answers: Sequence[Answer]) -> Consistency:
    """Consistency over all answers to all pairs."""
    said = {(each.pair, each.repeat, each.order): each.choice for each in answers if each.choice}
    in_order: dict[tuple[str, Order], list[Choice]] = {}
    for (pair, _, order), choice in said.items():
        in_order.setdefault((pair, order), []).append(choice)
    alike = [
        choice == said[pair, repeat, "ba"]
        for (pair, repeat, order), choice in said.items()
        if order == "ab" and (pair, repeat, "ba") in said
    ]
    agreed = [one == other for each in in_order.values() for one, other in combinations(each, 2)]
    return Consistency(
        n_answers=len(answers),
        n_refused=sum(each.result == "refused" for each in answers),
        n_unreadable=sum(each.result == "unreadable" for each in answers),
        n_without_probability=sum(each.choice is not None and not each.has_probability for each in answers),
        n_contradicting=sum(each.contradicts for each in answers),
        order_consistency=_share(alike),
        agreement=_share(agreed),
        first_share=_share([is_first for each in answers if (is_first := each.named_first) is not None]),
    )


def _share(found: Sequence[bool]) -> float | None:
    return fmean(found) if found else None


def _repeats(terms: Terms) -> range:
    return range(1, terms.repeats + 1)


def _key(shown: PairFiles, terms: Terms, repeat: int, order: Order) -> str:
    """The key of a call: a hash of the pair's files and question, the judge's version, repeat and order."""
    said = json.dumps([shown.pair, shown.question, terms.version, repeat, order])
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def _request(
    shown: PairFiles, pictures: tuple[bytes, bytes], terms: Terms, order: Order
) -> Mapping[str, Any]:
    first, second = pictures if order == "ab" else pictures[::-1]
    text = PROMPT.format(frames=terms.frames, question=shown.question)
    content = [{"type": "text", "text": text}, *map(_part, (first, second))]
    request: dict[str, Any] = {"model": terms.model, "messages": [{"role": "user", "content": content}]}
    if terms.temperature is not None:
        request["temperature"] = terms.temperature
    return {**request, terms.tokens_field: terms.max_tokens}


def _part(picture: bytes) -> Mapping[str, Any]:
    address = f"data:image/jpeg;base64,{base64.b64encode(picture).decode()}"
    return {"type": "image_url", "image_url": {"url": address}}


def _ask(chat: Chat, request: Mapping[str, Any], key: str, pair: str, keep: Keep) -> Mapping[str, Any]:
    """The line that is kept of the call that came through."""
    line: dict[str, Any] = {}
    for call in chat.ask(request, random.Random(key)):
        line = {"key": key, "pair": pair, **_exchange_record(request, call)}
        keep(line)
        if not call.fault:
            return line
    raise Unavailable(f"the model's server: {line.get('why', 'no call was made')}")


def _exchange_record(request: Mapping[str, Any], call: Call) -> Mapping[str, Any]:
    """The recorded exchange, with hashes in place of the pictures."""
    (message,) = request["messages"]
    parts = [
        part if part["type"] == "text" else {"image_sha256": _sha256(part["image_url"]["url"])}
        for part in message["content"]
    ]
    said = _parsed_reply(call)
    return {
        "result": "failed" if call.fault else "refused" if call.refused else said["result"],
        **({"why": call.fault} if call.fault else {} if call.refused else said),
        "request": {**request, "messages": [{**message, "content": parts}]},
        "status": call.status,
        "response": call.response,
        "tokens": call.tokens,
        "ms": call.ms,
    }


def _sha256(url: str) -> str:
    return hashlib.sha256(base64.b64decode(url.partition(",")[2])).hexdigest()


def _parsed_reply(call: Call) -> dict[str, Any]:
    """The named clip, first or second, the probability of the first, and the reason."""
    for each in reversed(objects_in(call.text)):
        choice = str(each.get("choice", "")).strip().lower()
        if choice in ("first", "second"):
            p, is_first = each.get("probability"), choice == "first"
            # In Python True is an int.
            is_share = isinstance(p, int | float) and not isinstance(p, bool) and 0 <= p <= 1
            return {
                "result": "answered",
                "choice": choice,
                "probability": p if is_share else None,
                "contradicts": is_share and p != 0.5 and (p > 0.5) != is_first,
                "reason": str(each.get("reason") or ""),
            }
    return {"result": "refused" if refusal_in(call.text) else "unreadable"}


def _answer(pair: str, repeat: int, order: Order, line: Mapping[str, Any]) -> Answer:
    """The answer in terms of the members as the judge saw them."""
    result: Result = line["result"]
    if result != "answered":
        return Answer(pair, repeat, order, result)
    is_a = (line["choice"] == "first") == (order == "ab")
    p = line["probability"]
    first = float(line["choice"] == "first") if p is None else float(p)
    return Answer(
        pair,
        repeat,
        order,
        result,
        "a" if is_a else "b",
        first if order == "ab" else 1 - first,
        # Half of a character cannot be written.
        str(line["reason"]).encode("utf-8", "replace").decode()[:_LONGEST_REASON],
        line["choice"] == "first",
        p is not None,
        bool(line.get("contradicts")),
    )


def _turned(answer: Answer, is_mirrored: bool) -> Answer:
    """The answer in terms of the members of the study's pair."""
    if not is_mirrored or answer.choice is None or answer.for_a is None:
        return answer
    return replace(answer, choice="b" if answer.choice == "a" else "a", for_a=1 - answer.for_a)


def _verdict(
    pair: PairToJudge, terms: Terms, repeat: int, answers: Sequence[Answer], begun_at: datetime, end: datetime
) -> VerdictRow:
    """Averaged over both orders; with one alone the place of a clip would decide, so that is none."""
    found = [answer.for_a for answer in answers if answer.for_a is not None]
    if len(found) < len(ORDERS):
        words = " and ".join(answer.result for answer in answers if answer.for_a is None)
        return _row(pair, terms, repeat, begun_at, problem=f"not answered in both orders: {words}")
    # Rounded before the choice is made, so that it follows from the score that is written.
    for_a = round(fmean(found), 6)
    choice: Choice | None = "a" if for_a > 0.5 else "b" if for_a < 0.5 else None
    row = _row(pair, terms, repeat, begun_at, choice=choice, score=for_a)
    return replace(row, duration_ms=max(0, round((end - begun_at) / timedelta(milliseconds=1))))


def _row(
    pair: PairToJudge,
    terms: Terms,
    repeat: int,
    at: datetime,
    *,
    choice: Choice | None = None,
    score: float | None = None,
    problem: str = "",
) -> VerdictRow:
    return VerdictRow(
        judge=NAME,
        pair=pair.pair,
        choice=choice,
        score=score,
        run=str(repeat),
        study=pair.study,
        version=terms.version,
        judged_at=at,
        duration_ms=0,
        problem=problem,
        scale="probability",
    )


def card_of(asked: JudgeAnswers, terms: Terms, slug: str, number: int, host: str, now: datetime) -> str:
    """The questions' settings and the consistency of the answers, as JSON."""
    card = {
        "format": "likely-human vision-language 1",
        "name": NAME,
        "version": terms.version,
        "model": terms.model,
        "server": host,
        "study": slug,
        "study_version": number,
        "made_at": now.isoformat(timespec="seconds"),
        "settings": {**asdict(terms), "prompt": PROMPT},
        "consistency": asdict(asked.consistency),
        "not_for": "The clips may be among what the model was trained on. Its reasons are what it wrote, "
        "not why it chose.",
    }
    return json.dumps(card, indent=2, ensure_ascii=False) + "\n"


def reasons_of(answers: Sequence[Answer]) -> Iterator[Sequence[object]]:
    """Rows of reasons.csv, its header first."""
    yield "pair", "repeat", "order", "result", "choice", "probability_a", "reason"
    for each in answers:
        yield each.pair, each.repeat, each.order, each.result, each.choice, each.for_a, each.reason
