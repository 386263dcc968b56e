"""Help texts of forms for each key: the model's descriptions, reworded where they mention files."""

from app.tasks.registry import BLOCKS
from app.trials.parts import IN_A_TEXT_FILE


def in_forms(description: str) -> str:
    """A key's description as a form has it, which knows no files: there a text or a list is always itself."""
    said = {
        f": {IN_A_TEXT_FILE}": ", in Markdown",
        "; `default` takes the rules that suit most studies": "; the default rules suit most studies",
    }
    for model in BLOCKS.values():
        said |= model.in_forms
    for in_files, words in said.items():
        description = description.replace(in_files, words)
    return description
