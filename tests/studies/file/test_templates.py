"""Studies to begin from, what is still to be filled in, and what forms say of their fields."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli import app as cli
from app.library.kinds import StimulusKind
from app.studies.file.drafts import check_draft
from app.studies.file.fieldhelp import in_forms
from app.studies.file.load import check_study, load_study, written_study
from app.studies.file.model import Consent, StudyFile
from app.studies.file.templates import TEMPLATES, Unfilled, unfilled
from app.studies.file.yamlwriter import draft_to_yaml
from app.tasks.game.settings import GameBlock, GameDesign
from app.tasks.pair.settings import PairBlock, PairDesign, pairs_of
from app.tasks.pair.terms import Sample
from app.tasks.rating.assignment import ItemToAssign, planned_sessions
from app.tasks.rating.settings import RatingBlock, RatingDesign
from app.tasks.walk.settings import WalkDesign
from app.trials.stimuli import StimulusFacts
from tests.studies.file.study_folder import make_facts

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "docs/example-study/study.yaml"
FOLDER = ROOT / "app/studies/templates"
FACTS = make_facts()


@pytest.mark.parametrize("name", ["hntt", "preference", "blank"])
def test_a_template_needs_pairs_at_most(name: str) -> None:
    template = TEMPLATES[name]
    places = [fault.place for fault in check_draft(template.keys(), FACTS).faults]
    assert places == ([] if name == "hntt" else [("pairs",)])
    assert template.title
    assert len(template.description) < 100
    template.keys()["consent"].clear()
    assert template.keys()["consent"]


@pytest.mark.slow
def test_every_template_is_a_study_file_that_is_fine_once_it_is_filled_in(tmp_path: Path) -> None:
    """By the command of the same name; clips of the sources that are asked for are the library's."""
    listed = CliRunner().invoke(cli, ["study", "template"]).output
    assert [line.partition("  ")[0] for line in listed.splitlines()] == [*TEMPLATES]
    clips = {"[NAME OF A CLIP]": "human-1", "[NAME OF ANOTHER CLIP]": "hybrid-1"}
    for name in TEMPLATES:
        folder = tmp_path / name
        done = CliRunner().invoke(cli, ["study", "template", name, "--out", str(folder)])
        assert done.exit_code == 0, done.output
        said = re.findall(r"^to be filled in: ([\[{].*[\]}])$", done.output, re.MULTILINE)
        path = folder / "study.yaml"
        assert {each.text for each in unfilled(written_study(path).keys)} <= set(said)
        for file in folder.iterdir():
            text = file.read_text()
            for words in said:
                anyhow = re.escape(words).replace(r"\ ", r"\s+")
                text = re.sub(anyhow, clips.get(words, "Words"), text)
            file.write_text(text)
        # There are no real and fake clips here, and no records.
        check_study(path, None if name in ("real-or-fake", "which-player", "water-judges") else FACTS)
        assert not unfilled(written_study(path).keys), name
    for words, remedy in ((["nope"], "use hntt"), (["hntt", "--out", str(tmp_path)], "another folder")):
        refused = CliRunner().invoke(cli, ["study", "template", *words])
        assert remedy in str(refused.exception)


def test_the_published_study_is_that_of_the_documentation_word_for_word_but_asks_what_was_published() -> None:
    """There pairs are listed, and one question comes before them; here they are drawn, after the published two."""
    design = check_draft(TEMPLATES["hntt"].keys(), FACTS).design
    example = load_study(EXAMPLE, FACTS)
    assert design
    assert (design.blocks_of(PairDesign)[0].trials, design.title) == (
        example.blocks_of(PairDesign)[0].trials,
        example.title,
    )
    assert Counter(pair.condition for pair in pairs_of(design.blocks)) == {
        "human-hybrid": 6,
        "hybrid-symbolic": 4,
    }
    assert all(FACTS[pair.a].attributes == FACTS[pair.b].attributes for pair in pairs_of(design.blocks))
    one, two = "one question about yourself", "two questions about yourself"
    for ours, theirs in (
        (design.consent.text, example.consent.text.replace(one, two)),
        (design.instructions, example.instructions),
        (design.completion.message, example.completion.message),
    ):
        assert (ours or "").split() == (theirs or "").split()
    assert (design.consent.minimum_age, design.completion.code) == (18, None)


