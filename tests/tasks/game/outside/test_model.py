"""A language model on a seat, against a real server that answers well, badly, slowly, with faults, and not at all."""

import json
import random
import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from app.core.chat import LONGEST_REPLY, Chat, Server, Spending, Spent, Unavailable
from app.core.errors import StudyError
from app.core.settings import Settings
from app.tasks.game.agents.outside import ModelAgent, check_one_persona
from app.tasks.game.base import Act, Budget, NoMove
from app.tasks.game.files import agent_id
from app.tasks.game.games import GAMES, presenter_of
from app.tasks.game.outside.model import ModelPlayer
from app.tasks.game.outside.opened import named
from app.tasks.game.run import RunRequest, agents_of
from app.tasks.game.settings import GameBlock
from tests.chat_server import ChatServer, Said, chat_server, move, reply
from tests.program import Done, Program
from tests.tasks.game import random_play

pytestmark = pytest.mark.slow

KEY = "sk-very-secret-0123456789"
SUG = GAMES["sug"]
OFFER = move("offer", to=2, amount=4)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        yield running


class Asking:
    """One seat of one state, and what is kept of asking a model for its move."""

    def __init__(self, address: str, agent: ModelAgent | None = None, **terms: Any) -> None:
        self.kept: list[Mapping[str, Any]] = []
        self.spending = Spending(terms.pop("calls", 100), terms.pop("tokens", 1_000_000))
        fast = {"timeout_s": 5, "retries": 2, "backoff_s": 0.001, **terms}
        self.chat = Chat(Server(address, KEY, **fast), self.spending)
        self.player = ModelPlayer(agent or ModelAgent(model="m"), self.chat, "sug", self.kept.append)

    def act(self, game: Any = SUG, state: Any = None, seat: int = 1, budget: Budget | None = None) -> Act:
        state = game.initial(game.Config()) if state is None else state
        view, legal = game.view(state, seat), game.legal(state, seat)
        self.player.game = game.name
        try:
            return self.player.act(view, legal, random.Random(1), budget or Budget())
        finally:
            assert KEY not in json.dumps(self.kept)

    @property
    def results(self) -> list[str]:
        return [line["result"] for line in self.kept]


Ask = Callable[..., Asking]


@pytest.fixture
def ask() -> Iterator[Ask]:
    """Makes such seats, and closes their connections."""
    made: list[Asking] = []

    def one(*args: Any, **terms: Any) -> Asking:
        made.append(Asking(*args, **terms))
        return made[-1]

    yield one
    for asking in made:
        asking.chat.close()


def test_a_good_answer_is_the_move_and_the_exchange_is_kept(server: ChatServer, ask: Ask) -> None:
    server.answers = [OFFER]
    agent = ModelAgent(model="m", temperature=0.2, top_p=0.9, max_tokens=77, persona="cautious")
    asking = ask(server.address, agent)
    assert asking.act() == Act({"kind": "offer", "to": 2, "amount": 4}, "", "because")
    (request,), (headers,), (line,) = server.requests, server.headers, asking.kept
    assert headers["Authorization"] == f"Bearer {KEY}"
    messages = request.pop("messages")  # type: ignore[attr-defined]
    assert request == {"model": "m", "temperature": 0.2, "top_p": 0.9, "max_tokens": 77}
    assert [message["role"] for message in messages] == ["system", "user"]
    assert "You are seat 1." in messages[0]["content"]
    assert "A rejected offer pays neither of them." in messages[0]["content"]
    assert "avoid risks" in messages[0]["content"]
    assert '"amount": <whole number from 0 to 10>' in messages[1]["content"]
    assert line["request"]["messages"] == messages
    assert "because" in line["response"]["choices"][0]["message"]["content"]
    kept = {name: line[name] for name in ("seat", "phase_id", "ask", "result", "status", "tokens", "reason")}
    assert kept == {
        **{"seat": 1, "phase_id": "1-offer", "ask": 1, "result": "taken"},
        **{"status": 200, "tokens": 10, "reason": "because"},
    }
    assert asking.spending.tokens == 10


