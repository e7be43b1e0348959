/* The learning path: what is done is marked in the drawing and told in a table, and what comes next. */
((hotloop) => {
  "use strict";
  const place = document.getElementById("standing");
  const test = document.getElementById("placement");
  const kept = document.getElementById("records");
  if (!place || !test || !kept) return;
  const { make } = hotloop.dom;
  const { index } = hotloop;

  const SIGNS = { "not begun": "", placed: "»", begun: "…", known: "✓", firm: "✓✓" };

  /** @param {string} name @param {(string | Node)[][]} rows @param {string[]} heads */
  const table = (name, heads, rows) =>
    make(
      "div",
      { class: "scrolls", role: "region", tabindex: "0", "aria-label": name },
      make(
        "table",
        { class: "standing" },
        make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
        make(
          "tbody",
          {},
          ...rows.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, cell)))),
        ),
      ),
    );

  /** @param {string} level */
  const sign = (level) =>
    make("span", { class: "level", "data-level": level }, `${SIGNS[level]} ${level}`.trim());

  /** @param {{mean: number | null, practised: number, of: number}} questions */
  const practised = ({ mean, practised: count, of }) =>
    `${count} of ${of}${mean === null ? "" : `, mean mark ${mean.toFixed(1)}`}`;

  const draw = (/** @type {Overview} */ standing) => {
    for (const [name, { level }] of standing.modules) {
      const box = document.querySelector(`svg [data-module="${name}"]`);
      if (!box) continue;
      box.setAttribute("data-level", level);
      box.querySelector(".sign").textContent = SIGNS[level];
    }
  };

  const tell = () => {
    const tasks = hotloop.judged.read();
    const standing = hotloop.standing.overview(index, hotloop.store.read(), tasks, Date.now());
    draw(standing);
    const rows = standing.tracks.flatMap(({ title, modules, questions }) => [
      [make("strong", {}, title), "", "", practised(questions)],
      ...modules.map((each) => [
        make("a", { href: `../modules/${each.module.id}/index.html` }, each.module.title),
        sign(each.level),
        `${each.done} of ${each.graded}`,
        practised(each.questions),
      ]),
    ]);
    const next = hotloop.nextSteps.steps(standing, tasks).map(({ what, why, page }) =>
      make("li", {}, make("a", { href: page }, what), `: ${why}.`),
    );
    const concepts = standing.concepts.map(({ title, level, modules }) => [
      title,
      sign(level),
      modules.map((each) => each.title).join(", "),
    ]);
    place.replaceChildren(
      make("h3", {}, "What to do next"),
      next.length > 0
        ? make("ol", { class: "next" }, ...next)
        : make("p", {}, "Nothing: all is done, and no question is due."),
      make("h3", {}, "Module by module"),
      table("Where you stand", ["module", "level", "tasks done", "questions practiced"], rows),
      make("p", { class: "crumbs" }, index.standing.meaning),
      make(
        "details",
        {},
        make("summary", {}, "Concept by concept"),
        table("Concepts", ["concept", "level", "taught in"], concepts),
      ),
    );
  };

  const changed = () => {
    own.tell();
    tell();
  };
  const own = hotloop.records.records(kept, tell);
  hotloop.placementTest(test, changed);
  tell();
})((globalThis.hotloop ??= {}));
