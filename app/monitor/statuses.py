"""Sessions of a study by status."""

from collections import Counter
from collections.abc import Collection, Sequence
from operator import attrgetter

from app.monitor.snapshots import StatusLine
from app.monitor.tally import Tally
from app.studies.file.arms import MAIN
from app.trials.tables import Mode

_PLACE = attrgetter("version_id", "mode", "arm")


def statuses_of(tally: Tally, in_arms: Collection[int], modes: Sequence[Mode]) -> Sequence[StatusLine]:
    """Sessions by status, for every version, mode and arm; `in_arms` are the versions that have several,
    `modes` the modes in their order.
    """
    found: dict[tuple[int, str, str], Counter[str]] = {}

    def of(version_id: int, mode: str, arm: str) -> Counter[str]:
        # Until consent a session's row names the arm of studies that have none.
        given = "" if arm == MAIN and version_id in in_arms else arm
        return found.setdefault((version_id, mode, given), Counter())

    for (version_id, mode), ended in tally.ended.items():
        for (arm, status), n in ended.statuses.items():
            of(version_id, mode, arm)[status] += n
    for row in map(tally.sessions.__getitem__, tally.open):
        of(row.version_id, row.mode, row.arm)[row.status] += 1
    out = Counter(map(_PLACE, (tally.sessions[id_] for id_ in tally.left_out if id_ in tally.sessions)))
    number = {id_: version.number for id_, version in tally.versions.items()}
    order = sorted(found, key=lambda key: (-number[key[0]], modes.index(Mode(key[1])), key[2]))
    return [StatusLine(number[key[0]], *key[1:], by_status=found[key], excluded=out[key]) for key in order]
