"""A study's texts in several languages: read, checked, hashed, and the same by folder, upload and draft."""

import io
import zipfile
from pathlib import Path

import pytest

from app.core.language import speaking
from app.studies.file.bundle import read_bundle
from app.studies.file.design import StudyDesign
from app.studies.file.drafts import check_draft, draft_of_design
from app.studies.file.load import StudyFileProblems, check_study
from app.studies.file.yamlwriter import draft_to_yaml
from app.tasks.rating.settings import RatingDesign
from tests.studies.file.study_folder import EXAMPLE, PAIRS, loaded, make_facts, make_folder

FACTS = make_facts()
LANGUAGES = 'languages: {en: ".", de: de}\n'
MATRIX = """\
    - {id: moves, type: matrix, ask: "How does it move?", scale: agreement, statements: ["Smoothly.", "With a goal."]}
    - {id: speed, type: choice, ask: "How fast?", options: ["Slow", "Fast"]}
completion: {"""
STUDY = EXAMPLE.replace("completion: {", MATRIX) + LANGUAGES
GERMAN = """\
title: Welche Navigation wirkt menschlich?
background:
  - {id: genre_familiarity, ask: "Wie vertraut sind Sie mit Actionspielen?"}
trials:
  questions:
    - {id: choice, ask: "Welches Video ist eher von einem Menschen?"}
    - {id: rationale, ask: "Warum?"}
    - {id: uncertainty, ask: "Wie sicher sind Sie?",
       labels: [äußerst sicher, eher sicher, unentschieden, eher unsicher, äußerst unsicher]}
    - {id: moves, ask: "Wie bewegt es sich?", statements: ["Flüssig.", "Mit einem Ziel."]}
    - {id: speed, ask: "Wie schnell?", options: ["Langsam", "Schnell"]}
"""
TEXTS = {"consent.md": "# Einwilligung\n", "instructions.md": "# Anleitung\n", "thanks.md": "# Danke\n"}


def folder_of(path: Path, study: str = STUDY, german: str = GERMAN, **texts: str) -> Path:
    (path / "de").mkdir(exist_ok=True)
    for name, text in {**TEXTS, "study.yaml": german, **texts}.items():
        (path / "de" / name).write_text(text, encoding="utf-8")
    return make_folder(path, study, PAIRS)


def question(design: StudyDesign, id_: str) -> object:
    return next(q for q in design.blocks[0].asked if q.id == id_)


def test_a_design_speaks_each_of_its_languages_and_keeps_the_names_of_answers(tmp_path: Path) -> None:
    design = loaded(folder_of(tmp_path))
    assert design.languages == ("en", "de")
    german = design.in_language("de")
    assert german.language == "de"
    assert german.title == "Welche Navigation wirkt menschlich?"
    assert german.consent.text == "# Einwilligung"
    assert german.consent.version == design.consent.version
    assert question(german, "uncertainty").labels[0] == "äußerst sicher"  # type: ignore[attr-defined]
    speed = question(german, "speed")
    assert speed.options == ("Slow", "Fast")  # type: ignore[attr-defined]
    assert [speed.says(option) for option in speed.options] == ["Langsam", "Schnell"]  # type: ignore[attr-defined]
    moves = question(german, "moves")
    assert moves.own["statements"] == ("Smoothly.", "With a goal.")  # type: ignore[attr-defined]
    assert moves.says("Smoothly.") == "Flüssig."  # type: ignore[attr-defined]
    assert design.in_language("en") == design
    assert german.blocks[0].units() == design.blocks[0].units()


def test_built_in_scales_are_in_each_language(tmp_path: Path) -> None:
    design = loaded(folder_of(tmp_path))
    with speaking("de"):
        from app.core.language import gettext

        translated = gettext("not at all familiar")
    assert design.background[0].labels[0] == "not at all familiar"
    assert design.in_language("de").background[0].labels[0] == translated != "not at all familiar"


def test_the_hash_of_a_version_covers_every_language(tmp_path: Path) -> None:
    design = loaded(folder_of(tmp_path))
    again = loaded(folder_of(tmp_path, german=GERMAN.replace("Langsam", "Gemächlich")))
    without = loaded(make_folder(tmp_path, STUDY.replace(LANGUAGES, ""), PAIRS))
    assert len({design.sha256(), again.sha256(), without.sha256()}) == 3
    only_english = loaded(make_folder(tmp_path, STUDY.replace(LANGUAGES, 'languages: {en: "."}\n'), PAIRS))
    assert only_english.sha256() == without.sha256()
    assert "translations" not in without.canonical_json()


