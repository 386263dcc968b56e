"""The works that a report cites; docs/references.md has the same, and a test compares them."""

REFERENCES = {
    "ABF23": "Angelopoulos, A. N., Bates, S., Fannjiang, C., Jordan, M. I., and Zrnic, T. (2023). Prediction-"
    "powered inference. Science 382, 669-674.",
    "BT52": "Bradley, R. A., and Terry, M. E. (1952). Rank analysis of incomplete block designs: I. The method "
    "of paired comparisons. Biometrika 39, 324-345.",
    "BY01": "Benjamini, Y., and Yekutieli, D. (2001). The control of the false discovery rate in multiple "
    "testing under dependency. Annals of Statistics 29, 1165-1188.",
    "Bau72": "Bauer, D. F. (1972). Constructing confidence sets using rank statistics. Journal of the American "
    "Statistical Association 67, 687-690.",
    "Bri50": "Brier, G. W. (1950). Verification of forecasts expressed in terms of probability. Monthly Weather "
    "Review 78, 1-3.",
    "CGM11": "Cameron, A. C., Gelbach, J. B., and Miller, D. L. (2011). Robust inference with multiway "
    "clustering. Journal of Business & Economic Statistics 29, 238-249.",
    "CP34": "Clopper, C. J., and Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in"
    " the case of the binomial. Biometrika 26, 404-413.",
    "CRD25": "Calderon, N., Reichart, R., and Dror, R. (2025). The alternative annotator test for LLM-as-a-"
    "judge: how to statistically justify replacing human annotators with LLMs. Proceedings of the 63rd "
    "Annual Meeting of the ACL, 16051-16081.",
    "Coh60": "Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological "
    "Measurement 20, 37-46.",
    "Coh68": "Cohen, J. (1968). Weighted kappa: nominal scale agreement with provision for scaled disagreement or "
    "partial credit. Psychological Bulletin 70, 213-220.",
    "DS79": "Dawid, A. P., and Skene, A. M. (1979). Maximum likelihood estimation of observer error-rates using"
    " the EM algorithm. Applied Statistics 28, 20-28.",
    "DeC98": "DeCarlo, L. T. (1998). Signal detection theory and generalized linear models. Psychological "
    "Methods 3, 186-205.",
    "RL05": "Rouder, J. N., and Lu, J. (2005). An introduction to Bayesian hierarchical models with an "
    "application in the theory of signal detection. Psychonomic Bulletin & Review 12, 573-604.",
    "ET93": "Efron, B., and Tibshirani, R. J. (1993). An Introduction to the Bootstrap. Chapman & Hall. Chapter"
    " 13.",
    "FL14": "Fleming, S. M., and Lau, H. C. (2014). How to measure metacognition. Frontiers in Human "
    "Neuroscience 8, 443.",
    "Fle71": "Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. Psychological Bulletin "
    "76, 378-382.",
    "Gwe08": "Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the presence of high "
    "agreement. British Journal of Mathematical and Statistical Psychology 61, 29-48.",
    "Fri37": "Friedman, M. (1937). The use of ranks to avoid the assumption of normality implicit in the analysis "
    "of variance. Journal of the American Statistical Association 32, 675-701.",
    "Hau95": "Hautus, M. J. (1995). Corrections for extreme proportions and their biasing effects on estimated values "
    "of d'. Behavior Research Methods, Instruments, & Computers 27, 46-51.",
    "HL63": "Hodges, J. L., and Lehmann, E. L. (1963). Estimates of location based on rank tests. Annals of "
    "Mathematical Statistics 34, 598-611.",
    "HWC14": "Hollander, M., Wolfe, D. A., and Chicken, E. (2014). Nonparametric Statistical Methods, 3rd edition. "
    "Wiley. Chapter 3.",
    "Hol79": "Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of "
    "Statistics 6, 65-70.",
    "Kra56": "Kramer, C. Y. (1956). Extension of multiple range tests to group means with unequal numbers of "
    "replications. Biometrics 12, 307-310.",
    "KW52": "Kruskal, W. H., and Wallis, W. A. (1952). Use of ranks in one-criterion variance analysis. Journal"
    " of the American Statistical Association 47, 583-621.",
    "Ken45": "Kendall, M. G. (1945). The treatment of ties in ranking problems. Biometrika 33, 239-251.",
    "Ker14": "Kerby, D. S. (2014). The simple difference formula: an approach to teaching nonparametric "
    "correlation. Comprehensive Psychology 3, 11.IT.3.1.",
    "Kri04": "Krippendorff, K. (2004). Content Analysis: An Introduction to Its Methodology, 2nd edition. Sage. "
    "Chapter 11.",
    "MC05": "Macmillan, N. A., and Creelman, C. D. (2005). Detection Theory: A User's Guide, 2nd edition. Erlbaum.",
    "MW47": "Mann, H. B., and Whitney, D. R. (1947). On a test of whether one of two random variables is "
    "stochastically larger than the other. Annals of Mathematical Statistics 18, 50-60.",
    "MW92": "McGraw, K. O., and Wong, S. P. (1992). A common language effect size statistic. Psychological "
    "Bulletin 111, 361-365.",
    "MW96": "McGraw, K. O., and Wong, S. P. (1996). Forming inferences about some intraclass correlation "
    "coefficients. Psychological Methods 1, 30-46.",
    "McN47": "McNemar, Q. (1947). Note on the sampling error of the difference between correlated proportions or"
    " percentages. Psychometrika 12, 153-157.",
    "NCH15": "Naeini, M. P., Cooper, G. F., and Hauskrecht, M. (2015). Obtaining well calibrated probabilities "
    "using Bayesian binning. AAAI 29.",
    "NTT21": "Devlin, S., Georgescu, R., Momennejad, I., Rzepecki, J., Zuniga, E., Costello, G., Leroy, G., "
    "Shaw, A., and Hofmann, K. (2021). Navigation Turing Test (NTT): Learning to Evaluate Human-Like "
    "Navigation. ICML, section 5.1.",
    "Nel84": "Nelson, T. O. (1984). A comparison of current measures of the accuracy of feeling-of-knowing "
    "predictions. Psychological Bulletin 95, 109-133.",
    "Obu97": "Obuchowski, N. A. (1997). Nonparametric analysis of clustered ROC curve data. Biometrics 53, "
    "567-578.",
    "Owe07": "Owen, A. B. (2007). The pigeonhole bootstrap. Annals of Applied Statistics 1, 386-411.",
    "PS10": "Phipson, B., and Smyth, G. K. (2010). Permutation p-values should never be zero: calculating exact"
    " p-values when permutations are randomly drawn. Statistical Applications in Genetics and Molecular"
    " Biology 9, 39.",
    "RMC09": "Rue, H., Martino, S., and Chopin, N. (2009). Approximate Bayesian inference for latent Gaussian "
    "models by using integrated nested Laplace approximations. Journal of the Royal Statistical Society"
    " B 71, 319-392.",
    "SF97": "Steiger, J. H., and Fouladi, R. T. (1997). Noncentrality interval estimation and the evaluation of"
    " statistical models. In What If There Were No Significance Tests? Erlbaum, 221-257.",
    "SF79": "Shrout, P. E., and Fleiss, J. L. (1979). Intraclass correlations: uses in assessing rater reliability. "
    "Psychological Bulletin 86, 420-428.",
    "Sch10": "Schulz, K. F., Altman, D. G., and Moher, D. (2010). CONSORT 2010 statement: updated guidelines for "
    "reporting parallel group randomised trials. BMJ 340, c332.",
    "Spe04": "Spearman, C. (1904). The proof and measurement of association between two things. American Journal"
    " of Psychology 15, 72-101.",
    "Spe10": "Spearman, C. (1910). Correlation calculated from faulty data. British Journal of Psychology 3, "
    "271-295. Negative correlations are mirrored, as in R's rapidsplithalf.",
    "SSN20": "Simonsohn, U., Simmons, J. P., and Nelson, L. D. (2020). Specification curve analysis. Nature Human "
    "Behaviour 4, 1208-1214.",
    "Wil27": "Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. "
    "Journal of the American Statistical Association 22, 209-212.",
    "Wil45": "Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1, 80-83.",
}
