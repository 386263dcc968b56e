"""Company and places of players: the protocol has people play among people and agents among agents, under the same
conditions [TB10]_."""

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


def other_scenes(there: Iterable[tuple[str, str]], human: str) -> str | None:
    """A sentence for a note where sources were in other scenes than people; None where all were in the same.

    `there` has a source and a scene for each path whose scene is known."""
    scenes: dict[str, set[str]] = {}
    for source, scene in there:
        scenes.setdefault(source, set()).add(scene)
    of_people = scenes.pop(human, set())
    apart = [
        f"{source} (in {len(found & of_people)} of its {len(found)})"
        for source, found in sorted(scenes.items())
        if found != of_people
    ]
    if not of_people or not apart:
        return None
    scenes_of_people = f"{len(of_people)} {'scene' if len(of_people) == 1 else 'scenes'}"
    return (
        f"{human} moved in {scenes_of_people}, and others not in the same: {', '.join(apart)}. A distance may be that "
        "of the places"
    )
