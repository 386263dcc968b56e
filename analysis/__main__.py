"""`python -m analysis responses.csv`: the numbers from an exported file, without a database."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from analysis.data.columns import MODES
from analysis.data.hntt import hntt_responses, read_hntt
from analysis.data.mapping import mapping_kind, mapping_notes, read_judgements, read_mapped, read_ratings
from analysis.data.reading import is_rating_rows, read_rating_rows, read_responses
from analysis.detection.measures import analyze_judgements
from analysis.detection.studies import analyze_judgement_rows
from analysis.errors import AnalysisError
from analysis.files.faults import note, noting
from analysis.options import ALTERNATIVES, BLANKS, RESAMPLES, TIES
from analysis.ratings.between import compare_blocks
from analysis.ratings.scores import analyze_ratings
from analysis.ratings.studies import analyze_rating_rows
from analysis.results import Result
from analysis.row_files import TABLE_FORMATS, without_many_rows, write_row_files
from analysis.summary import analyze
from analysis.text.brief import render_brief
from analysis.text.detection import render_detection, render_judgement_blocks
from analysis.text.full import render
from analysis.text.ratings import render_rating_blocks, render_ratings


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command: 0 done, 1 refused with one line on stderr, 2 wrong usage."""
    asked = _parser().parse_args(arguments)
    with noting() as notes:
        status = _run(asked)
    sys.stderr.writelines(f"{note}\n" for note in notes)
    return status


def _run(asked: argparse.Namespace) -> int:
    try:
        kind = _kind(asked)
        of_kind = {"2afc": _answers, "rating rows": _rating_rows, "ratings": _ratings, "yes-no": _judgements}
        text = of_kind[kind](asked)
        for said in mapping_notes(asked.mapping) if asked.mapping else ():
            note(said)
    except AnalysisError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (head, less) left early; keep the interpreter from complaining at its own last flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _kind(asked: argparse.Namespace) -> str:
    if asked.mapping:
        return mapping_kind(asked.mapping)
    return "rating rows" if all(map(is_rating_rows, asked.files)) else "2afc"


def _answers(asked: argparse.Namespace) -> str:
    def read(path: str) -> pd.DataFrame:
        if asked.mapping:
            return read_mapped(path, asked.mapping)
        return hntt_responses(read_hntt(path)) if asked.hntt else read_responses(path)

    analysis = analyze(
        [read(path) for path in asked.files],
        mode=asked.mode,
        blank=asked.blank,
        seed=asked.seed,
        alternative=asked.alternative,
        ties=asked.ties,
        resamples=asked.resamples,
        origins=asked.files,
        independent=asked.independent,
    )
    if (text := _json(analysis, asked)) is not None:
        return text
    return render(analysis) if asked.full else render_brief(analysis)


def _ratings(asked: argparse.Namespace) -> str:
    if len(asked.files) > 1:
        raise AnalysisError(f"{asked.files[1]}: ratings are analysed one file at a time")
    ratings = read_ratings(asked.files[0], asked.mapping)
    analysis = analyze_ratings(ratings, seed=asked.seed, resamples=asked.resamples)
    text = _json(analysis, asked)
    return render_ratings(analysis, full=asked.full) if text is None else text


def _rating_rows(asked: argparse.Namespace) -> str:
    tables = [read_rating_rows(path) for path in asked.files]
    blocks = analyze_rating_rows(tables, mode=asked.mode, seed=asked.seed, resamples=asked.resamples)
    compared = compare_blocks(blocks, seed=asked.seed, resamples=asked.resamples)
    judged = analyze_judgement_rows(tables, mode=asked.mode, seed=asked.seed, resamples=asked.resamples)
    if not asked.json:
        texts = [render_rating_blocks(blocks, full=asked.full, compared=compared)] if blocks else []
        return "\n".join(texts + ([render_judgement_blocks(judged, full=asked.full)] if judged else []))
    summaries = {"ratings": [without_many_rows(one) for one in blocks]}
    if judged:
        summaries["yes_no"] = [without_many_rows(one) for one in judged]
    if compared:
        summaries["rating_comparisons"] = [one.to_dict() for one in compared]
    return json.dumps(summaries, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _judgements(asked: argparse.Namespace) -> str:
    if len(asked.files) > 1:
        raise AnalysisError(f"{asked.files[1]}: judgements of single stimuli are analysed one file at a time")
    judgements = read_judgements(asked.files[0], asked.mapping)
    analysis = analyze_judgements(judgements, seed=asked.seed, resamples=asked.resamples)
    text = _json(analysis, asked)
    return render_detection(analysis, full=asked.full) if text is None else text


def _json(result: Result, asked: argparse.Namespace) -> str | None:
    """The JSON, where it was asked for; with `--out` the rows are written, too."""
    if asked.out:
        summary = write_row_files(result, asked.out, asked.tables)
    elif asked.json:
        summary = without_many_rows(result)
    return json.dumps(summary, indent=2, allow_nan=False) + "\n" if asked.json else None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m analysis", description="The numbers of exported responses."
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="responses as .csv, .jsonl or .parquet")
    parser.add_argument("--json", action="store_true", help="print the documented JSON (docs/analysis.md)")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write rows of participants, pairs and items as files; the JSON names them",
    )
    parser.add_argument("--tables", choices=TABLE_FORMATS, default="csv", help="how --out writes them")
    parser.add_argument("--full", action="store_true", help="print every table, not only one screen")
    layout = parser.add_mutually_exclusive_group()
    layout.add_argument(
        "--hntt", action="store_true", help="the files are CSVs in the layout of the published HNTT"
    )
    layout.add_argument(
        "--mapping",
        metavar="MAP.yaml",
        help="the files are from elsewhere, and this says what is what in them",
    )
    parser.add_argument(
        "--mode", choices=MODES, help="which answers to analyse (default: the first with any)"
    )
    parser.add_argument("--blank", choices=BLANKS, default="missing", help="what a blank answer is")
    parser.add_argument("--alternative", choices=ALTERNATIVES, default="two-sided", help="of the comparisons")
    parser.add_argument("--ties", choices=TIES, default="keep", help="what becomes of a tied label")
    parser.add_argument("--seed", type=_whole, default=1, metavar="N", help="of bootstrap and random ties")
    parser.add_argument(
        "--resamples",
        type=_whole,
        default=RESAMPLES,
        metavar="N",
        help="0: no bootstrap, and no interval that needs one",
    )
    parser.add_argument(
        "--independent",
        action="store_true",
        help="participants with one identifier in two studies are different people",
    )
    return parser


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed; allowed: a whole number, 0 or more")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