@pytest.mark.slow
def test_what_is_no_legal_answer_is_asked_again_with_what_was_wrong(server: ChatServer, ask: Ask) -> None:
    def offer(**fields: Any) -> str:
        return json.dumps({"move": {"kind": "offer", **fields}})

    deep = '{"move":' * 3000
    bad = {
        "": "no JSON object with a move",
        "\ud800": "no JSON object with a move",
        "I offer 4 to player 2.": "no JSON object with a move",
        '{"kind": "offer", "to": 2, "amount": 4}': "no JSON object with a move",
        '{"move": 3}': "move must be a JSON object",
        '{"move": {}}': "a move of kind None is not allowed here; allowed: offer",
        offer(to=2): "see amount",
        offer(to=2, amount=4, note=1): "see note",
        offer(to=1, amount=4): "to is 1; it must be one of 2, 3, 4, 5",
        offer(to="2", amount=4): "to is '2'",
        offer(to=2, amount="4"): "amount is '4'; it must be a whole number",
        offer(to=2, amount=4.0): "amount is 4.0",
        offer(to=2, amount=True): "amount is True",
        offer(to=2, amount=[4]): "amount is [4]",
        offer(to=2, amount=11): "it must be from 0 to 10",
        offer(to=2, amount=float("nan")): "amount is nan",
        offer(to=2, amount=-(10**4000)): "must be from 0 to 10",
        offer(to="2" * 10_000, amount=4): "it must be one of 2, 3, 4, 5",
        '{"move": {"kind": "offer", "to": 2, "amount": ' + "9" * 5000 + "}}": "no JSON object with a move",
        '{"move": {"kind": "offer", "to": 2, "amount": 4}, "message": "hi"}': "no message may go",
        '{"move": {"kind": "offer", "to": 2, "amount": 4}, "reason": 4}': "reason must be text",
        deep: "no JSON object with a move",
        "{" * 1_500_000: "no JSON object with a move",
    }
    for text, said in bad.items():
        server.requests.clear()
        server.answers = [reply(text), OFFER]
        asking = ask(server.address)
        assert asking.act().move["amount"] == 4, text[:80]
        assert asking.results == ["invalid", "taken"]
        assert said in asking.kept[0]["why"], text[:80]
        *_, answered, again = server.requests[1]["messages"]
        assert answered["content"] in (text[:4000], "(nothing)", "?")
        assert said in again["content"]
        assert '"kind": "offer"' in again["content"]


def test_messages_are_held_to_their_length_and_to_text(server: ChatServer, ask: Ask) -> None:
    game = GAMES["glee-bargaining"]
    for text, said in (
        ("x" * 401, "has 401 characters; at most 400"),
        ("a\x00b", "no text"),
        ("\ud800", "no text"),
    ):
        server.answers = [move("propose", text, alice_gain=1), move("propose", "a\nb", alice_gain=2)]
        asking = ask(server.address)
        assert asking.act(game) == Act({"kind": "propose", "alice_gain": 2}, "a\nb", "because")
        assert said in asking.kept[0]["why"]


def test_after_so_many_bad_answers_the_default_move_is_played(server: ChatServer, ask: Ask) -> None:
    server.answers = [reply("no")]
    asking = ask(server.address, ModelAgent(model="m", asks=4))
    with pytest.raises(NoMove) as none:
        asking.act()
    assert none.value.auto == "invalid"
    assert asking.results == ["invalid"] * 4
    assert (asking.player.tally.decisions, asking.player.tally.defaults) == (1, 1)


def test_refusals_are_counted_in_each_of_their_forms(server: ChatServer, ask: Ask) -> None:
    by_model = reply("", message={"role": "assistant", "content": None, "refusal": "I cannot."})
    by_filter = reply("half a", finish_reason="content_filter")
    by_gate = Said(json.dumps({"error": {"code": "content_filter"}}).encode(), 400)
    server.answers = [by_model, by_filter, by_gate, OFFER]
    asking = ask(server.address, ModelAgent(model="m", asks=4))
    assert asking.act().move["amount"] == 4
    assert asking.results == ["refused", "refused", "refused", "taken"]
    assert asking.player.tally.refusals == 3
    assert asking.player.tally.defaults == 0


def test_a_refusal_in_words_is_a_refusal_and_an_answer_that_begins_with_such_words_is_an_answer(
    server: ChatServer, ask: Ask
) -> None:
    words = (
        "I'm sorry, but I can't help with that.",
        "I\u2019m sorry, I cannot take part in this game.",
        "As an AI language model, I do not make offers.",
        "**I must decline** to play.",
        "I am unable to answer.",
        "I'd rather not.",
        "I won't play this.",
    )
    server.answers = [*map(reply, words), OFFER]
    asking = ask(server.address, ModelAgent(model="m", asks=20))
    assert asking.act().move["amount"] == 4
    assert asking.results == ["refused"] * len(words) + ["taken"]
    assert asking.player.tally.refusals == len(words)
    assert 'but a refusal: "I\'m sorry"' in asking.kept[0]["why"]
    good = json.dumps({"move": {"kind": "offer", "to": 2, "amount": 3}, "reason": "I refuse to give more."})
    for text, results in (
        (f"I'm sorry to be this mean: {good}", ["taken"]),
        ("I cannot decide between 3 and 4.", ["invalid", "taken"]),
        ("I will offer 4, sorry.", ["invalid", "taken"]),
    ):
        server.answers = [reply(text), OFFER]
        asking = ask(server.address)
        asking.act()
        assert asking.results == results


