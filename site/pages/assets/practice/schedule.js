/* When a question returns: FSRS-6, with the formulas and the parameters of the library that
   `hotloop interview` uses (py-fsrs, MIT licence, without its steps of minutes and random shifts).
   A test holds both against each other. */
/**
 * The library's settings, and its rating (1 to 4) of each mark.
 * @typedef {{parameters: number[], desired_retention: number, maximum_interval: number,
 *   ratings: number[]}} ScheduleSettings
 * @typedef {{question: string, at: string, mark: number, seconds: number, hints: number,
 *   language: string, numeric: boolean | null}} Review
 * @typedef {{times: number, last: Review, due: number, stability: number, difficulty: number}}
 *   Standing  due: milliseconds since 1970; stability: in days
 */
((hotloop) => {
  "use strict";

  const DAY = 86_400_000;
  const SMALLEST = 0.001;
  const [AGAIN, HARD, GOOD, EASY] = [1, 2, 3, 4];

  /** @param {number} difficulty */
  const bounded = (difficulty) => Math.min(Math.max(difficulty, 1), 10);

  /** @param {ScheduleSettings} settings */
  const memory = ({ parameters: w, desired_retention: retention, maximum_interval: longest }) => {
    const decay = -w[20];
    const factor = 0.9 ** (1 / decay) - 1;

    /** @param {number} rating */
    const firstDifficulty = (rating) => w[4] - Math.exp(w[5] * (rating - 1)) + 1;

    /** @param {number} difficulty @param {number} rating */
    const nextDifficulty = (difficulty, rating) => {
      const damped = (-w[6] * (rating - GOOD) * (10 - difficulty)) / 9;
      return bounded(w[7] * firstDifficulty(EASY) + (1 - w[7]) * (difficulty + damped));
    };

    /** The same day once more. @param {number} stability @param {number} rating */
    const sameDay = (stability, rating) => {
      const grown = Math.exp(w[17] * (rating - GOOD + w[18])) * stability ** -w[19];
      return stability * (rating === AGAIN ? grown : Math.max(grown, 1));
    };

    /** @param {number} difficulty @param {number} stability @param {number} recall */
    const forgotten = (difficulty, stability, recall) =>
      Math.min(
        w[11] * difficulty ** -w[12] * ((stability + 1) ** w[13] - 1) * Math.exp((1 - recall) * w[14]),
        stability / Math.exp(w[17] * w[18]),
      );

    /** @param {number} difficulty @param {number} stability @param {number} recall
     * @param {number} rating */
    const recalled = (difficulty, stability, recall, rating) => {
      const grown = Math.exp(w[8]) * (11 - difficulty) * stability ** -w[9];
      const gain = grown * (Math.exp((1 - recall) * w[10]) - 1);
      return stability * (1 + gain * (rating === HARD ? w[15] : 1) * (rating === EASY ? w[16] : 1));
    };

    /** @param {number} stability @param {number} difficulty @param {number} days
     * @param {number} rating */
    const nextStability = (stability, difficulty, days, rating) => {
      if (days < 1) return Math.max(sameDay(stability, rating), SMALLEST);
      const recall = (1 + (factor * days) / stability) ** decay;
      const next =
        rating === AGAIN
          ? forgotten(difficulty, stability, recall)
          : recalled(difficulty, stability, recall, rating);
      return Math.max(next, SMALLEST);
    };

    /** @param {number} stability */
    const interval = (stability) => {
      const days = hotloop.rounded((stability / factor) * (retention ** (1 / decay) - 1));
      return Math.min(Math.max(days, 1), longest);
    };

    return { firstDifficulty, nextDifficulty, nextStability, interval };
  };

  /** @param {Review[]} reviews of one question, by time @param {ScheduleSettings} settings
   * @returns {Standing} */
  const standing = (reviews, settings) => {
    const model = memory(settings);
    let [stability, difficulty, before, due] = [0, 0, 0, 0];
    reviews.forEach((review, n) => {
      const rating = settings.ratings[review.mark];
      const at = Date.parse(review.at);
      if (n === 0) {
        stability = Math.max(settings.parameters[rating - 1], SMALLEST);
        difficulty = bounded(model.firstDifficulty(rating));
      } else {
        const days = Math.floor((at - before) / DAY);
        stability = model.nextStability(stability, difficulty, days, rating);
        difficulty = model.nextDifficulty(difficulty, rating);
      }
      before = at;
      due = at + model.interval(stability) * DAY;
    });
    const last = reviews[reviews.length - 1];
    return { times: reviews.length, last, due, stability, difficulty };
  };

  /** Where each practised question stands.
   * @param {Review[]} reviews @param {ScheduleSettings} settings @returns {Map<string, Standing>} */
  const standings = (reviews, settings) => {
    /** @type {Map<string, Review[]>} */
    const byQuestion = new Map();
    for (const review of [...reviews].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))) {
      byQuestion.set(review.question, [...(byQuestion.get(review.question) ?? []), review]);
    }
    return new Map([...byQuestion].map(([key, found]) => [key, standing(found, settings)]));
  };

  hotloop.schedule = { standings };
})((globalThis.hotloop ??= {}));
