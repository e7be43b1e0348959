/* Which questions a session asks: what is due, and then what is new. */
/**
 * @typedef {{key: string, track: string, module: string | null, level: string, minutes: number,
 *   numeric: boolean, titles: Record<string, string>}} Question
 * @typedef {{question: Question, standing: Standing | null}} Planned
 * @typedef {{due: Planned[], new: Planned[], later: Planned[]}} Waiting
 */
((hotloop) => {
  "use strict";

  /** Easy ones first; within a level the modules take turns, because mixed practice lasts.
   * @param {Question[]} questions @param {string[]} tiers @returns {Question[]} */
  const mixed = (questions, tiers) =>
    tiers.flatMap((tier) => {
      /** @type {Map<string, Question[]>} */
      const turns = new Map();
      for (const question of questions.filter(({ level }) => level === tier)) {
        const whose = question.module ?? question.track;
        turns.set(whose, [...(turns.get(whose) ?? []), question]);
      }
      const rounds = Math.max(0, ...[...turns.values()].map((found) => found.length));
      return Array.from({ length: rounds }, (_, n) =>
        [...turns.values()].filter((found) => n < found.length).map((found) => found[n]),
      ).flat();
    });

  /** Those that are wanted; what is empty is not asked for.
   * @param {Question[]} questions 
   * @param {{track: string, module: string, level: string, language: string}} wish */
  const chosen = (questions, { track, module, level, language }) =>
    questions.filter(
      (each) =>
        (!track || each.track === track) &&
        (!module || each.module === module) &&
        (!level || each.level === level) &&
        language in each.titles,
    );

  /** Due ones by their date, new ones mixed from easy to hard, later ones by their date.
   * @param {Question[]} questions @param {Map<string, Standing>} known
   * @param {number} now @param {string[]} tiers @returns {Waiting} */
  const waiting = (questions, known, now, tiers) => {
    const fresh = mixed(questions.filter(({ key }) => !known.has(key)), tiers);
    const old = questions
      .filter(({ key }) => known.has(key))
      .map((question) => ({ question, standing: known.get(question.key) }))
      .sort((a, b) => a.standing.due - b.standing.due || (a.question.key < b.question.key ? -1 : 1));
    return {
      due: old.filter(({ standing }) => standing.due <= now),
      new: fresh.map((question) => ({ question, standing: null })),
      later: old.filter(({ standing }) => standing.due > now),
    };
  };

  /** As many as fit into the minutes, at least one. ahead: also those that are not due yet.
   * @param {Waiting} found @param {number} minutes @param {boolean} ahead @returns {Planned[]} */
  const session = (found, minutes, ahead) => {
    /** @type {Planned[]} */
    const asked = [];
    let left = minutes;
    for (const each of [...found.due, ...found.new, ...(ahead ? found.later : [])]) {
      if (each.question.minutes > left && asked.length > 0) continue;
      asked.push(each);
      left -= each.question.minutes;
    }
    return asked;
  };

  hotloop.plan = { chosen, waiting, session };
})((globalThis.hotloop ??= {}));
