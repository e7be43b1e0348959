/* The record of a learner's practice. hotloop.learn.practice.state has the format; a test compares both
   readers. */
/**
 * @typedef {{question: string, right: boolean}} Answered
 * @typedef {{at: string, track: string, known: string[], start: string | null,
 *   answers: Answered[]}} Placement
 * @typedef {{format: 1, reviews: Review[], placements: Placement[]}} State
 * @typedef {{fits: (value: any) => boolean, otherwise?: any}} StateField
 */
((hotloop) => {
  "use strict";

  const FORMAT = 1;
  const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)$/i;

  const isName = (/** @type {any} */ v) => typeof v === "string" && /^[a-z][a-z0-9_]*$/.test(v);
  const isKey = (/** @type {any} */ v) =>
    typeof v === "string" && /^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/.test(v);
  const isMoment = (/** @type {any} */ v) =>
    typeof v === "string" && MOMENT.test(v) && Number.isFinite(Date.parse(v));
  const isCount = (/** @type {any} */ v) => Number.isInteger(v) && v >= 0;
  const isFlag = (/** @type {any} */ v) => typeof v === "boolean";
  const isTier = (/** @type {any} */ v) => ["beginner", "intermediate", "advanced"].includes(v);

  /** @type {Record<string, StateField>} */
  const REVIEW = {
    question: { fits: isKey },
    at: { fits: isMoment },
    mark: { fits: (v) => isCount(v) && v <= 4 },
    seconds: { fits: isCount },
    hints: { fits: isCount, otherwise: 0 },
    language: { fits: (v) => v === "en" || v === "zh" },
    numeric: { fits: (v) => v === null || isFlag(v), otherwise: null },
  };
  /** @type {Record<string, StateField>} */
  const ANSWERED = { question: { fits: isKey }, right: { fits: isFlag } };
  /** @type {Record<string, StateField>} */
  const PLACEMENT = {
    at: { fits: isMoment },
    track: { fits: isName },
    known: { fits: (v) => Array.isArray(v) && v.every(isTier) },
    start: { fits: (v) => v === null || isName(v) },
    answers: { fits: Array.isArray },
  };
  /** @type {Record<string, StateField>} */
  const STATE = {
    format: { fits: (v) => v === FORMAT, otherwise: FORMAT },
    reviews: { fits: Array.isArray, otherwise: [] },
    placements: { fits: Array.isArray, otherwise: [] },
    // Written for whoever only reads the record; here it follows from the reviews.
    due: { fits: (v) => v?.constructor === Object, otherwise: {} },
  };

  /** The object with exactly these fields. @param {any} found @param {Record<string, StateField>} fields
   * @param {string} where @returns {any} */
  const read = (found, fields, where) => {
    if (found === null || typeof found !== "object" || Array.isArray(found)) {
      throw new Error(`${where} is no object`);
    }
    for (const name of Object.keys(found)) {
      if (!Object.hasOwn(fields, name)) throw new Error(`${where} has an unknown key “${name}”`);
    }
    const entries = Object.entries(fields).map(([name, { fits, otherwise }]) => {
      const value = Object.hasOwn(found, name) ? found[name] : otherwise;
      if (value === undefined) throw new Error(`${where} has no “${name}”`);
      if (!fits(value)) throw new Error(`${where}: “${name}” cannot be ${JSON.stringify(value)}`);
      return [name, name === "at" ? new Date(value).toISOString() : value];
    });
    return Object.fromEntries(entries);
  };

  /** @returns {State} */
  const empty = () => ({ format: FORMAT, reviews: [], placements: [] });

  /** A document of this format. An Error says where it is none. @param {string} text
   * @returns {State} */
  const parse = (text) => {
    const found = read(JSON.parse(text), STATE, "the file");
    const reviews = found.reviews.map((/** @type {any} */ each, /** @type {number} */ n) =>
      read(each, REVIEW, `reviews, number ${n + 1}`),
    );
    const placements = found.placements.map((/** @type {any} */ each, /** @type {number} */ n) => {
      const where = `placements, number ${n + 1}`;
      const placement = read(each, PLACEMENT, where);
      const answers = placement.answers.map((/** @type {any} */ answer) =>
        read(answer, ANSWERED, `${where}, an answer`),
      );
      return { ...placement, answers };
    });
    return { format: FORMAT, reviews, placements };
  };

  /** By time and then by name; of two with equal ones the later of the list stays.
   * @template {{at: string}} T @param {T[]} things @param {(thing: T) => string} name
   * @returns {T[]} */
  const united = (things, name) => {
    const found = new Map(things.map((thing) => [`${thing.at} ${name(thing)}`, thing]));
    return [...found.keys()].sort().map((key) => /** @type {T} */ (found.get(key)));
  };

  /** What either has, in the order of time. Of two that are the same, the first one's stays.
   * @param {State} one @param {State} other @returns {State} */
  const merged = (one, other) => ({
    format: FORMAT,
    reviews: united([...other.reviews, ...one.reviews], ({ question }) => question),
    placements: united([...other.placements, ...one.placements], ({ track }) => track),
  });

  /** The document, as files hold it: with the day on which each question returns.
   * @param {State} state */
  const text = (state) => {
    const standings = [...hotloop.schedule.standings(state.reviews)];
    const due = standings.map(([key, standing]) => [key, new Date(standing.due).toISOString()]);
    return `${JSON.stringify({ ...state, due: Object.fromEntries(due) }, null, 1)}\n`;
  };

  hotloop.state = { empty, parse, merged, text };
})((globalThis.hotloop ??= {}));
