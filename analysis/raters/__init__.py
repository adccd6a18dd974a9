"""Who counts: how carefully each rater answered, the rules, and the funnel they make. Pure."""
