"""The one order of a study's steps: that of its overview, its menu, README, the tour and the help pages."""

from collections.abc import Mapping

# Each step with the page where it is done, which is its entry in the menu and its page of help. A study of blocks has
# *Blocks* where others have *Pairs*; one without clips has *Stimuli*.
ORDER: Mapping[str, str] = {
    "Clips": "clips",
    "Pairs": "pairs",
    "Design": "design",
    "Clues": "clues",
    "Preview": "launch",
    "Pilot": "launch",
    "Launch": "launch",
    "Watch": "monitor",
    "Results": "results",
    "Judges": "judges",
    "Data": "data",
}
