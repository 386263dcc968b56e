"""Play from other labs: choices in a table or in JSON, replayed through our rules as a mapping file describes.

`mapping` is that file, `reading` finds the matches in the data, `playing` replays one, `writing` stores the matches as
`moves.csv` and `seats_played.csv` and reports violations of the rules. `likely-human import game` calls it.
"""
