"""A study of two blocks, which of two clips and ratings of texts, and one spoilt at a place."""

import copy
from pathlib import Path
from typing import Any

from app.studies.file.bundle import read_bundle

STUDY = """\
study: two-parts
title: Two parts
consent: {version: '1', text: consent.md, minimum_age: 18}
blocks:
  - id: watch
    task: pair
    instructions: watch.md
    pairs: pairs.csv
    per_participant: 2
    trials:
      questions:
        - {id: choice, type: 2afc, ask: "Which is real?"}
  - id: rate
    task: rating
    items: items.csv
    per_participant: 2
    per_item: 3
    questions:
      - {id: logic, type: likert, ask: "How logical?", labels: [low, middle, high], anchors: {1: no reasons, 3: all}}
      - {id: persona, type: likert, ask: "In character?", scale: quality, when: {group: persona}}
      - {id: reason, type: text, ask: "Why?", required: true}
block_order: random
"""
FILES = {
    "study.yaml": STUDY,
    "consent.md": "# Consent\n",
    "watch.md": "Watch both.\n",
    "pairs.csv": "pair,a,b\np1,human-1,hybrid-1\np2,hybrid-2,symbolic-2\np3,human-2,symbolic-1\n",
    "items.csv": (
        "item,stimulus,text,condition,kind,group\n"
        "i1,human-3,,,,persona\n"
        'i2,,"I saved water,\n\nand bid **late**.",plain,,\n'
        "i3,,Practise on this.,plain,practice,\n"
    ),
}


def write_study(folder: Path, **texts: str) -> Path:
    """The study file and its files in a folder; `items_csv="..."` puts another text in a file's place."""
    for name, text in {**FILES, **{key.replace("_", "."): text for key, text in texts.items()}}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "study.yaml"


def block_keys(**changes: Any) -> dict[str, Any]:
    """The study as a draft."""
    keys = read_bundle({name: text.encode() for name, text in FILES.items()})
    return {**copy.deepcopy(keys), **changes}
