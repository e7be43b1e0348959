/* What is kept: how much it is, and how to take it along, bring it back, delete it. */
((hotloop) => {
  "use strict";
  const { make, button, day } = hotloop.dom;

  const count = (/** @type {number} */ n, /** @type {string} */ name) =>
    `${n} ${name}${n === 1 ? "" : "s"}`;

  /** Adds a file's practice, or takes over what the judge said. @param {string} text
   * @returns {Promise<string>} what became of it */
  const take = async (text) => {
    const found = JSON.parse(text);
    if (hotloop.judged?.fits(found)) {
      const tasks = hotloop.judged.parse(found);
      hotloop.judged.keep(tasks);
      return `The judge's verdicts on ${count(Object.keys(tasks).length, "task")} were taken over.`;
    }
    const more = hotloop.state.parse(text);
    const before = hotloop.store.read();
    const after = await hotloop.store.add(more);
    const reviews = after.reviews.length - before.reviews.length;
    const placements = after.placements.length - before.placements.length;
    return `${count(reviews, "mark")} and ${count(placements, "placement")} of it are new.`;
  };

  /** @param {HTMLElement} place @param {() => void} changed what to do when something was changed */
  const records = (place, changed) => {
    const told = make("p");
    const said = make("p", { role: "status", class: "verdict" });
    const tell = () => {
      const { reviews, placements } = hotloop.store.read();
      told.textContent =
        `${count(reviews.length, "mark")} and ${count(placements.length, "placement")}` +
        ` are kept in ${hotloop.store.where}. ${hotloop.store.notice()}`;
    };
    const change = () => {
      tell();
      changed();
    };

    const question = make("p");
    const deletion = /** @type {HTMLDialogElement} */ (
      make(
        "dialog",
        { class: "confirmation", "aria-label": "Delete what is kept" },
        question,
        make(
          "p",
          { class: "buttons" },
          button("Keep it", () => deletion.close(), { autofocus: true }),
          button("Delete it", async () => {
            deletion.close();
            try {
              await hotloop.store.reset();
              hotloop.judged?.reset();
              said.textContent = "Deleted.";
            } catch (error) {
              said.textContent = /** @type {Error} */ (error).message;
            }
            change();
          }),
        ),
      )
    );
    const ask = () => {
      const { reviews, placements } = hotloop.store.read();
      question.textContent =
        `Delete ${count(reviews.length, "mark")} and ${count(placements.length, "placement")}` +
        ` from ${hotloop.store.where}? Only an export brings them back.`;
      deletion.showModal();
    };

    place.replaceChildren(
      told,
      make(
        "p",
        { class: "buttons" },
        button("Export", () => {
          const text = hotloop.state.text(hotloop.store.read());
          hotloop.files.save(`hotloop-practice-${day(Date.now())}.json`, text);
        }),
        hotloop.files.opener("Import", async (text, name) => {
          try {
            said.textContent = await take(text);
          } catch (error) {
            const { message } = /** @type {Error} */ (error);
            said.textContent = `${name}: ${message}. Nothing was changed.`;
          }
          change();
        }),
        button("Delete …", ask),
      ),
      said,
      deletion,
    );
    hotloop.store.onChange(change);
    tell();
    return { tell };
  };

  hotloop.records = { records };
})((globalThis.hotloop ??= {}));
