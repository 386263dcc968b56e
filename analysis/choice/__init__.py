"""Two-alternative choices: accuracy, certainty, preference, bias, labels; one study, and several."""
