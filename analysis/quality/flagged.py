"""Rules that count the trials with a flag (docs/data.md), of whichever task raised it."""

from analysis.quality.records import SessionRecord
from analysis.quality.rules import Bounds, Cohort, Finder, Parameter, Rule, Values

UNWATCHED_FLAGS = frozenset({"not-watched", "not-fetched", "short-interval", "sped-up"})
_FORGED_FLAGS = frozenset({"not-served", "short-interval", "rt-long", "rt-odd", "odd-telemetry"})


def at_least(default: int) -> Parameter:
    return Parameter(
        "at_least",
        "Trials, at least",
        "How many trials it takes.",
        default,
        "trials",
        minimum=1,
        is_whole=True,
    )


def share(default: float) -> Parameter:
    return Parameter(
        "share",
        "Share of the trials, at least",
        "From 0 to 1, of the session's trials without practice; both bounds have to be reached.",
        default,
        maximum=1,
    )


def counted_flags(*flags: str) -> Finder:
    """Finds sessions with so many trials that have one of these flags."""
    wanted = frozenset(flags)

    def find(session: SessionRecord, bounds: Bounds, _: Cohort) -> Values | None:
        n = sum(bool(answer.flags & wanted) for answer in session.answers)
        return reached(n, len(session.answers), bounds)

    return find


def reached(n: int, of: int, bounds: Bounds) -> Values | None:
    """`n` of `of` trials where both bounds are reached."""
    least, least_share = bounds.get("at_least") or 1, bounds.get("share") or 0
    return {"trials": n, "of": of} if n >= least and n >= least_share * of else None


def _attention(session: SessionRecord, bounds: Bounds, _: Cohort) -> Values | None:
    """Failed checks, trials and questions alike."""
    n = sum("attention-failed" in answer.flags for answer in session.answers) + session.n_failed_attention
    return reached(n, len(session.answers) + session.n_attention, bounds)


def _unwatched(session: SessionRecord, bounds: Bounds, _: Cohort) -> Values | None:
    shown = [answer for answer in session.answers if "unplayable" not in answer.flags]
    watched = sum(not answer.flags & UNWATCHED_FLAGS for answer in shown)
    least = bounds["watched_share"] or 0
    return {"watched": watched, "of": len(shown)} if shown and watched < least * len(shown) else None


def _stalls(session: SessionRecord, bounds: Bounds, _: Cohort) -> Values | None:
    known = [answer.stalls for answer in session.answers if answer.stalls is not None]
    mean = sum(known) / len(known) if known else 0
    return {"stalls_per_trial": round(mean, 2)} if known and mean >= (bounds["per_trial"] or 0) else None


def _hidden(session: SessionRecord, bounds: Bounds, _: Cohort) -> Values | None:
    timed = [a for a in session.answers if a.hidden_ms is not None and a.lasted_ms is not None]
    hidden = sum(a.hidden_ms or 0 for a in timed) / 1000
    total = sum(a.lasted_ms or 0 for a in timed) / 1000
    met = hidden >= (bounds["seconds"] or 0) and hidden >= (bounds["share"] or 0) * total and hidden > 0
    return {"hidden_s": round(hidden, 1), "of_s": round(total, 1)} if met else None


FLAGGED = (
    Rule(
        "attention-failed",
        "Attention checks failed",
        "Gave the wrong answer to so many attention checks: trials, or questions that say what to answer.",
        _attention,
        (at_least(2),),
        of_people=False,
    ),
    Rule(
        "unwatched",
        "Clips not watched",
        "Watched the clips of fewer trials than this share, where the study asks to watch them to the end: not "
        "played or fetched whole, answered sooner than they last, or played faster.",
        _unwatched,
        (
            Parameter(
                "watched_share",
                "Share of trials watched, at least",
                "From 0 to 1; who watched less meets the rule. Trials whose clips would not play do not count.",
                0.8,
                maximum=1,
            ),
        ),
    ),
    Rule(
        "not-fetched",
        "Clips not fetched",
        "Answered so many trials though the server never sent a clip whole, or never sent the page.",
        counted_flags("not-fetched", "not-served"),
        (at_least(2), share(0.1)),
    ),
    Rule(
        "forged",
        "Reports that cannot be true",
        "In so many trials the browser's report contradicts the server's clock or itself: an interval shorter than "
        "the clip, a reaction time longer than the interval, a page that was not sent.",
        counted_flags(*sorted(_FORGED_FLAGS)),
        (at_least(3), share(0.25)),
    ),
    Rule(
        "sped-up",
        "Clips sped up",
        "Played clips of so many trials faster than they are.",
        counted_flags("sped-up"),
        (at_least(2),),
    ),
    Rule(
        "no-telemetry",
        "No report from the browser",
        "The browser reported nothing of so many trials: scripts are off, or a program answered.",
        counted_flags("no-telemetry"),
        (at_least(2), share(0.5)),
    ),
    Rule(
        "not-read",
        "Not read",
        "Rated so many records or texts of which a part was never in view.",
        counted_flags("not-read"),
        (at_least(2), share(0.5)),
    ),
    Rule(
        "stalls",
        "Clips stalled",
        "The clips stood still for lack of data so often, on average over the trials.",
        _stalls,
        (Parameter("per_trial", "Stalls a trial, at least", "The mean over trials.", 3, "stalls"),),
    ),
    Rule(
        "out-of-step",
        "Clips out of step",
        "The two clips were out of step in so many trials.",
        counted_flags("out-of-step"),
        (at_least(2), share(0.5)),
    ),
    Rule(
        "dropped-frames",
        "Frames lost",
        "More than a fifth of a clip's pictures were not shown in so many trials.",
        counted_flags("dropped-frames"),
        (at_least(2), share(0.5)),
    ),
    Rule(
        "slow-frames",
        "Walks drawn slowly",
        "The browser drew fewer than 20 pictures a second in so many walks.",
        counted_flags("slow-frames"),
        (at_least(1), share(0.5)),
    ),
    Rule(
        "hidden",
        "Page hidden",
        "Was away from the page for so long during trials, and for such a share of their time.",
        _hidden,
        (
            Parameter("seconds", "Hidden, at least", "In all trials together.", 30, "seconds"),
            Parameter(
                "share",
                "Share of the time, at least",
                "From 0 to 1, of the time of the trials.",
                0.33,
                maximum=1,
            ),
        ),
    ),
)
