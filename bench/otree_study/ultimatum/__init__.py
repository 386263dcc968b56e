# mypy: ignore-errors
# ruff: noqa: RUF012
"""The Social Ultimatum Game of five with oTree's wait pages: all offer at once, then all answer, round after round."""

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, Page, WaitPage, models, widgets

doc = "Each round every player offers part of 10 points to one other; then everybody answers each offer received."


class C(BaseConstants):
    NAME_IN_URL = "ultimatum"
    PLAYERS_PER_GROUP = 5
    NUM_ROUNDS = 40
    ENDOWMENT = 10


class Subsession(BaseSubsession):
    pass


class Group(BaseGroup):
    pass


def answer_field():
    return models.StringField(
        blank=True, choices=[["accept", "Accept"], ["reject", "Reject"]], widget=widgets.RadioSelect
    )


class Player(BasePlayer):
    to = models.IntegerField(label="To whom?", min=1, max=5)
    amount = models.IntegerField(label="How much?", min=0, max=C.ENDOWMENT)
    offer_1 = answer_field()
    offer_2 = answer_field()
    offer_3 = answer_field()
    offer_4 = answer_field()
    offer_5 = answer_field()


def offers_to(player):
    return [other for other in player.get_others_in_group() if other.to == player.id_in_group]


class Offer(Page):
    form_model = "player"
    form_fields = ["to", "amount"]
    timeout_seconds = 90


class AllOffered(WaitPage):
    pass


class Answer(Page):
    form_model = "player"
    timeout_seconds = 90

    @staticmethod
    def is_displayed(player):
        return bool(offers_to(player))

    @staticmethod
    def get_form_fields(player):
        return [f"offer_{other.id_in_group}" for other in offers_to(player)]

    @staticmethod
    def vars_for_template(player):
        return {"offers": offers_to(player)}


def pay(group):
    """Divide an accepted offer as offered; a rejected one pays nobody."""
    for player in group.get_players():
        for other in offers_to(player):
            if player.field_maybe_none(f"offer_{other.id_in_group}") == "accept":
                player.payoff += other.amount
                other.payoff += C.ENDOWMENT - other.amount


class AllAnswered(WaitPage):
    after_all_players_arrive = pay


page_sequence = [Offer, AllOffered, Answer, AllAnswered]
