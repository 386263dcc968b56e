"""Results by a link, for people without a login: one page, read only."""
