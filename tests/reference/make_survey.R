# Values and standard errors of R's package survey for 200 random sampling designs, written to
# data/survey_designs.csv. The rows come from a generator that tests/survey_rows.py repeats, so
# that only the answers are kept. Run from this folder: Rscript make_survey.R
suppressMessages(library(survey))

uniform <- function(seed, count) {          # Park and Miller 1988: exact in doubles
  x <- seed
  out <- numeric(count)
  for (i in seq_len(count)) {
    x <- (16807 * x) %% 2147483647
    out[i] <- x / 2147483647
  }
  out
}

rows <- function(d) {
  n <- 60 + d %% 40
  u <- matrix(uniform(1009 * d + 7919, 6 * n + 20)[-(1:20)], ncol = 6, byrow = TRUE)
  y <- as.integer(u[, 1] < 0.4)
  s <- 0.35 * y + 0.65 * u[, 2]
  p <- as.integer(s >= 0.5)
  h <- floor(u[, 3] * 4)
  f <- data.frame(y = y, s = s, p = p, h = h, k = h * 10 + floor(u[, 4] * 6),
                  w = 1 + floor(u[, 5] * 9) + 3 * p, g = ifelse(u[, 6] < 0.5, "a", "b"))
  f$total <- as.numeric(table(factor(h, 0:3))[h + 1]) * (1 + 3 * h) + 2
  f
}

design <- function(f, kind) switch(kind + 1,
  svydesign(ids = ~1, weights = ~w, data = f),
  svydesign(ids = ~1, strata = ~h, fpc = ~total, data = f),
  svydesign(ids = ~1, strata = ~h, weights = ~w, data = f),
  svydesign(ids = ~k, weights = ~w, data = f),
  svydesign(ids = ~k, strata = ~h, weights = ~w, data = f, nest = TRUE))

ratios <- list(
  accuracy = c("hit", "one"), recall = c("tp", "y"), specificity = c("tn", "neg"),
  precision = c("tp", "p"), npv = c("tn", "pneg"), prevalence = c("y", "one"),
  f1 = c("tp2", "yp"), brier = c("loss", "one"))

answers <- function(d) {
  f <- rows(d)
  f <- transform(f, one = 1, neg = 1 - y, pneg = 1 - p, hit = as.integer(y == p), tp = y * p,
                 fn = y * (1 - p), fp = (1 - y) * p, tn = (1 - y) * (1 - p), tp2 = 2 * y * p,
                 yp = y + p, loss = (s - y)^2)
  whole <- design(f, d %% 5)
  out <- character()
  for (part in c("", "a")) {
    own <- if (part == "") whole else subset(whole, g == "a")
    for (name in names(ratios)) {
      r <- ratios[[name]]
      got <- svyratio(as.formula(paste0("~", r[1])), as.formula(paste0("~", r[2])), own)
      out <- c(out, sprintf("%d,%s,%s,%.17g,%.17g", d, name, part, coef(got)[[1]], SE(got)[[1]]))
    }
    totals <- svytotal(~tp + fn + fp + tn, own)
    got <- svycontrast(totals, quote((tp / (tp + fn) + tn / (tn + fp)) / 2))
    out <- c(out, sprintf("%d,balanced_accuracy,%s,%.17g,%.17g", d, part, coef(got)[[1]], SE(got)[[1]]))
  }
  out
}

lines <- unlist(lapply(0:199, answers))
writeLines(c("design,metric,domain,value,standard_error", lines), "data/survey_designs.csv")
cat(R.version.string, "survey", as.character(packageVersion("survey")), "\n")
