/* What to do next, along the graph of prerequisites: the rules of `hotloop progress`. */
/**
 * @typedef {{what: string, why: string, page: string}} Step  page: relative to practice/
 */
((hotloop) => {
  "use strict";

  /** The module after all that it needs. @param {Overview} standing @param {string} name
   * @param {Set<string>} [seen] @returns {ModuleStanding[]} */
  const way = (standing, name, seen = new Set()) => {
    const found = standing.modules.get(name);
    if (!found || seen.has(name)) return [];
    seen.add(name);
    return [...found.module.prerequisites.flatMap((before) => way(standing, before, seen)), found];
  };

  /** A started module, else the placement's, else the first that is unlocked.
   * @param {Overview} standing @param {TrackStanding} track */
  const nextModule = (standing, track) => {
    const ahead = track.modules.filter((each) => !each.complete && !each.placed);
    const begun = ahead.find((each) => each.begun);
    if (begun) return begun;
    const start = standing.modules.get(track.start ?? "");
    if (start && !start.complete) ahead.unshift(start);
    const steps = ahead.flatMap(({ module }) => way(standing, module.id));
    return steps.find((each) => !(each.complete || each.placed)) ?? null;
  };

  /** @param {ModuleStanding} standing
   * @param {Record<string, TaskRecord>} tasks @returns {Step} */
  const moduleStep = ({ module, begun, done, graded }, tasks) => {
    const page = `../modules/${module.id}/index.html`;
    if (!begun) {
      const before = module.prerequisites.join(", ");
      const why = before ? `you have done what it needs: ${before}` : "it needs no other module";
      return { what: `Start “${module.title}”`, why, page };
    }
    const task = module.tasks.find((each) => each.graded && !tasks[each.key]?.done);
    if (!task) return { what: `Finish “${module.title}”`, why: "written answers are left", page };
    const state = tasks[task.key]?.state;
    const said = state ? `last verdict: ${state}` : `this one is ${hotloop.judged.NOT_STARTED}`;
    const why = `${done} of ${graded} tasks of ${module.id} are done; ${said}`;
    return { what: `Continue with “${task.title}”`, why, page: `${page}#${task.key.split(".")[1]}` };
  };

  /** The most useful first. @param {Overview} standing
   * @param {Record<string, TaskRecord>} tasks @returns {Step[]} */
  const steps = (standing, tasks) => {
    /** @type {Step[]} */
    const found = [];
    if (standing.due > 0) {
      found.push({
        what: `Practice ${standing.due} question${standing.due > 1 ? "s" : ""}`,
        why: "they are due: reviewing now takes the least time",
        page: "index.html",
      });
    }
    const begun = standing.tracks.filter((each) => each.begun);
    const tracks = begun.length > 0 ? begun : standing.tracks;
    if (begun.length === 0 && tracks.some(({ modules }) => modules.length > 0)) {
      found.push({
        what: "Take the placement test",
        why: "no results yet; about eight questions find where to start",
        page: "#placement-test",
      });
    }
    const next = tracks.map((track) => nextModule(standing, track)).filter((each) => each !== null);
    found.push(...[...new Set(next)].map((each) => moduleStep(each, tasks)));
    for (const { id, title, modules, questions } of tracks) {
      if (questions.practised > 0 || !modules.some((each) => each.complete)) continue;
      found.push({
        what: `Practice the questions of ${title}`,
        why: "its tasks are done, and explaining them is another skill",
        page: `index.html#track=${id}`,
      });
    }
    return found;
  };

  hotloop.nextSteps = { steps };
})((globalThis.hotloop ??= {}));
