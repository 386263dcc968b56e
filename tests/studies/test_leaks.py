"""Lints of what gives away who played, and the accuracy of a rule that looks at one clue alone."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import get_args

import pytest
import yaml
from sqlmodel import Session
from typer.testing import CliRunner

from app.cli import app as cli
from app.core.database import Database
from app.core.errors import StudyError
from app.library.contents import add_documents
from app.library.documents import Document, ImportedDocument
from app.library.kinds import StimulusKind
from app.library.records import Line, Record, Round, Table, canonical_json
from app.studies.file.design import StudyDesign
from app.studies.file.load import load_study
from app.studies.leaks import leak_checks, leaks_of, refuse_leaks
from app.studies.versions import stimulus_facts
from app.tasks.pair.leaks import sign_test
from app.trials.clues import LeakName, clues_in
from tests.factories import NOW, study_file

N = 8
QUESTIONS = [
    {"id": "choice", "type": "2afc", "ask": "Which of these two players is more likely to be human?"}
]


def played(offers: list[int], *more: str, rounds: int = 4) -> Record:
    """A record in which so many rounds show an offer each, and the first of them more lines."""
    return Record(
        title="Sharing a sum",
        rounds=tuple(
            Round(
                title=f"Round {n}",
                parts=(
                    Line(text=f"This player offers {offers[n % len(offers)]} of 100."),
                    *(Line(text=m) for m in more if n == 0),
                ),
            )
            for n in range(rounds)
        ),
    )


Make = Callable[[int], Record]


def fill(session: Session, of_human: Make, of_gt: Make) -> None:
    """N records of each, made by functions of their number."""
    documents = [
        ImportedDocument(
            f"{source}-{n}",
            source,
            {},
            Document(StimulusKind.RECORD, canonical_json(make(n))),
            f"{n}.json",
            9,
        )
        for source, make in (("human", of_human), ("gt", of_gt))
        for n in range(N)
    ]
    add_documents(session, documents, NOW)


def even(n: int) -> Record:
    return played([11 + n, 17 + n, 23 + n])


def design(session: Session, folder: Path, n_pairs: int = N, **trials: object) -> StudyDesign:
    path = folder / "study.yaml"
    pairs = "pair,a,b\n" + "".join(f"q{n},human-{n},gt-{n}\n" for n in range(n_pairs))
    keys = study_file(sample=None, pairs=pairs, trials={"questions": QUESTIONS, **trials})
    path.write_text(yaml.safe_dump({key: value for key, value in keys.items() if value is not None}))
    return load_study(path, stimulus_facts(session))


def turned(n: int) -> Record:
    """As `even`, but no two are the same."""
    return played([23 + n, 17 + n, 11 + n])


def other(*more: str, rounds: int = 4) -> Make:
    """An agent's records, which differ from people's by more lines in their first round, or by their length."""
    return lambda n: played([12 + n, 18, 24], *more, rounds=rounds)


def writes(message: str) -> Make:
    return lambda n: played([11 + n], f"This player writes: {message}")


def reasoned(reason: str) -> Make:
    return lambda n: played([11 + n], f"Reason for an offer: {reason}", rounds=1)


def with_table(n: int) -> Record:
    last = Round(title="Round 4", parts=(Table(columns=("a",), rows=((1,), (2,))),))
    return Record(title="Sharing a sum", rounds=(*even(n + 1).rounds[:3], last))


CASES: Mapping[LeakName, tuple[Make, Make, str]] = {
    "rounds": (
        even,
        other(rounds=5),
        "the two of 8 of 8 pairs show different numbers of rounds (q0: 4 and 5)",
    ),
    "message-length": (
        writes("Good luck to all of you."),
        writes("Fine."),
        "the true member has longer messages in 8 of 8 pairs",
    ),
    "message-count": (
        even,
        other("This player writes a short message."),
        "the other member has more messages in 8 of 8 pairs",
    ),
    "round-numbers": (
        lambda n: played([10, 50, 11 + n]),
        lambda n: played([13, 51, 12 + n]),
        "the true member has more round numbers in ",
    ),
    "times": (even, other("The answer came after 3.2 s."), "8 of 16 records show a time"),
    "names": (even, other("GT goes on."), "8 of 16 records name a source: gt"),
    "typing": (
        writes("ok, i  am fine"),
        writes("Very well then."),
        "the true member has more messages or reasons with typing errors in 8 of 8 pairs",
    ),
    "automatic": (
        even,
        other("A move of this round was made automatically."),
        "8 of 16 records show that a move was automatic",
    ),
    "reasons": (
        even,
        other("Reason: it is fair."),
        "8 of 16 records show reasons in some rounds and not in others",
    ),
    "file-size": (
        even,
        other("And so it goes on and on."),
        "the other member has more bytes in 8 of 8 pairs",
    ),
    "reason-length": (
        reasoned("I pay what it is worth to me."),
        reasoned("Fair."),
        "the true member has longer reasons in 8 of 8 pairs",
    ),
    "page-size": (even, with_table, "the other member has more lines and cells on the page in 8 of 8 pairs"),
}


@pytest.mark.slow
def test_each_leak_fails_a_study_in_a_sentence_unless_it_is_allowed_by_name(
    database: Database, tmp_path: Path
) -> None:
    assert set(CASES) == set(get_args(LeakName))
    for name, (of_human, of_gt, says) in CASES.items():
        with database.transaction() as session:
            fill(session, of_human, of_gt)
            (found,) = leaks_of(session, design(session, tmp_path))
            by_name = {leak.name: leak for leak in found.leaks}
            assert says in by_name[name].says
            with pytest.raises(StudyError, match=f"trials: {name}: "):
                refuse_leaks(session, design(session, tmp_path))
            assert [check.verdict for check in leak_checks([found])] == ["blocker"]
            allowed = design(session, tmp_path, allow=list(by_name))
            refuse_leaks(session, allowed)
            assert [check.verdict for check in leak_checks(leaks_of(session, allowed))] == ["warning"]
            # The setting is part of the version; without it hashes are what they were.
            assert '"allow"' in allowed.canonical_json()
            assert '"allow"' not in design(session, tmp_path).canonical_json()
            session.rollback()


def test_reasons_are_read_as_such_in_lines_and_in_tables() -> None:
    """One that names a source is found in either; numbers in a reason are no numbers of play."""

    def record(*parts: Line | Table) -> str:
        return canonical_json(Record(title="Play", rounds=(Round(title="Round 1", parts=parts),)))

    def table(reason: str) -> Table:
        return Table(columns=("Offer", "Reasons"), rows=((11, reason), (17, None)))

    sources = re.compile("gpt|human", re.IGNORECASE)
    for part, length in (
        (Line(text="Reason for an offer: as a GPT I give 50"), 18),
        (Line(text="Reason of Player 2 for an offer: as a GPT I give 50"), 18),
        (table("as a GPT I give 50"), 18),
        (Line(text="Reason for an offer: [medium]"), 120),
    ):
        offer = Line(text="This player offers 11 of 103.")
        found = clues_in(StimulusKind.RECORD, record(offer, part), sources)
        assert found.measured["reason-length"] == length
        assert found.measured["round-numbers"] == 0
        assert found.names == (() if length == 120 else ("gpt",))
        assert not found.lacks_reasons


def test_records_that_are_alike_pass_and_the_trivial_rule_is_at_chance(
    database: Database, tmp_path: Path
) -> None:
    with database.transaction() as session:
        fill(session, even, turned)
        (found,) = leaks_of(session, design(session, tmp_path))
        assert found.leaks == ()
        assert found.trivial
        assert found.trivial.n_pairs == N
        assert found.trivial.accuracy <= 0.5
        (check,) = leak_checks([found])
        assert check.verdict == "ok"
        assert check.detail.startswith("No clue was found in number of rounds, times, automatic moves, ")
        assert "cannot be told" not in check.detail


def test_it_is_not_called_fine_where_too_few_pairs_differ_in_a_clue_to_tell(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sign test of five pairs that differ is above its level whatever they are, 2 / 2**5; of six it is below."""

    def differ(n_pairs: int) -> Make:
        return lambda n: played([10, 50, 12 + n] if n < n_pairs else [11 + n, 23 + n, 17 + n])

    untold = "It cannot be told whether these give the source away: "
    few = "Too few pairs with a true member differ in them: it takes 6."
    for n_pairs, n_differ, verdict, says in (
        (8, 6, "blocker", "has more round numbers in 6 of 8 pairs"),
        (5, 5, "unknown", few),
        (8, 5, "unknown", few),
        (8, 1, "ok", "round numbers"),
        (8, 0, "ok", "round numbers"),
        (1, 1, "unknown", few),
    ):
        with database.transaction() as session:
            fill(session, even, differ(n_differ))
            (check,) = leak_checks(leaks_of(session, design(session, tmp_path, n_pairs)))
            session.rollback()
        assert (check.verdict, says in check.detail) == (verdict, True), check
        if verdict == "unknown":
            looked_at, _, cannot = check.detail.partition(untold)
            assert "number of rounds" in looked_at
            assert "round numbers" not in looked_at
            assert "round numbers" in cannot
    with database.transaction() as session:
        fill(session, even, lambda n: played([12 + n, 18, 24], rounds=5))
        allowed = leaks_of(session, design(session, tmp_path, 1, allow=["rounds"]))
        (check,) = leak_checks(allowed)
        assert (check.verdict, untold in check.detail) == ("warning", True)
    monkeypatch.setenv("DATABASE_URL", database.url.render_as_string(hide_password=False))
    monkeypatch.setenv("LIKELY_HUMAN_DATA", str(tmp_path))
    said = CliRunner().invoke(cli, ["study", "check", str(tmp_path / "study.yaml")])
    assert "It cannot be told whether these give the source away" in " ".join(said.output.split())


