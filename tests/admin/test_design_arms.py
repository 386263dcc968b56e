"""Arms and hypotheses in the design's form: cards with the fields of what they change and compare."""

import html
import re
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from app.admin.design.actions import BadAction, act
from app.admin.design.choices import Known
from app.admin.design.faults import fault_views, marked
from app.admin.design.fields import fields_to_keys, keys_to_fields
from app.admin.design.sections import sections
from app.admin.design.views import CardView, ChangesView, FieldsView, FieldView, ListView, PicksView
from app.core.database import Database
from app.studies.drafts import create_study
from app.studies.file.arms import Arm
from app.studies.file.drafts import check_draft
from app.studies.file.hypotheses import Hypothesis
from tests.admin.persons import Person
from tests.admin.test_design import draft_of, form_on, words_at
from tests.factories import NOW, study_file
from tests.studies.clips import facts

pytestmark = pytest.mark.any_database

Keys = dict[str, Any]
QUESTIONS = [{"id": "choice", "type": "2afc", "ask": "Which?"}]
GAME = {
    "id": "play",
    "task": "game",
    "game": "public-goods",
    "configs": {"endowment": 30, "players": 2},
    "matching": {"ready_s": 20},
    "seats": ["human", "fair"],
}


def drafted(**changes: object) -> Keys:
    return {key: value for key, value in study_file(**changes).items() if value is not None}


def in_blocks(**changes: object) -> Keys:
    watch = {"id": "watch", "task": "pair", "sample": {"seed": 7, "conditions": {"human-hybrid": 2}}}
    keys = drafted(trials=None, sample=None, **changes)
    return {**keys, "blocks": [{**watch, "trials": {"questions": QUESTIONS}}, GAME]}


def with_pressed(keys: Mapping[str, Any], *pressed: str | tuple[str, str]) -> Keys:
    """The keys after these buttons; of two words, the second is what was chosen beside the button."""
    for each in pressed:
        action, chosen = each if isinstance(each, tuple) else (each, "")
        keys = act(keys, action, {f"add.{action.partition(':')[2]}": chosen}).keys
    return dict(keys)


def part_of(keys: Keys, section: str) -> ListView:
    found = {each.id: each for each in sections(keys, {}, Known(["human-hybrid"], ["human", "hybrid"]))}
    return next(part for part in found[section].parts if isinstance(part, ListView))


def fields_in(card: CardView) -> dict[str, FieldView]:
    listed = [part.fields for part in card.parts if isinstance(part, FieldsView)]
    return {field.name: field for fields in listed for field in fields}


def changes_in(card: CardView) -> ChangesView:
    return next(part for part in card.parts if isinstance(part, ChangesView))


def fields_of_changes(card: CardView) -> list[tuple[str, FieldView]]:
    """Each change with where it stands in the form."""
    found = []
    for change in changes_in(card).changes:
        assert isinstance(change.part, FieldsView)
        found.append((change.where, change.part.fields[0]))
    return found


def test_arms_made_in_the_form_are_those_that_the_study_file_has() -> None:
    keys = with_pressed(
        drafted(),
        "add:arms",
        "add:arms",
        ("add:arms.0.set", "trials.watch"),
        ("add:arms.1.set", "trials.questions.choice.ask"),
        ("add:arms.1.set", "instructions"),
        ("add:arms.1.set", "trials.questions.uncertainty.labels"),
    )
    typed = {
        "arms.0.id": "slow",
        "arms.0.target": "30",
        "arms.1.id": "fast",
        "arms.1.target": "30",
        "arms.0.set.trials.watch": "free",
        "arms.1.set.trials.questions.choice.ask": "Which was recorded?",
        "arms.1.set.instructions": "# Fast\r\n\r\nGo.",
        "arms.1.set.trials.questions.uncertainty.labels": "certain\r\nuncertain",
    }
    keys = fields_to_keys(keys, typed).keys
    written = yaml.safe_load(
        """
        - {id: slow, target: 30, set: {trials.watch: free}}
        - id: fast
          target: 30
          set:
            trials.questions.choice.ask: Which was recorded?
            instructions: "# Fast\\n\\nGo."
            trials.questions.uncertainty.labels: [certain, uncertain]
        """
    )
    assert keys["arms"] == written
    assert check_draft(keys, None).faults == ()
    assert fields_to_keys(keys, keys_to_fields(keys)).keys == keys
    assert fields_to_keys({}, keys_to_fields(keys), whole=True).keys["arms"] == written


