"""Users, their logins, API tokens, the audit log and the throttle."""