def test_a_model_in_the_auction_is_told_its_name_and_the_others_and_one_persona(
    server: ChatServer, ask: Ask
) -> None:
    server.answers = [move("bid", amount=0)]
    game = GAMES["wac"]
    state = game.initial(game.Config(personas=True))
    view = game.view(state, 3)
    player = ask(server.address).player
    player.game = "wac"
    said = player._system(view)
    assert (
        "You are seat 3.\nYour name is Cindy. "
        "The others are Alex (seat 1), Bob (seat 2), David (seat 4), Eric (seat 5)." in said
    )
    assert said.count("You are a psychologist.") == 1
    assert "persona" not in player._situation(view)
    player.game = "sug"
    assert "Your name" not in player._system(SUG.view(SUG.initial(SUG.Config()), 1))


def test_two_personas_in_one_prompt_are_refused_before_anything_is_asked() -> None:
    two, none = ModelAgent(model="m", persona="cindy"), ModelAgent(model="m")
    wac = GAMES["wac"].Config
    check_one_persona([none], [wac(personas=True)])
    check_one_persona([two], [wac(personas=False), SUG.Config()])
    with pytest.raises(StudyError, match="two in one prompt"):
        check_one_persona([none, two], [wac(), wac(personas=True)])
    asked = RunRequest(GAMES["wac"], [wac(personas=True)], [two] * 5, matches=1, seed=1)
    with pytest.raises(StudyError, match="two in one prompt"):
        named([asked], Settings())
    block = {"id": "play", "task": "game", "game": "wac", "configs": {"personas": True}}
    paid = {"models": {"calls": 9, "tokens": 9_000, "settings": {"persona": "cindy"}}}
    seats = ["human", *["model"] * 4]
    with pytest.raises(ValidationError, match="two in one prompt"):
        GameBlock.model_validate({**block, **paid, "seats": seats})
    GameBlock.model_validate({**block, **paid, "seats": seats, "configs": {"personas": False}})


def test_one_reply_that_is_too_long_is_read_as_far_as_the_budget_goes(server: ChatServer, ask: Ask) -> None:
    long = json.dumps({"choices": [{"message": {"role": "assistant", "content": "x" * LONGEST_REPLY}}]})
    server.answers = [Said(long.encode(), 200)]
    asking = ask(server.address, tokens=3_000)
    with pytest.raises(Spent, match="the budget of 3000 tokens does not cover another call"):
        asking.act()
    assert asking.spending.tokens <= 3_000
    assert asking.results == ["invalid"]
    assert len(asking.kept[0]["response"]) < 40_000


def test_faults_that_pass_are_tried_again_and_those_that_do_not_are_told_without_the_key(
    server: ChatServer,
    ask: Ask,
) -> None:
    busy = Said(b"busy", 429, {"Retry-After": "0"})
    server.answers = [busy, Said(b"{}", 503), OFFER]
    asking = ask(server.address)
    assert asking.act().move["amount"] == 4
    assert asking.results == ["failed", "failed", "taken"]
    assert [line["status"] for line in asking.kept] == [429, 503, 200]
    assert (asking.spending.calls, asking.spending.tokens) == (3, 10)
    echo = Said(f'{{"error": "wrong key {KEY}"}}'.encode(), 401)
    elsewhere = Said(b"", 302, {"Location": "http://127.0.0.1:9/v1"})
    for answer, calls, said in (
        (Said(b"no", 500), 3, "answered with status 500: no"),
        (busy, 3, "answered with status 429"),
        (Said(b"<html>hello</html>"), 3, "is not one of the chat-completions protocol"),
        (Said(b'{"choices": []}'), 3, "is not one of the chat-completions protocol"),
        (Said(b'{"choices": [{"message": "hello"}]}'), 3, "is not one of the chat-completions protocol"),
        (Said(b'{"choices": ' + b"[" * 985 + b"]" * 985 + b"}"), 3, "is not one of the chat-completions"),
        (Said(b"[" * 100_000), 3, "is not one of the chat-completions protocol"),
        (Said(b"\xff\xfe\x00"), 3, "is not one of the chat-completions protocol"),
        (Said(b"not gzip", headers={"Content-Encoding": "gzip"}), 3, "cannot be reached"),
        (echo, 1, 'answered with status 401: {"error": "wrong key [key]"}'),
        (elsewhere, 1, "answered with status 302"),
    ):
        server.requests.clear()
        server.answers = [answer]
        asking = ask(server.address)
        with pytest.raises(Unavailable) as refused:
            asking.act()
        assert said in str(refused.value)
        assert KEY not in str(refused.value)
        assert len(server.requests) == calls
        assert asking.results == ["failed"] * calls


