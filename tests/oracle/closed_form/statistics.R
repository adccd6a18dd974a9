# What R says about inputs.json, kept in reference.json.
#
#     apt-get install r-base-core r-cran-coin r-cran-effectsize r-cran-psych r-cran-jsonlite
#     Rscript tests/oracle/closed_form/statistics.R

suppressMessages({library(coin); library(effectsize); library(psych); library(jsonlite)})
file <- sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))
here <- function(name) file.path(dirname(file), name)
margin <- 0.3

t_test <- function(found) list(
  difference = if (length(found$estimate) == 2) -diff(found$estimate)[[1]] else found$estimate[[1]],
  interval = as.numeric(found$conf.int), t = found$statistic[[1]], df = found$parameter[[1]],
  p = found$p.value)

# effectsize looks for these with Nelder and Mead's method to four digits or so: here to the end.
noncentrality <- function(t, df) sapply(c(0.975, 0.025), function(p)
  uniroot(function(ncp) pt(t, df, ncp) - p, t + c(-1, 1) * (4 + abs(t)), tol = 1e-13)$root)

both_sides <- function(...) list(
  lower = t_test(t.test(..., mu = -margin, alternative = "greater")),
  upper = t_test(t.test(..., mu = margin, alternative = "less")),
  interval = as.numeric(t.test(..., conf.level = 0.9)$conf.int))

mann_whitney <- function(a, b) {
  r <- rank_biserial(a, b)
  list(u = wilcox.test(a, b, exact = FALSE)$statistic[[1]], effect = r$r_rank_biserial,
       interval = c(r$CI_low, r$CI_high),
       p = wilcox.test(a, b, exact = FALSE, correct = FALSE)$p.value,
       p_exact = if (length(a) + length(b) < 200)
         pvalue(wilcox_test(round(c(a, b), 9) ~ factor(rep(1:2, c(length(a), length(b)))),
                            distribution = "exact"))[[1]])
}

two_groups <- function(a, b) {
  a <- a[!is.na(a)]; b <- b[!is.na(b)]
  pooled <- t.test(a, b, var.equal = TRUE)
  ncp <- noncentrality(pooled$statistic, pooled$parameter)
  d <- cohens_d(a, b); g <- hedges_g(a, b)
  list(student = t_test(pooled), welch = t_test(t.test(a, b)),
       mann_whitney = mann_whitney(a, b), tost = both_sides(a, b),
       d = list(estimate = d$Cohens_d, interval = ncp * sqrt(1 / length(a) + 1 / length(b)),
                interval_by_effectsize = c(d$CI_low, d$CI_high)),
       g = list(estimate = g$Hedges_g, interval = ncp * sqrt(1 / length(a) + 1 / length(b)) *
                g$Hedges_g / d$Cohens_d))
}

signed_rank <- function(a, b) {
  # Means of the same ratings differ in their last digits.
  moved <- round(a - b, 9)
  kept <- moved[moved != 0]
  r <- rank_biserial(kept)
  list(statistic = wilcox.test(kept, exact = FALSE)$statistic[[1]],
       rank_biserial = r$r_rank_biserial, interval = c(r$CI_low, r$CI_high),
       p = wilcox.test(kept, exact = FALSE, correct = FALSE)$p.value,
       p_exact = if (length(kept) < 300) pvalue(wilcoxsign_test(kept ~ rep(0, length(kept)),
                                                   distribution = "exact"))[[1]])
}

paired <- function(a, b) {
  complete <- !is.na(a) & !is.na(b)
  a <- a[complete]; b <- b[complete]
  moved <- round(a - b, 9)
  sign <- binom.test(sum(moved > 0), sum(moved != 0))
  list(t = t_test(t.test(a, b, paired = TRUE)), signed_rank = signed_rank(a, b),
       sign = list(share = sign$estimate[[1]], interval = as.numeric(sign$conf.int),
                   p = sign$p.value),
       tost = both_sides(a, b, paired = TRUE),
       non_inferiority = list(
         lower = t.test(a, b, paired = TRUE, alternative = "greater")$conf.int[1],
         test = t_test(t.test(a, b, paired = TRUE, mu = -margin, alternative = "greater"))))
}

replicates <- function(a, b) {
  complete <- !is.na(a) & !is.na(b)
  a <- a[complete]; b <- b[complete]
  list(rho = cor(a, b, method = "spearman"), bias = mean(a - b),
       limits = mean(a - b) + c(-1.96, 1.96) * sd(a - b))
}

# qtukey stops after four digits, and ptukey is off by 1e-3 with two degrees of freedom: from
# their definition instead.
tukey <- function(q, k, df) {
  range <- function(w) sapply(w, function(w) integrate(function(z) k * dnorm(z) *
    (pnorm(z) - pnorm(z - w))^(k - 1), -9, 9, rel.tol = 1e-11, subdivisions = 1000)$value)
  s <- sqrt(c(qchisq(1e-14, df), qchisq(1e-14, df, lower.tail = FALSE)) / df)
  density <- function(s) 2 * s * df * dchisq(df * s^2, df)
  integrate(function(s) density(s) * (1 - range(q * s)), s[1], s[2], rel.tol = 1e-10,
            subdivisions = 1000)$value
}

