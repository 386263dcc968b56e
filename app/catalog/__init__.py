"""The library for experimenters: the stimuli they may see, the studies that use them, and the permitted changes."""