# What appendix A.2 and section 4.2 of the paper state: answers are data, everything else is a fact about the survey.
PUBLISHED_FAMILIARITY = {
    "genre_familiarity": (
        "Never heard of them",
        "I am aware but have never played them",
        "I play only sometimes",
        "I play on a regular basis",
        "Other",
    ),
    "title_familiarity": (
        "Never heard of it",
        "I am aware but have never played it",
        "I play only sometimes",
        "I play on a regular basis",
        "Other",
    ),
}
PUBLISHED_TASK = (("choice", "2afc", 2), ("rationale", "text", 0), ("uncertainty", "likert", 5))
N_PUBLISHED_TRIALS = 10


def test_the_published_survey_asks_genre_and_title_with_the_published_answers_and_three_things_of_each_pair() -> (
    None
):
    design = check_draft(TEMPLATES["hntt"].keys(), FACTS).design
    assert design
    assert {each.id: each.options for each in design.background} == PUBLISHED_FAMILIARITY
    genre, title = design.background
    assert all(word in genre.ask for word in ("familiar", "third-person action", "camera"))
    assert all(word in title.ask for word in ("familiar", "video game", "[TITLE OF THE GAME]"))
    assert (genre.required, title.required) == (True, True)
    [block] = design.blocks_of(PairDesign)
    asked = [(each.id, each.type, len(each.labels)) for each in block.trials.questions]
    assert asked == [(id_, type_, n if type_ == "likert" else 0) for id_, type_, n in PUBLISHED_TASK]
    labels = block.trials.questions[2].labels
    assert (labels[0], labels[-1]) == ("extremely certain", "extremely uncertain")
    assert (len(pairs_of(design.blocks)), block.trials.order) == (N_PUBLISHED_TRIALS, "random")
    assert design.consent.minimum_age == 18


def test_a_preference_study_asks_which_why_and_how_certain_and_has_no_truth() -> None:
    keys = TEMPLATES["preference"].keys()
    design = check_draft({**keys, "sample": {"seed": 1, "conditions": {"hybrid-symbolic": 4}}}, FACTS).design
    assert design
    assert [question.ask for question in design.blocks_of(PairDesign)[0].trials.questions] == [
        "Which video do you prefer?",
        "Why? Please provide as much detail as possible.",
        "How certain are you of your choice?",
    ]
    assert {pair.truth for pair in pairs_of(design.blocks)} == {None}
    assert "human" not in str(keys)


def test_a_last_page_does_not_claim_pairs_that_a_study_may_not_have() -> None:
    """Each draws its own: every pair of a study may show a person."""
    pages = [str(each.keys().get("completion", {}).get("message", "")) for each in TEMPLATES.values()]
    sentences = [one for page in pages for one in re.split(r"[.:;] ", " ".join(page.split()))]
    about_pairs = [one for one in sentences if re.search(r"\bpairs?\b", one)]
    assert len(about_pairs) == 2  # of the published test, with arms and without
    assert [one for one in about_pairs if not re.search(r"\bmay\b", one)] == []


def test_every_folder_is_a_template_and_every_shared_text_stands_in_one() -> None:
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir()}
    assert folders == {*TEMPLATES, "shared"}
    own = "".join(path.read_text() for path in FOLDER.glob("*/*") if path.parent.name != "shared")
    assert [path.name for path in FOLDER.glob("shared/*") if f"shared/{path.name}" not in own] == []


@pytest.mark.parametrize(
    "name", sorted({*TEMPLATES} - {"walk-the-map"})
)  # its background comes after the truth
def test_a_template_is_written_as_downloads_are(name: str) -> None:
    template = TEMPLATES[name]
    _, _, downloaded = draft_to_yaml(template.keys()).partition("\n")
    assert template.file == downloaded


def test_a_rubric_has_six_criteria_with_a_text_for_every_level_and_asks_for_reasons() -> None:
    template = TEMPLATES["rubric"]
    design = check_draft(template.keys(), {}).design
    assert design
    [block] = design.blocks_of(RatingDesign)
    *criteria, reason = block.questions
    assert [question.id for question in criteria] == [
        *("goal", "reasoning", "consistency", "adaptation", "risk", "plausibility")
    ]
    assert all(question.labels == ("1", "2", "3", "4", "5") for question in criteria)
    assert all(len(set(question.anchors)) == 5 and all(question.anchors) for question in criteria)
    assert (reason.type, reason.required) == ("text", True)
    assert [item.text for item in block.items] == [
        "[REPLACE THIS BY THE FIRST TEXT]",
        "[REPLACE THIS BY THE SECOND TEXT]",
    ]
    assert len(template.description) < 100


