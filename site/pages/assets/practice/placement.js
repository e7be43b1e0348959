/* The placement test: which items are asked, and where one begins; the rule of `hotloop placement`. */
/**
 * ask and what follows it are missing where the item is a question with numbers.
 * @typedef {{question: string, ask?: string, because?: string, right?: string,
 *   wrong?: string[]}} PlacementItem
 * @typedef {{tier: string, given: {item: PlacementItem, right: boolean}[], needed: number,
 *   known: boolean}} Tried
 * @typedef {{tried: Tried[], known: string[], next: PlacementItem | null, number: number}} Course
 * @typedef {{at_most: number, fewest: number}} PlacementRule
 */
((hotloop) => {
  "use strict";

  const isChoice = (/** @type {PlacementItem} */ item) => item.right !== undefined;

  /** Each tier's items in the order in which this seed asks them: choices and numbers take turns.
   * @param {Record<string, PlacementItem[]>} tiers @param {string} seed
   * @returns {[string, PlacementItem[]][]} */
  const arranged = (tiers, seed) =>
    Object.entries(tiers).map(([tier, items]) => {
      const mixed = (/** @type {PlacementItem[]} */ some) =>
        hotloop.sha256.shuffled(some, seed, ({ question }) => question);
      const choices = mixed(items.filter(isChoice));
      const numbers = mixed(items.filter((item) => !isChoice(item)));
      const rounds = Math.max(choices.length, numbers.length);
      const turns = Array.from({ length: rounds }, (_, n) => [choices[n], numbers[n]]);
      return [tier, turns.flat().filter(Boolean)];
    });

  /** The options of a choice, as this seed orders them. @param {PlacementItem} item @param {string} seed
   * @returns {string[]} */
  const options = ({ question, right, wrong }, seed) =>
    hotloop.sha256.shuffled([right, ...wrong], `${seed}.${question}`, (text) => text);

  /** One tier, as far as there are answers. @param {string} tier @param {PlacementItem[]} items
   * @param {boolean[]} answers those not used by an earlier tier @param {PlacementRule} rule
   * @returns {Tried & {next: PlacementItem | null}} */
  const tryTier = (tier, items, answers, { at_most: most, fewest }) => {
    const chosen = items.length < fewest ? [] : items.slice(0, most);
    const needed = Math.max(fewest, Math.min(items.length, most) - 1);
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
   * @param {[string, PlacementItem[]][]} tiers @param {boolean[]} answers @param {PlacementRule} rule
   * @returns {Course} */
  const course = (tiers, answers, rule) => {
    /** @type {Tried[]} */
    const tried = [];
    let [low, high, used] = [0, tiers.length, 0];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [tier, items] = tiers[middle];
      const { next, ...outcome } = tryTier(tier, items, answers.slice(used), rule);
      used += outcome.given.length;
      if (next) return { tried, known: [], next, number: used + 1 };
      tried.push(outcome);
      if (outcome.known) low = middle + 1;
      else high = middle;
    }
    return { tried, known: tiers.slice(0, low).map(([tier]) => tier), next: null, number: used };
  };

  /** How many questions there can be. @param {[string, PlacementItem[]][]} tiers @param {PlacementRule} rule */
  const mostQuestions = (tiers, { at_most: most }) => {
    /** @param {number} low @param {number} high @returns {number} */
    const between = (low, high) => {
      if (low === high) return 0;
      const middle = Math.floor((low + high) / 2);
      const here = Math.min(most, tiers[middle][1].length);
      return here + Math.max(between(low, middle), between(middle + 1, high));
    };
    return between(0, tiers.length);
  };

  /** The first module on the way whose tier is not known; null when nothing is left.
   * @param {{id: string, tier: string}[]} way @param {string[]} known */
  const start = (way, known) => way.find(({ tier }) => !known.includes(tier))?.id ?? null;

  hotloop.placement = { arranged, options, course, mostQuestions, start, isChoice };
})((globalThis.hotloop ??= {}));
