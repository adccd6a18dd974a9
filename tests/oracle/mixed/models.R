# What R says about data sets, kept in reference.json: lme4, pbkrtest, ordinal, emmeans.
# Beside it, it writes wine.csv (ordinal, GPL >= 2) and inst_eval.csv.xz (lme4, GPL >= 2).
#
#     apt-get install r-base-core r-cran-lme4 r-cran-ordinal r-cran-emmeans r-cran-jsonlite r-cran-pbkrtest
#     Rscript tests/oracle/mixed/models.R small wine orders nested   # some minutes
#     Rscript tests/oracle/mixed/models.R study           # half an hour, nearly all of it in clmm
#     Rscript tests/oracle/mixed/models.R inst_eval       # minutes; lmer only
#     Rscript tests/oracle/mixed/models.R inst_eval_part  # minutes

suppressMessages({
  library(lme4); library(ordinal); library(emmeans); library(pbkrtest)
  library(jsonlite); library(numDeriv)
})
file <- sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))
here <- function(name) file.path(dirname(file), name)
emm_options(lmerTest.limit = Inf, pbkrtest.limit = 0)

named <- function(values) as.list(values)

# Kenward and Roger's degrees of freedom, whose matrices have n x n numbers: of few ratings only. Of
# one combination they are Satterthwaite's with the expected information. K. and R. adjust standard
# errors, too; we do not, and so these are lmer's.
kr_df <- function(fit, rows) {
  if (nrow(model.frame(fit)) > 3000) return(NULL)
  adjusted <- vcovAdj(fit)
  apply(rows, 1, function(row) Lb_ddf(row, vcov(fit), adjusted))
}

# Estimates of emmeans with these degrees of freedom.
tested <- function(fit, estimates, df) {
  rows <- as.data.frame(summary(estimates))
  rows$df <- df
  reach <- qt(.975, df) * rows$SE
  value <- rows[[if ("emmean" %in% names(rows)) "emmean" else "estimate"]]
  rows$lower.CL <- value - reach
  rows$upper.CL <- value + reach
  rows$t.ratio <- value / rows$SE
  rows$p.value <- p.adjust(2 * pt(-abs(rows$t.ratio), df), "holm")
  rows
}

linear <- function(formula, data, factor = NULL, reml = TRUE) {
  # Tighter than the defaults, which stop at 1e-5 or so of the estimates.
  control <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-9, maxfun = 1e5))
  fit <- lme4::lmer(formula, data, REML = reml, control = control)
  table <- coef(summary(fit))
  sds <- as.data.frame(VarCorr(fit))
  rows <- diag(length(fixef(fit)))
  rownames(rows) <- names(fixef(fit))
  df <- if (reml) kr_df(fit, rows)
  found <- list(
    coefficients = named(fixef(fit)),
    standard_errors = named(table[, "Std. Error"]),
    df = if (!is.null(df)) named(df),
    sds = named(setNames(sds$sdcor, sds$grp)),
    modes = lapply(ranef(fit), function(each) named(setNames(each[, 1], rownames(each))))
      [names(ranef(fit))[sapply(ranef(fit), nrow) < 50]],
    log_likelihood = as.numeric(logLik(fit))
  )
  if (!is.null(factor) && !is.null(df)) {
    means <- emmeans(fit, factor, lmer.df = "asymptotic")
    pairs <- contrast(means, "pairwise")
    found$means <- tested(fit, means, kr_df(fit, means@linfct))
    found$contrasts <- tested(fit, pairs, kr_df(fit, pairs@linfct))
  }
  found
}

# Category shares averaged over raters and items, and over the other factors' levels.
population <- function(fit, factor, link) {
  F <- if (link == "probit") pnorm else plogis
  terms <- delete.response(terms(fit$formula_fixed))
  grid <- expand.grid(fit$levels_fixed)
  X <- model.matrix(terms, grid, xlev = fit$levels_fixed)[, -1, drop = FALSE]
  k <- length(fit$alpha); p <- length(fit$beta)
  shares <- function(par) {
    alpha <- par[1:k]; eta <- X %*% par[k + 1:p]; s <- sqrt(sum(par[-(1:(k + p))]^2))
    at <- function(q) integrate(function(z) F(q - s * z) * dnorm(z), -Inf, Inf,
                                rel.tol = 1e-11)$value
    upto <- sapply(alpha, function(a) sapply(a - eta, at))
    each <- cbind(upto, 1) - cbind(0, upto)
    as.vector(apply(each, 2, function(column) tapply(column, grid[[factor]], mean)))
  }
  par <- c(fit$alpha, fit$beta, sapply(fit$ST, as.numeric))
  J <- jacobian(shares, par, method.args = list(r = 4))
  V <- matrix(0, length(par), length(par))
  V[abs(par) > 1e-4, abs(par) > 1e-4] <- inverse(fit)
  value <- shares(par)
  list(level = rep(levels(grid[[factor]]), k + 1), category = rep(1:(k + 1),
       each = nlevels(grid[[factor]])), share = value, se = sqrt(diag(J %*% V %*% t(J))))
}

