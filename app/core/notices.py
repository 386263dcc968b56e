"""Messages shown after a form was accepted, by the redirect's `?said=` code."""

NOTICES = {
    "saved": "Saved.",
    "created": "Created.",
    "deleted": "Deleted.",
    "shared": "Shared.",
    "unshared": "No longer shared.",
    "password": "Your password is changed; everywhere else you are logged out.",
    "revoked": "Revoked.",
    "elsewhere": "Logged out everywhere else.",
    "disabled": "Switched off: logged out everywhere, their API tokens revoked.",
    "enabled": "Switched on again; they log in with the password that they had.",
    "started": "Started. It goes on in the background; you can leave this page.",
    "cancelled": "Cancelled.",
    "excluded": "Excluded from the analysis. Nothing was deleted; you can take it back.",
    "included": "Counted again.",
    "noted": "Note saved.",
    "stopped": "The match is ended. Its players are told, and keep what they have earned.",
    "offered": "The match's records are items of this study's newest version now.",
    "opened": "The study takes participants now.",
    "piloting": "The pilot is open: whoever comes in now is kept apart from the live data for ever.",
    "paused": "Paused: nobody new comes in, sessions under way go on.",
    "closed": "Closed: nobody comes in. What those see who were under way, you can still change.",
    "results-open": "The results are open to you now; the audit log says so.",
    "drafted": "Back to draft: nobody comes in.",
    "restored": "That version is the design now, as unsaved changes. Save it to make it count.",
    "replaced": "The file's design is here now, as unsaved changes. Save it to make it count.",
    "dropped": "The unsaved changes are given up; the audit log keeps them.",
    "cleared": "All pairs are removed; the audit log keeps them.",
    "pairs-listed": "The drawn pairs are a list now: the same pairs, to be edited one by one.",
    "drawn": "Drawn from the clips as they are now. These pairs stay, whatever clips come, until you draw again.",
    "archived": "Archived: out of the list, and closed to participants. Nothing was deleted; it can be brought back.",
    "unarchived": "The study is back in the list, in the state that it had.",
    "study-deleted": "The study is deleted, with all that belonged to it. The clips are still in the library.",
    "truth": "The true source is set; the next version that you save has it.",
    "truth-version": "The true source is set, in the newest version too: nobody has answered it yet.",
    "truth-kept": "The true source is set for the next version. Answers given before keep the truth they were given "
    "with: save the design as the next version, and analyse the versions apart.",
    "added": "The pair is added.",
    "unchanged": "Nothing had changed, so there is nothing to save.",
}


def notice(said: str) -> str:
    return NOTICES.get(said, "")
