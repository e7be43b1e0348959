/* The practice page: a choice, then one question after the other, then what became of them. */
((hotloop) => {
  "use strict";
  const place = document.getElementById("practice");
  const kept = document.getElementById("records");
  if (!place || !kept) return;
  const { make, button, goTo, filled, choice, day } = hotloop.dom;
  const { index } = hotloop;

  const LANGUAGES = /** @type {[string, string][]} */ ([["en", "English"], ["zh", "中文"]]);
  const MINUTES = ["10", "20", "30", "45", "60", "90"];

  /* The choice. It is kept in the address, so that one can link to it. */
  const form = /** @type {HTMLFormElement} */ (
    make(
      "form",
      { class: "filters" },
      choice("Track", "track", [
        ["", "all"],
        ...index.tracks.map(({ id, title }) => [id, title]),
      ]),
      choice("Module", "module", [
        ["", "all"],
        ...index.modules.map(({ id, title }) => [id, title]),
      ]),
      choice("Level", "level", [["", "all"], ...index.tiers.map((tier) => [tier, tier])]),
      choice("Minutes", "minutes", MINUTES.map((n) => [n, n])),
      choice("Language", "language", LANGUAGES),
      make(
        "label",
        { class: "tick" },
        make("input", { type: "checkbox", name: "ahead", value: "yes" }),
        "Also questions that are not due yet",
      ),
      make("output", { "aria-live": "polite" }),
      make("button", { class: "md-button md-button--primary" }, "Start"),
    )
  );
  const output = /** @type {HTMLElement} */ (form.querySelector("output"));
  const start = /** @type {HTMLButtonElement} */ (form.querySelector("button"));

  const wish = () => {
    const found = new FormData(form);
    const value = (/** @type {string} */ name) => String(found.get(name) ?? "");
    return {
      track: value("track"),
      module: value("module"),
      level: value("level"),
      language: value("language"),
      minutes: Number(value("minutes")),
      ahead: found.has("ahead"),
    };
  };

  const waiting = () => {
    const { reviews } = hotloop.store.read();
    const known = hotloop.schedule.standings(reviews);
    const questions = hotloop.plan.chosen(index.questions, wish());
    return hotloop.plan.waiting(questions, known, Date.now(), index.tiers);
  };

  const tellPlan = () => {
    const found = waiting();
    const { minutes, ahead } = wish();
    const plan = hotloop.plan.session(found, minutes, ahead);
    const takes = plan.reduce((sum, { question }) => sum + question.minutes, 0);
    const next = found.later[0] ? ` The next one is due on ${day(found.later[0].standing.due)}.` : "";
    const asked = plan.length === 1 ? "1 question" : `${plan.length} questions`;
    output.textContent =
      plan.length === 0
        ? `Nothing is due and nothing is new here.${next}`
        : `${found.due.length} due, ${found.new.length} new. This session: ${asked},` +
          ` about ${takes} minutes.`;
    start.disabled = plan.length === 0;
  };

  const fromAddress = () => {
    const found = new URLSearchParams(location.hash.slice(1));
    const minutes = /** @type {HTMLSelectElement} */ (form.elements.namedItem("minutes"));
    const wanted = found.get("minutes") ?? "";
    if (/^[1-9]\d*$/.test(wanted) && !MINUTES.includes(wanted)) minutes.add(new Option(wanted));
    minutes.value = "30";
    for (const field of form.querySelectorAll("select")) {
      const value = found.get(field.name);
      if ([...field.options].some((option) => option.value === value)) field.value = value;
    }
  };
  const toAddress = () => {
    const found = new URLSearchParams();
    for (const { name, value } of form.querySelectorAll("select")) if (value) found.set(name, value);
    history.replaceState(null, "", `#${found}`);
  };

  /* The session. */
  const session = async () => {
    const { minutes, ahead, language } = wish();
    const plan = hotloop.plan.session(waiting(), minutes, ahead);
    /** @type {QuestionText[]} */
    let texts;
    try {
      texts = await Promise.all(plan.map((each) => hotloop.texts.load(each.question.key, language)));
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      output.textContent = `${message}. Try again.`;
      return;
    }
    /** @type {{review: Review, title: string, due: number}[]} */
    const done = [];

    const mark = async (/** @type {Review} */ review, /** @type {string} */ title) => {
      const state = await hotloop.store.add({ reviews: [review] });
      const known = hotloop.schedule.standings(state.reviews);
      const { due } = known.get(review.question);
      done.push({ review, title, due });
      own.tell();
      return due;
    };
    const ask = (/** @type {number} */ n) => {
      const card = hotloop.card({
        planned: plan[n],
        text: texts[n],
        language,
        number: n + 1,
        of: plan.length,
        marked: (review) => mark(review, texts[n].title),
        left: (how) => (how === "stop" || n + 1 === plan.length ? end(done, language) : ask(n + 1)),
      });
      place.replaceChildren(card.element);
      goTo(card.title);
    };
    ask(0);
  };

  /** @param {{review: Review, title: string, due: number}[]} done
   * @param {string} language */
  const end = (done, language) => {
    const words = hotloop.words[language];
    const minutes = Math.round(done.reduce((sum, { review }) => sum + review.seconds, 0) / 60);
    const told = { marked: done.length, minutes, due: waiting().due.length };
    const heading = make("h2", {}, words.ended);
    const items = done.map(({ review, title, due }) =>
      make(
        "li",
        {},
        make("strong", {}, title),
        make("small", {}, filled(words.kept, { mark: review.mark, date: day(due) })),
      ),
    );
    place.replaceChildren(
      make(
        "div",
        { lang: words.code },
        heading,
        make("p", {}, done.length > 0 ? filled(words.summary, told) : words.nothing),
        make("ul", { class: "questions" }, ...items),
      ),
      make("p", { class: "buttons" }, button("Another session", () => begin(true))),
    );
    goTo(heading);
  };

  /** @param {boolean} again */
  const begin = (again) => {
    place.replaceChildren(form);
    tellPlan();
    if (again) /** @type {HTMLElement} */ (form.querySelector("select")).focus();
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    session();
  });
  form.addEventListener("change", () => {
    tellPlan();
    toAddress();
  });
  window.addEventListener("hashchange", () => {
    fromAddress();
    tellPlan();
  });

  fromAddress();
  const own = hotloop.records.records(kept, tellPlan);
  begin(false);
})((globalThis.hotloop ??= {}));
