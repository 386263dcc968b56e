# mypy: ignore-errors
# ruff: noqa: RUF012
"""Ten pages of the trial's shape: two clips and three questions, one answer stored from each."""

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, Page, models, widgets

doc = "Which video is more likely to be human?"


class C(BaseConstants):
    NAME_IN_URL = "survey"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 10


class Subsession(BaseSubsession):
    pass


class Group(BaseGroup):
    pass


class Player(BasePlayer):
    choice = models.StringField(
        label="Which video is more likely to be human?",
        choices=[["left", "Left video"], ["right", "Right video"]],
        widget=widgets.RadioSelect,
    )
    rationale = models.LongStringField(label="Why do you think this is the case?")
    uncertainty = models.IntegerField(
        label="How certain are you of your choice?",
        choices=[
            [1, "extremely certain"],
            [2, "somewhat certain"],
            [3, "neutral"],
            [4, "somewhat uncertain"],
            [5, "extremely uncertain"],
        ],
        widget=widgets.RadioSelectHorizontal,
    )
    rt_ms = models.IntegerField(blank=True)
    playback = models.LongStringField(blank=True)


class Trial(Page):
    form_model = "player"
    form_fields = ["choice", "rationale", "uncertainty", "rt_ms", "playback"]


page_sequence = [Trial]
