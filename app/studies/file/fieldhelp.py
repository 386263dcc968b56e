"""What forms say of each key: the descriptions of the model, as editors and the JSON Schema show them."""

from collections.abc import Mapping

from pydantic import BaseModel

from app.studies.file.model import Completion, Consent, StudyFile, Truth
from app.studies.file.problems import Place
from app.studies.file.questions import QUESTIONS
from app.tasks.pair.settings import IN_A_PAIR_FILE, Sample, Trials
from app.tasks.parts import IN_A_TEXT_FILE

_SECTIONS: Mapping[Place, type[BaseModel]] = {
    (): StudyFile,
    ("consent",): Consent,
    ("truth",): Truth,
    ("sample",): Sample,
    ("trials",): Trials,
    ("completion",): Completion,
}
# Forms know no files: there a text or a list is always itself.
_IN_FORMS = {f": {IN_A_TEXT_FILE}": ", in Markdown", f": {IN_A_PAIR_FILE}": ", as CSV"}


def field_help(place: Place, question_type: str = "") -> str:
    """What the key at a place is for; of a question of `question_type` where types differ. Empty where unknown."""
    *section, key = place or ("",)
    for model in _models(tuple(section), question_type):
        if isinstance(key, str) and key in model.model_fields:
            return _for_forms(model.model_fields[key].description or "")
    return ""


def _models(section: Place, question_type: str) -> list[type[BaseModel]]:
    if section[:-1] in (("background",), ("trials", "questions")):
        named = QUESTIONS.get(question_type)
        return [named] if named else list(QUESTIONS.values())
    return [_SECTIONS[section]] if section in _SECTIONS else []


def _for_forms(description: str) -> str:
    for in_files, in_forms in _IN_FORMS.items():
        description = description.replace(in_files, in_forms)
    return description
