/* The placement test on the page: a track, then about eight questions, then where one begins. */
((hotloop) => {
  "use strict";
  const { make, button, goTo, choice } = hotloop.dom;

  /** @param {HTMLElement} place @param {() => void} changed what to do when a test is over */
  const placementTest = (place, changed) => {
    const { index } = hotloop;
    const modules = new Map(index.modules.map((each) => [each.id, each]));
    const wayOf = (/** @type {string} */ track) =>
      index.tracks.find(({ id }) => id === track).way.map((name) => modules.get(name));

    const intro = () => {
      const tracks = index.tracks.filter(({ id }) => id in hotloop.placementItems);
      const form = /** @type {HTMLFormElement} */ (
        make(
          "form",
          { class: "filters" },
          choice("Track", "track", tracks.map(({ id, title }) => [id, title])),
          make("button", { class: "md-button md-button--primary" }, "Start the test"),
          make("output"),
        )
      );
      form.addEventListener("submit", async (event) => {
        event.preventDefault();
        try {
          await test(String(new FormData(form).get("track")));
        } catch (error) {
          const { message } = /** @type {Error} */ (error);
          form.querySelector("output").textContent = `${message}. Try again.`;
        }
      });
      place.replaceChildren(make("p", {}, hotloop.placement.rule), form);
      const wanted = new URLSearchParams(location.hash.slice(1)).get("track");
      if (tracks.some(({ id }) => id === wanted)) form.querySelector("select").value = wanted;
    };

    /** @param {string} track */
    const test = async (track) => {
      const tiers = hotloop.placement.arranged(hotloop.placementItems[track]);
      const most = hotloop.placement.mostQuestions(tiers);
      /** @type {boolean[]} */
      const answers = [];
      /** @type {{item: PlacementItem, solution: string, because: string}[]} */
      const wrong = [];

      const go = async () => {
        const stands = hotloop.placement.course(tiers, answers);
        if (!stands.next) {
          await result(track, stands, wrong);
          return;
        }
        const item = stands.next;
        const asked = hotloop.placement.isChoice(item) ? asChoice(item) : await withNumbers(item);
        const answer = (/** @type {boolean} */ right) => {
          answers.push(right);
          if (!right) wrong.push({ item, solution: asked.solution, because: asked.because });
          go();
        };
        show(`Question ${stands.number}, of ${most} at most`, asked, answer);
      };
      await go();
    };

    /** @param {PlacementItem} item */
    const asChoice = (item) => {
      const options = hotloop.placement.options(item).map((text) =>
        make("label", { class: "mark" }, make("input", { type: "radio", name: "said", value: text }),
          make("span", {}, text)),
      );
      return {
        fields: make("fieldset", {}, make("legend", {}, item.ask), ...options),
        solution: item.right,
        because: item.because,
        isRight: (/** @type {string} */ said) => said === item.right,
        missing: "Choose one, or say that you don't know.",
      };
    };

    /** @param {PlacementItem} item */
    const withNumbers = async (item) => {
      const { numeric } = await hotloop.texts.load(item.question, "en");
      const drawn = hotloop.numbers.draw(numeric);
      const field = make("input", { name: "said", autocomplete: "off", spellcheck: "false" });
      const label = `Your number${numeric.unit ? `, in ${numeric.unit}` : ""}`;
      return {
        fields: make(
          "div",
          {},
          make("p", {}, drawn.ask),
          make("div", { class: "filters" }, make("label", {}, label, field)),
        ),
        solution: drawn.shown,
        because: numeric.explain,
        isRight: (/** @type {string} */ said) => hotloop.numbers.check(drawn, said).right,
        missing: "Type a number, or say that you don't know.",
      };
    };

    /** @param {string} title @param {any} asked @param {(right: boolean) => void} answer */
    const show = (title, asked, answer) => {
      const heading = make("h3", {}, title);
      const problem = make("p", { role: "alert", class: "verdict" });
      const form = /** @type {HTMLFormElement} */ (
        make(
          "form",
          { class: "marking" },
          heading,
          asked.fields,
          problem,
          make(
            "p",
            { class: "buttons" },
            make("button", { class: "md-button md-button--primary" }, "Answer"),
            button("I don't know", () => answer(false)),
            button("Leave the test", () => {
              intro();
              place.querySelector("select").focus();
            }),
          ),
        )
      );
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const said = String(new FormData(form).get("said") ?? "").trim();
        if (said === "") problem.textContent = asked.missing;
        else answer(asked.isRight(said));
      });
      place.replaceChildren(form);
      goTo(heading);
    };

    /** @param {string} track @param {Course} stands
     * @param {{item: PlacementItem, solution: string, because: string}[]} wrong */
    const result = async (track, { tried, known }, wrong) => {
      const way = wayOf(track);
      const start = hotloop.placement.start(way, known);
      const given = tried.flatMap((tier) => tier.given);
      const answers = given.map(({ item, right }) => ({ question: item.question, right }));
      const at = new Date().toISOString();
      const problem = make("p", { role: "alert", class: "verdict" });
      try {
        await hotloop.store.add({ placements: [{ at, track, known, start, answers }] });
      } catch (error) {
        problem.textContent = /** @type {Error} */ (error).message;
      }
      const heading = make("h3", {}, "Where you begin");
      place.replaceChildren(
        heading,
        problem,
        make("ul", {}, ...tried.map((tier) => make("li", {}, why(tier)))),
        begin(track, start),
        ...skipped(way, start),
        ...corrections(wrong),
        make("p", { class: "buttons" }, button("Another test", () => {
          intro();
          place.querySelector("select").focus();
        })),
      );
      goTo(heading);
      changed();
    };

    /** @param {Tried} tried */
    const why = ({ tier, given, needed, known }) => {
      if (given.length === 0) return `${tier}: too few questions to tell, so it counts as not known.`;
      const right = given.filter((each) => each.right).length;
      const outcome = known ? "known" : "not known yet";
      return `${tier}: ${right} of ${given.length} right (${needed} needed): ${outcome}.`;
    };

    /** @param {string} track @param {string | null} start */
    const begin = (track, start) => {
      if (start !== null) {
        const link = hotloop.links.module(start, modules.get(start).title);
        return make("p", { "data-start": start }, "Begin with ", link, ".");
      }
      const link = make("a", { href: `index.html#track=${track}` }, "Practice its questions");
      const told = "You know what the modules of this track teach. ";
      return make("p", { "data-start": "" }, told, link, ".");
    };

    /** @param {{id: string, title: string}[]} way @param {string | null} start */
    const skipped = (way, start) => {
      const end = way.findIndex(({ id }) => id === start);
      const names = (end < 0 ? way : way.slice(0, end)).map(({ title }) => title);
      return names.length > 0 ? [make("p", {}, `What you may skip: ${names.join(", ")}.`)] : [];
    };

    /** @param {{item: PlacementItem, solution: string, because: string}[]} wrong */
    const corrections = (wrong) => {
      if (wrong.length === 0) return [];
      const items = wrong.map(({ item, solution, because }) =>
        make(
          "li",
          {},
          make("strong", {}, solution),
          ` ${because} `,
          hotloop.links.question(item.question, "en", "The question"),
        ),
      );
      return [make("h4", {}, "What was not right"), make("ul", {}, ...items)];
    };

    intro();
  };

  hotloop.placementTest = placementTest;
})((globalThis.hotloop ??= {}));
