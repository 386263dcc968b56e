"""`likely-human judge`: built-in and packaged judges, run and listed; `judging` validates them against people."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli import asking, judging
from app.cli.console import err, now, opened, out, progress
from app.cli.judging_positions import run_on_positions, written_to
from app.core.errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.judges.base import Judge
    from app.judges.runner import OnProgress, PairToJudge, VerdictRow
    from app.judges.trained import Model

app = typer.Typer(
    no_args_is_help=True, help="Automated judges: run and train them, validate them against people."
)
SEEN = "study-clips"


Allow = Annotated[
    list[str] | None, typer.Option("--allow", metavar="LEAK", help="A leak that is not to stop it.")
]
Features = Annotated[
    Path | None,
    typer.Option(
        "--backbone",
        "--features",
        metavar="FILE.onnx",
        help="Of votes, vis-ff, vis-gru, td-cnn and bc-cnn: the network, trained elsewhere, through which they look; "
        "to run one, the same file.",
    ),
]


@app.command("run")
def run_(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|MODEL", help="A judge (`judge list` names them), or a trained one's folder."
        ),
    ],
    slug: Annotated[
        str,
        typer.Argument(metavar="SLUG|POSITIONS", help="A study; or positions without clips, with --pairs."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE.csv", help="The file to write; standard output without it."),
    ] = None,
    version: Annotated[
        int | None,
        typer.Option(min=1, help="Of the study; else the newest that people have seen, else the newest."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="share|mean-logit",
            help="For a trained judge: the aggregation over a clip's windows; by default as published.",
        ),
    ] = None,
    cross_fitted: Annotated[
        bool,
        typer.Option(
            "--cross-fitted", help="Of a trained judge: each pair by a copy that never saw its clips."
        ),
    ] = False,
    allow: Allow = None,
    features: Features = None,
    listed: Annotated[
        Path | None,
        typer.Option(
            "--pairs", metavar="PAIRS.csv", help="Of positions: columns pair, a, b (names of paths)."
        ),
    ] = None,
) -> None:
    """Run a judge on every main pair of a study, and write its verdicts (docs/judges.md)."""
    from app.judges.alike import logged_alike
    from app.judges.runner import run_judge, verdicts_csv
    from app.judges.spans import as_shown
    from app.judges.study import pairs_to_judge, refuse_without_files
    from app.library.clips.store import ClipStore

    judge, model = _judge_or_model(name, features)
    if model is None and (by or cross_fitted or (allow and not hasattr(judge, "refuse_seen"))):
        raise StudyError(f"{name} is no network that was trained: leave out --by, --cross-fitted and --allow")
    if listed is not None:
        if version is not None:
            raise StudyError(
                "--pairs is of positions without clips, which have no version: leave out --version"
            )

        def verdicts(pairs: "Sequence[PairToJudge]", on_progress: "OnProgress") -> "list[VerdictRow]":
            _refuse_seen(judge, pairs, allow or [])
            if model is None:
                with logged_alike(judge.info, pairs) as alike:
                    return run_judge(judge, alike, on_progress, now)
            return _run_model(model, pairs, by, cross_fitted, allow or [], on_progress)

        run_on_positions(judge, Path(slug), listed, output, verdicts)
        return
    with opened() as (settings, database):
        with database.reading() as session:
            study = pairs_to_judge(session, slug, ClipStore(settings.data_dir), version)
        refuse_without_files(judge.info, slug, study.pairs)
        _refuse_seen(judge, study.pairs, allow or [])
        with written_to(output) as file:
            with progress("Judging") as on_progress, as_shown(study.pairs) as pairs:
                if model is None:
                    with logged_alike(judge.info, pairs) as alike:
                        rows = run_judge(judge, alike, on_progress, now)
                else:
                    rows = _run_model(model, pairs, by, cross_fitted, allow or [], on_progress)
            failed = [row for row in rows if row.problem]
            if len(failed) == len(rows):
                raise StudyError(
                    f"{name} could judge none of {len(rows)} pairs; {failed[0].pair}: {failed[0].problem}"
                )
            file.write(verdicts_csv(rows).encode())
    if failed:
        err.print(
            f"{len(failed)} of {len(rows)} pairs could not be judged; {failed[0].pair}: {failed[0].problem}",
            markup=False,
        )
    if output:
        undecided = sum(row.choice is None and not row.problem for row in rows)
        out.print(
            f"{len(rows)} verdicts on version {study.number} of {slug} written to {output}"
            + (f", {undecided} of them undecided" if undecided else ""),
            markup=False,
        )


def _judge_or_model(name: str, features: Path | None) -> "tuple[Judge, Model | None]":
    """A judge by its name, or a trained one by its folder; of that also the whole model."""
    from app.judges.registry import judge_named, registry

    folder = None if name in registry().judges else _model_folder(name)
    if folder is None:
        if features is not None:
            raise StudyError(f"{name} reads no features of an ONNX file: leave out --backbone")
        return judge_named(name), None
    from app.judges.frozen import FrozenFeatures
    from app.judges.trained import TrainedJudge, load_model
    from app.judges.voted import VoteJudge, is_voted

    frozen = FrozenFeatures(features) if features else None
    if is_voted(folder):
        return VoteJudge(folder, frozen), None
    model = load_model(folder, frozen)
    return TrainedJudge(model, 0), model


def _model_folder(name: str) -> Path | None:
    """The folder of a trained judge: by path, or by name in the data folder."""
    from app.core.settings import Settings
    from app.judges.models import is_model
    from app.library.places import models_folder

    folders = [Path(name)]
    if Path(name).name == name:
        folders.append(models_folder(Settings().data_dir) / name)
    return next((folder for folder in folders if is_model(folder)), None)


def _refuse_seen(judge: "Judge", pairs: "Sequence[PairToJudge]", allow: list[str]) -> None:
    """Stop a judge of votes from judging clips that it was trained on."""
    if not hasattr(judge, "refuse_seen"):
        return
    _check_allowed(allow)
    if SEEN not in allow:
        judge.refuse_seen(pairs)


def _check_allowed(allow: list[str]) -> None:
    if unknown := set(allow) - {SEEN}:
        raise StudyError(
            f"--allow {min(unknown)[:80]}: of a trained judge that runs only {SEEN} can be allowed"
        )


def _run_model(
    model: "Model",
    pairs: "Sequence[PairToJudge]",
    by: str | None,
    cross_fitted: bool,
    allow: list[str],
    on_progress: "OnProgress",
) -> "list[VerdictRow]":
    from app.judges.trained import check_by, run_model

    _check_allowed(allow)
    return run_model(
        model,
        pairs,
        by=check_by(by) if by else None,
        cross_fitted=cross_fitted,
        allow_seen=SEEN in allow,
        on_progress=on_progress,
        now=now,
    )


@app.command("train")
def train_(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A network; `judge list` names those that can be trained.")
    ],
    on: Annotated[
        str,
        typer.Option("--on", metavar="FOLDER|SLUG", help="A folder of clips with a manifest, or a study."),
    ],
    output: Annotated[Path, typer.Option("--out", metavar="MODEL", help="The folder to write.")],
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1)] = 1,
    human: Annotated[
        str, typer.Option(help="Of a folder: the source whose clips people made; a study says so itself.")
    ] = "human",
    search: Annotated[
        bool,
        typer.Option("--search", help="Also choose window, dropout and hidden units, for each copy anew."),
    ] = False,
    allow: Allow = None,
    licence: Annotated[str, typer.Option(help="Of the data, for the card.")] = "",
    epochs: Annotated[
        int | None, typer.Option(min=1, max=10_000, help="Instead of the published number.")
    ] = None,
    mode: Annotated[
        str | None, typer.Option(help="Of votes: live, simulated, pilot or preview; as in analyze.")
    ] = None,
    features: Features = None,
) -> None:
    """Train a judge on who made the clips, people or agents; or `votes`, on what a study's people chose."""
    if name == "votes":
        if search or allow or epochs:
            raise StudyError("votes takes neither --search nor --allow nor --epochs")
        _train_on_votes(on, output, seed, licence, mode, features)
        return
    if mode is not None:
        raise StudyError(f"{name} learns who made a clip, not what people chose: leave out --mode")
    from app.judges.frozen import FrozenFeatures
    from app.judges.spans import as_shown
    from app.judges.study import pairs_to_judge
    from app.judges.training import Wish, check_target, check_wish, train_model
    from app.judges.training_data import compared, of_folder, of_study
    from app.library.clips.store import ClipStore
    from app.reports.targets import is_folder

    frozen = FrozenFeatures(features) if features else None
    wish = Wish(name, seed, tuple(allow or ()), search, licence, epochs, frozen)
    check_wish(wish)
    check_target(output)
    if is_folder(on):
        with progress("Reading") as on_progress:
            found = of_folder(Path(on), human, wish.wanted, on_progress, frozen)
    else:
        with opened() as (settings, database):
            with database.reading() as session:
                study = pairs_to_judge(session, on, ClipStore(settings.data_dir))
                known = compared(session, on)
            with as_shown(study.pairs) as shown, progress("Reading") as on_progress:
                found = of_study(on, known, study.pairs, shown, wish.wanted, on_progress, frozen)
    with progress("Training") as on_progress:
        trained = train_model(found, wish, output, on_progress, now())
    pooled = trained.evaluation.pooled
    accuracy = (
        "no pair was held out"
        if pooled.pairs is None
        else f"{pooled.pairs:.3f} of {pooled.n_pairs} held-out pairs"
    )
    out.print(
        f"{len(trained.copies)} copies of {name} written to {output}: {accuracy}; the card says the rest "
        f"(likely-human judge card {output})",
        markup=False,
    )


