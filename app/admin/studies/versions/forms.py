"""Parsing of the forms of a study's versions."""

from collections.abc import Mapping

from app.admin.forms import Files
from app.core.errors import StudyError
from app.core.problems import listed
from app.studies.file.yamlpatch import WrittenFile
from app.studies.making import read_upload


class BadFormField(StudyError):
    status_code = 422


def revision_in(form: Mapping[str, str]) -> int:
    """The revision of the design from which the form was made."""
    text = form.get("revision", "")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise BadFormField("This form is incomplete. Please reload the page and try again.")
    return int(text)


async def draft_in(files: Files) -> tuple[WrittenFile, str]:
    """An uploaded study file, and where they come from in words for the audit log."""
    sent = files.get("file", ())
    if not sent:
        raise BadFormField("Choose a study file; choose the files that it names together with it.")
    written = await read_upload({file.name: file.data for file in sent})
    return written, "the file " + listed([file.name[:80] for file in sent[:5]], "and")
