"""An answered trial of a pair on experimenters' pages: the choice, and how each clip was watched."""

from dataclasses import replace

from app.questions.sides import TIE, Side
from app.tasks.pair.design import Member, PairPlan, chosen_by, member_at
from app.trials.answered import AnsweredTrial, TrialView


def view_of(trial: AnsweredTrial) -> TrialView:
    response, truth = trial.response, trial.unit.truth
    left = PairPlan.of(trial.trial.plan).left
    answer = chosen_by(response.side, left) if response.side else None
    chosen = None if answer == TIE else answer
    first = next((trial.evidence[member] for member in Member if member in trial.evidence), None)
    fetched = {Member.A: response.fetched_a, Member.B: response.fetched_b}
    seen = {side: member_at(side, left) for side in Side}
    return replace(
        trial.view(),
        chosen=trial.stimuli[chosen][1].name if chosen else "",
        chosen_side=(response.side or "") if trial.sides_known or answer == TIE else "",
        correct=chosen == truth if chosen and truth else None,
        clips=[
            trial.watched(
                member,
                side=side if trial.sides_known else None,
                fetched=fetched[member],
                is_chosen=response.side == side,
            )
            for side, member in seen.items()
        ],
        hidden_ms=first.hidden_ms if first else 0,
        page_loads=first.page_loads if first else 0,
        drift_ms_max=first.drift_ms_max if first else None,
        layout=response.layout or "",
        sides_known=trial.sides_known,
    )
