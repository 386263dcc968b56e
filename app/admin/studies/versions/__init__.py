"""The pages of a study's versions, and what differs between two. Called by the admin's router alone."""
