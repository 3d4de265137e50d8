"""The commands that this distribution adds to `shown`, through the entry point group `shown.commands`."""

COMMANDS = {
    "reproduce": ("shown_evidence.cli.reproduce", "run the paper's experiments"),
    "results": ("shown_evidence.cli.results", "list and export experiment results"),
    "report": ("shown_evidence.cli.report", "write the report on the experiments"),
}