def test_a_game_is_played_for_money_by_people_who_agree_to_be_shown_and_its_records_are_compared() -> None:
    play, which = TEMPLATES["ultimatum"], TEMPLATES["which-player"]
    design = check_draft(play.keys(), {}).design
    assert design
    [block] = design.blocks_of(GameDesign)
    assert (block.game, block.seats, block.disclosure) == ("sug", ("any",), "some-may-be-programs")
    assert design.consent.play_shown
    assert "Others may read how you played" in design.consent.text
    assert "eight rounds" in (block.instructions or "")
    assert block.configs[0]["rounds"] == 8
    needs = [fault.place for fault in check_draft(which.keys(), {}).faults]
    assert needs, "records of play, which a library without any has not"
    assert {place[0] for place in needs} == {"sample"}
    assert max(len(play.description), len(which.description)) < 100


def test_the_study_of_the_water_auction_is_the_published_one() -> None:
    """Alympics, section 7 and A.5: 30 records, half with personas, 5 of ten judges each; six criteria from 1 to 5, the
    persona's asked of records with personas alone; judges play, and rate themselves, first."""
    template = TEMPLATES["water-judges"]
    records = [row.partition(",")[0] for row in template.keys()["blocks"][1]["items"].splitlines()[1:]]
    facts = {name: StimulusFacts(name, "model", {}, "0" * 64, StimulusKind.RECORD) for name in records}
    design = check_draft(template.keys(), facts).design
    assert design
    [block] = design.blocks_of(RatingDesign)
    assert [each.id for each in design.blocks] == ["play", "rate"]
    assert Counter(item.group for item in block.items) == {"persona": 15, "no-persona": 15}
    assert (block.per_item, block.per_participant) == (5, 15)
    to_assign = [ItemToAssign(i, item.group) for i, item in enumerate(block.items)]
    assert planned_sessions(to_assign, 5, 15) == 10
    criteria = [question for question in block.questions if question.type == "likert"]
    assert [question.id for question in criteria] == ["iu", "lr", "se", "ad", "lp", "ia"]
    assert all(question.labels == ("1", "2", "3", "4", "5") for question in criteria)
    assert all(len(set(question.anchors)) == 5 and all(question.anchors) for question in criteria)
    asked = {item.group: [q.id for q in block.asked_of(item) if q.type == "likert"] for item in block.items}
    assert asked == {
        "no-persona": ["iu", "lr", "se", "ad", "lp"],
        "persona": ["iu", "lr", "se", "ad", "lp", "ia"],
    }
    assert {q.id for q in block.questions if q.type == "text"} == {f"{one.id}_reason" for one in criteria}
    assert (block.self_assessed, bool(block.self_assessment)) == ("before", True)
    assert "ia" not in {question.id for question in design.asked_on("self", "rate")}
    [game] = design.blocks_of(GameDesign)
    supplies = [(each["supply_low"], each["supply_high"]) for each in game.configs]
    assert (game.game, supplies, game.reasons) == ("wac", [(10, 20), (15, 25), (20, 30)], "optional")
    assert all(each["days"] == 20 for each in game.configs)
    assert len(template.description) < 100


def test_people_play_with_reasons_rate_themselves_and_then_others() -> None:
    template = TEMPLATES["play-and-rate"]
    design = check_draft(template.keys(), {}).design
    assert design
    [game], [block] = design.blocks_of(GameDesign), design.blocks_of(RatingDesign)
    assert [each.id for each in design.blocks] == ["play", "rate"]
    assert (game.reasons, game.configs[0]["days"]) == ("required", 10)
    assert design.consent.play_shown
    assert "the reasons that you wrote" in design.consent.text
    assert (block.self_assessed, block.per_item, block.when_full) == ("before", 5, "skip")
    assert [q.id for q in block.questions] == ["iu", "lr", "se", "ad", "lp", "reason"]
    assert len(template.description) < 100


def test_walks_become_clips_as_the_consent_text_says() -> None:
    template = TEMPLATES["walk-the-map"]
    design = check_draft(template.keys(), {}).design
    assert design
    [block] = design.blocks_of(WalkDesign)
    assert (block.goals, block.walks, block.practice, block.limit_s) == (6, 3, 1, 90)
    assert "one walk\nto practise, and three that count" in design.consent.text
    assert "Your walks become short videos" in design.consent.text
    assert design.consent.play_shown
    assert len(template.description) < 100


