"""Load tests with NVIDIA's perf_analyzer: run it, read its report, choose a setting by it."""

import csv
import os
import subprocess
import tempfile
from pathlib import Path


### BEGIN SOLUTION triton_ensemble.perf_analyzer
### STUB def sweep(program, variables, port, model, clients):
### STUB     """Run perf_analyzer at each number of clients.
### STUB
### STUB     program: its path. variables: what its process needs in the environment. port: of a
### STUB     server's HTTP at 127.0.0.1. clients: a list of concurrencies.
### STUB
### STUB     Returns {"report": the CSV with one row for each, "rows": a list of
### STUB     {"clients": …, "per_second": …, "p95_us": …}}.
### STUB     """
### STUB     raise NotImplementedError("triton_ensemble.perf_analyzer")
### STUB
### STUB
### STUB def choose(reports, most_p95_us):
### STUB     """The setting and load with the most inferences a second whose p95 is at most that.
### STUB
### STUB     reports: perf_analyzer's CSV by the name of the setting.
### STUB
### STUB     Returns {"setting": …, "clients": …, "per_second": …, "queue_share": Server Queue by
### STUB     Avg latency}, or None where no row is within the limit.
### STUB     """
### STUB     raise NotImplementedError("triton_ensemble.perf_analyzer")
def sweep(program, variables, port, model, clients):
    """perf_analyzer at each number of clients: its CSV, and what it says of each."""
    header, lines = "", []
    with tempfile.TemporaryDirectory() as folder:
        for number in clients:
            path = Path(folder) / f"{number}.csv"
            command = [program, "-m", model, "-u", f"127.0.0.1:{port}", "-i", "http"]
            command += ["--concurrency-range", str(number), "--input-data", "zero"]
            # Three windows of a second, however well they agree: other programs run here too.
            command += ["-p", "1000", "-r", "3", "-s", "999", "--verbose-csv", "-f", str(path)]
            subprocess.run(command, env=os.environ | variables, check=True, capture_output=True)
            header, line = path.read_text().strip().splitlines()
            lines.append(line)
    report = "\n".join([header, *lines]) + "\n"
    rows = [
        {
            "clients": int(row["Concurrency"]),
            "per_second": float(row["Inferences/Second"]),
            "p95_us": int(row["p95 latency"]),
        }
        for row in csv.DictReader(report.splitlines())
    ]
    return {"report": report, "rows": rows}


def choose(reports, most_p95_us):
    """The setting and load with the most inferences a second within a p95, or None."""
    allowed = [
        (float(row["Inferences/Second"]), name, row)
        for name, report in reports.items()
        for row in csv.DictReader(report.splitlines())
        if float(row["p95 latency"]) <= most_p95_us
    ]
    if not allowed:
        return None
    rate, name, row = max(allowed, key=lambda each: each[0])
    return {
        "setting": name,
        "clients": int(row["Concurrency"]),
        "per_second": rate,
        "queue_share": float(row["Server Queue"]) / float(row["Avg latency"]),
    }


### END SOLUTION
