"""Words of simulated visitors: templates of people's reasons, pasted texts, and those that a program writes."""

REASONS = (
    "the {0} one {1} near the {2} and then {3}, which a machine would hardly do",
    "I think the {0} player {1} because they {3} at the {2}",
    "movement on the {0} looks {1}, especially around the {2} where it {3}",
    "less {1} on the {0} side, it {3} before the {2} like somebody who looks around",
)
WORDS = (
    ("left", "right", "first", "second", "other"),
    ("hesitated", "turned smoothly", "stopped for a moment", "jittered", "wandered", "looked purposeful"),
    ("corner", "doorway", "stairs", "wall", "crate", "end of the hall"),
    ("went back", "slowed down", "looked around", "took a wide turn", "bumped into it", "changed its mind"),
)
OWN_WORDS = (
    *(
        "really",
        "kind of",
        "clearly",
        "just",
        "almost",
        "maybe",
        "slightly",
        "pretty",
        "rather",
        "somehow",
        "again",
    ),
    *(
        "quite",
        "a bit",
        "definitely",
        "probably",
        "sort of",
        "basically",
        "suddenly",
        "actually",
        "twice",
        "too",
    ),
)
"""Additions of single participants, so that two seldom write the same."""
PASTED = (
    "The movement in this video appears more natural and fluid, with realistic pauses and adjustments.",
    "This video shows a more human-like behavior because the navigation is less predictable.",
    "The navigation looks more organic, with small corrections that suggest a human player.",
    "The trajectory is smooth and purposeful, which is consistent with human decision-making.",
)
PROGRAM = (
    "The movement in the {0} video {5} human-like, with {1} near the {2} and {3}, whereas the other video {4} a more "
    "uniform pattern of {6}."
)
PROGRAM_WORDS = (
    ("subtle pauses", "small corrections", "natural hesitations", "varied turning speeds"),
    ("corner", "doorway", "staircase", "far wall"),
    ("an adaptive change of direction", "a less predictable trajectory", "a brief exploratory glance"),
    ("shows", "exhibits", "displays", "demonstrates", "presents"),
    ("appears more", "seems more", "looks distinctly", "feels more"),
    ("movement", "motion", "navigation", "turning", "path selection"),
)
