/* Rounds as Python does, so that the page and the terminal tell the same: halves to the even number. */
((hotloop) => {
  "use strict";

  /** @param {number} value */
  hotloop.rounded = (value) => {
    const below = Math.floor(value);
    if (value - below !== 0.5) return Math.round(value);
    return below % 2 === 0 ? below : below + 1;
  };
})((globalThis.hotloop ??= {}));