def test_a_stored_design_reads_back_the_same(tmp_path: Path) -> None:
    design = loaded(folder_of(tmp_path))
    assert (
        StudyDesign.model_validate_json(design.canonical_json()).canonical_json() == design.canonical_json()
    )


def problems(path: Path) -> str:
    with pytest.raises(StudyFileProblems) as refused:
        check_study(path)
    assert all(problem.remedy for problem in refused.value.problems)
    return str(refused.value)


@pytest.mark.parametrize(
    ("german", "expected"),
    [
        (GERMAN.replace("title: ", "# "), "study.yaml:2: title has no translation in 'de'"),
        (GERMAN.replace('ask: "Warum?"', ""), "trials.questions.rationale.ask has no translation in 'de'"),
        (GERMAN.replace(', "Schnell"', ""), "has 1 entries in the translation, and 2 in the study"),
        (GERMAN.replace("id: speed", "id: sped"), "has no entry with the id 'sped'"),
        (GERMAN + "titel: x\n", "the study has no titel"),
        (GERMAN + "study: other\n", "study is no text for participants"),
        (GERMAN.replace("title: Welche Navigation wirkt menschlich?", f"title: {'x' * 201}"), "'de': title"),
    ],
)
def test_what_a_translation_lacks_or_has_too_much_is_an_error(
    tmp_path: Path, german: str, expected: str
) -> None:
    assert expected in problems(folder_of(tmp_path, german=german))


def test_a_missing_text_file_of_a_language_is_an_error_beside_all_others(tmp_path: Path) -> None:
    path = folder_of(tmp_path)
    (tmp_path / "de" / "thanks.md").unlink()
    german = GERMAN.replace("title: Welche Navigation wirkt menschlich?\n", "")
    (tmp_path / "de" / "study.yaml").write_text(german, encoding="utf-8")
    found = problems(path)
    assert found.count("de/thanks.md") == 1
    assert "title has no translation" in found
    assert "completion.message has no translation" not in found


@pytest.mark.parametrize(
    ("languages", "expected"),
    [
        ("languages: {de: de}", "`languages` names 0 languages with the folder '.'"),
        ('languages: {en: ".", de: "."}', "`languages` names 2 languages with the folder '.'"),
        ('languages: {tlh: "."}', "the pages' own words are not translated into 'tlh'"),
        ('languages: {English: "."}', "languages"),
        ('languages: {en: ".", de: ../elsewhere}', "outside the study file's folder"),
    ],
)
def test_languages_that_cannot_be(tmp_path: Path, languages: str, expected: str) -> None:
    assert expected in problems(folder_of(tmp_path, STUDY.replace(LANGUAGES, languages + "\n")))


def test_what_names_an_answer_is_not_translated_a_second_time(tmp_path: Path) -> None:
    asked = (
        '  - {id: sight, type: choice, ask: "Do you see well?", options: ["Yes", "No"], accept: ["Yes"]}\n'
    )
    german = '  - {id: sight, ask: "Sehen Sie gut?", options: ["Ja", "Nein"]%s}\n'
    study = f"{STUDY}screening:\n{asked}"
    design = loaded(folder_of(tmp_path, study, f"{GERMAN}screening:\n{german % ''}"))
    (question,) = design.in_language("de").screening
    assert (question.own_texts("accept"), question.says("Yes")) == (("Yes",), "Ja")
    twice = f"{GERMAN}screening:\n{german % ', accept: [Ja]'}"
    assert "remove it from the translation" in problems(folder_of(tmp_path, study, twice))


def test_an_upload_is_the_study_of_the_same_folder(tmp_path: Path) -> None:
    path = folder_of(tmp_path)
    design = loaded(path)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for file in sorted(tmp_path.rglob("*")):
            if file.is_file():
                archive.write(file, f"mine/{file.relative_to(tmp_path)}")
    keys = read_bundle({"mine.zip": packed.getvalue()})
    assert check_draft(keys, FACTS).design == design
    # And in one file, as it is downloaded.
    again = read_bundle({"study.yaml": draft_to_yaml(keys).encode()})
    assert check_draft(again, FACTS).design == design


def test_a_draft_of_a_version_keeps_its_languages(tmp_path: Path) -> None:
    design = loaded(folder_of(tmp_path))
    again = check_draft(draft_of_design(design, FACTS), FACTS).design
    assert again is not None
    assert again.canonical_json() == design.canonical_json()


SAID = "pair,a,b,kind,why\np1,human-1,hybrid-1,practice,{}\np2,hybrid-2,symbolic-2,main,Never shown.\n"
WHY = 'pairs: [{id: p1, why: "Menschen *sehen* sich um."}]\n'


