/* When a question returns: FSRS-6, the free spaced repetition scheduler, with the formulas and the
   published parameters of py-fsrs (MIT licence, https://github.com/open-spaced-repetition/py-fsrs);
   a test compares the two. It models `stability`, the days after which nine of ten are still known,
   and `difficulty`. Without the library's steps of minutes, because an answer of ten minutes is not
   drilled twice in an hour, without its random shifts, and with at most a year. */
/**
 * @typedef {{question: string, at: string, mark: number, seconds: number, hints: number,
 *   language: string, numeric: boolean | null}} Review
 * @typedef {{times: number, last: Review, due: number, stability: number, difficulty: number}}
 *   Standing  due: milliseconds since 1970; stability: in days
 */
((hotloop) => {
  "use strict";

  const DAY = 86_400_000;
  const SMALLEST = 0.001;
  const LONGEST_DAYS = 365;
  const RETENTION = 0.9;
  const [AGAIN, HARD, GOOD, EASY] = [1, 2, 3, 4];
  /** The rating of each mark, 0 to 4. */
  const RATINGS = [AGAIN, AGAIN, HARD, GOOD, EASY];
  /** w: FSRS-6's parameters, fitted to many people's reviews. */
  const w = [
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835,
    0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
  ];
  const DECAY = -w[20];
  const FACTOR = 0.9 ** (1 / DECAY) - 1;

  /** @param {number} difficulty */
  const bounded = (difficulty) => Math.min(Math.max(difficulty, 1), 10);

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
    const recall = (1 + (FACTOR * days) / stability) ** DECAY;
    const next =
      rating === AGAIN
        ? forgotten(difficulty, stability, recall)
        : recalled(difficulty, stability, recall, rating);
    return Math.max(next, SMALLEST);
  };

  /** @param {number} stability */
  const interval = (stability) => {
    const days = Math.round((stability / FACTOR) * (RETENTION ** (1 / DECAY) - 1));
    return Math.min(Math.max(days, 1), LONGEST_DAYS);
  };

  /** @param {Review[]} reviews of one question, by time @returns {Standing} */
  const standing = (reviews) => {
    let [stability, difficulty, before, due] = [0, 0, 0, 0];
    reviews.forEach((review, n) => {
      const rating = RATINGS[review.mark];
      const at = Date.parse(review.at);
      if (n === 0) {
        stability = Math.max(w[rating - 1], SMALLEST);
        difficulty = bounded(firstDifficulty(rating));
      } else {
        const days = Math.floor((at - before) / DAY);
        stability = nextStability(stability, difficulty, days, rating);
        difficulty = nextDifficulty(difficulty, rating);
      }
      before = at;
      due = at + interval(stability) * DAY;
    });
    const last = reviews[reviews.length - 1];
    return { times: reviews.length, last, due, stability, difficulty };
  };

  /** Where each practised question stands.
   * @param {Review[]} reviews @returns {Map<string, Standing>} */
  const standings = (reviews) => {
    /** @type {Map<string, Review[]>} */
    const byQuestion = new Map();
    for (const review of [...reviews].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))) {
      byQuestion.set(review.question, [...(byQuestion.get(review.question) ?? []), review]);
    }
    return new Map([...byQuestion].map(([key, found]) => [key, standing(found)]));
  };

  hotloop.schedule = { standings };
})((globalThis.hotloop ??= {}));
