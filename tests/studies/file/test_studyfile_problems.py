"""All faults of a study file are named, with their lines, in one go."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from app.studies.file.explain import faults_of
from app.studies.file.load import Problem, StudyFileProblems, check_study, load_study
from app.tasks.game.terms import BonusPay
from app.tasks.pair.settings import PairDesign
from tests.studies.file.study_folder import EXAMPLE, PAIRS, SAMPLE, make_facts, make_folder, problems_of

LINES = EXAMPLE.replace("PAIRS", SAMPLE)


def line_of(words: str) -> int:
    return next(n for n, line in enumerate(LINES.splitlines(), start=1) if words in line)


def test_a_problem_reads_file_line_message_remedy() -> None:
    assert str(Problem("a.yaml", 3, "what", "do this")) == "a.yaml:3: what (do this)"


def test_a_currency_that_is_none_is_named() -> None:
    with pytest.raises(ValidationError) as refused:
        BonusPay.model_validate({"currency": "pounds"})
    [fault] = faults_of(refused.value)
    assert "currency: 'pounds' is not allowed" in str(fault)
    assert "GBP" in str(fault)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("title:", "titel:", "unknown key 'titel'"),
        ("study: hntt-1", "study: HNTT 1", "study: 'HNTT 1' is not allowed"),
        ("study: hntt-1", "study: -hntt", "study: '-hntt' is not allowed"),
        ("study: hntt-1", "study: " + "a" * 65, f"study: '{'a' * 57}...' is not allowed"),
        ("title: Which", "title: # Which", "title is empty; it must be a text"),
        ("title: Which", "title: W" + "h" * 200, "title has 225 characters"),
        ("minimum_age: 18", "minimum_age: adult", "minimum_age: 'adult' is not a whole number"),
        ("minimum_age: 18", "minimum_age: 0", "minimum_age: '0' is too small"),
        ("minimum_age: 18", "minimum_age: 121", "minimum_age: '121' is too large"),
        ("minimum_age: 18", "minimum_age: 1_8", "minimum_age: '1_8' is not a whole number"),
        ("minimum_age: 18", "minimum_age: 0:18", "minimum_age: '0:18' is not a whole number"),
        ("minimum_age: 18", "minimum_age: 0x12", "minimum_age: '0x12' is not a whole number"),
        ("minimum_age: 18", 'minimum_age: "1,8"', "minimum_age: '1,8' is not a whole number"),
        ("version: 2021-01,", "", "version is missing in consent"),
        ("version: 2021-01", "version: ''", "version is empty"),
        ("version: 2021-01", "version: [1]", "version must be a text, not a list"),
        ("scale: familiarity", "scale: familarity", "there is no scale 'familarity'"),
        ("scale: familiarity", "type: 2afc", "type: '2afc' is no type of question here"),
        ("scale: familiarity", "type: likret", "type: 'likret' is no type of question here"),
        ("scale: familiarity", "required: true", "entry 1 of background has no type"),
        ("scale: familiarity", "type: likert", "a likert question has neither `labels` nor `scale`"),
        ("scale: familiarity", "scale: quality, labels: [a, b]", "both `labels` and `scale` are given"),
        ("scale: familiarity", "type: likert, labels: [a]", "labels has 1 entry"),
        ("scale: familiarity", "type: choice, options: [a, b, a]", "'a' comes twice in the list"),
        ("scale: familiarity", "type: choice", "options is missing in entry 1 of background"),
        ("scale: familiarity", "type: text, max_length: 0", "max_length: '0' is too small"),
        ("scale: familiarity", "type: text, labels: [a, b]", "unknown key 'labels'"),
        ("scale: familiarity", "type: text, required: perhaps", "required: 'perhaps' is not true or false"),
        ("scale: familiarity", "type: number, minimum: x", "minimum: 'x' is not a number"),
        ("scale: familiarity", "type: number, minimum: 1_0", "minimum: '1_0' is not a number"),
        ("scale: familiarity", 'type: number, minimum: "12,5"', "minimum: '12,5' is not a number"),
        ("scale: familiarity", "type: number, maximum: nan", "maximum: 'nan' is not a number"),
        (
            "scale: familiarity",
            "type: number, minimum: 3, maximum: 3",
            "there is nothing to answer between 3 and 3",
        ),
        ("id: genre_familiarity", "id: Genre", "id: 'Genre' is not allowed"),
        ("id: genre_familiarity", "id: 9lives", "id: '9lives' is not allowed"),
        ("id: genre_familiarity", f"id: {'a' * 41}", "id has 41 characters"),
        ("id: genre_familiarity", "id: submit_id", "the id 'submit_id' is a word of the pages"),
        ("instructions.md", "absent.md", "instructions: 'absent.md': there is no such file"),
        (
            "instructions.md",
            "/etc/hostname",
            "instructions: '/etc/hostname' is outside the study file's folder",
        ),
        ("instructions.md", "../x.md", "instructions: '../x.md' is outside the study file's folder"),
        ("instructions.md", ".", "instructions: '.': this is a folder, not a file"),
        (
            "instructions.md",
            "Watch both videos.",
            "instructions: 'Watch both videos.': there is no such file",
        ),
        ("human-hybrid: 6", "human-hybrid: 0", "human-hybrid: '0' is too small"),
        ("human-hybrid: 6", "human-hybrid: 0_6", "human-hybrid: '0_6' is not a whole number"),
        ("human-hybrid: 6", "human-hybrid: 4.5", "human-hybrid: '4.5' is not a whole number"),
        (
            "human-hybrid: 6",
            "human-robot: 6",
            "'human-robot' does not name two sources of the clips",
        ),
        ("seed: 7, ", "", "seed is missing in sample"),
        ("seed: 7", "seed: -1", "seed: '-1' is too small"),
        ("match: goal", "match: player", "match: no clip has the attribute 'player'"),
        ("order: random", "order: shuffled", "order: 'shuffled' is not allowed"),
        ("sides: balanced", "sides: [fixed]", "sides: a list is not allowed"),
        ("watch: both-to-end", "watch: twice", "watch: 'twice' is not allowed"),
        ("id: rationale", "id: choice", "the id 'choice' comes twice"),
        ("id: rationale, type: text", "id: b, type: 2afc", "a second question of type 2afc"),
        ("type: 2afc", "type: 2afc, required: false", "the 2afc question must be answered"),
        (
            "id: rationale, type: text",
            "id: rationale, type: number",
            "the id 'rationale' is kept for a text question: the data have a column for it",
        ),
        (
            "id: uncertainty, type: likert",
            "id: uncertainty, type: text",
            "the id 'uncertainty' is kept for a likert question: the data have a column for it",
        ),
        ("redirect: null", "redirect: example.org", "redirect: 'example.org' is not a web address"),
        (
            "redirect: null",
            "redirect: 'javascript://x.y/'",
            "redirect: 'javascript://x.y/' is not a web address",
        ),
        ("redirect: null", "redirect: 'https://a b/'", "redirect: 'https://a b/' is not a web address"),
        ("redirect: null", "redirect: 'https://[x'", "redirect: 'https://[x' is not a web address"),
        (
            "redirect: null",
            "redirect: 'https://a.org/{name}'",
            "redirect: 'https://a.org/{name}' has braces that mean nothing",
        ),
        (
            "redirect: null",
            "redirect: 'https://{code}.org/'",
            "redirect: 'https://{code}.org/' has a placeholder in the host",
        ),
        (
            "code: ABC123, redirect: null",
            "redirect: 'https://a.org/?cc={code}'",
            "redirect sends {code}, but there is no `code`",
        ),
        ("code: ABC123", "code: ''", "code is empty"),
    ],
)
def test_each_rule_names_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = make_folder(tmp_path, LINES.replace(old, new))
    assert ("study.yaml", line_of(old), message) in problems_of(path)


def test_redirects_may_hold_the_three_placeholders(tmp_path: Path) -> None:
    address = "'https://app.example.org/done?cc={code}&p={participant}&s={session}'"
    path = make_folder(tmp_path, LINES.replace("redirect: null", f"redirect: {address}"))
    assert load_study(path, make_facts()).completion.redirect == address.strip("'")


def test_pairs_and_sample_together_are_refused(tmp_path: Path) -> None:
    problems = problems_of(make_folder(tmp_path, pairs=f"{PAIRS}\n{SAMPLE}"))
    assert problems == [("study.yaml", 8, "both `pairs` and `sample` are given")]


def test_neither_pairs_nor_sample_is_refused(tmp_path: Path) -> None:
    assert problems_of(make_folder(tmp_path, pairs="")) == [
        ("study.yaml", 1, "neither `pairs` nor `sample` is given")
    ]
    assert problems_of(make_folder(tmp_path, pairs="pairs:")) == [
        ("study.yaml", 7, "neither `pairs` nor `sample` is given")
    ]


def test_trials_without_a_2afc_question_are_refused(tmp_path: Path) -> None:
    path = make_folder(tmp_path, LINES.replace("id: choice, type: 2afc", "id: why, type: text"))
    found = [message for _, _, message in problems_of(path)]
    assert found == ["no question of type 2afc: there is nothing to choose"]


@pytest.mark.parametrize(
    ("labels", "refused"),
    [
        ("[extremely uncertain, somewhat uncertain, somewhat certain, extremely certain]", True),
        ("[not at all certain, a little, very certain]", True),
        ("[just guessing, fairly sure, very sure]", True),
        ("[very sure, fairly sure, just guessing]", False),
        ("[certain, not certain]", False),
        ("[low, high]", False),
    ],
)
def test_uncertainty_runs_from_certain_to_uncertain(tmp_path: Path, labels: str, refused: bool) -> None:
    published = "[extremely certain, somewhat certain, neutral, somewhat uncertain, extremely uncertain]"
    path = make_folder(tmp_path, LINES.replace(published, labels))
    if refused:
        assert problems_of(path) == [
            ("study.yaml", 16, "`uncertainty` runs the wrong way: answer 1 is the most certain one")
        ]
    else:
        (block,) = load_study(path, make_facts()).blocks_of(PairDesign)
        assert block.trials.questions[2].labels[0] == labels.strip("[").split(",")[0]


def test_a_built_in_scale_cannot_be_replaced(tmp_path: Path) -> None:
    path = make_folder(tmp_path, LINES + "scales:\n  quality: [bad, good]\n")
    assert problems_of(path) == [("study.yaml", 19, "the scale 'quality' is built in")]


def test_a_key_that_comes_twice_is_refused(tmp_path: Path) -> None:
    path = make_folder(tmp_path, LINES + "title: Another\n")
    assert problems_of(path) == [
        ("study.yaml", 18, "the key 'title' comes twice; it stands on line 2 already")
    ]


def test_the_same_id_in_background_and_trials_is_allowed(tmp_path: Path) -> None:
    path = make_folder(tmp_path, LINES.replace("genre_familiarity", "rationale"))
    assert load_study(path, make_facts()).background[0].id == "rationale"


def test_all_problems_come_in_one_go(tmp_path: Path) -> None:
    study = """\
