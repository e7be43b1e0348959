/* The clock of a question: seen at every second, said aloud three times only. */
((hotloop) => {
  "use strict";
  const { make, filled } = hotloop.dom;

  /** @param {number} seconds */
  const minutesAndSeconds = (seconds) =>
    `${Math.floor(seconds / 60)}:${String(Math.floor(seconds) % 60).padStart(2, "0")}`;

  /** @param {number} minutes @param {Record<string, string>} words */
  const clock = (minutes, words) => {
    const began = performance.now();
    const seen = make("span", { role: "timer", "aria-label": words.clock, class: "clock" });
    const said = make("span", { class: "unseen", "aria-live": "polite" });
    const whole = minutes * 60;
    /** @type {[number, string][]} */
    const moments = [[whole / 2, words.half], [whole - 60, words.minute], [whole, words.over]];
    const toSay = minutes > 2 ? moments : moments.slice(2);
    const seconds = () => (performance.now() - began) / 1000;

    const tick = () => {
      seen.textContent = filled(words.of, { taken: minutesAndSeconds(seconds()), minutes });
      seen.classList.toggle("over", seconds() > whole);
      while (toSay.length > 0 && seconds() >= toSay[0][0]) said.textContent = toSay.shift()[1];
    };
    tick();
    const ticking = setInterval(tick, 500);
    /** Stops it. @returns {number} the seconds that it took */
    const stop = () => {
      clearInterval(ticking);
      return seconds();
    };
    return { element: make("p", { class: "crumbs" }, seen, said), stop };
  };

  hotloop.clock = { clock, minutesAndSeconds };
})((globalThis.hotloop ??= {}));
