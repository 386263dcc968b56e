"""Inter-rater agreement: on choices, on uncertainties, and on ratings of any kind."""

from analysis.stats.agreement.ratings import RatingAgreement, agreement_of_ratings
from analysis.stats.agreement.responses import Agreement, ChoiceAgreement, SourceAgreement, agreement
from analysis.stats.agreement.split_half import SplitHalf

__all__ = [
    "Agreement",
    "ChoiceAgreement",
    "RatingAgreement",
    "SourceAgreement",
    "SplitHalf",
    "agreement",
    "agreement_of_ratings",
]
