"""Evidence for `shown`: the paper's experiments and baselines, scripted styles, stored results, the report."""
