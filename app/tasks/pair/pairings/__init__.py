"""Ways to pair records of play: which two may be shown together. A new one is a file here, and a line in `registry`."""
