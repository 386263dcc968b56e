"""What a page says after a form was taken, by the code that the redirect carries in `?said=`."""

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
    "opened": "The study takes participants now.",
    "piloting": "The pilot is open: whoever comes in now is kept apart from the live data for ever.",
    "paused": "Paused: nobody new comes in, sessions under way go on.",
    "closed": "Closed: no more answers are taken.",
    "drafted": "Back to draft: nobody comes in.",
    "restored": "That version is the design now, as unsaved changes. Save it to make it count.",
    "replaced": "The file's design is here now, as unsaved changes. Save it to make it count.",
    "dropped": "The unsaved changes are given up; the audit log keeps them.",
    "cleared": "All pairs are removed; the audit log keeps them.",
    "pairs-listed": "The drawn pairs are a list now: the same pairs, to be edited one by one.",
    "added": "The pair is added.",
    "unchanged": "Nothing had changed, so there is nothing to save.",
}


def notice(said: str) -> str:
    return NOTICES.get(said, "")
