# Values for tests/analysis/test_rater_pairs.py, made with R 4.2.2 and psych 2.2.9 of Debian 12:
#   apt-get install -y r-base-core r-cran-psych r-cran-jsonlite
#   Rscript tests/gold/r/ratings.R > tests/gold/r/ratings.json
suppressMessages({library(psych); library(jsonlite)})
set.seed(11)
n <- 60
true <- sample(1:5, n, replace = TRUE, prob = c(2, 3, 4, 3, 1))
rate <- function(sd) { r <- pmin(5, pmax(1, round(true + rnorm(n, 0, sd)))); r[runif(n) < 0.2] <- NA; r }
raters <- cbind(a = rate(0.6), b = rate(0.9), c = rate(1.4))
w <- abs(outer(1:5, 1:5, "-"))
of_two <- function(x, y) {
  both <- !is.na(x) & !is.na(y)
  pair <- cbind(factor(x[both], 1:5), factor(y[both], 1:5))
  linear <- suppressWarnings(cohen.kappa(pair, w = w, levels = 1:5))
  square <- suppressWarnings(cohen.kappa(pair, levels = 1:5))
  list(n = sum(both), kappa = square$kappa, linear = linear$weighted.kappa, quadratic = square$weighted.kappa)
}
# One-way analysis of variance of items with one to three ratings.
long <- data.frame(item = rep(seq_len(n), 3), score = as.vector(raters))
long <- long[!is.na(long$score), ]
squares <- summary(aov(score ~ factor(item), long))[[1]][["Mean Sq"]]
k <- table(long$item)
k0 <- (sum(k) - sum(k^2) / sum(k)) / (length(k) - 1)
# Shrout & Fleiss (1979), Table 2: ICC(1,1) is 0.17.
sf <- matrix(c(9, 2, 5, 8, 6, 1, 3, 2, 8, 4, 6, 8, 7, 1, 2, 6, 10, 5, 6, 9, 6, 2, 4, 7), ncol = 4, byrow = TRUE)
cat(toJSON(list(
  versions = list(R = R.version.string, psych = as.character(packageVersion("psych"))),
  raters = as.data.frame(raters), ab = of_two(raters[, 1], raters[, 2]), ac = of_two(raters[, 1], raters[, 3]),
  bc = of_two(raters[, 2], raters[, 3]),
  oneway = list(between = squares[1], within = squares[2], icc = (squares[1] - squares[2]) / (squares[1] + (k0 - 1) * squares[2])),
  shrout_fleiss = list(table = sf, icc = ICC(sf, lmer = FALSE)$results[1, "ICC"])
), digits = 12, auto_unbox = TRUE, dataframe = "columns"))
