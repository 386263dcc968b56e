"""The base of tasks: tables of sessions, trials and responses, evidence, flags, and a session's state.

Tasks, studies and sessions import it; it imports none of them.
"""