games_howell <- function(groups) {
  k <- length(groups)
  apply(combn(k, 2), 2, function(pair) {
    found <- t.test(groups[[pair[1]]], groups[[pair[2]]])
    df <- found$parameter[[1]]
    q <- uniroot(function(q) tukey(q, k, df) - 0.05, c(1, 40), tol = 1e-12)$root
    difference <- -diff(found$estimate)[[1]]
    list(difference = difference, t = found$statistic[[1]], df = df,
         p = tukey(abs(found$statistic[[1]]) * sqrt(2), k, df),
         p_by_ptukey = ptukey(abs(found$statistic[[1]]) * sqrt(2), k, df, lower.tail = FALSE),
         interval = difference + c(-1, 1) * q / sqrt(2) * found$stderr)
  }, simplify = FALSE)
}

several_groups <- function(groups) {
  data <- data.frame(value = unlist(groups), group = rep(names(groups), lengths(groups)))
  fit <- aov(value ~ group, data)
  classic <- oneway.test(value ~ group, data, var.equal = TRUE)
  welch <- oneway.test(value ~ group, data)
  test <- function(found) list(F = found$statistic[[1]], df1 = found$parameter[[1]],
                               df2 = found$parameter[[2]], p = found$p.value)
  list(anova = test(classic), welch = test(welch), games_howell = games_howell(groups),
       eta_squared = eta_squared(fit, partial = FALSE)$Eta2,
       # effectsize puts what is below 0 at 0: by hand, as it is for others.
       omega_squared = with(summary(fit)[[1]], (`Sum Sq`[1] - Df[1] * `Mean Sq`[2]) /
                              (sum(`Sum Sq`) + `Mean Sq`[2])),
       omega_squared_by_effectsize = omega_squared(fit, partial = FALSE)$Omega2)
}

# From the coincidences of values, Krippendorff (2011): irr's kripp.alpha is not in Debian.
alpha <- function(texts) {
  texts <- texts[rowSums(!is.na(texts)) > 1, ]
  values <- sort(unique(texts[!is.na(texts)]))
  counts <- t(apply(texts, 1, function(row) table(factor(row, values))))
  o <- Reduce(`+`, lapply(seq_len(nrow(counts)), function(unit)
    (tcrossprod(counts[unit, ]) - diag(counts[unit, ])) / (sum(counts[unit, ]) - 1)))
  n <- colSums(counts)
  e <- (tcrossprod(n) - diag(n)) / (sum(n) - 1)
  between <- function(c, k) (sum(n[c:k]) - (n[c] + n[k]) / 2)^2
  distances <- list(nominal = outer(values, values, `!=`),
                    ordinal = outer(seq_along(n), seq_along(n), Vectorize(between)),
                    interval = outer(values, values, `-`)^2,
                    ratio = (outer(values, values, `-`) / outer(values, values, `+`))^2)
  lapply(distances, function(d) 1 - sum(o * d) / sum(e * d))
}

# Of each block its W among those who judged all of it; where nobody told anything apart it has none.
concordance <- function(texts, blocks) {
  w <- sapply(split(seq_along(blocks), blocks), function(rows) {
    complete <- t(texts[rows, ])
    complete <- round(complete[complete.cases(complete), , drop = FALSE], 9)
    if (nrow(complete) < 2 || all(apply(complete, 1, sd) == 0)) return(NA)
    kendalls_w(complete, verbose = FALSE)$Kendalls_W
  })
  list(w = mean(w, na.rm = TRUE), blocks = sum(!is.na(w)))
}

# Randolph (2005): the share of agreeing pairs of choices, by what guessing would give.
kappa <- function(chosen) {
  each <- apply(chosen, 1, function(row) {
    row <- row[!is.na(row)]
    if (sum(row) < 2 || length(row) < 2) return(NA)
    (sum(choose(row, 2)) / choose(sum(row), 2) - 1 / length(row)) / (1 - 1 / length(row))
  })
  list(kappa = mean(each, na.rm = TRUE), blocks = sum(!is.na(each)))
}

choices <- function(given) {
  test <- chisq.test(given)
  wilson <- sapply(given, function(x) prop.test(x, sum(given), correct = FALSE)$conf.int)
  list(statistic = test$statistic[[1]], df = test$parameter[[1]], p = test$p.value,
       low = wilson[1, ], high = wilson[2, ])
}