def said_in(
    path: Path, german: str = "", why: str = "People *look* round.", *, feedback: bool = True
) -> Path:
    (path / "pairs.csv").write_text(SAID.format(why), encoding="utf-8")
    study = STUDY.replace("trials:\n", "trials:\n  feedback: true\n") if feedback else STUDY
    made = folder_of(path, study, GERMAN + german)
    (path / "pairs.csv").write_text(SAID.format(why), encoding="utf-8")
    return made


def test_what_is_said_after_practice_is_translated_in_the_list_of_its_units(tmp_path: Path) -> None:
    design = loaded(said_in(tmp_path, WHY))
    assert [pair.why for pair in design.in_language("de").blocks[0].pairs] == [  # type: ignore[attr-defined]
        "Menschen *sehen* sich um.",
        "Never shown.",
    ]
    assert design.translations["de"]["pairs"] == [{"id": "p1", "why": "Menschen *sehen* sich um."}]
    draft = draft_of_design(design, FACTS)
    assert draft["languages"]["de"]["pairs"] == [{"id": "p1", "why": "Menschen *sehen* sich um."}]
    assert check_draft(draft, FACTS).design == design
    again = loaded(said_in(tmp_path, WHY.replace("sehen", "schauen")))
    assert again.sha256() != design.sha256()


def test_what_is_said_after_practice_has_a_place_in_each_block_of_items(tmp_path: Path) -> None:
    block = """\
blocks:
  - id: rated
    task: rating
    feedback: true
    order: fixed
    items: |
      item,text,kind,right,why
      i1,A walk.,practice,good=Yes,It *turns*.
      i2,A walk.,main,,
    questions: [{id: good, type: choice, ask: "Good?", options: ["Yes", "No"]}]
completion: {"""
    study = f"{STUDY[: STUDY.index('PAIRS')]}{block}message: thanks.md}}\n{LANGUAGES}"
    german = f"""{GERMAN[: GERMAN.index("trials:")]}blocks:
  - id: rated
    questions: [{{id: good, ask: "Gut?", options: ["Ja", "Nein"]}}]
"""
    items = '    items: [{id: i1, why: "Es *dreht* sich."}]\n'
    design = loaded(folder_of(tmp_path, study, german + items))
    (rated,) = design.in_language("de").blocks
    assert isinstance(rated, RatingDesign)
    assert [(item.why, item.text) for item in rated.items] == [
        ("Es *dreht* sich.", "A walk."),
        ("", "A walk."),
    ]
    assert "blocks.rated.items.i1.why has no translation in 'de'" in problems(
        folder_of(tmp_path, study, german)
    )


@pytest.mark.parametrize(
    ("german", "expected"),
    [
        ("", "pairs.p1.why has no translation in 'de'"),
        (WHY.replace("p1", "p9"), "pairs has no entry with the id 'p9'"),
        (WHY.replace("p1", "p2"), "pairs has no entry with the id 'p2'"),
        (WHY.replace("why", "condition"), "the study has no pairs.p1.condition"),
        ("pairs: de.csv\n", "pairs has another shape in the study"),
    ],
)
def test_what_is_said_after_practice_in_one_language_alone_is_an_error(
    tmp_path: Path, german: str, expected: str
) -> None:
    assert expected in problems(said_in(tmp_path, german))


def test_what_no_page_says_and_what_needs_no_language_is_not_translated_and_keeps_its_hash(
    tmp_path: Path,
) -> None:
    for why, feedback in (("→ 100 %", True), ("People look round.", False)):
        design = loaded(said_in(tmp_path, why=why, feedback=feedback))
        assert "pairs" not in design.translations["de"]
        assert design.in_language("de").blocks[0].pairs[0].why == why  # type: ignore[attr-defined]
    same = said_in(tmp_path, WHY.replace("Menschen *sehen* sich um.", "→ 100 %"), why="→ 100 %")
    assert loaded(same).sha256() == loaded(said_in(tmp_path, why="→ 100 %")).sha256()
    assert "the study file" in problems(said_in(tmp_path, WHY, feedback=False))


@pytest.mark.parametrize(
    ("twice", "expected"),
    [
        (GERMAN + '    - {id: speed, ask: "Wie?"}\n', "trials.questions has the id 'speed' twice"),
        (GERMAN.replace("id: moves", "id: speed"), "trials.questions has the id 'speed' twice"),
    ],
)
def test_an_id_that_stands_twice_in_a_translation_is_an_error(
    tmp_path: Path, twice: str, expected: str
) -> None:
    assert expected in problems(folder_of(tmp_path, german=twice))
