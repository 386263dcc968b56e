"""Megabytes per second: ranges of a clip requested by many clients at once, compared with Starlette's own
FileResponse.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import uvloop

from bench import likely_human
from bench.client import Address, Broken, Connection
from bench.fetching import Fetcher, fetch_at_once
from bench.figures import median_of, percentile
from bench.library import make_library
from bench.likely_human import LikelyHuman
from bench.servers import WORK, environment, free_address, serving
from bench.usage import Usage

AT_ONCE = 16
WARM_UP_S = 1.0
MEGABYTE = 1_000_000
N_FRAMES = 97  # of noise at 320x200: about 3 MB


@dataclass(frozen=True, slots=True)
class MediaRun:
    """One run, or the medians of its repeats."""

    megabytes_per_s: float
    replies_per_s: float
    reply_ms_p50: float
    reply_ms_p99: float
    server_cores: float
    client_cores: float
    other_cores: float


@dataclass(slots=True)
class Media:
    """One way of serving the same bytes to `AT_ONCE` connections."""

    site: str
    clip_bytes: int
    runs: list[MediaRun] = field(default_factory=list)

    @property
    def median(self) -> MediaRun:
        return median_of(self.runs)


@dataclass(frozen=True, slots=True)
class _Source:
    """A server of the clip, and the address that each connection asks for."""

    name: str
    address: Address
    pid: int
    paths: Sequence[str]


def measure_media(seconds: float, repeats: int) -> list[Media]:
    """Measure each way of serving `repeats` times, in turn so that both meet the same machine."""
    with _sources() as (clip, sources):
        media = {source.name: Media(source.name, len(clip)) for source in sources}
        for source in sources:
            _check(source, clip)
        for repeat in range(1, repeats + 1):
            for source in sources:
                run = _measure(source, len(clip), seconds, repeat)
                media[source.name].runs.append(run)
                print(
                    f"{source.name}, {AT_ONCE} at once, {repeat} of {repeats}: {run.megabytes_per_s:.0f} MB/s",
                    file=sys.stderr,
                )
    return list(media.values())


@contextmanager
def _sources() -> Iterator[tuple[bytes, Sequence[_Source]]]:
    print("Making a clip of 3 MB ...", file=sys.stderr)
    data, file, address = WORK / "media", WORK / "clip.mp4", free_address()
    make_library(data, 1, width=320, height=200, frames=N_FRAMES)
    with likely_human.served(data) as (site, _):
        paths, clip = uvloop.run(_clip_addresses(site))
        file.write_bytes(clip)
        command: list[str | Path] = [sys.executable, "-m", "bench.baseline", file, str(address.port)]
        with serving(command, address, environment()) as pid:
            yield (
                clip,
                (
                    _Source(site.name, site.address, site.pid, paths),
                    _Source("Starlette's FileResponse", address, pid, ["/clip.mp4"] * AT_ONCE),
                ),
            )


async def _clip_addresses(site: LikelyHuman) -> tuple[list[str], bytes]:
    """Send participants to their first trial; returns an address of the clip for each, and the clip."""
    paths = []
    for _ in range(AT_ONCE):
        connection = await Connection.to(site.address)
        consent = await connection.follow(await connection.get(site.entry()))
        form = site.form_on(consent)
        if form is None:
            raise Broken(f"{consent.path}: no consent form")
        trial = await connection.follow(await connection.post(consent.path, form.body))
        paths.append(f"{trial.path}/clips/1-left.mp4")
        clip = (await connection.get(paths[-1])).body
        await connection.close()
    return paths, clip


def _check(source: _Source, clip: bytes) -> None:
    """A server may be quick with the wrong bytes."""
    with Fetcher(source.address, source.paths[-1], len(clip)) as fetcher:
        for start, stop in ((0, len(clip)), (1, 300_001), (len(clip) - 500_000, len(clip))):
            if bytes(fetcher.fetch(start, stop)) != clip[start:stop]:
                raise Broken(f"{source.name} sends other bytes than the clip's at {start} to {stop - 1}")


def _measure(source: _Source, size: int, seconds: float, seed: int) -> MediaRun:
    began = Usage.of(source.pid)
    until_s = time.perf_counter() + WARM_UP_S + seconds
    fetched = fetch_at_once(source.address, source.paths, size, until_s, seed)
    cores = began.until(Usage.of(source.pid))
    within = [f for f in fetched if until_s - seconds <= f.done_s < until_s]
    if not within:
        raise Broken(f"no clip within {seconds:g} s; give it longer with --seconds")
    reply_ms = [1000 * (f.done_s - f.asked_s) for f in within]
    return MediaRun(
        megabytes_per_s=sum(f.n_bytes for f in within) / MEGABYTE / seconds,
        replies_per_s=len(within) / seconds,
        reply_ms_p50=percentile(reply_ms, 0.50),
        reply_ms_p99=percentile(reply_ms, 0.99),
        server_cores=cores.server,
        client_cores=cores.client,
        other_cores=cores.others,
    )
