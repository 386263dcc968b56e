"""Play of other labs: choices in a table or in JSON, replayed through our rules by what a mapping file says of them.

`mapping` is that file, `reading` finds the matches in theirs, `playing` plays one again, `writing` keeps the matches as
`moves.csv` and `seats_played.csv` and says what breaks the rules. `likely-human import game` calls it.
"""