def test_a_value_of_an_arm_has_the_field_that_the_study_has_and_says_what_the_study_has() -> None:
    keys = in_blocks(arms=[{"id": "slow"}, {"id": "fast", "set": {"blocks.play.matching.ready_s": 50}}])
    keys = with_pressed(keys, ("add:arms.1.set", "blocks.watch.trials.watch"))
    card = part_of(keys, "arms").cards[1]
    (where, ready), (_, watch) = fields_of_changes(card)
    assert where == "Block play, Matching"
    assert (ready.widget, ready.value, ready.help) == ("number", "50", "In the study: 20.")
    assert (watch.label, watch.widget, watch.value) == ("Watching", "choice", "both-to-end")
    assert watch.help == "In the study: Both clips to the end."
    assert card.said == "Its participants get the whole study, with 2 values of its own."
    offered = {label: dict(options) for label, options in changes_in(card).offered}
    assert (
        offered["Block watch, Trials, question choice"]["blocks.watch.trials.questions.choice.ask"]
        == "What is asked"
    )
    everything = {path for paths in offered.values() for path in paths}
    assert "blocks.play.matching.ready_s" not in everything, "it is there already"
    never = ("consent", "blocks.watch.sample", "completion.pay", "blocks.play.configs", "blocks.play.game")
    assert not {path for path in everything if path.startswith(never)}


def test_what_the_form_has_no_field_for_is_written_in_yaml_and_taken_out_again() -> None:
    own = {"blocks.gone.trials.watch": "free", "title": {"odd": [1]}}
    keys = in_blocks(arms=[{"id": "one", "set": own}, {"id": "two"}])
    shown = {field.name: field for _, field in fields_of_changes(part_of(keys, "arms").cards[0])}
    assert shown["arms.0.set.blocks.gone.trials.watch"].label == "blocks.gone.trials.watch"
    assert shown["arms.0.set.title"].value == "odd:\n- 1"
    faults = marked(fault_views(keys, check_draft(keys, None).faults))
    assert "there is no block 'gone'" in faults["arms.0.set.blocks.gone.trials.watch"]
    keys = with_pressed(keys, "remove:arms.0.set.blocks.gone.trials.watch")
    keys = fields_to_keys(keys, {"arms.0.set.title": "Another title"}).keys
    assert keys["arms"][0]["set"] == {"title": "Another title"}
    assert "set" not in with_pressed(keys, "remove:arms.0.set.title")["arms"][0]
    with pytest.raises(BadAction, match="Choose what differs"):
        act(keys, "add:arms.0.set", {"add.arms.0.set": "consent.text"})


def test_an_arm_does_without_what_the_study_has_where_its_field_is_empty() -> None:
    keys = drafted(arms=[{"id": "one", "set": {"instructions": "Read this."}}, {"id": "two"}])
    keys = fields_to_keys(keys, {"arms.0.set.instructions": ""}).keys
    assert keys["arms"][0]["set"] == {"instructions": None}
    assert check_draft(keys, None).faults == ()


def test_blocks_are_given_to_arms_by_boxes_and_follow_a_renamed_arm() -> None:
    keys = in_blocks(arms=[{"id": "slow"}, {"id": "fast"}])
    keys["hypotheses"] = [{"id": "h1", "compare": ["slow", "fast"]}]
    keys = fields_to_keys(keys, {"blocks.1.arms.fast": "yes"}).keys
    assert keys["blocks"][1]["arms"] == ["fast"]
    boxes = next(part for part in part_of(keys, "parts").cards[1].parts if isinstance(part, PicksView))
    assert [(box.label, box.value) for box in boxes.fields] == [("slow", "no"), ("fast", "yes")]
    assert part_of(keys, "arms").cards[0].said == "Its participants get the block watch, as it is."
    form = {**keys_to_fields(keys), "arms.1.id": "quick"}
    keys = fields_to_keys(keys, form).keys
    assert keys["blocks"][1]["arms"] == ["quick"]
    assert keys["hypotheses"][0]["compare"] == ["slow", "quick"]
    keys = fields_to_keys(keys, {"blocks.1.arms.quick": "no"}).keys
    assert "arms" not in keys["blocks"][1]


def test_hypotheses_made_in_the_form_are_those_that_the_study_file_has() -> None:
    keys = with_pressed(drafted(), "add:hypotheses", "add:hypotheses", "down:hypotheses.0")
    assert [one["id"] for one in keys["hypotheses"]] == ["h2", "h1"]
    typed = {
        "hypotheses.0.compare.0": "human-hybrid",
        "hypotheses.0.compare.1": "hybrid-symbolic",
        "hypotheses.0.measure": "preference",
        "hypotheses.0.source": "hybrid",
        "hypotheses.0.direction": "less",
        "hypotheses.0.test": "wilcoxon",
        "hypotheses.0.alpha": "0.01",
        "hypotheses.0.expect.0": "0.2",
        "hypotheses.0.expect.1": "0.5",
        "hypotheses.1.compare.0": "all",
        "hypotheses.1.compare.1": "chance",
        "hypotheses.1.measure": "accuracy",
        "hypotheses.1.direction": "greater",
        "hypotheses.1.test": "wilcoxon",
        "hypotheses.1.says": "People can tell.",
    }
    keys = fields_to_keys(keys, typed).keys
    written = yaml.safe_load(
        """
        - {id: h2, compare: [human-hybrid, hybrid-symbolic], measure: preference, source: hybrid, direction: less,
           test: wilcoxon, alpha: 0.01, expect: [0.2, 0.5]}
        - {id: h1, says: People can tell., compare: [all, chance], measure: accuracy, direction: greater,
           test: wilcoxon}
        """
    )
    assert keys["hypotheses"] == written
    made, read = check_draft(keys, facts()), check_draft(drafted(hypotheses=written), facts())
    assert made.faults == ()
    assert made.design is not None
    assert read.design is not None
    assert made.design.sha256() == read.design.sha256()
    assert made.groups == ("human-hybrid", "hybrid-symbolic")
    assert fields_to_keys({}, keys_to_fields(keys), whole=True).keys["hypotheses"] == written