systems <- function(table) {
  complete <- round(table[complete.cases(table), ], 9)
  found <- friedman.test(complete)
  pairs <- combn(ncol(table), 2)
  tests <- apply(pairs, 2, function(pair) {
    both <- table[complete.cases(table[, pair]), pair]
    signed_rank(both[, 1], both[, 2])[c("statistic", "rank_biserial", "p")]
  }, simplify = FALSE)
  p <- sapply(tests, `[[`, "p")
  list(chi_squared = found$statistic[[1]], df = found$parameter[[1]], p = found$p.value,
       w = kendalls_w(complete, verbose = FALSE)$Kendalls_W, pairs = tests,
       p_adjusted = p.adjust(p, "holm"), p_by_bh = p.adjust(p, "BH"))
}

by_raters_and_items <- function(cells) {
  F1 <- t.test(rowMeans(cells, na.rm = TRUE)); F2 <- t.test(colMeans(cells, na.rm = TRUE))
  f1 <- F1$statistic[[1]]^2; f2 <- F2$statistic[[1]]^2
  df2 <- (f1 + f2)^2 / (f1^2 / F2$parameter[[1]] + f2^2 / F1$parameter[[1]])
  F <- f1 * f2 / (f1 + f2)
  list(by_raters = t_test(F1), by_items = t_test(F2),
       min_f = list(F = F, df2 = df2, p = pf(F, 1, df2, lower.tail = FALSE)))
}

intraclass <- function(texts) {
  found <- ICC(texts[complete.cases(texts), ], lmer = FALSE)$results
  rows <- c("ICC(A,1)" = 2, "ICC(C,1)" = 3, "ICC(A,k)" = 5, "ICC(C,k)" = 6)
  list(forms = lapply(rows, function(row) list(estimate = found$ICC[row],
         interval = c(found$`lower bound`[row], found$`upper bound`[row]))),
       F = found$F[3], p = found$p[3])
}

indices <- function(answers, blocks, shown) {
  each <- function(one) apply(answers, 1, one)
  halves <- sapply(unique(blocks), function(block) which(blocks == block), simplify = FALSE)
  even_odd <- each(function(row) {
    odd <- sapply(halves, function(at) mean(row[at[c(TRUE, FALSE)]], na.rm = TRUE))
    even <- sapply(halves, function(at) mean(row[at[c(FALSE, TRUE)]], na.rm = TRUE))
    both <- !is.nan(odd) & !is.nan(even)
    r <- if (sum(both) > 2) suppressWarnings(cor(odd[both], even[both])) else NA
    max(2 * r / (1 + r), -1)
  })
  others <- t(sapply(seq_len(nrow(answers)), function(at)
    colMeans(answers[-at, ], na.rm = TRUE)))
  list(
    longstring = each(function(row) {
      runs <- rle(ifelse(is.na(row), -seq_along(row), row))
      max(runs$lengths[runs$values > 0])
    }),
    irv = each(function(row) sd(row, na.rm = TRUE)),
    person_total = sapply(seq_len(nrow(answers)), function(at)
      cor(answers[at, ], others[at, ], use = "complete.obs")),
    consensus_deviation = rowMeans(abs(answers - others), na.rm = TRUE),
    even_odd = even_odd,
    # With ranks that follow everybody's means: of pairs in a block, how many are discordant?
    contradictions = each(function(row) {
      means <- colMeans(answers, na.rm = TRUE)
      signs <- sign(outer(row, row, `-`)) * sign(outer(means, means, `-`)) * outer(blocks, blocks, `==`)
      sum(signs < 0, na.rm = TRUE) / sum(signs != 0, na.rm = TRUE)
    }),
    retest_sd = each(function(row) {
      squares <- tapply(row, shown, function(x) sum((x - mean(x, na.rm = TRUE))^2, na.rm = TRUE))
      df <- tapply(row, shown, function(x) max(sum(!is.na(x)) - 1, 0))
      sqrt(sum(squares) / sum(df))
    }))
}

about <- function(input) {
  found <- list(two_groups = with(input$two_groups, two_groups(a, b)),
                groups = several_groups(input$groups),
                pairs = with(input$pairs, paired(a, b)),
                replicates = with(input$pairs, replicates(a, b)))
  if (!is.null(input$systems)) found <- c(found, list(
    systems = systems(input$systems), differences = by_raters_and_items(input$differences),
    texts = intraclass(input$texts), alpha = alpha(input$texts),
    concordance = concordance(input$texts, input$blocks_of_texts), kappa = kappa(input$chosen),
    choices = choices(input$given),
    indices = indices(input$answers, input$blocks, input$shown)))
  found
}

p <- c(0.01, 0.04, 0.03, 0.005, 0.5, 0.04, 1)
reference <- lapply(fromJSON(here("inputs.json")), about)
reference$adjusted <- list(p = p, holm = p.adjust(p, "holm"), `benjamini-hochberg` =
                             p.adjust(p, "BH"), `benjamini-yekutieli` = p.adjust(p, "BY"))
best <- c(31, 22, 14, 25, 24)
reference$choices <- list(best = best, statistic = chisq.test(best)$statistic[[1]],
                          p = chisq.test(best)$p.value)
write_json(reference, here("reference.json"), digits = NA, auto_unbox = TRUE, na = "null")
