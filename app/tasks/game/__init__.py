"""Games that people and agents play: rules as pure functions, the log of a match, and the agents."""
