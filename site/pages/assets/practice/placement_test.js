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
    const page = (/** @type {string} */ module) => `../modules/${module}/index.html`;

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
      place.replaceChildren(make("p", {}, index.placement.rule), form);
    };

    /** @param {string} track */
    const test = async (track) => {
      const seed = String(crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000);
      const tiers = hotloop.placement.arranged(hotloop.placementItems[track], seed);
      const most = hotloop.placement.mostQuestions(tiers, index.placement);
      /** @type {boolean[]} */
      const answers = [];
      /** @type {{item: PlacementItem, solution: string, because: string}[]} */
      const wrong = [];

      const go = async () => {
        const stands = hotloop.placement.course(tiers, answers, index.placement);
        if (!stands.next) {
          result(track, seed, stands, wrong);
          return;
        }
        const item = stands.next;
        const asked = hotloop.placement.isChoice(item)
          ? asChoice(item, seed)
          : await withNumbers(item, seed);
        const answer = (/** @type {boolean} */ right) => {
          answers.push(right);
          if (!right) wrong.push({ item, solution: asked.solution, because: asked.because });
          go();
        };
        show(`Question ${stands.number}, of ${most} at most`, asked, answer);
      };
      await go();
    };

    /** @param {PlacementItem} item @param {string} seed */
    const asChoice = (item, seed) => {
      const options = hotloop.placement.options(item, seed).map((text) =>
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

    /** @param {PlacementItem} item @param {string} seed */
    const withNumbers = async (item, seed) => {
      const { numeric } = await hotloop.texts.load(item.question, "en");
      const drawn = hotloop.numbers.draw(numeric, `${seed}.${item.question}`);
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
      const complaint = make("p", { role: "alert", class: "verdict" });
      const form = /** @type {HTMLFormElement} */ (
        make(
          "form",
          { class: "marking" },
          heading,
          asked.fields,
          complaint,
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
        if (said === "") complaint.textContent = asked.missing;
        else answer(asked.isRight(said));
      });
      place.replaceChildren(form);
      goTo(heading);
    };

    /** @param {string} track @param {string} seed @param {Course} stands
     * @param {{item: PlacementItem, solution: string, because: string}[]} wrong */
    const result = (track, seed, { tried, known }, wrong) => {
      const way = wayOf(track);
      const start = hotloop.placement.start(way, known);
      const given = tried.flatMap((tier) => tier.given);
      const answers = given.map(({ item, right }) => ({ question: item.question, right }));
      const at = new Date().toISOString();
      hotloop.store.add({ placements: [{ at, track, seed, known, start, answers }] });
      const heading = make("h3", {}, "Where you begin");
      place.replaceChildren(
        heading,
        make("ul", {}, ...tried.map((tier) => make("li", {}, why(tier)))),
        begin(track, start),
        ...skipped(way, start),
        ...mended(wrong),
        make("p", { class: "crumbs" }, `The terminal asks the same: hotloop placement ${track} --seed ${seed}`),
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
        const link = make("a", { href: page(start) }, modules.get(start).title);
        return make("p", { "data-start": start }, "Begin with ", link, ".");
      }
      const link = make("a", { href: `index.html#track=${track}` }, "Practise its questions");
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
    const mended = (wrong) => {
      if (wrong.length === 0) return [];
      const items = wrong.map(({ item, solution, because }) =>
        make(
          "li",
          {},
          make("strong", {}, solution),
          ` ${because} `,
          make("a", { href: `../questions/${item.question.replace(".", "/")}.html` }, "The question"),
        ),
      );
      return [make("h4", {}, "What was not right"), make("ul", {}, ...items)];
    };

    intro();
  };

  hotloop.placementTest = placementTest;
})((globalThis.hotloop ??= {}));