# clmm's Hessian holds SDs at the boundary (below 1e-5) or leaves them out; here they are out.
inside <- function(fit) sapply(fit$ST, as.numeric) > 1e-4
inverse <- function(fit) {
  kept <- c(rep(TRUE, length(fit$alpha) + length(fit$beta)), inside(fit))
  H <- fit$Hessian
  if (nrow(H) == length(kept)) H <- H[kept, kept]
  solve(H)
}

# Newton's step from where clmm stopped, with its own gradient and Hessian, as a new start.
further <- function(fit) {
  at <- c(fit$alpha, fit$beta, sapply(fit$ST, as.numeric)) - solve(fit$Hessian, fit$gradient)
  effects <- seq_along(c(fit$alpha, fit$beta))
  list(at[effects], at[-effects])
}

cumulative <- function(formula, data, link, factor, fixed, inner = 1e-4) {
  # `inner` bounds the gradient at the mode of the random effects. 1e-4 is the default; below 1e-7
  # clmm is at odds with rounding, and its standard errors with each other.
  control <- clmm.control(rel.tol = 1e-15, x.tol = 1e-12, gradTol = inner, maxIter = 200)
  time <- system.time(fit <- clmm(formula, data, link = link, control = control))
  # With many parameters it stops at its limit of 150 iterations, in the study with a gradient of
  # 0.6. It reaches its maximum from a better start.
  for (again in 1:20) if (max(abs(fit$gradient)) > 1e-3)
    fit <- clmm(formula, data, link = link, start = further(fit),
                control = clmm.control(gradTol = inner, maxIter = 200))
  errors <- sqrt(diag(inverse(fit)))
  k <- length(fit$alpha); p <- length(fit$beta)
  found <- list(
    thresholds = named(fit$alpha), coefficients = named(fit$beta),
    standard_errors = named(setNames(errors[1:(k + p)], c(names(fit$alpha), names(fit$beta)))),
    sds = named(sapply(fit$ST, as.numeric)),
    sd_errors = named(setNames(errors[-(1:(k + p))], names(fit$ST)[inside(fit)])),
    modes = lapply(ranef(fit), function(each) named(setNames(each[, 1], rownames(each))))
      [names(ranef(fit))[sapply(ranef(fit), nrow) < 50]],
    log_likelihood = as.numeric(fit$logLik),
    largest_gradient = max(abs(fit$gradient)), seconds = time[["elapsed"]]
  )
  latent <- emmeans(fit, factor)
  found$latent <- summary(latent)
  found$contrasts <- summary(contrast(latent, "pairwise", adjust = "holm"))
  found$typical_means <- summary(emmeans(fit, factor, mode = "mean.class"))
  found$typical_shares <- summary(emmeans(fit, c(factor, "score"), mode = "prob"))
  fit$formula_fixed <- fixed
  fit$levels_fixed <- lapply(data[all.vars(fixed)], levels)
  found$population <- population(fit, factor, link)
  found
}

frame <- function(name, factors) {
  data <- read.csv(here(name))
  for (each in factors) data[[each]] <- factor(data[[each]])
  data$score <- factor(data$rating)
  data
}

keep <- function(data, model, value) {
  file <- here("reference.json")
  reference <- if (file.exists(file)) read_json(file) else list()
  reference[[data]][[model]] <- value
  write_json(reference, file, digits = NA, auto_unbox = TRUE, pretty = 1)
  cat(format(Sys.time()), data, model, "\n")
}

small <- function() {
  data <- frame("small.csv", c("rater", "item", "system"))
  f <- rating ~ system + (1 | rater) + (1 | item)
  keep("small", "reml", linear(f, data, "system"))
  keep("small", "ml", linear(f, data, "system", reml = FALSE))
  for (link in c("probit", "logit"))
    keep("small", link,
         cumulative(update(f, score ~ .), data, link, "system", ~ system, inner = 1e-6))
}