study: HNTT
titel: Which?
consent: {version: 2021-01, text: absent.md}
background:
  - {id: page, ask: "", scale: familarity}
  - {id: page, ask: Age, type: number, minimum: 9, maximum: 1}
pairs: pairs.csv
sample: {match: gaol, seed: x, conditions: {human-hybrid: 6}}
trials:
  order: randm
  questions:
    - {id: choice, type: text, ask: Which}
completion: {redirect: "https://a.org/{code}"}
title: Which?
title: Which?
"""
    path = make_folder(tmp_path, study, pairs_csv="pair,a,b\np1,human-1,nobody\n")
    assert problems_of(path) == [
        ("study.yaml", 1, "study: 'HNTT' is not allowed"),
        ("study.yaml", 2, "unknown key 'titel'"),
        ("study.yaml", 3, "consent.text: 'absent.md': there is no such file"),
        ("study.yaml", 5, "ask is empty"),
        ("study.yaml", 5, "the id 'page' is a word of the pages"),
        ("study.yaml", 5, "there is no scale 'familarity'"),
        ("study.yaml", 6, "the id 'page' is a word of the pages"),
        ("study.yaml", 6, "the id 'page' comes twice"),
        ("study.yaml", 6, "there is nothing to answer between 9 and 1"),
        ("study.yaml", 8, "seed: 'x' is not a whole number"),
        ("study.yaml", 8, "both `pairs` and `sample` are given"),
        ("study.yaml", 10, "order: 'randm' is not allowed"),
        ("study.yaml", 11, "no question of type 2afc: there is nothing to choose"),
        ("study.yaml", 12, "the id 'choice' is kept for a 2afc question: the data have a column for it"),
        ("study.yaml", 13, "redirect sends {code}, but there is no `code`"),
        ("study.yaml", 15, "the key 'title' comes twice; it stands on line 14 already"),
        ("pairs.csv", 2, "column 'b': there is no clip 'nobody'"),
    ]


# Files that are hardly files


def test_a_missing_file_and_a_folder_are_one_line_each(tmp_path: Path) -> None:
    assert problems_of(tmp_path / "no.yaml") == [("no.yaml", 1, "there is no such file")]
    assert problems_of(tmp_path) == [(tmp_path.name, 1, "this is a folder, not a file")]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", 1, "the file is empty"),
        (b"# nothing\n", 1, "the file is empty"),
        ("study: x".encode("utf-16"), 1, "the file is UTF-16"),
        (b"\x89PNG\r\n\x1a\n\0\0", 1, "this is not a text file"),
        (b"study: a\ntitle: caf\xe9\n", 2, "byte 0xe9 is not UTF-8"),
        (b"study: a\ntitle: \x07\n", 2, "character U+0007 is not allowed in YAML"),
        (b"- study: a\n", 1, "the file must be a mapping, not a list"),
        (b"just words\n", 1, "the file must be a mapping, not 'just words'"),
        (b"[" * 1000, 1, "nested too deeply"),
    ],
)
def test_what_is_no_study_file_at_all_is_one_line(
    tmp_path: Path, content: bytes, line: int, message: str
) -> None:
    path = tmp_path / "study.yaml"
    path.write_bytes(content)
    assert problems_of(path) == [("study.yaml", line, message)]


@pytest.mark.parametrize(
    ("yaml", "line", "remedy"),
    [
        ("study: a\n\ttitle: b\n", 2, "indent with spaces, not with tabs"),
        ("study: a\ntitle: b: c\n", 2, "put the text in quotes"),
        ("study: a\ntitle: @b\n", 2, "put the text in quotes"),
        ("study: a\nbackground: [{ask: Age?, id: a}]\n", 2, "put the text in quotes"),
        ("study: a\nconsent: {version: 1\n", 3, "look at the indentation, quotes and brackets"),
        ('study: "\\U0001F600"\ntitle: "\\UFFFFFFFF"\n', 2, "write the character itself"),
        ("study: a\n---\nstudy: b\n", 2, "look at the indentation, quotes and brackets"),
    ],
)
def test_a_yaml_error_is_one_line_with_a_remedy(tmp_path: Path, yaml: str, line: int, remedy: str) -> None:
    with pytest.raises(StudyFileProblems) as refused:
        load_study(make_folder(tmp_path, yaml), {})
    [problem] = refused.value.problems
    assert problem.line == line
    assert problem.message.startswith("not readable as YAML: ")
    assert problem.remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "title: !!python/object:os.system x",
            "the tag 'tag:yaml.org,2002:python/object:os.system' means nothing here",
        ),
        ("title: !secret x", "the tag '!secret' means nothing here"),
        ("background: &again [*again]", "a value holds itself"),
        ("{? [a] : b}", "a key must be one word"),
    ],
)
def test_yaml_beyond_plain_values_is_refused(tmp_path: Path, line: str, message: str) -> None:
    assert ("study.yaml", 1, message) in problems_of(make_folder(tmp_path, line + "\n"))


def test_a_text_may_be_shared_through_an_alias(tmp_path: Path) -> None:
    study = LINES.replace("labels: [extremely", "labels: &l [extremely").replace(
        "scale: familiarity", "type: likert, labels: *l"
    )
    first, second = study.split("trials:")
    head, pairs = first.split("background:")
    path = make_folder(tmp_path, f"{head}trials:{second}background:{pairs}")
    assert load_study(path, make_facts()).background[0].labels[0] == "extremely certain"


def test_a_yaml_bomb_is_refused_at_once(tmp_path: Path) -> None:
    lines = ["study: &a0 [x, x, x, x, x, x, x, x, x]"]
    keys = ["title", "consent", "instructions", "pairs", "sample", "scales", "completion", "background"]
    for n, key in enumerate(keys):
        lines.append(f"{key}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]")
    lines.append("trials: {order: *a8, questions: [{id: uncertainty, type: likert, ask: *a8, labels: *a8}]}")
    messages = [message for _, _, message in problems_of(make_folder(tmp_path, "\n".join(lines)))]
    assert "study must be a text, not a list" in messages
    assert max(map(len, messages)) < 100


def test_an_empty_text_file_is_refused(tmp_path: Path) -> None:
    path = make_folder(tmp_path, thanks_md=" \n")
    assert problems_of(path) == [("study.yaml", 17, "completion.message: the file 'thanks.md' is empty")]


_SCALARS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        ["null", "~", "true", "7", "-1", "1e9", "2afc", "likert", "a.md", "pairs.csv", "goal", "*x", "&x a"]
    ),
)
_KEYS = st.sampled_from(
    [
        "study",
        "title",
        "consent",
        "background",
        "pairs",
        "sample",
        "trials",
        "questions",
        "id",
        "type",
        "ask",
        "labels",
        "scale",
        "scales",
        "completion",
        "redirect",
        "conditions",
        "seed",
        "match",
        "practice",
        "text",
        "minimum",
        "<<",
    ]
)
_TREES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]")
        | st.dictionaries(_KEYS, inner, max_size=5).map(
            lambda keys: "{" + ", ".join(f"{key}: {value}" for key, value in keys.items()) + "}"
        )
    ),
    max_leaves=20,
)


@pytest.mark.slow
@given(text=_TREES | st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_whatever_the_file_holds_the_answer_is_a_list_of_problems(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    for stimuli in (None, make_facts()):
        with pytest.raises(StudyFileProblems) as refused:
            check_study(path, stimuli)
        n_lines = text.count("\n") + text.count("\r") + 1
        for problem in refused.value.problems:
            assert 1 <= problem.line <= n_lines + 1
            assert len(str(problem).splitlines()) == 1
            assert problem.remedy