def test_a_reply_that_is_too_long_is_read_so_far_and_asked_again(server: ChatServer, ask: Ask) -> None:
    server.answers = [reply("x" * (2 * LONGEST_REPLY)), OFFER]
    asking = ask(server.address)
    assert asking.act().move["amount"] == 4
    assert asking.results == ["invalid", "taken"]
    assert len(asking.kept[0]["response"]) <= LONGEST_REPLY


def test_a_slow_server_and_none_at_all_end_in_words(server: ChatServer, ask: Ask) -> None:
    whole = reply("{}")
    for first in (0, 10):
        server.answers = [replace(whole, first=first)]
        asking = ask(server.address, timeout_s=0.1, retries=1)
        with pytest.raises(Unavailable, match=r"no reply within 0\.1 s"):
            asking.act()
        assert asking.results == ["failed", "failed"]
        # What a call without a reply used is not known: its bound is counted.
        assert asking.spending.tokens >= 2 * 800
    with pytest.raises(Unavailable, match=r"no reply within 0\.1 s|no reply within 0\.09"):
        ask(server.address, timeout_s=60).act(budget=Budget(seconds=0.1))
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        asking = ask(f"http://127.0.0.1:{closed.getsockname()[1]}/v1")
        with pytest.raises(Unavailable, match=r"cannot be reached: .*refused"):
            asking.act()
        assert asking.results == ["failed"] * 3
        assert asking.spending.tokens == 0


def test_a_budget_of_calls_or_tokens_is_never_passed(server: ChatServer, ask: Ask) -> None:
    server.answers = [reply("no")]
    asking = ask(server.address, calls=2)
    with pytest.raises(Spent, match="the budget of 2 calls is spent"):
        asking.act()
    assert len(server.requests) == 2
    server.requests.clear()
    asking = ask(server.address, tokens=1500)
    with pytest.raises(Spent, match="the budget of 700 tokens does not cover another call: 0 were used"):
        ask(server.address, tokens=700).act()
    assert server.requests == []
    with pytest.raises(NoMove):
        asking.act()
    assert asking.spending.tokens == 30
    asking.player.agent = ModelAgent(model="m", max_tokens=400)
    with pytest.raises(NoMove):
        asking.act(budget=Budget(tokens=50))
    assert server.requests[-1]["max_tokens"] == 50


