# Values for tests/analysis/test_detection.py, made with R 4.2.2 and lme4 1.1-31 of Debian 12:
#   apt-get install -y r-base-core r-cran-lme4 r-cran-jsonlite
#   Rscript tests/gold/r/detection.R > tests/gold/r/detection.json
# Signal detection as a probit regression (DeCarlo 1998): the slope on a truth of +-1/2 is d', minus the intercept is c.
suppressMessages({library(lme4); library(jsonlite)})
counts <- data.frame(hits = c(20, 25, 0, 13, 7, 25), n_signal = c(25, 25, 25, 20, 9, 25),
                     false_alarms = c(10, 0, 0, 13, 2, 25), n_noise = c(25, 30, 25, 20, 31, 25))
one <- function(h, n, f, m) {
  answers <- rbind(c(h + 0.5, n - h + 0.5), c(f + 0.5, m - f + 0.5))
  fit <- suppressWarnings(glm(answers ~ c(0.5, -0.5), family = binomial(probit), control = list(epsilon = 1e-14)))
  unname(c(coef(fit)[2], -coef(fit)[1]))
}
found <- mapply(one, counts$hits, counts$n_signal, counts$false_alarms, counts$n_noise)
# 30 people and 40 stimuli, half of them real, as a logistic mixed model.
set.seed(5)
f <- expand.grid(stimulus = 1:40, person = 1:30)
f$real <- f$stimulus %% 2
f$said <- rbinom(nrow(f), 1, plogis(-0.6 + 1.2 * f$real + rnorm(30, 0, 0.7)[f$person] + rnorm(40, 0, 0.5)[f$stimulus]))
fit <- glmer(said ~ real + (1 | person) + (1 | stimulus), f, family = binomial)
s <- coef(summary(fit))
cat(toJSON(list(
  versions = list(R = R.version.string, lme4 = as.character(packageVersion("lme4"))),
  counts = counts, d_prime = found[1, ], criterion = found[2, ],
  mixed = list(said = f$said, estimate = unname(s[, 1]), se = unname(s[, 2]))
), digits = 12, auto_unbox = TRUE, dataframe = "columns"))
