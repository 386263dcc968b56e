"""The works that a report cites; docs/references.md has the same, and a test compares them."""

REFERENCES = {
    "ET93": "Efron, B., and Tibshirani, R. J. (1993). An Introduction to the Bootstrap. Chapman & Hall. Chapter 13.",
    "Hol79": "Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of "
    "Statistics 6, 65-70.",
    "Ker14": "Kerby, D. S. (2014). The simple difference formula: an approach to teaching nonparametric correlation. "
    "Comprehensive Psychology 3, 11.IT.3.1.",
    "MW47": "Mann, H. B., and Whitney, D. R. (1947). On a test of whether one of two random variables is "
    "stochastically larger than the other. Annals of Mathematical Statistics 18, 50-60.",
    "MW92": "McGraw, K. O., and Wong, S. P. (1992). A common language effect size statistic. Psychological Bulletin "
    "111, 361-365.",
    "Wil27": "Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of "
    "the American Statistical Association 22, 209-212.",
    "Wil45": "Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1, 80-83.",
}
