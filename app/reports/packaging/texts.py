"""Texts for a reader of the package: README, CHANGES, how to compute the numbers again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.reports.packaging.about import Card
from app.reports.packaging.tables import Table
from app.reports.study_facts import StudyFacts


@dataclass(frozen=True, slots=True)
class Contents:
    """The content described by the texts; `answers` counts answers to trials by mode, `mode` is the one analysed."""

    facts: StudyFacts
    tables: Sequence[Table]
    answers: Mapping[str, int]
    mode: str
    n_ties: int
    seed: int
    has_pseudonyms: bool
    keeps_links: bool
    study_files: Sequence[int] = ()


def readme(card: Card, contents: Contents) -> str:
    return "\n".join(
        [
            f"# {_line(card.name)}",
            "",
            _line(card.description),
            "",
            f"Made on {card.made_at:%Y-%m-%d} at {card.made_at:%H:%M} UTC. Licence: {_line(card.license)}",
            "",
            *_answers(contents),
            *_tables(contents),
            *_people(contents),
            *_care(contents),
            *_other_files(contents),
        ]
    )


def _answers(contents: Contents) -> list[str]:
    counted = [f"{n} of mode {mode}" for mode, n in contents.answers.items() if n]
    if not counted:
        return ["**There are no answers yet**: the tables have their columns and no rows.", ""]
    lines = [f"Answers to trials: {', '.join(counted)}.", ""]
    if contents.mode != "live":
        lines += [f"**The labels and the report are of mode {contents.mode}, not of live participants.**", ""]
    return lines


def _tables(contents: Contents) -> list[str]:
    lines = ["## Tables", "", "| table | file | rows | key |", "|---|---|---|---|"]
    for table in contents.tables:
        key = ", ".join(f"`{name}`" for name in table.key) or "none"
        lines.append(f"| {table.name} | `{table.path}` | {table.n_rows} | {key} |")
    lines += ["", *(f"- **{table.name}**: {table.row_is}" for table in contents.tables), ""]
    labels = (
        f"`labels` and the preference records are of mode {contents.mode}; labels of another mode have that mode in "
        "their name. "
        if any(table.name == "labels" for table in contents.tables)
        else ""
    )
    lines += [
        "`session` and `trial` join the tables. Every column is described in `documentation/data-dictionary.csv` and, "
        "for programs, in `dataset_description.json`, `datapackage.json` and `croissant.json`. CSV is UTF-8 with a "
        "header; an empty cell is missing; times are ISO 8601 in UTC.",
        "",
        "Modes are never mixed: `mode` says of every row whether it is of a live, a pilot or a simulated session. "
        f"{labels}Previews by the experimenters are not part of the package.",
        "",
    ]
    if contents.n_ties:
        lines += [
            f"{contents.n_ties} pairs are tied: they have a label, `tie`, and no preference record.",
            "",
        ]
    return lines


def _people(contents: Contents) -> list[str]:
    lines = ["## Participants' identity", ""]
    if contents.has_pseudonyms:
        lines += [
            "Identifiers of participants were replaced by pseudonyms, `p-0001` and on in an order drawn at random; "
            "one identifier has the same pseudonym in every table. What a recruiter's link said of them (column "
            "`recruiter`), and why an experimenter left them out (`exclusion_reason`), are not in it. "
            "Another package of the study may number them otherwise.",
        ]
    else:
        lines += [
            "**Identifiers of participants are as the recruiter gave them**, and column `recruiter` holds what the "
            "recruiter's link said: such a package is not fit for publishing.",
        ]
    lines += [
        "",
        "What participants wrote in their own words is as they wrote it: read it before you publish it.",
        "Session and trial numbers, seeds and times are exact: whoever holds a recruiter's records or another export "
        "of the study could tell who is who."
        if contents.keeps_links
        else "Of times the day alone is kept (UTC). Sessions and trials are numbered anew for this package, their "
        "seeds and numbers in the order of arrival are left out, and rows do not stand in that order: neither another "
        "export of the study nor a recruiter's records tell who is who.",
        "",
    ]
    return lines


def _care(contents: Contents) -> list[str]:
    return [
        "## Opening the tables",
        "",
        "A text that begins with `=`, `+`, `-`, `@`, a tab or a line break, after any number of apostrophes, has one "
        "apostrophe more in front of it in CSV, so that no spreadsheet program runs it as a formula; numbers have not. "
        "Take one apostrophe off such a text to have it as it came: Likely Human does so when it reads the file.",
        "",
    ]


def _other_files(contents: Contents) -> list[str]:
    numbers = ", ".join(str(number) for number in contents.study_files)
    study_files = f"; `study.yaml`: its study file (of version {numbers})" if numbers else ""
    return [
        "## Other files",
        "",
        "- `materials/version-N/`: `design.json`, the design of version N as it was run, whose SHA-256 is the version's"
        f"{study_files}. The clips are not part of the package; the design has their SHA-256. It also has the text of "
        "the consent and the completion code.",
        "- `materials/collections.json`: the collections of the clips: title, frame and processing rules, and which "
        "clips belong, with name, source, attributes and SHA-256; `materials/clips.csv`: the same clips as a table.",
        "- `results/`: the report (`report.html`), its numbers (`results.json`, `tables/`, `numbers/`), the methods "
        "in words (`methods.md`) and, where pairs have a majority, `preferences.jsonl`.",
        "- `analysis/rerun.md`: how to compute the numbers again.",
        "- `SHA256SUMS`: checksums of all files; `sha256sum --check SHA256SUMS` compares them.",
        "",
        "Laid out as Psych-DS asks; also a Frictionless data package (`frictionless validate datapackage.json`) and a "
        "Croissant dataset (`mlcroissant validate --jsonld croissant.json`).",
        "",
    ]


def changes(card: Card, contents: Contents) -> str:
    lines = ["# Changes", "", f"Package made on {card.made_at:%Y-%m-%d}.", "", "## Versions of the study", ""]
    for one in contents.facts.versions:
        shown = f"first shown on {one.frozen_at:%Y-%m-%d}" if one.frozen_at else "not shown to anybody yet"
        reason = f" {_line(one.reason)}" if one.reason else ""
        lines.append(
            f"- **Version {one.number}**, saved on {one.created_at:%Y-%m-%d}, {shown}.{reason} `{one.sha256}`"
        )
    return "\n".join(lines) + "\n"


def rerun(contents: Contents) -> str:
    paths = {table.name: table.path for table in contents.tables}
    has_pairs, options = "responses" in paths, f"--mode {contents.mode} --seed {contents.seed} --json"
    text = """# Computing the numbers again

With Likely Human installed, no database needed, in the folder of this package:
"""
    if has_pairs:
        text += f"""
```
python -m analysis {paths["responses"]} {options}
```

prints what is in `results/results.json`; to the last digit with the versions of the libraries that
`results/methods.md` names.
"""
    if "ratings" in paths:
        place = "the folders `results/ratings-*`" if has_pairs else "`results`"
        text += f"""
```
python -m analysis {paths["ratings"]} {options}
```

prints under `ratings`, one for each block, what is in the `results.json` of {place}.
"""
    return text


def _line(text: str) -> str:
    """A text from outside on one line, as Markdown that shows it as it is."""
    one = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_<>&#|[]" else letter for letter in one)
