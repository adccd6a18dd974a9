# What R says of rankings.csv, choices.csv and pairs.csv, kept in reference.json.
#
#     apt-get install r-base-core r-cran-survival r-cran-jsonlite
#     Rscript tests/oracle/strengths/strengths.R

suppressMessages({library(survival); library(jsonlite)})
file <- sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))
here <- function(name) file.path(dirname(file), name)
centred <- function(values) { all <- c(0, values); as.numeric(all - mean(all)) }
k <- 6

# Plackett and Luce's model is Cox's with one stratum for each ranking: the best fails first.
ranked <- read.csv(here("rankings.csv"))
ranked$system <- factor(ranked$system)
cox <- coxph(Surv(rank) ~ system + strata(page), data = ranked, ties = "exact")

# Best of all that are shown, then worst of the rest, with the signs turned round.
choices <- read.csv(here("choices.csv"), stringsAsFactors = FALSE)
choices$choice[is.na(choices$choice)] <- ""
x <- outer(choices$system, 1:(k - 1), "==") * 1
best <- data.frame(x, chosen = choices$choice == "best", set = paste("best", choices$page))
left <- choices$choice != "best"
worst <- data.frame(-x[left, ], chosen = choices$choice[left] == "worst",
                    set = paste("worst", choices$page[left]))
names(best) <- names(worst) <- c(paste0("x", 1:(k - 1)), "chosen", "set")
logit <- clogit(chosen ~ x1 + x2 + x3 + x4 + x5 + strata(set), data = rbind(best, worst))

# Davidson's model as a log-linear one: counts of each outcome of each pair, Poisson.
pairs <- read.csv(here("pairs.csv"), stringsAsFactors = FALSE)
low <- pmin(pairs$a, pairs$b); high <- pmax(pairs$a, pairs$b)
won <- ifelse(pairs$outcome == "tie", "tie",
              ifelse((pairs$outcome == "a") == (pairs$a == low), "low", "high"))
davidson <- function(kinds) {
  cells <- expand.grid(low = 0:(k - 2), high = 1:(k - 1), kind = kinds, stringsAsFactors = FALSE)
  cells <- cells[cells$low < cells$high, ]
  cells$n <- mapply(function(i, j, kind) sum(low == i & high == j & won == kind),
                    cells$low, cells$high, cells$kind)
  cells$pair <- factor(paste(cells$low, cells$high))
  x <- sapply(1:(k - 1), function(s) ifelse(cells$kind == "tie",
    ((cells$low == s) + (cells$high == s)) / 2,
    ifelse(cells$kind == "low", cells$low == s, cells$high == s)) * 1)
  tie <- (cells$kind == "tie") * 1
  formula <- if ("tie" %in% kinds) n ~ pair + x + tie else n ~ pair + x
  glm(formula, poisson, cells, control = list(epsilon = 1e-14, maxit = 100))
}
with_ties <- davidson(c("low", "high", "tie"))
without <- davidson(c("low", "high"))
of_systems <- function(fit) centred(coef(fit)[paste0("x", 1:(k - 1))])

write(toJSON(list(
  plackett_luce = list(values = centred(coef(cox)), log_likelihood = cox$loglik[2]),
  best_worst = list(values = centred(coef(logit)), log_likelihood = logit$loglik[2]),
  davidson = list(values = of_systems(with_ties), tie = coef(with_ties)[["tie"]]),
  bradley_terry = list(values = of_systems(without))
), auto_unbox = TRUE, digits = 12, pretty = TRUE), here("reference.json"))
