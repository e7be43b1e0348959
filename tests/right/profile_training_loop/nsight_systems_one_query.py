"""One query for each question: window functions for the gaps, recursive joins for the ranges."""

### BEGIN SOLUTION profile_training_loop.nsight_systems helpers
def ask(path, query):
    database = sqlite3.connect(path)
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


PATH = """(
    SELECT group_concat(name, '/') FROM (
        SELECT coalesce(n.text, s.value) AS name
        FROM NVTX_EVENTS n LEFT JOIN StringIds s ON s.id = n.textId
        WHERE n.eventType = 59 AND n.globalTid = r.globalTid
            AND n.start <= r.start AND coalesce(n.end, r.end) >= r.end
        ORDER BY n.start
    )
)"""

### END SOLUTION


### BEGIN SOLUTION profile_training_loop.nsight_systems launch_gaps
def launch_gaps(path):
    rows = ask(
        path,
        f"""
        WITH work AS (
            SELECT start, end, deviceId, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_KERNEL
            UNION ALL
            SELECT start, end, deviceId, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_MEMCPY
            UNION ALL
            SELECT start, end, deviceId, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_MEMSET
        ), before AS (
            SELECT *, max(end) OVER (
                PARTITION BY deviceId ORDER BY start ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS busy FROM work
        ), gaps AS (
            SELECT deviceId, before.start - busy AS gap, r.start > busy AS late, {PATH} AS path
            FROM before JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
                ON r.correlationId = before.correlationId
                AND (r.globalTid >> 24) = (globalPid >> 24)
            WHERE before.start > busy
        )
        SELECT deviceId, gap, late, path FROM gaps ORDER BY gap
        """,
    )
    found = {}
    for device, gap, late, where in rows:  # in ascending order: the last late one is the longest
        of = found.setdefault(str(device), {"idle": 0, "late": 0, "longest": 0, "range": ""})
        of["idle"] += gap
        if late:
            of |= {"late": of["late"] + gap, "longest": gap, "range": where}
    return found


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.nsight_systems waiting_range
def waiting_range(path):
    ((where, ns),) = ask(
        path,
        f"""
        SELECT {PATH} AS path, sum(r.end - r.start) AS ns
        FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds t ON t.id = r.nameId
        WHERE t.value GLOB 'cuda*Synchronize*' GROUP BY path ORDER BY ns DESC LIMIT 1
        """,
    )
    return {"range": where, "ns": ns}


### END SOLUTION
