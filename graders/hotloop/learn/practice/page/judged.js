/* What the judge said of a learner's tasks, from the file that `hotloop progress --json` writes:
   the page keeps which tasks were started, and which are done. */
/** @typedef {Record<string, TaskRecord>} Tasks */
((hotloop) => {
  "use strict";

  const NAME = "hotloop.progress";
  const NOT_STARTED = "not started";
  /** @type {Tasks} */
  let held = {};

  /** Whether it is such a file. @param {any} found */
  const fits = (found) => Array.isArray(found?.tracks);

  /** The tasks that were started. An Error says what is wrong. @param {any} found
   * @returns {Tasks} */
  const parse = (found) => {
    /** @type {Tasks} */
    const tasks = {};
    for (const track of found.tracks) {
      for (const module of track?.modules ?? []) {
        for (const { key, done, last, state } of module?.tasks ?? []) {
          if (typeof key !== "string" || typeof done !== "boolean") {
            throw new Error("a task has no key, or does not say whether it is done");
          }
          if (!last || (state === NOT_STARTED && !done)) continue;
          tasks[key] = { done, state: String(state ?? last.verdict) };
        }
      }
    }
    return tasks;
  };

  /** @returns {Tasks} */
  const read = () => {
    try {
      return JSON.parse(localStorage.getItem(NAME) ?? "null") ?? held;
    } catch {
      return held;
    }
  };

  /** Takes the place of what was kept. @param {Tasks} tasks */
  const keep = (tasks) => {
    held = tasks;
    try {
      localStorage.setItem(NAME, JSON.stringify(tasks));
    } catch {
      /* Then it lasts until the page is left. */
    }
  };

  const reset = () => keep({});

  hotloop.judged = { NOT_STARTED, fits, parse, read, keep, reset };
})((globalThis.hotloop ??= {}));
