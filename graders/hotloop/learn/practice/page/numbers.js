/* Questions with numbers: which numbers are asked, and whether an answer is right. All answers come
   with the question (`hotloop.learn.bank.numeric`); here one is drawn, and an answer compared with it. */
/**
 * instances: what is asked, the answer, and the answer as people write it. readings: ways to write
 * the unit, as factors into it.
 * telltales: ratios of wrong answers to the right one that have a known cause.
 * @typedef {{instances: [string, number, string][], unit: string, tolerance: number, explain: string,
 *   readings: Record<string, number>, base_factor: number, telltales: [number, string][]}} Numeric
 * @typedef {{ask: string, answer: number, shown: string, form: Numeric}} Drawn
 * @typedef {{right: boolean, sentence: string}} Judgement
 */
((hotloop) => {
  "use strict";

  const PREAMBLE = /^\s*(?:(?:about|roughly|circa|ca\.|=|~|≈|约|大约)\s*)?/i;
  const NUMBER =
    /^([+-]?)(\d[\d,_' \u00a0\u202f]*(?:\.\d+)?|\.\d+)(?:e([+-]?\d+)|\s*[x×·*]\s*10(?:\^|\*\*)([+-]?\d+))?/i;
  const LARGEST = 1e200;
  const DECIMAL_COMMA = /^\d+,(?!\d{3}$)\d+$/;
  /** @type {[string, number][]} */
  const PREFIXES = [["k", 1e3], ["M", 1e6], ["G", 1e9], ["T", 1e12], ["P", 1e15]];

  /** One of the instances. @param {Numeric} form @returns {Drawn} */
  const draw = (form) => {
    const [ask, answer, shown] = form.instances[Math.floor(Math.random() * form.instances.length)];
    return { ask, answer, shown, form };
  };

  /** `3.2 GB`, `3,200,000,000`, `3.2e9 B`; null if it begins with no number.
   * @param {string} said @returns {{value: number, unit: string} | null} */
  const read = (said) => {
    const text = said.replace(PREAMBLE, "");
    const found = NUMBER.exec(text);
    if (!found) return null;
    const [all, sign, written, e, power] = found;
    const digits = DECIMAL_COMMA.test(written.trim()) ? written.replace(",", ".") : written;
    const value = Number(`${sign}${digits.replace(/[,_'\s]/g, "")}e${e ?? power ?? "0"}`);
    if (Math.abs(value) > LARGEST) return null;
    return { value, unit: text.slice(all.length).trim().replace(/\.+$/, "") };
  };

  /** What one `written` is in the asked unit. @param {string} written @param {Numeric} form */
  const factorOf = (written, form) => {
    const wanted = written.split(/\s+/).filter(Boolean).join(" ").replace(/\s*\/\s*/g, "/");
    if (Object.hasOwn(form.readings, wanted)) return form.readings[wanted];
    const way = Object.keys(form.readings).find((w) => w.toLowerCase() === wanted.toLowerCase());
    return way === undefined ? null : form.readings[way];
  };

  /** With so many significant digits. @param {number} value @param {number} digits */
  const rounded = (value, digits) => String(Number(value.toPrecision(digits)));

  /** @param {string} digits */
  const grouped = (digits) =>
    digits.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));

  /** The number as people write it. @param {number} value @param {Numeric} form */
  const shown = (value, { unit }) => {
    const whole = Number.isInteger(value);
    const plain = whole ? grouped(BigInt(value).toString()) : grouped(rounded(value, 4));
    const text = `${plain} ${unit}`.trim();
    const [name, ...per] = unit.split("/");
    const unscaled = ["bytes", "byte", "B"].includes(name);
    if (Math.abs(value) < 1e4 || !(unscaled || name.includes("FLOP"))) return text;
    const [prefix, factor] = PREFIXES.filter(([, size]) => size <= Math.abs(value)).at(-1);
    const symbol = unscaled ? "B" : name;
    return `${text} (${rounded(value / factor, 4)} ${[prefix + symbol, ...per].join("/")})`;
  };

  /** @param {Drawn} drawn @param {number} value */
  const close = ({ answer, form }, value) =>
    Math.abs(value - answer) <= form.tolerance * Math.abs(answer) * (1 + 1e-9);

  /** @param {Numeric} form */
  const example = ({ unit }) =>
    `the answer is a number${unit ? ` in ${unit}` : ""}, such as ${`1.5 ${unit}`.trim()}`;

  /** What is wrong with it, without giving the answer away. @param {Drawn} drawn
   * @param {number} value */
  const complaint = ({ answer, form }, value) => {
    const told = `Read as ${shown(value, form)}`;
    const ratio = value / answer;
    if (ratio <= 0) return `${told}: it has the wrong sign, or is nothing.`;
    const apart = Math.max(ratio, 1 / ratio);
    const way = ratio > 1 ? "large" : "small";
    for (const [telltale, hint] of form.telltales) {
      if (Math.abs(apart / telltale - 1) < 0.003) return `${told}: too ${way}; ${hint}.`;
    }
    const percent = Math.round(Math.abs(ratio - 1) * 100);
    if (apart < 2) return `${told}: ${percent}% too ${way}.`;
    return `${told}: too ${way} by a factor of ${rounded(apart, 3)}.`;
  };

  /** A bare number is read in the asked unit or, if that is wrong, in that unit without its prefix.
   * @param {Drawn} drawn @param {string} said @returns {Judgement} */
  const check = (drawn, said) => {
    const { form } = drawn;
    const found = read(said);
    if (!found) return { right: false, sentence: `There is no number in it; ${example(form)}.` };
    const factor = factorOf(found.unit, form);
    if (factor === null) {
      const sentence = `The unit '${found.unit}' is unknown here; ${example(form)}.`;
      return { right: false, sentence };
    }
    let value = found.value * factor;
    if (!found.unit && !close(drawn, value) && close(drawn, found.value * form.base_factor)) {
      value = found.value * form.base_factor;
    }
    if (!close(drawn, value)) return { right: false, sentence: complaint(drawn, value) };
    return { right: true, sentence: `Right: ${drawn.shown}. ${form.explain}` };
  };

  hotloop.numbers = { draw, read, check };
})((globalThis.hotloop ??= {}));
