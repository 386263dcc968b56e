"""The pages of a study's pairs: listed, drawn and edited. Called by the admin's router alone."""
