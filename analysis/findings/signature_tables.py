"""The report's sections on movement and play of sources: distances by signatures, the maps, and their stability."""

from collections.abc import Iterator, Mapping, Sequence

from analysis.findings.model import Numbers, Section
from analysis.findings.signatures import titled
from analysis.findings.tables import column, names, words_table
from analysis.findings.texts import number
from analysis.signatures import NoSignatures, PlaySignatures, SignatureResult, Signatures
from analysis.signatures.against import NOT_COVERED
from analysis.signatures.play import SIMULATED
from analysis.signatures.text import lacking_words
from analysis.words import sentence

TABLE, MAP = "tables/signatures.csv", "tables/signatures_map.csv"
PLAY_TABLE, PLAY_MAP = "tables/play_signatures.csv", "tables/play_signatures_map.csv"

Found = Signatures | NoSignatures
Played = PlaySignatures | NoSignatures
_WITHOUT = f"Distances have no interval: {NOT_COVERED}. Read them against the band of people."


def signatures_section(found: Found | None) -> Iterator[Section]:
    """The section on movement: none if no clip has positions; a reason if they could not be compared."""
    anchor, title = "signatures", "How sources move, against people"
    if found is None:
        return
    if isinstance(found, NoSignatures):
        yield Section(anchor, title, (f"No signatures: {sentence(found.reason)}",))
        return
    about = (
        f"Nobody was asked: these are distances between the paths of sources and those of {found.human!r}, by "
        "signatures (Tencé and Buche 2010, and finer ones). They say nothing of what people notice; whether that order "
        "agrees with people's choices stands under Distance to people, where there are answers."
    )
    yield Section(
        anchor,
        title,
        sentences=(about, _WITHOUT),
        tables=(_sources(found), *_maps(found.signatures)),
        notes=(*found.notes, *_remarks(found.signatures)),
    )


def play_section(found: Played | None, titles: Mapping[str, str] | None = None) -> Iterator[Section]:
    """The section on play: none if no match is over; a reason if play could not be compared.

    `titles` are those of games, which data name by key.
    """
    titles = titles or {}
    anchor, title = "play-signatures", "How sources play, given what they perceive, against people"
    if found is None:
        return
    if isinstance(found, NoSignatures):
        yield Section(anchor, title, (f"No signatures: {sentence(found.reason)}",))
        return
    about = (
        f"What each source did in matches, given what it had perceived before, against {_people(found.human)}: "
        "within each kind of situation, so that who meets other situations is not therefore far. Linear Earth "
        "Mover's Distance; where what was done has no order, all of it is 1 apart."
    )
    rows = tuple(
        (
            one.source,
            titles.get(one.game, one.game),
            str(one.n_players),
            str(one.n_matches),
            f"{one.n_acts:,}",
        )
        for one in found.sources
    )
    head = ("source", "game", "players", "matches", "acts counted")
    yield Section(
        anchor,
        title,
        sentences=(about, _WITHOUT),
        tables=(words_table("What there is of each source", head, rows, 2), *_maps(found.signatures)),
        notes=(*(titled(note, titles) for note in found.notes), *_remarks(found.signatures)),
    )


def _sources(found: Signatures) -> Numbers:
    named = ("full_speed", "slow", "straight", "reversals_per_s")
    rows = tuple(
        (
            *(one.source, str(one.n_players), str(one.n_clips), number(one.seconds, 0), f"{one.n_angles:,}"),
            number(one.standing),
            *(number((one.features or {}).get(name), 2) for name in named),
        )
        for one in found.sources
    )
    head = (
        *("source", "players", "clips", "s", "angles", "standing"),
        *("full speed", "slow", "straight", "reversals/s"),
    )
    return words_table("What there is of each source; shares of time, of all clips", head, rows)


def _maps(found: Sequence[SignatureResult]) -> Iterator[Numbers]:
    """The fit of the maps of sources and people to their distances."""
    rows = tuple(
        (one.title, one.map.stress, one.map.variance)
        for one in found
        if one.map is not None and one.map.stress is not None
    )
    if rows:
        caption = "Maps by multidimensional scaling: stress is 0 where the map shows all distances"
        yield Numbers(caption, (*names("signature"), column("stress"), column("variance")), rows)


def _people(human: str) -> str:
    return "simulated people" if human == SIMULATED else repr(human)


def _remarks(found: Sequence[SignatureResult]) -> Iterator[str]:
    """Refused signatures first, then how settled the others are."""
    for one in found:
        if one.reason:
            yield f"No “{one.title}”: {one.reason}."
    for one in found:
        if one.reason:
            continue
        rows = one.distances[0].unit
        last = {step.source: step for step in one.settling}
        halves = "; ".join(
            f"{step.source} {number(step.median)} (95% below {number(step.high)}; {step.n_clips} {rows} each)"
            for step in last.values()
        )
        said = (
            f"two sets of {rows} of one source differ by {halves}" if halves else f"no source has two {rows}"
        )
        few = ", ".join(one.not_settled)
        ending = (
            f" Not settled, with fewer than {one.settled_at:,} observations: {few}."
            if few
            else " All are settled."
        )
        lacking = ", ".join(one.not_compared)
        none = f" No distance, as nothing was counted where people have any: {lacking}." if lacking else ""
        partly = f" {lacking_words(one)}" if one.lacking else ""
        yield f"{one.title}: {said}.{ending}{none}{partly}"
