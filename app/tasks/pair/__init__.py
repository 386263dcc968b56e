"""The task `pair`: two clips side by side, one choice."""
