"""What the blocks of all tasks have in common, in the study file and as they are run."""

from typing import Annotated, ClassVar

from pydantic import Field

from app.studies.file.questions import Frozen, Part

BLOCK_PATTERN = r"^[a-z][a-z0-9-]{0,39}$"
Count = Annotated[int, Field(ge=1)]
Markdown = Annotated[str, Field(min_length=1)]
IN_A_TEXT_FILE = (
    "a Markdown file in the study file's folder, or Markdown itself when it has more than one line"
)


class BlockSettings(Part):
    """A part of the session with one task."""

    id: str = Field(
        pattern=BLOCK_PATTERN,
        description="Names the block in the data; lower-case letters, digits and -, at most 40, each block its own.",
    )
    instructions: Markdown | None = Field(
        default=None, description=f"The page before the block's trials: {IN_A_TEXT_FILE}."
    )


class BlockDesign(Frozen):
    """`instructions` are the block's own; those of the study come before all blocks. `noun` is what a trial is of.

    With `self_assessment`, what is asked about the trials is asked about the participants themselves after them.
    """

    noun: ClassVar[str]

    id: str
    instructions: str | None = None
    self_assessment: str | None = None