def test_a_hypothesis_is_chosen_from_what_the_study_has() -> None:
    arms = [{"id": "slow"}, {"id": "fast"}]
    keys = in_blocks(
        arms=arms, hypotheses=[{"id": "h1", "compare": ["gone", "chance"], "measure": "accuracy"}]
    )
    card = part_of(keys, "hypotheses").cards[0]
    assert (card.title, card.gist) == ("h1", "accuracy: gone compared with chance · no test yet")
    fields = fields_in(card)
    assert fields["hypotheses.0.compare.0"].options == (
        ("all", "All main trials"),
        ("human-hybrid", "human-hybrid"),
        ("slow", "Arm slow"),
        ("fast", "Arm fast"),
        ("gone", "gone?"),
    )
    assert fields["hypotheses.0.compare.1"].options[0] == ("chance", "Chance, one half")
    assert [name for name, _ in fields["hypotheses.0.measure"].options] == [
        "accuracy",
        "uncertainty",
        "preference",
    ]
    assert "hypotheses.0.source" not in fields
    keys = fields_to_keys(keys, {"hypotheses.0.measure": "preference"}).keys
    source = fields_in(part_of(keys, "hypotheses").cards[0])["hypotheses.0.source"]
    assert [*source.options] == [("", "None"), ("human", "human"), ("hybrid", "hybrid")]


@pytest.mark.parametrize("model", [Arm, Hypothesis])
def test_no_key_of_the_study_file_is_a_label(model: type[Arm] | type[Hypothesis]) -> None:
    words = {str(field.title) for field in model.model_fields.values()}
    assert not words & {*model.model_fields, ""}


def test_cards_of_arms_and_hypotheses_work_without_a_script_and_say_what_is_wrong_at_their_fields(
    owner: Person, database: Database, study: str
) -> None:
    address = "/admin/studies/nav/design/all"

    def press(action: str, **more: str) -> str:
        form = form_on(owner.get(address).text)
        reply = owner.post(address, {**form, **more, "action": action}, follow_redirects=False)
        assert reply.status_code == 303, reply.text
        return str(reply.headers["location"])

    press("add:arms")
    assert press("add:arms").endswith("#arms.1.id")
    assert press("add:arms.1.set", **{"add.arms.1.set": "trials.watch"}).endswith("#arms.1.set.trials.watch")
    press("up:arms.1", **{"arms.1.target": "9", "arms.1.set.trials.watch": "free"})
    assert draft_of(database)["arms"] == [
        {"id": "arm-2", "target": 9, "set": {"trials.watch": "free"}},
        {"id": "arm-1"},
    ]
    page = owner.get(address).text
    assert (
        words_at(page, "arms.1")
        == "This arm has no target, and others have: give each arm a target, or none."
    )
    assert press("add:hypotheses").endswith("#hypotheses.0.id")
    page = owner.get(address).text
    assert words_at(page, "hypotheses.0.direction") == "“Direction” is empty: fill it in."
    compared = re.search(r'<select id="hypotheses.0.compare.0".*?</select>', page, re.S)
    assert compared
    assert [html.unescape(each) for each in re.findall(r'value="([^"]*)"', compared[0])] == [
        *("all", "human-hybrid", "hybrid-symbolic", "arm-2", "arm-1", ""),
    ]
    press("remove:arms.0")
    assert [arm["id"] for arm in draft_of(database)["arms"]] == ["arm-1"]


def test_a_study_with_arms_and_hypotheses_sent_as_it_came_writes_no_draft(
    owner: Person, database: Database, study: str
) -> None:
    arms = [{"id": "a", "target": 5, "set": {"trials.watch": "free"}}, {"id": "b", "target": 5}]
    hypothesis = {"id": "h1", "compare": ["a", "b"], "measure": "accuracy", "direction": "less"}
    keys = drafted(arms=arms, hypotheses=[{**hypothesis, "test": "mann-whitney"}], study="two")
    with database.transaction() as session:
        create_study(session, owner.who, "two", keys, NOW)
    before = draft_of(database, "two")
    address = "/admin/studies/two/design/all"
    form = form_on(owner.get(address).text)
    owner.post(address, {**form, "action": "save"})
    assert draft_of(database, "two") == before
    assert form_on(owner.get(address).text)["revision"] == form["revision"]
