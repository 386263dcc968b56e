"""What a task builds on: tables of sessions, trials and responses, evidence, flags, and where a session stands.

Tasks, studies and sessions call it; it knows none of them.
"""
