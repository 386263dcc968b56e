"""Players outside of this process: language models that are asked, and programs that fetch their turn over HTTP.

What sits on a seat is an agent like any other; only `opened` knows how it is reached.
"""
