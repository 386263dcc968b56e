"""Records of play in a library, as `game records` writes them: some of people, some of an agent."""

from sqlmodel import Session

from app.library.contents import add_documents
from app.library.documents import Document, ImportedDocument
from app.library.kinds import StimulusKind
from app.library.records import Line, Player, Record, Round, canonical_json
from tests.factories import NOW

ROUNDS = 4


def record_of(offers: list[str]) -> Record:
    return Record(
        title="Sharing a sum",
        players=(Player(name="This player"), Player(name="The other")),
        parts=(Line(text="Two players divide 100 points."),),
        rounds=tuple(
            Round(title=f"Round {n}", parts=(Line(text=f"This player offers {offer} of 100."),))
            for n, offer in enumerate(offers, 1)
        ),
    )


def add_records(
    session: Session,
    sources: dict[str, int],
    rounds: int = ROUNDS,
    base: int = 30,
    **attributes: str,
) -> list[str]:
    """So many records of each source, each of a match of its own; their names, `human-0` and so on."""
    documents = []
    for at, (source, n) in enumerate(sources.items()):
        for number in range(n):
            record = record_of([str(base + 10 * at + (number * 7 + r * 3) % 20) for r in range(rounds)])
            named = {
                "game": "glee-bargaining", "config": "c1", "match": f"{source}{number}", "seat": "1",
                "role": "alice", "rounds": str(rounds), "text": "numbers", "automatic": "0",
            }  # fmt: skip
            documents.append(
                ImportedDocument(
                    name=f"{source}-{number}",
                    source=source,
                    attributes={**named, **attributes},
                    original_name=f"{source}-{number}.json",
                    original_bytes=100,
                    document=Document(StimulusKind.RECORD, canonical_json(record)),
                )
            )
    add_documents(session, documents, NOW)
    return [one.name for one in documents]