def test_forms_of_answers_are_asked_for_where_the_server_can(server: ChatServer, ask: Ask) -> None:
    server.answers = [OFFER]
    for asked in ("json_object", "json_schema"):
        agent = ModelAgent(
            model="m", response_format=asked, max_tokens_name="max_completion_tokens", temperature=None
        )
        ask(server.address, agent).act()
        request = server.requests[-1]
        assert "temperature" not in request
        assert request["max_completion_tokens"] == 800
        assert request["response_format"]["type"] == asked
    schema = request["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["move"]["properties"]["to"] == {"enum": [2, 3, 4, 5]}


def test_what_a_seat_may_not_know_changes_no_byte_of_what_its_model_is_asked(
    server: ChatServer, ask: Ask
) -> None:
    server.answers = [reply("no")]

    def asked(game: Any, state: Any, seat: int) -> Any:
        server.requests.clear()
        with pytest.raises(NoMove):
            ask(server.address).act(game, state, seat)
        return server.requests[:]

    def negotiation(buyer: str) -> tuple[Any, Any]:
        game = GAMES["glee-negotiation"]
        return game, game.initial(game.Config(buyer_factor=buyer, complete_information=False))

    alone = asked(*negotiation("1.2"), seat=1)
    assert alone == asked(*negotiation("1.5"), seat=1)
    assert "12000" not in json.dumps(alone)
    one, other = (random_play.move(SUG, SUG.initial(SUG.Config()), 2, to=1, amount=n) for n in (3, 9))
    assert asked(SUG, one, 1) == asked(SUG, other, 1)
    wac = GAMES["wac"]
    state = random_play.draw(wac, wac.initial(wac.Config(personas=True)), 15)
    (request, *_) = asked(wac, state, 3)
    assert "psychologist" in request["messages"][0]["content"]
    assert "mathematician" not in json.dumps(request)


def test_a_model_can_read_the_rules_that_people_read(server: ChatServer, ask: Ask) -> None:
    server.answers = [OFFER]
    ask(server.address, ModelAgent(model="m", system="$page_rules")).act()
    view = SUG.view(SUG.initial(SUG.Config()), 1)
    system = server.requests[0]["messages"][0]["content"]
    assert system.splitlines() == list(presenter_of("sug").rules(view).lines)


def test_who_a_model_is_follows_from_its_settings(tmp_path: Path) -> None:
    def agent(text: str) -> ModelAgent:
        found = agents_of(SUG, SUG.Config(), f"{text},gt,gt,gt,gt")[0]
        assert isinstance(found, ModelAgent)
        return found

    path = tmp_path / "bold.yaml"
    path.write_text(
        "temperature: 1.5\npersona: bold\npersonas: {bold: You like to win., calm: You are calm.}\n"
        "rules: {sug: Give and take.}\nsystem: $rules $persona\n",
        encoding="utf-8",
    )
    bold = agent(f"model:settings={path}:model=llama3:8b")
    assert (bold.model, bold.temperature, bold.persona) == ("llama3:8b", 1.5, "You like to win.")
    assert bold.rules_of("sug") == "Give and take."
    assert "drought" in bold.rules_of("wac")
    calm = agent(f"model:settings={path}:persona=calm:temperature=0")
    assert (calm.persona, calm.temperature) == ("You are calm.", 0)
    for name in ("alex", "bob", "cindy", "david", "eric"):
        assert agent(f"model:persona={name}").persona.startswith("You ")
    same = agent("model:timeout=3:retries=0")
    assert agent_id(same) == agent_id(ModelAgent())
    others = (agent("model:persona=bob"), agent("model:temperature=0"), agent("model:model=a"), bold, calm)
    assert len({agent_id(one) for one in (same, *others)}) == 6
    (tmp_path / "list.yaml").write_text("- 1\n", encoding="utf-8")
    (tmp_path / "wrong.yaml").write_text("turn: ${nobody}\n", encoding="utf-8")
    (tmp_path / "rules.yaml").write_text("rules: {chess: Mate.}\n", encoding="utf-8")
    for text, said in (
        ("model:persona=nobody", "there is no persona 'nobody'; there are alex, bob"),
        ("model:temperature=3", "agent model: temperature: "),
        ("model:asks=0", "agent model: asks: "),
        ("model:settings=nowhere.yaml", "cannot read nowhere.yaml"),
        (f"model:settings={tmp_path / 'list.yaml'}", "has no mapping of parameters"),
        (f"model:settings={tmp_path / 'wrong.yaml'}", "there is no $nobody; there are $situation, $form"),
        (f"model:settings={tmp_path / 'rules.yaml'}", "there is no game 'chess'"),
    ):
        with pytest.raises(StudyError) as refused:
            agent(text)
        assert said in str(refused.value)


def test_addresses_and_keys_that_are_none_are_refused_without_telling_them() -> None:
    for address, key, said in (
        ("", "", "is no address such as"),
        ("127.0.0.1:8080", "", "is no address such as"),
        ("file:///etc/passwd", "", "is no address such as"),
        ("http://[::1", "", "is no address such as"),
        ("http://me:hidden@127.0.0.1/v1", "", "has a name, a query or a fragment"),
        ("http://127.0.0.1/v1?key=hidden", "", "has a name, a query or a fragment"),
        ("http://127.0.0.1/v1", "hid den", "has spaces or characters"),
        ("http://127.0.0.1/v1", "hiddën", "has spaces or characters"),
    ):
        with pytest.raises(StudyError) as refused:
            Chat(Server(address, key), Spending(1, 1))
        assert said in str(refused.value)
        assert "hid" not in str(refused.value)
    assert KEY not in repr(Server("http://127.0.0.1/v1", KEY))
    assert KEY not in repr(Settings.model_validate({"LIKELY_HUMAN_MODEL_KEY": KEY}))


def test_a_study_with_people_takes_a_model_that_it_pays_for_and_reads_no_file_for_one() -> None:
    paid = {"models": {"calls": 1, "tokens": 1}}
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("model", {}, "nothing says what it may cost"),
        ("pull", paid, "a program on a seat is pull:label=NAME"),
        ("model:settings=/etc/passwd", paid, "settings: no such parameter; there are: model, persona"),
    ]
    for seat, keys, why in wrong:
        with pytest.raises(ValidationError, match=why):
            GameBlock.model_validate(
                {"id": "play", "task": "game", "game": "sug", "seats": ["human", *[seat] * 4], **keys}
            )


