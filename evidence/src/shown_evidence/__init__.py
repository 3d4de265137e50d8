"""Evidence for `shown`: the paper's experiments and baselines, scripted styles, the results store, the report."""
