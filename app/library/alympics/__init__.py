"""The released games of Alympics' Water Allocation Challenge [MCX24], as its folders and tables have them.

`games` has which game is which and what was recorded of its days, `chat` reads the messages of a game, `table` the rows
of one with a row for each player and day, `documents` makes records of both. The importer of `app.reports` calls them.
"""
