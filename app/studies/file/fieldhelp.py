"""Help texts of forms for each key: the model's descriptions, reworded where they mention files."""

from app.tasks.game.settings import IN_A_GAME_FILE
from app.tasks.pair.terms import IN_A_PAIR_FILE
from app.trials.parts import IN_A_TEXT_FILE

# Forms know no files: there a text or a list is always itself.
_IN_FORMS = {
    f": {IN_A_TEXT_FILE}": ", in Markdown",
    f": {IN_A_PAIR_FILE}": ", as CSV",
    f" {IN_A_GAME_FILE}": " One choice of parameters, several, or a published set.",
}


def in_forms(description: str) -> str:
    """A key's description as a form has it."""
    for in_files, said in _IN_FORMS.items():
        description = description.replace(in_files, said)
    return description