def test_study_check_fails_and_prints_the_accuracy_of_the_trivial_rule(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", database.url.render_as_string(hide_password=False))
    monkeypatch.setenv("LIKELY_HUMAN_DATA", str(tmp_path))
    with database.transaction() as session:
        fill(session, even, lambda n: played([10, 50, 12 + n]))
        design(session, tmp_path)
    refused = CliRunner().invoke(cli, ["study", "check", str(tmp_path / "study.yaml")])
    assert refused.exit_code != 0
    said = str(refused.exception)
    assert "trials: round-numbers: the other member has more round numbers in 8 of 8 pairs" in said
    assert "allow: [round-numbers" in said
    names = said.rpartition("allow: [")[2].partition("]")[0].split(", ")
    with database.transaction() as session:
        design(session, tmp_path, allow=names)
    fine = CliRunner().invoke(cli, ["study", "check", str(tmp_path / "study.yaml")])
    assert fine.exit_code == 0, fine.output
    printed = " ".join(fine.output.split())
    assert "trials: round-numbers (allowed): the other member has more round numbers" in printed
    assert "(round-numbers) finds the true member in 100% of 8 pairs" in printed


def test_records_of_one_source_give_nothing_away_and_remedies_suit_where_records_came_from(
    database: Database, tmp_path: Path
) -> None:
    """As those of a release, all of language models: some games were longer than others, and no judge can tell."""
    of_games = {"config": "c", "match": "m", "automatic": "0"}
    asked = {"id": "logic", "type": "likert", "ask": "How logical?", "labels": ["1", "2"]}
    for sources, attributes, remedies in (
        (("model", "model"), {}, []),
        (("model", "human"), {}, ["cut the records to as many rounds, and import them again"]),
        (
            ("model", "human"),
            of_games,
            ["make the records again, so that all show as many rounds"],
        ),
    ):
        with database.transaction() as session:
            documents = [
                ImportedDocument(
                    f"r{rounds}",
                    source,
                    attributes,
                    Document(StimulusKind.RECORD, canonical_json(played([12], rounds=rounds))),
                    f"{rounds}.json",
                    9,
                )
                for rounds, source in zip((4, 20), sources, strict=True)
            ]
            add_documents(session, documents, NOW)
            block = {"id": "rate", "task": "rating", "questions": [asked]}
            items = "item,stimulus\na,r4\nb,r20\n"
            keys = study_file(sample=None, trials=None, blocks=[{**block, "items": items}])
            path = tmp_path / "rated.yaml"
            keys = {**keys, "truth": {"source": "none"}}
            path.write_text(
                yaml.safe_dump({name: value for name, value in keys.items() if value is not None})
            )
            rated = load_study(path, stimulus_facts(session))
            assert [leak.remedy for each in leaks_of(session, rated) for leak in each.leaks] == remedies
            session.rollback()


def test_the_sign_test_is_the_exact_binomial_one() -> None:
    """By hand: 2 * (C(8,8) + C(8,7)) / 2**8, and SciPy's binomtest."""
    from scipy.stats import binomtest

    assert sign_test(7, 1) == 2 * (1 + 8) / 256
    for more, less in ((0, 0), (3, 3), (9, 2), (1, 12)):
        expected = binomtest(more, more + less).pvalue if more + less else 1.0
        assert sign_test(more, less) == pytest.approx(expected)
