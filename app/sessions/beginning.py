"""The start of a session: the consent answer, with the trials planned in the same transaction."""

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlmodel import Session

from app.core.errors import Closed, InvalidAnswer, NotFound
from app.core.language import gettext as _
from app.sessions import beginning_queries
from app.sessions.coming import Came
from app.sessions.devices import Device, is_unsuited, measured, tried_of
from app.sessions.entering import claim, day_of
from app.sessions.here import StudyWhere
from app.sessions.identity import keep, store_identity
from app.sessions.links import BadLink
from app.sessions.planning import Full, plan_trials
from app.sessions.slots import ENDED, arms_for, run_in
from app.sessions.where import hold, locate
from app.trials.answers import Answers, store
from app.trials.tables import Mode, Status


@dataclass(frozen=True, slots=True)
class Declined:
    """A visitor who does not take part, and why. Their session can no longer be found.

    `sends_id`: the way back takes the id along, which then only the address of their page holds. Of who is screened out
    `participant` is the id, as far as it was kept; `is_known` says that its hash is; `language` is that of their pages.
    """

    slug: str
    status: Status
    sends_id: bool = False
    participant: str = ""
    is_known: bool = False
    language: str = ""


def answer_consent(
    session: Session,
    where: StudyWhere,
    form: Mapping[str, str],
    now: datetime,
    rng: random.Random,
    came: Came | None,
) -> Declined | None:
    """Take part or not; `came` is who has come, which is stored with consent alone."""
    # Until consent nothing of a visitor is in the database, so the page's time comes signed with the form.
    shown = where._replace(shown_at=came.at if came else None)
    came = came or Came(where.design.study, now)
    # The signature says who came, and is as valid on a form of any other study.
    if came.slug != where.design.study:
        raise BadLink(_("This address is of another study. Please open the link that you were given."))
    consent = where.design.consent
    decision, of_age = form.get("decision", ""), form.get("of_age", "")
    errors = {}
    if decision not in ("agree", "refuse"):
        errors["decision"] = _("Please say whether you want to take part.")
    if decision == "agree" and consent.minimum_age and of_age not in ("yes", "no"):
        errors["of_age"] = _("Please say whether you are {minimum_age} or older.").format(
            minimum_age=consent.minimum_age
        )
    if errors:
        raise InvalidAnswer(errors)
    under_age = bool(consent.minimum_age) and of_age == "no"
    measures, rules = form.get("device", ""), where.design.devices
    # Before the decision: whoever was told that the device does not fit has no other way to leave than to decline.
    if not under_age and is_unsuited(rules, Device(), tried_of(measures)) and not where.is_shut_out(now):
        return _decline(session, where, Status.UNSUITED, now)
    if decision == "refuse" or under_age:
        return _decline(session, where, Status.REFUSED if decision == "refuse" else Status.UNDER_AGE, now)
    if where.is_shut_out(now):
        raise Closed(_(ENDED))
    # Here and not on opening the link: a mail scanner that opens it would lock its owner out (decision 0010).
    who, recruitment = came.person, where.design.recruitment
    if who is not None and where.mode in (Mode.LIVE, Mode.PILOT):
        design, mode = where.design, Mode(where.mode)
        claim(session, came.slug, who, mode, design, now, is_signed=came.is_signed)
    store(session, shown, form, now, Answers(extra={"decision": "agree", "consent": consent.version}))
    kept = keep(recruitment, who, came.recruiter, rng)
    begun: dict[str, Any] = {
        "session_id": where.session_id,
        "status": Status.ACTIVE,
        "participant": kept.participant,
        "is_signed": came.is_signed,
        "recruiter": dict(kept.recruiter),
        "arrived_at": came.at,
        "consented_at": now,
        "step": where.step + 1,
        "language": where.design.language,
        "consent_sha256": hash_of(consent.text),
        "device": measured(measures) | _device_named(form) if rules.kept else None,
        **_planned(session, where, now, rng),
    }
    beginning_queries.BEGIN.run(session, begun)
    store_identity(session, where.session_id, kept)
    return None


def _device_named(form: Mapping[str, str]) -> dict[str, Any]:
    """The kind of device and the browser's name, as the request's headers told them."""
    return {key: value for key in ("kind", "browser") if (value := form.get(f"device_{key}", ""))}


def hash_of(consent: str) -> str:
    """The hash of a consent text as somebody read it, in their language."""
    return hashlib.sha256(consent.encode()).hexdigest()


def _planned(session: Session, where: StudyWhere, now: datetime, rng: random.Random) -> Mapping[str, Any]:
    """The arm and the trials of a session that begins. Raises Full where no arm has room for it, Closed."""
    full: Full | None = None
    for arm in arms_for(session, where, now, rng):
        try:
            run = run_in(session, where, arm)
            return plan_trials(session, where.version_id, where.mode, arm, where.session_id, run, rng, now)
        # Nothing was stored: another arm may have items that still need answers.
        except Full as error:
            full = error
    assert full is not None
    raise full


def begin_at_block(session: Session, token: str, block_id: str, now: datetime, rng: random.Random) -> None:
    """Take a preview that has just come in straight to one block, the only one that it has. Raises NotFound."""
    where = locate(session, token)
    if where.mode != Mode.PREVIEW or block_id not in [block.id for block in where.run.blocks]:
        raise NotFound(
            f"The newest version has no block {block_id[:40]!r}: save the design as a version first."
        )
    in_arms = ((each, run_in(session, where, each)) for each in where.design.arm_ids)
    arm, run = next((each, run) for each, run in in_arms if block_id in [block.id for block in run.blocks])
    alone = replace(
        run, design=run.design.model_copy(update={"block_order": "fixed"}), blocks=(run.block(block_id),)
    )
    planned = plan_trials(session, where.version_id, where.mode, arm, where.session_id, alone, rng, now)
    blocks = [[block_id, alone.blocks[0].n]] if planned["blocks"] is None else planned["blocks"]
    names = [key.kind for key in run.pages_for(blocks).keys]
    begun: dict[str, Any] = {
        **planned,
        "session_id": where.session_id,
        "status": Status.ACTIVE,
        "participant": f"p-{rng.getrandbits(48):012x}",
        "is_signed": False,
        "recruiter": {},
        "arrived_at": now,
        "consented_at": now,
        "blocks": blocks,
        "step": names.index("trial"),
        "language": where.design.language,
        "consent_sha256": None,
        "device": None,
    }
    beginning_queries.BEGIN.run(session, begun)


def note_turned_away(session: Session, token: str, now: datetime, status: Status) -> None:
    """Record that someone consented and found no place, or took part before: only a count is kept, and the visit cannot
    be resumed.
    """
    hold(session, token)
    where = locate(session, token)
    if where.status == Status.ARRIVED and where.mode != Mode.PREVIEW:
        _decline(session, where, status, now)


def _decline(session: Session, where: StudyWhere, status: Status, now: datetime) -> Declined | None:
    """Keep only the decision and its date: no response, id, time of day or token.

    A preview keeps its token, so that the experimenter can return to the study.
    """
    left = {"session_id": where.session_id, "status": status, "on": day_of(now)}
    session.connection().execute(beginning_queries.DECLINE, left)
    if where.mode == Mode.PREVIEW:
        return None
    session.connection().execute(beginning_queries.FORGET_TOKENS, {"session_id": where.session_id})
    return Declined(where.design.study, status, where.design.completion.sends_id)
