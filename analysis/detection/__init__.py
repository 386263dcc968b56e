"""Single stimuli judged one of two things: accuracy, sensitivity and criterion."""
