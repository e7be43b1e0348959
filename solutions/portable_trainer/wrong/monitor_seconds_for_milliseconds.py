"""Shows seconds, and calls them milliseconds.

fails: monitor.dashboard
"""


### BEGIN SOLUTION portable_trainer.monitor dashboard
def digits(number):
    """Three of them at least."""
    if number >= 99.95:
        return f"{number:.0f}"
    return f"{number:#.3g}"


def dashboard(path):
    """The run's figures as a table for a terminal."""
    told = summary(path)
    rows = {
        "steps": f"{told['steps']}",
        "lost steps": f"{told['lost_steps']}",
        **{name[:3]: f"{digits(told[name])} ms" for name in QUANTILES},
        "MFU": f"{digits(100 * told['mfu'])} %",
        "recompiles": f"{told['recompiles']}",
        "goodput": f"{digits(told['goodput'])} tokens/s",
        "memory": f"{digits(told['memory_peak_bytes'] / 1e9)} GB",
        "fallbacks": f"{told['fallbacks']}",
    }
    table = Table(title="training", width=40)
    table.add_column("figure")
    table.add_column("now", justify="right")
    for label, value in rows.items():
        table.add_row(label, value)
    console = Console(width=80, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(table)
    return captured.get()


### END SOLUTION
