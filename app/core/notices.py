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
    "started": "Started. It runs in the background; you can leave this page.",
    "cancelled": "Cancelled.",
    "codes": "Codes for the ways out are in the design now. Save it as a version to use them.",
    "excluded": "Excluded from the analysis. Nothing was deleted; you can undo this.",
    "included": "Counted again.",
    "noted": "Note saved.",
    "stopped": "The match is ended. Its players are notified and keep their earnings.",
    "offered": "The match's records are now items of this study's newest version.",
    "opened": "The study takes participants now.",
    "registered": "The registration is kept.",
    "piloting": "The pilot is open: its data are kept apart from the live data for ever.",
    "paused": "Paused: no new participants; sessions under way continue.",
    "closed": "Closed: no participants can enter. You can still change the message for sessions under way.",
    "results-open": "The results are now open to you; the audit log records it.",
    "drafted": "Back to draft: no participants can enter.",
    "restored": "That version is now the design, as unsaved changes. Save it as a version to use it.",
    "replaced": "The file is now the design, as unsaved changes. Save it as a version to use it.",
    "dropped": "The unsaved changes are discarded; the audit log keeps them.",
    "cleared": "All pairs are removed; the audit log keeps them.",
    "pairs-listed": "The drawn pairs are now a list of the same pairs, which you can edit.",
    "drawn": "Drawn from the current clips. These pairs stay the same until you draw again, even if clips are added.",
    "archived": "Archived: hidden from the list and closed to participants. Nothing was deleted; it can be restored.",
    "unarchived": "The study is restored to the list, in its former state.",
    "study-deleted": "The study is deleted, with all its data. The clips are still in the library.",
    "truth": "The true source is set; it applies to the next version that you save.",
    "truth-version": "The true source is set, in the newest version too: nobody has answered it yet.",
    "truth-kept": "The true source is set for the next version. Answers given before keep the truth they were given "
    "with: save the design as the next version, and analyse the versions apart.",
    "added": "The pair is added.",
    "unchanged": "Nothing had changed, so there is nothing to save.",
}


def notice(said: str) -> str:
    return NOTICES.get(said, "")
