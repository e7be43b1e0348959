/* The texts of questions, which are loaded when they are asked: each is a script of its own, because
   a page that was opened as a file may load nothing else. */
/**
 * @typedef {{title: string, prompt: string, hints: string[], strategy: string[], say: string,
 *   answer: string, weak_answers: [string, string][], follow_ups: string[], rubric: string[],
 *   practise: {key: string, title: string}[], numeric: Numeric | null}} QuestionText
 */
((hotloop) => {
  "use strict";

  const script = /** @type {HTMLScriptElement | null} */ (globalThis.document?.currentScript);
  const folder = new URL("data/", script?.src ?? "file:///");
  /** What is loaded, by key and language. @type {Record<string, QuestionText>} */
  const known = {};

  /** @param {string} key @param {string} language @returns {Promise<QuestionText>} */
  const load = (key, language) => {
    const name = `${key}/${language}`;
    if (known[name]) return Promise.resolve(known[name]);
    return new Promise((resolve, reject) => {
      const asked = document.createElement("script");
      asked.src = new URL(`${key.replace(".", "/")}.${language}.js`, folder).href;
      asked.onload = () => resolve(known[name]);
      asked.onerror = () => reject(new Error(`${key} could not be loaded`));
      document.head.append(asked);
    });
  };

  hotloop.texts = { known, load };
})((globalThis.hotloop ??= {}));
