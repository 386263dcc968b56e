"""Company of players: the protocol has people play among people and agents among agents [TB10]_."""

from collections.abc import Iterable


def mixed_company(there: Iterable[tuple[str, str]], human: str) -> str | None:
    """A sentence for a note where people and other sources shared matches; None where they shared none.

    `there` has a match and a source for each that took part."""
    sources: dict[str, set[str]] = {}
    for match, source in there:
        sources.setdefault(match, set()).add(source)
    of_people = [found for found in sources.values() if human in found]
    mixed = [found for found in of_people if len(found) > 1]
    if not mixed:
        return None
    others = ", ".join(sorted(set[str]().union(*mixed) - {human}))
    return (
        f"in {len(mixed)} of {len(of_people)} matches of {human} there were others, too ({others}), where the protocol "
        "has people among people and agents among agents: a distance is of how each acts in that company"
    )
