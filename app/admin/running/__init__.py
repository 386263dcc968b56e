"""The pages of a study that runs: monitor, sessions, one session, links. Called by the admin's router alone."""
