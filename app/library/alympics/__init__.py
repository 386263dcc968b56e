"""The released games of Alympics' Water Allocation Challenge [MCX24], in their released folders and tables.

`games` identifies games and their recorded days, `chat` reads the messages of a game, `table` the rows of one with a
row for each player and day, `documents` makes records of both. The importer of `app.reports` calls them.
"""