wines <- function() {
  write.csv(wine[c("judge", "bottle", "temp", "contact", "rating")], here("wine.csv"),
            row.names = FALSE, quote = FALSE)
  data <- frame("wine.csv", c("judge", "bottle", "temp", "contact"))
  f <- rating ~ temp + contact + (1 | judge) + (1 | bottle)
  keep("wine", "reml", linear(f, data, "temp"))
  for (link in c("probit", "logit"))
    keep("wine", link,
         cumulative(update(f, score ~ .), data, link, "temp", ~ temp + contact, inner = 1e-6))
}

study <- function() {
  data <- frame("study.csv.xz", c("rater", "item", "system", "scenario"))
  f <- rating ~ system + scenario + (1 | rater) + (1 | item)
  keep("study", "reml", linear(f, data, "system"))
  for (link in c("probit", "logit"))
    keep("study", link,
         cumulative(update(f, score ~ .), data, link, "system", ~ system + scenario))
}

inst_eval <- function() {
  data <- with(InstEval, data.frame(student = as.integer(s), lecturer = as.integer(d),
                                    service = as.integer(service) - 1, rating = y))
  out <- xzfile(here("inst_eval.csv.xz"), "w", compression = 9)
  write.csv(data, out, row.names = FALSE, quote = FALSE)
  close(out)
  data <- frame("inst_eval.csv.xz", c("student", "lecturer", "service"))
  f <- rating ~ service + (1 | student) + (1 | lecturer)
  keep("inst_eval", "reml", linear(f, data))
  keep("inst_eval", "ml", linear(f, data, reml = FALSE))
}

# The ratings of the first 120 lecturers. Of all 73,421 clmm had made nothing in 15 CPU minutes.
inst_eval_part <- function() {
  data <- frame("inst_eval.csv.xz", c("student", "lecturer", "service"))
  data <- droplevels(data[as.integer(data$lecturer) <= 120, ])
  f <- score ~ service + (1 | student) + (1 | lecturer)
  for (link in c("probit", "logit"))
    keep("inst_eval_part", link, cumulative(f, data, link, "service", ~ service))
}

# Covariates: the place of a rating among the rater's own, and the rating before it (of the first
# one, the mean of all others).
order_of <- function(name, data, rater, formula) {
  data <- data[!is.na(data$rating), ]
  data$place <- ave(data$rating, data[[rater]], FUN = seq_along)
  data$previous <- ave(data$rating, data[[rater]], FUN = function(x) c(NA, x[-length(x)]))
  data$previous[is.na(data$previous)] <- mean(data$previous, na.rm = TRUE)
  keep(name, "order", linear(formula, data))
}

orders <- function() {
  f <- rating ~ system + place + previous + (1 | rater) + (1 | item)
  order_of("small", frame("small.csv", c("rater", "item", "system")), "rater", f)
  order_of("study", frame("study.csv.xz", c("rater", "item", "system")), "rater", f)
  order_of("wine", frame("wine.csv", c("judge", "bottle", "temp", "contact")), "judge",
           rating ~ temp + contact + place + previous + (1 | judge) + (1 | bottle))
}

# Raters who differ in their preferences, and scenarios: two nested factors on either side.
nested <- function() {
  part <- read.csv(here("study.csv.xz"))
  part <- part[part$rater <= 20, ]
  part$condition <- ifelse(part$system == "reference", "r", substr(part$system, 2, 2))
  each <- list(five = read.csv(here("five.csv")), alike = read.csv(here("alike.csv")),
               incomplete = read.csv(here("incomplete.csv")), study_part = part)
  f <- rating ~ system + (1 | rater) + (1 | rater:condition) + (1 | scenario) +
    (1 | scenario:system)
  for (name in names(each)) {
    data <- each[[name]]
    for (column in c("rater", "scenario", "condition", "system"))
      data[[column]] <- factor(data[[column]])
    data$score <- factor(data$rating)
    # clmm takes no interaction for a group.
    data$taste <- interaction(data$rater, data$condition, drop = TRUE)
    data$item <- interaction(data$scenario, data$system, drop = TRUE)
    keep(name, "reml", linear(f, data, "system"))
    keep(name, "ml", linear(f, data, reml = FALSE))
    g <- score ~ system + (1 | rater) + (1 | taste) + (1 | scenario) + (1 | item)
    keep(name, "probit", cumulative(g, data, "probit", "system", ~ system, inner = 1e-6))
  }
}

sets <- list(nested = nested, small = small, wine = wines, study = study, inst_eval = inst_eval,
             inst_eval_part = inst_eval_part, orders = orders)
for (name in commandArgs(TRUE)) sets[[name]]()
