"""The process that `trainable` asks: networks and leaks as JSON on standard output."""

import json
import sys
from dataclasses import asdict
from importlib.util import find_spec

from analysis.learning.catalogue import NETWORKS
from analysis.learning.fitting import MISSING
from analysis.learning.leaks import LEAKS
from app.judges.trainable import NetworkHere

if __name__ == "__main__":
    networks = [
        NetworkHere(each.name, each.title, each.origin, each.settings.sees, each.settings.epochs)
        for each in NETWORKS.values()
        if not each.on_features  # a file that is run is named at the command line alone
    ]
    missing = "" if find_spec("jax") and find_spec("optax") else MISSING
    json.dump(
        {"networks": [asdict(each) for each in networks], "leaks": LEAKS, "missing": missing}, sys.stdout
    )
