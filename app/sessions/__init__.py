"""One participant's way through a study: its pages, what is planned and stored, its addresses and media."""
