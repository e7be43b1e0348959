"""Reads the tables whole, and joins them in Python with dicts; no query has a condition."""

### BEGIN SOLUTION profile_training_loop.nsight_systems helpers
from collections import defaultdict


class Export:
    def __init__(self, path):
        self.database = sqlite3.connect(path)
        self.database.row_factory = sqlite3.Row
        self.text = {row["id"]: row["value"] for row in self.rows("StringIds")}
        self.api = self.rows("CUPTI_ACTIVITY_KIND_RUNTIME")
        self.ranges = defaultdict(list)
        for row in self.rows("NVTX_EVENTS"):
            if row["eventType"] == 59:
                self.ranges[row["globalTid"]].append(row)

    def rows(self, table):
        return self.database.execute(f"SELECT * FROM {table}").fetchall()

    def path_of(self, call):
        """The stack of ranges that was pushed and not popped at a call."""
        stack = []
        for row in sorted(self.ranges[call["globalTid"]], key=lambda row: row["start"]):
            end = float("inf") if row["end"] is None else row["end"]
            if row["start"] <= call["start"] and call["end"] <= end:
                stack.append(row["text"] if row["textId"] is None else self.text[row["textId"]])
        return "/".join(stack)


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.nsight_systems launch_gaps
def launch_gaps(path):
    export = Export(path)
    calls = {(call["globalTid"] >> 24, call["correlationId"]): call for call in export.api}
    work = defaultdict(list)
    for kind in ("KERNEL", "MEMCPY", "MEMSET"):
        for row in export.rows(f"CUPTI_ACTIVITY_KIND_{kind}"):
            call = calls[row["globalPid"] >> 24, row["correlationId"]]
            work[row["deviceId"]].append((row["start"], row["end"], call))
    answer = {}
    for device, items in work.items():
        items.sort(key=lambda item: item[:2])
        busy_until = items[0][0]
        idle, late = 0, []
        for start, end, call in items:
            if start > busy_until:
                idle += start - busy_until
                if call["start"] > busy_until:
                    late.append((start - busy_until, export.path_of(call)))
            busy_until = max(busy_until, end)
        longest, where = max(late)
        total = sum(ns for ns, _ in late)
        answer[str(device)] = {"idle": idle, "late": total, "longest": longest, "range": where}
    return answer


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.nsight_systems copies
def copies(path):
    export = Export(path)
    label = {row["id"]: row["label"] for row in export.rows("ENUM_CUDA_MEMCPY_OPER")}
    memory = {row["id"]: row["label"] for row in export.rows("ENUM_CUDA_MEM_KIND")}
    kernels = export.rows("CUPTI_ACTIVITY_KIND_KERNEL")
    answer = {}
    for copy in export.rows("CUPTI_ACTIVITY_KIND_MEMCPY"):
        of = answer.setdefault(label[copy["copyKind"]], {"ns": 0, "hidden": 0, "pageable": 0})
        of["ns"] += copy["end"] - copy["start"]
        of["pageable"] += "Pageable" in {memory[copy["srcKind"]], memory[copy["dstKind"]]}
        spans = sorted(
            (max(k["start"], copy["start"]), min(k["end"], copy["end"]))
            for k in kernels
            if k["deviceId"] == copy["deviceId"]
        )
        reached = copy["start"]
        for start, end in spans:
            of["hidden"] += max(0, end - max(start, reached))
            reached = max(reached, end)
    return answer


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.nsight_systems waiting_range
def waiting_range(path):
    export = Export(path)
    total = defaultdict(int)
    for call in export.api:
        if export.text[call["nameId"]].rpartition("_v")[0] in WAITS:
            total[export.path_of(call)] += call["end"] - call["start"]
    where = max(total, key=total.__getitem__)
    return {"ns": total[where], "range": where}


### END SOLUTION
