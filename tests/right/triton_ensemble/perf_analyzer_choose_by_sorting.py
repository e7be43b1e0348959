"""Columns by their place in the header, rows sorted by rate."""

### BEGIN SOLUTION triton_ensemble.perf_analyzer
import csv
import io
import os
import re
import subprocess
import tempfile


def read(report):
    header, *rows = list(csv.reader(io.StringIO(report)))
    return [{name: float(cell) for name, cell in zip(header, row) if cell} for row in rows if row]


def sweep(program, variables, port, model, clients):
    reports = []
    for count in clients:
        handle, path = tempfile.mkstemp(suffix=".csv")
        os.close(handle)
        subprocess.run(
            [
                *(program, "-m", model, "-u", f"localhost:{port}", "--input-data", "zero"),
                *("--concurrency-range", f"{count}:{count}", "--verbose-csv", "-f", path),
                *("--measurement-interval", "1500", "--max-trials", "4", "-s", "500"),
            ],
            env={**os.environ, **variables},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        with open(path) as file:
            reports.append(file.read())
        os.unlink(path)
    lines = [reports[0].splitlines()[0], *(re.split(r"\r?\n", text)[1] for text in reports)]
    report = "\n".join(lines)
    rows = [
        {
            "clients": int(row["Concurrency"]),
            "per_second": row["Inferences/Second"],
            "p95_us": row["p95 latency"],
        }
        for row in read(report)
    ]
    return {"report": report, "rows": rows}


def choose(reports, most_p95_us):
    rows = [{**row, "setting": name} for name, text in reports.items() for row in read(text)]
    rows.sort(key=lambda row: -row["Inferences/Second"])
    for row in rows:
        if row["p95 latency"] <= most_p95_us:
            return {
                "setting": row["setting"],
                "clients": row["Concurrency"],
                "per_second": row["Inferences/Second"],
                "queue_share": row["Server Queue"] / row["Avg latency"],
                "p95_us": row["p95 latency"],
            }


### END SOLUTION
