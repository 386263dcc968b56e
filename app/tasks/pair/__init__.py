"""The task `pair`: two stimuli side by side, one choice."""
