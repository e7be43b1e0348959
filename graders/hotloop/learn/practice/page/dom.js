/* Makes elements. Texts are texts; only what the build wrote, under `html`, is markup. */
((hotloop) => {
  "use strict";

  /**
   * @param {string} tag
   * @param {Record<string, any>} [properties] attributes; functions are listeners, `true` is an
   *   attribute without a value, what is false or null is left out
   * @param {...(Node | string | null | undefined)} children
   * @returns {HTMLElement}
   */
  const make = (tag, properties = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (value === null || value === undefined || value === false) continue;
      if (typeof value === "function") made.addEventListener(name, value);
      else if (name === "html") made.innerHTML = value;
      else made.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children) if (child !== null && child !== undefined) made.append(child);
    return made;
  };

  /** @param {string} text @param {(event: Event) => void} click @param {Record<string, any>} [more] */
  const button = (text, click, more = {}) =>
    make("button", { type: "button", class: "md-button", click, ...more }, text);

  /** A list of pieces of HTML. @param {string} tag @param {string[]} texts */
  const list = (tag, texts) => make(tag, {}, ...texts.map((html) => make("li", { html })));

  /** Moves reading there: by keyboard and screen reader, too. @param {HTMLElement} element */
  const goTo = (element) => {
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "start" });
  };

  /** Fills the {places} of a sentence. @param {string} text @param {Record<string, any>} values */
  const filled = (text, values) => text.replace(/{(\w+)}/g, (_, name) => String(values[name]));

  /** A choice with a label. @param {string} label @param {string} name
   * @param {[string, string][]} options value and text */
  const choice = (label, name, options) =>
    make(
      "label",
      {},
      label,
      make("select", { name }, ...options.map(([value, text]) => make("option", { value }, text))),
    );

  /** A day as the learner's own calendar has it. @param {number} moment */
  const day = (moment) => {
    const date = new Date(moment);
    const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  };

  hotloop.dom = { make, button, list, goTo, filled, choice, day };
})((globalThis.hotloop ??= {}));
