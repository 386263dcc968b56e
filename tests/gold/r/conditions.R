# Right answers of people who saw pairs of three conditions (four did not see the third): the condition as a fixed effect.
# Rscript conditions.R > conditions.json, with r-base-core, r-cran-lme4 and r-cran-jsonlite of Debian 12. conditions.csv was drawn once
# from log odds 0.4, 1.5 and -0.2, SD of people 0.7, of pairs 0.6.
suppressMessages({library(lme4); library(jsonlite)})
d <- read.csv("conditions.csv")
d$condition <- factor(d$condition, levels = c("human-hybrid", "human-symbolic", "hybrid-symbolic"))
m <- glmer(right ~ condition + (1 | participant) + (1 | pair), data = d, family = binomial)
s <- coef(summary(m))
sds <- as.data.frame(VarCorr(m))[, "sdcor"]
cat(toJSON(list(estimate = s[, 1], se = s[, 2], p = s[, 4], sds = sds, n = nobs(m),
  version = paste(R.version.string, "lme4", packageVersion("lme4"))), digits = 8, auto_unbox = TRUE, pretty = TRUE), "\n")
