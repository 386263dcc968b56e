"""How a study is going: progress, the list of sessions, one session. Reads; changes nothing."""
