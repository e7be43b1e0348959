/* Where the pages of `hotloop interview` lead: to commands, because the site's pages are not here. */
((hotloop) => {
  "use strict";
  const { make } = hotloop.dom;

  /** @param {string} title @param {string} command */
  const told = (title, command) => make("span", {}, `${title}: `, make("code", {}, command));

  hotloop.links = {
    /** @param {string} key @param {string} language @param {string} title */
    question: (key, language, title) =>
      told(title, `hotloop questions show ${key}${language === "zh" ? " --language zh" : ""}`),
    /** @param {string} id @param {string} title */
    module: (id, title) => told(title, `hotloop start ${id}`),
    /** @param {string} key @param {string} title */
    task: (key, title) => {
      const state = hotloop.states?.[key];
      const begun = state !== undefined && state !== "not started";
      const command = begun ? `hotloop check ${key}` : `hotloop start ${key.split(".")[0]}`;
      return told(state ? `${title} (${state})` : title, command);
    },
  };
})((globalThis.hotloop ??= {}));
