# Boundaries of gsDesign (Keaven Anderson), recorded in data/gsdesign_boundaries.json.
#
#   Rscript make_boundaries.R FOLDER > data/gsdesign_boundaries.json
#
# FOLDER is the source of gsDesign (recorded: 3.11.0.9003, by R 4.2.2). Its C routine is compiled and called as the package's
# gsBound1() calls it for gsDesign(test.type = 1, sfu = sfLDOF or sfLDPocock), with the same grid
# (r = 18); only the tolerance is finer. None of the package's other dependencies is needed.
source_folder <- commandArgs(trailingOnly = TRUE)[1]
build <- tempfile("gsdesign")
dir.create(build)
names_of_c <- c("gsbound1.c", "gsDesign.h", "gridpts.c", "h1.c", "hupdate.c", "stdnorpts.c",
                "probpos.c")
invisible(file.copy(file.path(source_folder, "src", names_of_c), build))
old <- setwd(build)
system2(file.path(R.home("bin"), "R"),
        c("CMD", "SHLIB", "-o", "gsdesign.so", grep("[.]c$", names_of_c, value = TRUE)),
        stdout = FALSE, stderr = FALSE)
dyn.load("gsdesign.so")
setwd(old)

spending <- list(
  obrien_fleming = function(alpha, t) 2 - 2 * pnorm(qnorm(1 - alpha / 2) / sqrt(t)),
  pocock = function(alpha, t) alpha * log(1 + (exp(1) - 1) * t)
)
bounds <- function(information, alpha, name, times = information) {
  spent <- spending[[name]](alpha, times)
  k <- length(information)
  found <- .C("gsbound1", k, 0, as.double(information), rep(-20, k), rep(0, k), rep(0, k),
              as.double(diff(c(0, spent))), 1e-12, 18L, 0L, 0L)
  stopifnot(found[[10]] == 0)
  found[[5]]
}
designs <- list(
  list(information = (1:2) / 2, alpha = 0.025, spending = "obrien_fleming"),
  list(information = (1:3) / 3, alpha = 0.025, spending = "obrien_fleming"),
  list(information = (1:5) / 5, alpha = 0.025, spending = "obrien_fleming"),
  list(information = (2:10) / 10, alpha = 0.05, spending = "obrien_fleming"),
  list(information = c(0.3, 0.55, 1), alpha = 0.005, spending = "obrien_fleming"),
  list(information = (1:2) / 2, alpha = 0.025, spending = "pocock"),
  list(information = (1:4) / 4, alpha = 0.05, spending = "pocock"),
  list(information = (1:12) / 12, alpha = 0.025, spending = "pocock"),
  list(information = c(0.1, 0.15, 0.6, 0.9, 1), alpha = 0.025, spending = "pocock"),
  list(information = (1:26) / 26, alpha = 0.025, spending = "pocock"),
  list(information = c(0.2, 0.3, 0.75), alpha = 0.025, spending = "obrien_fleming",
       times = (1:3) / 4),
  list(information = c(0.1, 0.5, 0.6, 1), alpha = 0.05, spending = "pocock", times = (1:4) / 4)
)
number <- function(x) paste(format(x, digits = 10, trim = TRUE), collapse = ", ")
lines <- vapply(designs, function(one) {
  times <- if (is.null(one$times)) one$information else one$times
  sprintf('{"alpha": %s, "spending": "%s", "information": [%s], "times": [%s], "boundaries": [%s]}',
          number(one$alpha), one$spending, number(one$information), number(times),
          number(bounds(one$information, one$alpha, one$spending, times)))
}, "")
cat("[", paste(lines, collapse = ",\n"), "]\n", sep = "")
