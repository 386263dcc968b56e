"""`likely-human judge ask`: a vision-language model judges a study's pairs. Off unless a server is named."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from app.cli.console import err, now, opened, out, progress
from app.core.errors import StudyError

if TYPE_CHECKING:
    from app.judges.vision_language import Consistency


def ask(
    slug: Annotated[str, typer.Argument(metavar="SLUG")],
    folder: Annotated[
        Path,
        typer.Option("--out", metavar="DIR", help="For verdicts.csv, reasons.csv, card.json and every call."),
    ],
    frames: Annotated[int, typer.Option(min=2, max=32, help="Of each clip, at equal steps.")] = 8,
    repeats: Annotated[int, typer.Option(min=1, max=20, help="Of both orders of each pair.")] = 2,
    temperature: Annotated[
        float | None, typer.Option(min=0, max=2, help="Else the server's own; at 0 repeats say little.")
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=20, max=20_000, help="Of one reply.")] = 500,
    max_tokens_name: Annotated[
        Literal["max_tokens", "max_completion_tokens"],
        typer.Option(help="What the server calls that bound."),
    ] = "max_tokens",
    calls: Annotated[int, typer.Option(min=1, help="At most; what was answered is kept.")] = 1_000,
    tokens: Annotated[int, typer.Option(min=1, help="At most, as the server counts them.")] = 5_000_000,
    send_clips: Annotated[
        bool,
        typer.Option("--send-clips", help="Frames may leave this machine: the consent text tells people so."),
    ] = False,
    version: Annotated[
        int | None,
        typer.Option(min=1, help="Of the study; else the newest that people have seen, else the newest."),
    ] = None,
) -> None:
    """Ask a vision-language model the participants' question about every main pair, in both orders (docs/judges.md)."""
    from app.core.chat import Chat, Server, Spending, Spent, Unavailable
    from app.core.exchanges import Exchanges
    from app.core.spreadsheet import csv_text
    from app.core.whole_files import written_whole
    from app.judges.base import Needs
    from app.judges.runner import verdicts_csv
    from app.judges.study import lacks, pairs_to_judge
    from app.judges.vision_language import Terms, answered_in, ask_model, card_of, reasons_of
    from app.library.clips.store import ClipStore

    with opened() as (settings, database):
        if not settings.model_address or not settings.model_name:
            raise StudyError(
                "no model is set up: LIKELY_HUMAN_MODEL_ADDRESS is its server, such as http://127.0.0.1:8080/v1, and "
                "LIKELY_HUMAN_MODEL its name"
            )
        server = Server(settings.model_address, settings.model_key.get_secret_value().strip())
        if not send_clips and not server.is_here:
            raise StudyError(
                f"frames of the clips would leave this machine, for {server.host}: if the consent text says "
                "so and people agreed, add --send-clips"
            )
        with database.reading() as session:
            study = pairs_to_judge(session, slug, ClipStore(settings.data_dir), version)
        if reason := lacks(Needs.CLIPS, study.pairs):
            raise StudyError(f"a vision-language model cannot judge {slug!r}: {reason}")
    terms = Terms(settings.model_name, frames, repeats, temperature, max_tokens, max_tokens_name)
    _made(folder)
    exchanges, chat = Exchanges(folder, now), Chat(server, Spending(calls, tokens))
    try:
        with progress("Asking") as on_progress:
            asked = ask_model(study.pairs, chat, terms, exchanges.keep, answered_in(folder), on_progress, now)
    except (Spent, Unavailable) as error:
        raise StudyError(
            f"{error}; what was answered is kept, and the same command continues after it"
        ) from None
    finally:
        exchanges.close()
        chat.close()
    head, *rows = reasons_of(asked.answers)
    files = {
        "reasons.csv": csv_text(
            [str(name) for name in head], [[_cell(each) for each in row] for row in rows]
        ),
        "card.json": card_of(asked, terms, slug, study.number, server.host, now()),
        "verdicts.csv": verdicts_csv(asked.rows),
    }
    for name, text in files.items():
        with written_whole(folder / name) as file:
            file.write(text.encode())
    failed = [row for row in asked.rows if row.problem]
    if len(failed) == len(asked.rows):
        raise StudyError(
            f"{terms.model} judged none of {len(study.pairs)} pairs; {failed[0].pair}: {failed[0].problem}; what it "
            f"said is in {folder / 'reasons.csv'}"
        )
    _say(asked.consistency)
    if failed:
        err.print(
            f"{len(failed)} of {len(asked.rows)} verdicts are missing; {failed[0].pair}: {failed[0].problem}",
            markup=False,
        )
    out.print(
        f"{len(asked.rows)} verdicts of {terms.model} on version {study.number} of {slug} written to "
        f"{folder / 'verdicts.csv'}; why is in reasons.csv",
        markup=False,
    )


def _say(found: "Consistency") -> None:
    def share(value: float | None) -> str:
        return "-" if value is None else f"{value:.2f}"

    out.print(
        f"{found.n_answers} answers, {found.n_refused} refused, {found.n_unreadable} unreadable, "
        f"{found.n_without_probability} without a probability. Both orders name the "
        f"same clip: {share(found.order_consistency)}. Two repeats do: {share(found.agreement)}. The first clip is "
        f"named: {share(found.first_share)}.",
        markup=False,
    )
    if found.warning:
        err.print(f"Warning: {found.warning}", markup=False)


def _made(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StudyError(f"cannot write {folder}: {error.strerror}") from None


def _cell(value: object) -> str:
    return "" if value is None else str(value)