def _train_on_votes(
    on: str, output: Path, seed: int, licence: str, mode: str | None, features: Path | None
) -> None:
    from analysis.data.columns import RESPONSE_COLUMNS
    from app.judges.frozen import FrozenFeatures
    from app.judges.spans import as_shown
    from app.judges.study import pairs_to_judge
    from app.judges.training import check_target
    from app.judges.training_data import compared
    from app.judges.voted import train_on_votes, voted_study
    from app.library.clips.store import ClipStore
    from app.reports.targets import frame_of

    check_target(output)
    frozen = FrozenFeatures(features) if features else None
    with opened() as (settings, database):
        with database.reading() as session:
            study = pairs_to_judge(session, on, ClipStore(settings.data_dir))
            known = compared(session, on)
            rows = frame_of(session, on, None, RESPONSE_COLUMNS)
        with as_shown(study.pairs) as shown, progress("Training") as on_progress:
            found = voted_study(on, known, study.pairs, shown, rows, mode)
            numbers = train_on_votes(
                found, output, frozen=frozen, seed=seed, licence=licence, on_progress=on_progress, now=now()
            ).numbers
    reached = numbers.reached.label_accuracy
    named = "-" if reached is None else f"{reached:.3f}"
    out.print(
        f"A judge of {numbers.n_votes} votes on {numbers.n_pairs} pairs written to {output}, with cross-fitted "
        f"verdicts: it names the majority in {named} of held-out pairs (likely-human judge card {output})",
        markup=False,
    )
    if numbers.warning:
        err.print(numbers.warning, markup=False)


