"""The pages of the library: uploads, rules, clues and single stimuli. Called by the admin's router alone."""
