/* The placement test: about eight questions that find the module to begin with.

   The modules on the way to the end of a track are grouped by tier. The test begins in the middle
   tier. Of each tier it asks at most four questions and stops as soon as the outcome is certain:
   three right and the tier is known, two wrong and it is not. (Where a tier has only three items,
   two must be right; where it has two, both; with fewer it counts as not known.) If the tier is
   known, the next test is above it, else below it, until every tier is either known or not: one that
   lies below a known tier is known, too. With three tiers that makes four to eight questions. One
   begins with the first module on the way whose tier is not known. */
/**
 * ask and what follows it are missing where the item is a question with numbers.
 * @typedef {{question: string, ask?: string, because?: string, right?: string,
 *   wrong?: string[]}} PlacementItem
 * @typedef {{tier: string, given: {item: PlacementItem, right: boolean}[], needed: number,
 *   known: boolean}} Tried
 * @typedef {{tried: Tried[], known: string[], next: PlacementItem | null, number: number}} Course
 */
((hotloop) => {
  "use strict";

  const AT_MOST = 4;
  const FEWEST = 2;
  const RULE =
    `The test begins in the middle tier. A tier is known with ${AT_MOST - 1} of ${AT_MOST} right; ` +
    "then the tier above is tried, else the one below. What lies below a known tier counts as " +
    "known. You begin with the first module of the way whose tier is not known.";

  const isChoice = (/** @type {PlacementItem} */ item) => item.right !== undefined;

  /** In a random order. @template T @param {T[]} things @returns {T[]} */
  const shuffled = (things) =>
    things
      .map((thing) => ({ thing, place: Math.random() }))
      .sort((a, b) => a.place - b.place)
      .map(({ thing }) => thing);

  /** Each tier's items in the order in which they are asked: choices and numbers take turns, so that
   * neither guessing nor arithmetic alone decides. @param {Record<string, PlacementItem[]>} tiers
   * @returns {[string, PlacementItem[]][]} */
  const arranged = (tiers) =>
    Object.entries(tiers).map(([tier, items]) => {
      const choices = shuffled(items.filter(isChoice));
      const numbers = shuffled(items.filter((item) => !isChoice(item)));
      const rounds = Math.max(choices.length, numbers.length);
      const turns = Array.from({ length: rounds }, (_, n) => [choices[n], numbers[n]]);
      return [tier, turns.flat().filter(Boolean)];
    });

  /** The options of a choice. @param {PlacementItem} item @returns {string[]} */
  const options = ({ right, wrong }) => shuffled([right, ...wrong]);

  /** One tier, as far as there are answers. @param {string} tier @param {PlacementItem[]} items
   * @param {boolean[]} answers those not used by an earlier tier
   * @returns {Tried & {next: PlacementItem | null}} */
  const tryTier = (tier, items, answers) => {
    const chosen = items.length < FEWEST ? [] : items.slice(0, AT_MOST);
    const needed = Math.max(FEWEST, Math.min(items.length, AT_MOST) - 1);
    /** @type {{item: PlacementItem, right: boolean}[]} */
    const given = [];
    let right = 0;
    for (const item of chosen) {
      if (given.length === answers.length) return { tier, given, needed, known: false, next: item };
      given.push({ item, right: answers[given.length] });
      right += given[given.length - 1].right ? 1 : 0;
      if (right === needed || right + chosen.length - given.length < needed) break;
    }
    return { tier, given, needed, known: right >= needed, next: null };
  };

  /** Where the test stands after these answers. next: what is asked now; null at the end.
   * @param {[string, PlacementItem[]][]} tiers @param {boolean[]} answers
   * @returns {Course} */
  const course = (tiers, answers) => {
    /** @type {Tried[]} */
    const tried = [];
    let [low, high, used] = [0, tiers.length, 0];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [tier, items] = tiers[middle];
      const { next, ...outcome } = tryTier(tier, items, answers.slice(used));
      used += outcome.given.length;
      if (next) return { tried, known: [], next, number: used + 1 };
      tried.push(outcome);
      if (outcome.known) low = middle + 1;
      else high = middle;
    }
    return { tried, known: tiers.slice(0, low).map(([tier]) => tier), next: null, number: used };
  };

  /** How many questions there can be. @param {[string, PlacementItem[]][]} tiers */
  const mostQuestions = (tiers) => {
    /** @param {number} low @param {number} high @returns {number} */
    const between = (low, high) => {
      if (low === high) return 0;
      const middle = Math.floor((low + high) / 2);
      const here = Math.min(AT_MOST, tiers[middle][1].length);
      return here + Math.max(between(low, middle), between(middle + 1, high));
    };
    return between(0, tiers.length);
  };

  /** The first module on the way whose tier is not known; null when nothing is left.
   * @param {{id: string, tier: string}[]} way @param {string[]} known */
  const start = (way, known) => way.find(({ tier }) => !known.includes(tier))?.id ?? null;

  hotloop.placement = { rule: RULE, arranged, options, course, mostQuestions, start, isChoice };
})((globalThis.hotloop ??= {}));
