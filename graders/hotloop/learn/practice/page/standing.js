/* Where a learner stands, by task, module, track and concept: the rules of `hotloop progress`. */
/**
 * What the judge said of a task; from the file that `hotloop progress --json` writes.
 * @typedef {{done: boolean, state: string}} TaskRecord
 * @typedef {{of: number, practised: number, due: number, mean: number | null}} Practised
 * @typedef {{id: string, title: string, track: string, tier: string, prerequisites: string[],
 *   concepts: string[], tasks: {key: string, title: string, graded: boolean}[]}} Module
 * @typedef {{module: Module, done: number, graded: number, complete: boolean, begun: boolean,
 *   placed: boolean, questions: Practised, level: string}} ModuleStanding
 * @typedef {{id: string, title: string, modules: ModuleStanding[], questions: Practised,
 *   start: string | null, begun: boolean}} TrackStanding
 * @typedef {{tracks: TrackStanding[], modules: Map<string, ModuleStanding>,
 *   concepts: {title: string, level: string, modules: Module[]}[], due: number}} Overview
 */
((hotloop) => {
  "use strict";

  const LEVELS = ["not begun", "placed", "begun", "known", "firm"];

  /** @param {{key: string}[]} questions @param {Map<string, Standing>} marks
   * @param {number} now @returns {Practised} */
  const practised = (questions, marks, now) => {
    const found = questions.map(({ key }) => marks.get(key)).filter((each) => each !== undefined);
    const sum = found.reduce((total, { last }) => total + last.mark, 0);
    return {
      of: questions.length,
      practised: found.length,
      due: found.filter(({ due }) => due <= now).length,
      mean: found.length > 0 ? sum / found.length : null,
    };
  };

  /** The last placement of each track. @param {Placement[]} placements */
  const lastPlacements = (placements) => new Map(placements.map((each) => [each.track, each]));

  /** Modules that the last placement of a track found known. @param {any} index
   * @param {Map<string, Placement>} placements @returns {Set<string>} */
  const skipped = (index, placements) => {
    const tiers = new Map(index.modules.map(({ id, tier }) => [id, tier]));
    const found = new Set();
    for (const { id, way } of index.tracks) {
      const { start, known } = placements.get(id) ?? { start: null, known: [] };
      const end = way.indexOf(start);
      for (const name of end < 0 ? way : way.slice(0, end)) {
        if (known.includes(tiers.get(name))) found.add(name);
      }
    }
    return found;
  };

  /** @param {any} index @param {Practised} questions */
  const good = ({ standing }, { of, practised: count, mean }) =>
    of > 0 && count >= Math.min(standing.enough_questions, of) && (mean ?? 0) >= standing.good_mark;

  /** @param {any} index the page's data @param {State} state
   * @param {Record<string, TaskRecord>} tasks @param {number} now @returns {Overview} */
  const overview = (index, state, tasks, now) => {
    const marks = hotloop.schedule.standings(state.reviews);
    const placements = lastPlacements(state.placements);
    const placed = skipped(index, placements);

    /** @param {Module} module @returns {ModuleStanding} */
    const ofModule = (module) => {
      const own = index.questions.filter(({ module: name }) => name === module.id);
      const questions = practised(own, marks, now);
      const graded = module.tasks.filter((task) => task.graded);
      const done = graded.filter(({ key }) => tasks[key]?.done).length;
      const complete = graded.length > 0 && done === graded.length;
      const begun = module.tasks.some(({ key }) => key in tasks);
      const strong = good(index, questions);
      let level = placed.has(module.id) ? "placed" : "not begun";
      if (begun || questions.practised > 0) level = "begun";
      if (complete || strong) level = complete && strong ? "firm" : "known";
      const known = { complete, begun, placed: placed.has(module.id), questions, level };
      return { module, done, graded: graded.length, ...known };
    };

    /** @type {Map<string, ModuleStanding>} */
    const modules = new Map(index.modules.map((each) => [each.id, ofModule(each)]));
    const tracks = index.tracks.map(({ id, title }) => {
      const own = [...modules.values()].filter(({ module }) => module.track === id);
      const questions = practised(index.questions.filter((q) => q.track === id), marks, now);
      const placement = placements.get(id);
      const begun =
        placement !== undefined || questions.practised > 0 || own.some((each) => each.begun);
      return { id, title, modules: own, questions, start: placement?.start ?? null, begun };
    });
    const concepts = index.concepts.map(({ id, title }) => {
      const by = [...modules.values()].filter(({ module }) => module.concepts.includes(id));
      const level = LEVELS[Math.max(...by.map((each) => LEVELS.indexOf(each.level)))];
      return { title, level, modules: by.map(({ module }) => module) };
    });
    return { tracks, modules, concepts, due: practised(index.questions, marks, now).due };
  };

  hotloop.standing = { overview };
})((globalThis.hotloop ??= {}));
