"""A language model on a seat: asked with the rules, the seat's view and the form of an answer; then checked."""

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from string import Template
from typing import Any

from app.core.chat import Call, Chat, Unavailable, refusal_in
from app.core.exchanges import Keep
from app.tasks.game.agents.outside import ModelAgent
from app.tasks.game.base import Act, Budget, NoMove, View
from app.tasks.game.games import presenter_of
from app.tasks.game.moves import IllegalMove, MoveSchema
from app.tasks.game.outside.kept import Tally
from app.tasks.game.outside.prompts import (
    answer_in,
    filled,
    form,
    json_schema,
    names,
    objects_with_a_move,
    situation,
)

# A refused reply goes back with the next request, and is paid for again.
_SHOWN_AGAIN = 4_000


class Refused(IllegalMove):
    """The model declined, according to its server or in its own words."""


def _answered(call: Call, legal: MoveSchema) -> Act:
    """The move in a reply. Raises Refused, and IllegalMove for any other invalid answer."""
    if call.refused:
        raise Refused("there is no answer in it, but a refusal")
    words = refusal_in(call.text)
    # A reply may begin with such words and then answer after all.
    if words and not objects_with_a_move(call.text):
        raise Refused(f"there is no answer in it, but a refusal: {words!r}")
    return answer_in(call.text, legal)


@dataclass(slots=True)
class ModelPlayer:
    """Asks for each decision anew; its memory is the history in its view."""

    agent: ModelAgent
    chat: Chat
    game: str
    keep: Keep
    tally: Tally = field(default_factory=Tally)

    def act(self, view: View, legal: MoveSchema, rng: random.Random, budget: Budget) -> Act:
        """The model's move; NoMove after `asks` invalid answers. Raises Spent, and Unavailable without a server."""
        messages = [
            {"role": "system", "content": self._system(view)},
            {"role": "user", "content": self._text(self.agent.turn, legal, situation=self._situation(view))},
        ]
        end = None if budget.seconds is None else time.monotonic() + budget.seconds
        self.tally.add(decisions=1)
        for ask in range(1, self.agent.asks + 1):
            call = self._call(view, ask, self._request(messages, legal, budget), rng, end)
            try:
                act = _answered(call, legal)
            except IllegalMove as error:
                refused = isinstance(error, Refused)
                self.keep(
                    self._exchange_record(
                        view, ask, call, "refused" if refused else "invalid", why=str(error)
                    )
                )
                self.tally.add(refusals=refused)
                again = self._text(self.agent.again, legal, why=str(error)[:_SHOWN_AGAIN])
                said = call.text[:_SHOWN_AGAIN] or "(nothing)"
                messages += [{"role": "assistant", "content": said}, {"role": "user", "content": again}]
                continue
            taken = {"move": act.move, "message": act.message, "reason": act.reason}
            self.keep(self._exchange_record(view, ask, call, "taken", **taken))
            return act
        self.tally.add(defaults=1)
        raise NoMove("invalid")

    def _system(self, view: View) -> str:
        persona = self.agent.persona or view.facts.get("persona") or ""
        page_rules = "\n".join(presenter_of(self.game).rules(view).lines)
        rules = self.agent.rules_of(self.game)
        return filled(
            self.agent.system,
            seat=view.viewer,
            names=names(view),
            persona=persona,
            rules=rules,
            page_rules=page_rules,
        )

    def _situation(self, view: View) -> str:
        """The facts without the persona where the first message has it already."""
        has_persona = "persona" in Template(self.agent.system).get_identifiers()
        facts = {name: fact for name, fact in view.facts.items() if not has_persona or name != "persona"}
        return situation(replace(view, facts=facts))

    def _text(self, template: str, legal: MoveSchema, **values: str) -> str:
        return filled(template, form=form(legal), **values)

    def _request(
        self, messages: list[dict[str, str]], legal: MoveSchema, budget: Budget
    ) -> Mapping[str, Any]:
        agent = self.agent
        request: dict[str, Any] = {"model": agent.model, "messages": list(messages)}
        request |= {
            name: value for name in ("temperature", "top_p") if (value := getattr(agent, name)) is not None
        }
        request[agent.max_tokens_name] = min(agent.max_tokens, budget.tokens or agent.max_tokens)
        if agent.response_format == "json_schema":
            schema = {"name": "answer", "schema": json_schema(legal)}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif agent.response_format == "json_object":
            request["response_format"] = {"type": "json_object"}
        return request

    def _call(
        self, view: View, ask: int, request: Mapping[str, Any], rng: random.Random, end: float | None
    ) -> Call:
        """The call that came through; those before it, and all if none did, are kept as failed."""
        seconds = None if end is None else end - time.monotonic()
        for call in self.chat.ask(request, rng, seconds):
            if not call.fault:
                return call
            self.keep(self._exchange_record(view, ask, call, "failed", why=call.fault))
        # A server that gives nothing would fill a data set with default moves: the run stops (decision 0017).
        raise Unavailable(f"the language model's server: {call.fault}")

    def _exchange_record(
        self, view: View, ask: int, call: Call, result: str, **more: object
    ) -> Mapping[str, Any]:
        return {
            "seat": view.viewer,
            "phase_id": view.phase_id,
            "ask": ask,
            "result": result,
            "request": call.request,
            "status": call.status,
            "response": call.response,
            "tokens": call.tokens,
            "ms": call.ms,
            **more,
        }
