# Values for tests/analysis/test_paired.py and test_mixed_gold.py, made with R 4.2.2, lme4 1.1-31 and coin 1.4-2 of Debian 12:
#   apt-get install -y r-base-core r-cran-lme4 r-cran-coin r-cran-jsonlite
#   Rscript tests/gold/r/paired.R > tests/gold/r/paired.json
suppressMessages({library(lme4); library(jsonlite)})

signed <- function(d, exact = NULL) {
  two <- suppressWarnings(wilcox.test(d, conf.int = TRUE, exact = exact))
  p <- sapply(c("greater", "less"), function(a) suppressWarnings(wilcox.test(d, alternative = a, exact = exact)$p.value))
  list(d = d, v = unname(two$statistic), p = two$p.value, greater = p[["greater"]], less = p[["less"]],
       estimate = unname(two$estimate), interval = as.numeric(two$conf.int))
}
# ?wilcox.test: Hamilton depression scale factor, Hollander & Wolfe (1973), p. 29f.
x <- c(1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30)
y <- c(0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29)
set.seed(1); smooth <- round(rnorm(30, 0.3, 1), 4)
set.seed(2); zeros <- (rbinom(40, 6, 0.8) - rbinom(40, 6, 0.7)) / 6
# All signs of few tied differences, by coin.
few <- c(1, 1, 2, -1, 3, 2, 0, 2) / 6
coin_few <- coin::pvalue(coin::wilcoxsign_test(few ~ rep(0, 8), distribution = "exact", zero.method = "Wilcoxon"))

# ?friedman.test: rounding times, Hollander & Wolfe (1973), p. 140ff.
rounding <- matrix(c(5.40, 5.50, 5.55, 5.85, 5.70, 5.75, 5.20, 5.60, 5.50, 5.55, 5.50, 5.40, 5.90, 5.85, 5.70, 5.45, 5.55,
  5.60, 5.40, 5.40, 5.35, 5.45, 5.50, 5.35, 5.25, 5.15, 5.00, 5.85, 5.80, 5.70, 5.25, 5.20, 5.10, 5.65, 5.55, 5.45, 5.60,
  5.35, 5.45, 5.05, 5.00, 4.95, 5.50, 5.50, 5.40, 5.45, 5.55, 5.50, 5.55, 5.55, 5.35, 5.45, 5.50, 5.55, 5.50, 5.45, 5.25,
  5.65, 5.60, 5.40, 5.70, 5.65, 5.55, 6.30, 6.30, 6.25), ncol = 3, byrow = TRUE)
q <- friedman.test(rounding)

# 40 people, each 12 pairs in each of two studies; and 12 people, 6 pairs, where nobody and no pair differs.
answers <- function(seed, n, m, sds, by) {
  set.seed(seed)
  f <- expand.grid(pair = seq_len(m), person = seq_len(n), study = 0:1)
  odds <- 0.4 + by * f$study + rnorm(n, 0, sds[1])[f$person] + rnorm(m, 0, sds[2])[f$pair]
  f$right <- rbinom(nrow(f), 1, plogis(odds))
  f
}
fitted_by <- function(f) {
  f$own <- factor(paste(f$person, f$study))
  fit <- suppressMessages(glmer(right ~ study + (1 | person) + (1 | pair), f, family = binomial))
  apart <- suppressMessages(glmer(right ~ study + (1 | own) + (1 | pair), f, family = binomial))
  s <- coef(summary(fit))
  list(right = f$right, n = max(f$person), m = max(f$pair), estimate = s[, 1], se = s[, 2], p = s[2, 4],
       sds = as.numeric(sqrt(unlist(VarCorr(fit)))), singular = isSingular(fit), se_apart = coef(summary(apart))[2, 2])
}
cat(toJSON(list(
  versions = list(R = R.version.string, lme4 = as.character(packageVersion("lme4"))),
  depression = signed(x - y), depression_first = x, depression_second = y, smooth = signed(smooth), zeros = signed(zeros),
  few = list(d = few, p = as.numeric(coin_few)),
  rounding = list(times = rounding, q = unname(q$statistic), df = unname(q$parameter), p = q$p.value),
  crossed = fitted_by(answers(3, 40, 12, c(1, 0.7), -0.6)), boundary = fitted_by(answers(4, 12, 6, c(0, 0), 0))
), digits = 12, auto_unbox = TRUE))
