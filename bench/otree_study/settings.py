# mypy: ignore-errors
"""oTree's own settings, as `otree startproject` makes them, with the two studies that are measured."""

SESSION_CONFIGS = [
    {"name": "survey", "app_sequence": ["survey"], "num_demo_participants": 1},
    {"name": "ultimatum", "app_sequence": ["ultimatum"], "num_demo_participants": 5},
]
SESSION_CONFIG_DEFAULTS = {"real_world_currency_per_point": 1.00, "participation_fee": 0.00, "doc": ""}
PARTICIPANT_FIELDS = []
SESSION_FIELDS = []
LANGUAGE_CODE = "en"
REAL_WORLD_CURRENCY_CODE = "USD"
USE_POINTS = True
ADMIN_USERNAME = "admin"
ADMIN_PASSWORD = None
DEMO_PAGE_INTRO_HTML = ""
SECRET_KEY = "for the benchmark alone"