# What is still to be filled in


def test_texts_that_are_rated_count_where_they_are_nothing_but_a_placeholder() -> None:
    keys = TEMPLATES["rubric"].keys()
    in_items = [one for one in unfilled(keys) if "items" in one.place]
    assert [one.text for one in in_items] == [
        "[REPLACE THIS BY THE FIRST TEXT]",
        "[REPLACE THIS BY THE SECOND TEXT]",
    ]
    design = check_draft(keys, {}).design
    assert design
    left = {one.text for one in unfilled(design.model_dump(mode="json"))}
    assert left == {one.text for one in unfilled(keys)}
    keys["blocks"][0]["items"] = "item,text\ni1,I said [INAUDIBLE] and bid 3.\n"
    assert not [one for one in unfilled(keys) if "items" in one.place]


def test_placeholders_are_found_where_they_stand() -> None:
    found = unfilled(TEMPLATES["hntt"].keys())
    assert found[0] == Unfilled(("consent", "text"), "[NAME OF THE LAB, INSTITUTION]")
    assert found[1].text == (
        "[SAY HERE WHETHER AND HOW PEOPLE ARE PAID, AND WHAT HAPPENS TO THE PAYMENT WHEN SOMEONE STOPS.]"
    )
    assert [one.place for one in found] == [
        *[("consent", "text")] * 8,
        ("background", 1, "ask"),
        ("completion", "message"),
        ("completion", "minutes"),
    ]
    assert [one.place for one in unfilled(TEMPLATES["blank"].keys())] == [
        ("title",),
        ("consent", "text"),
        ("trials", "questions", 0, "ask"),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ask [NAME, E-MAIL ADDRESS].", ["[NAME, E-MAIL ADDRESS]"]),
        ("[WRITE TO\n  ÄRZTE]: today", ["[WRITE TO ÄRZTE]"]),
        ("**[CODE]** and [[CODE 2]]", ["[CODE]", "[CODE 2]"]),
        ("see the [FAQ](https://example.org) and [FAQ][1]\n\n[1]: https://example.org", []),
        ("see the [FAQ]\n\n[FAQ]: https://example.org 'Answers'", []),
        ("- [X] done\n- [ ] not\n- [1] note [a word] [日本] [] [Name]", []),
        ("plain capitals, NO BRACKETS, array[INDEX]", ["[INDEX]"]),
    ],
)
def test_placeholders_are_capitals_in_brackets_and_no_links(text: str, found: list[str]) -> None:
    assert [one.text for one in unfilled({"instructions": text})] == found
    assert unfilled({"pairs": text}) == []


@pytest.mark.parametrize("keys", [None, [], "x", {"consent": 3}, {"background": [["[NAME]"]]}])
def test_any_draft_can_be_searched(keys: Any) -> None:
    assert len(unfilled(keys)) == ("NAME" in str(keys))


# What forms say


def test_forms_know_no_files() -> None:
    said = [
        (Consent.model_fields["text"], "What is agreed to, in Markdown."),
        (StudyFile.model_fields["instructions"], "The page before the trials, in Markdown."),
        (PairBlock.model_fields["pairs"], "The pairs, as CSV. Either this or `sample`."),
        (
            RatingBlock.model_fields["items"],
            "What is rated, as CSV, with the columns item, stimulus (or text), condition, kind and group.",
        ),
        (
            GameBlock.model_fields["configs"],
            "The parameters of the game. One choice of parameters, several, or a published set. Matches are balanced "
            "over them.",
        ),
        (Sample.model_fields["seed"], "Makes the draw: the same stimuli and seed give the same pairs."),
    ]
    assert [in_forms(str(field.description)) for field, _ in said] == [words for _, words in said]


def test_which_one_is_real_is_asked_of_real_and_fake_clips_in_words_of_no_field() -> None:
    template = TEMPLATES["real-or-fake"]
    facts = make_facts(("real", "fake"), 10)
    design = check_draft(template.keys(), facts).design
    assert design
    assert {pair.condition for pair in pairs_of(design.blocks)} == {"real-fake"}
    assert all(
        pair.truth and facts[getattr(pair, pair.truth)].source == "real" for pair in pairs_of(design.blocks)
    )
    assert not {"game", "prefer", "human", "agent"} & set(re.findall("[a-z]+", template.file.lower()))
    assert len(template.description) < 100
