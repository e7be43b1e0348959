/* Where the site's practice pages lead: to its pages on questions, modules and tasks. */
((hotloop) => {
  "use strict";
  const { make } = hotloop.dom;

  /** @param {string} href @param {string} title */
  const link = (href, title) => make("a", { href, target: "_blank", rel: "noopener" }, title);

  hotloop.links = {
    /** @param {string} key @param {string} language @param {string} title */
    question: (key, language, title) =>
      link(`../questions/${key.replace(".", "/")}${language === "zh" ? ".zh" : ""}.html`, title),
    /** @param {string} id @param {string} title */
    module: (id, title) => link(`../modules/${id}/index.html`, title),
    /** @param {string} key @param {string} title */
    task: (key, title) => {
      const state = hotloop.judged.read()[key]?.state;
      const told = state ? `${title} (${state})` : title;
      return link(`../modules/${key.replace(".", "/index.html#")}`, told);
    },
  };
})((globalThis.hotloop ??= {}));
