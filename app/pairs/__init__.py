"""The editor of a draft's pairs: found, drawn, listed, edited, and summed up. Pages and the API call it; it stands
above `studies`, whose drafts it changes, and knows the task of pairs by its name.
"""
