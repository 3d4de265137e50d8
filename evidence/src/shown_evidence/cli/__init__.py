"""The commands that this distribution adds to `shown`, through the entry point group `shown.commands`."""

COMMANDS = {
    "reproduce": ("shown_evidence.cli.reproduce", "run the experiments"),
    "results": ("shown_evidence.cli.results", "list, add and replay stored results"),
    "report": ("shown_evidence.cli.report", "write the report on the experiments"),
}