@app.command("card")
def card_(
    name: Annotated[str, typer.Argument(metavar="MODEL", help="A trained judge's folder.")],
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON.")] = False,
) -> None:
    """Print the card of a trained judge: its description, training data and accuracy."""
    from app.judges.trained import card_text

    typer.echo(card_text(_model_folder(name) or Path(name), as_json=as_json), nl=False)


@app.command("list")
def list_() -> None:
    """List the judges with what they look at and what their score is."""
    from app.judges.described import described
    from app.judges.registry import registry

    for judge in described():
        if info := judge.info:
            out.print(f"{judge.name}  version {info.version}  from {info.needs}  {info.title}", markup=False)
            if judge.package:
                out.print(f"    package: {judge.package}", markup=False)
            out.print(f"    {info.reference}", markup=False)
            out.print(f"    score: {info.score_unit}", markup=False)
    _list_trained()
    for problem in (*(judge.problem for judge in described() if judge.problem), *registry().refused):
        err.print(problem, markup=False)


def _list_trained() -> None:
    """Networks that can be trained, and the trained judges of the data folder."""
    from analysis.learning.catalogue import NETWORKS
    from app.core.settings import Settings
    from app.judges.models import models_here

    for network in NETWORKS.values():
        reads = "clips" if network.settings.sees else "positions"
        how = "judge train --backbone" if network.on_features else "judge train"
        out.print(f"{network.name}  to be trained ({how})  from {reads}  {network.title}", markup=False)
        out.print(f"    {network.origin}", markup=False)
    out.print("votes  to be trained (judge train)  from positions  What people's votes look at", markup=False)
    for model in models_here(Settings().data_dir):
        right = "majorities named" if model.is_of_votes else "held-out pairs right"
        reached = (
            "no pair held out" if model.pairs is None else f"{model.pairs:.3f} of {model.n_pairs} {right}"
        )
        out.print(
            f"{model.name}  trained {model.network} {model.version}  on {model.on}, {model.n_clips} clips; {reached}"
            + (f"; {model.n_deleted} answers deleted since" if model.n_deleted else ""),
            markup=False,
        )


app.command("ask")(asking.ask)
app.command("validate")(judging.validate)
