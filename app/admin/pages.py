"""The data of every experimenter's page. A template sees one of these, as `page`, and nothing else."""

from dataclasses import dataclass
from typing import ClassVar

from app.admin.access import Shell
from app.admin.help.documents import help_address


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminPage:
    """The frame: the user, the study, the last action's message. `error` heads a form that was not accepted.

    `tab` is the active menu entry: `studies`, `stimuli`, `people`, `account`, or one of a study's own.
    """

    template: ClassVar[str]
    tab: ClassVar[str] = ""
    shell: Shell
    error: str = ""

    @property
    def help(self) -> str:
        """The address of the help on this screen."""
        return help_address(self.template)
