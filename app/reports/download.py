"""A table or document as a file: written by a command in a separate process, as the service loads no pandas."""

import asyncio
import contextlib
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

from app.core.errors import StudyError
from app.core.settings import Settings
from app.reports.kinds import Format

AT_ONCE = 2
LONGEST_S = 600
_turns = asyncio.Semaphore(AT_ONCE)


async def exported(
    settings: Settings, slug: str, what: str, format_: Format, mode: str, everything: bool
) -> Path:
    """The file, for the caller to send and delete. Raises StudyError in the command's words."""
    options = ["--what", what, "--format", format_, *(["--mode", mode] if mode else [])]
    options += ["--all"] if everything else []
    return await by_command(settings, slug, "export", options, format_)


async def by_command(
    settings: Settings, slug: str, command: str, options: Sequence[str], suffix: str
) -> Path:
    """The file that a command writes about a study, for the caller to delete. Raises StudyError in its words."""
    folder = settings.data_dir / "exports"
    folder.mkdir(exist_ok=True)
    out = folder / f"{secrets.token_hex(8)}.{suffix}"
    # Each is a process that loads pandas: more at once would take the processors from the answers.
    async with _turns:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "app", command, *options, "--out", str(out), "--for-service", "--", slug,
            env=settings.environment(),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            _, said = await asyncio.wait_for(process.communicate(), LONGEST_S)
        except TimeoutError:
            minutes = LONGEST_S // 60
            said = f"Writing the table took more than {minutes} minutes; choose a smaller one.".encode()
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                out.unlink(missing_ok=True)
    if process.returncode != os.EX_OK:
        out.unlink(missing_ok=True)
        raise StudyError(said.decode("utf-8", "replace").strip() or "The file could not be written.")
    return out