def bargain(request: Mapping[str, Any]) -> Said:
    """Asks for 6,000 with a word that a spreadsheet would run; accepts in round 3."""
    asked = request["messages"][1]["content"]
    if '"kind": "propose"' in asked:
        return move("propose", '=1+1,"é\r\n', alice_gain=6000)
    return move("answer", answer="accept" if "Round 3" in asked else "reject")


def test_the_command_plays_whole_matches_stops_at_its_budget_and_goes_on(
    server: ChatServer, program: Program, tmp_path: Path
) -> None:
    server.answers = [bargain]
    environment = {
        **{"COLUMNS": "200", "TERM": "dumb", "LIKELY_HUMAN_MODEL_KEY": f"{KEY}\n"},
        **{"LIKELY_HUMAN_MODEL_ADDRESS": server.address, "LIKELY_HUMAN_MODEL": "small"},
    }

    def run(*words: object, **changes: str) -> Done:
        done = program.run("game", *words, cwd=tmp_path, environment={**environment, **changes})
        assert "Traceback" not in done.stderr
        assert KEY not in done.stdout + done.stderr
        return done

    def play(*words: object, **changes: str) -> Done:
        seats = "model:persona=bob:temperature=0,model:retries=0"
        options = ("--seats", seats, "--matches", 2, "--out", "out", *words)
        return run("play", "glee-bargaining", *options, **changes)

    for missing, said in (
        ("LIKELY_HUMAN_MODEL_ADDRESS", "no language model is set up"),
        ("LIKELY_HUMAN_MODEL", "the language model has no name"),
    ):
        done = play(**{missing: ""})
        assert (done.returncode, server.requests) == (1, [])
        assert said in done.stderr
    done = play("--calls", 9)
    assert done.returncode == 1
    assert "the budget of 9 calls is spent; what was played is kept, and the same command" in done.stderr
    assert "9 calls, 90 tokens" in done.stdout
    done = play("--calls", 6)
    assert done.returncode == 0, done.stderr
    assert "2 matches of glee-bargaining, 1 of them by an earlier run" in done.stdout
    assert "3 decisions, 0 by the default move, 0 refusals" in done.stdout
    assert run("replay", "out/moves.csv").returncode == 0
    assert ",model," in (tmp_path / "out/seats_played.csv").read_text(encoding="utf-8")
    assert server.requests[0]["model"] == "small"
    last = server.requests[-1]["messages"][1]["content"]
    assert last.count('"alice_gain": 6000') == 3
    lines = [json.loads(line) for line in (tmp_path / "out/exchanges.jsonl").read_text().splitlines()]
    assert [line["match"] for line in lines] == ["1"] * 6 + ["2"] * 3 + ["2"] * 6
    assert {line["game"] for line in lines} == {"glee-bargaining"}
    assert {len(line["agent"]) for line in lines} == {len("model-01234567")}
    assert not any(KEY.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_numbers_without_a_bound_still_have_one() -> None:
    game = GAMES["glee-negotiation"]
    legal = game.legal(game.initial(game.Config()), 1)
    with pytest.raises(ValueError, match="beyond 1000000000000000"):
        legal.check({"kind": "propose", "price": 10**15 + 1})
    legal.check({"kind": "propose", "price": 10**15})
    match = random_play.move(game, game.initial(game.Config()), 1, price=10**15)
    done = random_play.move(game, match, 2, answer="accept")
    assert game.payoffs(done) == (Fraction(10**15 - 8000), Fraction(12000 - 10**15))


def test_tokens_that_calls_under_way_may_take_are_set_aside() -> None:
    """Two at once must not come to more than the budget together."""
    spending = Spending(calls=9, tokens=100)
    assert spending.before(60) == 100
    with pytest.raises(Spent, match="the next may take 60"):
        spending.before(60)
    spending.after(60, used=10)
    assert spending.before(60) == 90
