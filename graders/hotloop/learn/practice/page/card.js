/* One question: prompt, clock, hints, a number to be checked, the answer, the mark. */
/**
 * marked: keeps the mark and resolves to when the question is due again; an Error says why it could
 * not. left: skip or stop.
 * @typedef {{planned: Planned, text: QuestionText, language: string,
 *   number: number, of: number,
 *   marked: (review: Review) => Promise<number>,
 *   left: (how: "next" | "skip" | "stop") => void}} CardTask
 */
((hotloop) => {
  "use strict";
  const { make, button, list, goTo, filled, day } = hotloop.dom;

  class Card {
    /** @param {CardTask} task */
    constructor(task) {
      const { planned, text, language } = task;
      this.task = task;
      this.words = hotloop.words[language];
      this.headings = hotloop.index.headings[language];
      this.hints = 0;
      /** @type {boolean | null} */
      this.right = null;
      this.seconds = 0;
      // Other numbers each time that the question returns.
      this.drawn = text.numeric && hotloop.numbers.draw(text.numeric);
      this.clock = hotloop.clock.clock(planned.question.minutes, this.words);
      this.title = make("h2", {}, text.title);
      this.buttons = make("p", { class: "buttons" });
      this.below = make("div");
      this.element = this.whole();
    }

    whole() {
      const { planned, text, number, of } = this.task;
      const { question, standing } = planned;
      const before = standing
        ? filled(this.words.again, { times: standing.times, mark: standing.last.mark })
        : this.words.new;
      const place = filled(this.words.question, { number, of });
      const level = this.headings.levels[question.level];
      const about = [place, level, before].join(" · ");
      this.hintButton = button("", () => this.hint());
      this.tellHints();
      this.buttons.append(
        this.hintButton,
        button(this.words.reveal, () => this.reveal(), { class: "md-button md-button--primary" }),
        ...this.waysOut(),
      );
      this.hintList = make("ol", { class: "hints", "aria-live": "polite" });
      return make(
        "article",
        { class: "question-card", lang: this.words.code, "data-question": question.key },
        make("p", { class: "crumbs" }, about),
        this.title,
        this.clock.element,
        make("blockquote", { html: text.prompt }),
        this.numbers(),
        make("label", { class: "notes" }, this.words.notes, make("textarea", { rows: 5 })),
        this.hintList,
        this.buttons,
        this.below,
      );
    }

    numbers() {
      if (!this.drawn) return null;
      const field = /** @type {HTMLInputElement} */ (
        make("input", { name: "number", autocomplete: "off", spellcheck: "false" })
      );
      const verdict = make("p", { role: "status", class: "verdict", lang: "en" });
      this.numberForm = make(
        "form",
        { class: "filters" },
        make("label", {}, this.words.give, field),
        make("button", { class: "md-button" }, this.words.check),
      );
      this.numberForm.addEventListener("submit", (event) => {
        event.preventDefault();
        const { right, sentence } = hotloop.numbers.check(this.drawn, field.value);
        if (hotloop.numbers.read(field.value)) this.right = right;
        verdict.textContent = sentence;
        verdict.dataset.right = String(right);
      });
      const heading = make("h3", {}, this.words.numbers);
      return make("div", {}, heading, make("p", {}, this.drawn.ask), this.numberForm, verdict);
    }

    waysOut() {
      return [
        button(this.words.skip, () => this.leave("skip")),
        button(this.words.stop, () => this.leave("stop")),
      ];
    }

    /** @param {"next" | "skip" | "stop"} how */
    leave(how) {
      this.clock.stop();
      this.task.left(how);
    }

    tellHints() {
      const of = this.task.text.hints.length;
      this.hintButton.textContent = `${this.words.hint} ${Math.min(this.hints + 1, of)}/${of}`;
      /** @type {HTMLButtonElement} */ (this.hintButton).disabled = this.hints === of;
    }

    hint() {
      const item = make("li", { html: this.task.text.hints[this.hints] });
      this.hintList.append(item);
      this.hints += 1;
      this.tellHints();
      if (this.hints === this.task.text.hints.length) goTo(item);
    }

    reveal() {
      this.seconds = this.clock.stop();
      const { text } = this.task;
      const minutes = this.task.planned.question.minutes;
      const taken = hotloop.clock.minutesAndSeconds(this.seconds);
      const heading = make("h3", {}, this.headings.say);
      this.numberForm?.querySelectorAll("input, button").forEach((each) => {
        /** @type {HTMLInputElement | HTMLButtonElement} */ (each).disabled = true;
      });
      this.buttons.remove();
      this.below.replaceChildren(
        make("p", { class: "crumbs" }, filled(this.words.taken, { taken, minutes })),
        heading,
        make("div", { class: "say", html: text.say }),
        make("h3", {}, this.headings.answer),
        make("div", { html: text.answer }),
        ...this.number(),
        make("h3", {}, this.headings.strategy),
        list("ol", text.strategy),
        make("h3", {}, this.headings.weak_answers),
        list("ul", text.weak_answers.map(([says, reveals]) =>
          `“${says}” <em>${this.headings.reveals}</em> ${reveals}`)),
        make("h3", {}, this.words.also),
        list("ol", text.follow_ups),
        this.further(),
        this.marking(),
      );
      goTo(heading);
    }

    number() {
      if (!this.drawn) return [];
      const { shown, form } = this.drawn;
      return [make("h3", {}, this.words.number), make("p", {}, `${shown}. ${form.explain}`)];
    }

    further() {
      const { planned, text, language } = this.task;
      const links = [
        hotloop.links.question(planned.question.key, language, this.words.whole),
        ...text.practise.map(({ key, title }) => hotloop.links.task(key, title)),
      ];
      return make("ul", {}, ...links.map((link) => make("li", {}, link)));
    }

    marking() {
      const marks = this.task.text.rubric.map((html, mark) =>
        make(
          "label",
          { class: "mark" },
          make("input", { type: "radio", name: "mark", value: mark }),
          make("strong", {}, String(mark)),
          make("span", { html }),
        ),
      );
      const problem = make("p", { role: "alert", class: "verdict" });
      const form = /** @type {HTMLFormElement} */ (
        make(
          "form",
          { class: "marking" },
          make("fieldset", {}, make("legend", {}, this.words.your_mark), ...marks),
          problem,
          make(
            "p",
            { class: "buttons" },
            make("button", { class: "md-button md-button--primary" }, this.words.keep),
            ...this.waysOut(),
          ),
        )
      );
      let keeping = false;
      form.addEventListener("submit", async (event) => {
        event.preventDefault();
        if (keeping) return;
        const given = new FormData(form).get("mark");
        if (given === null) {
          problem.textContent = this.words.choose;
          return;
        }
        keeping = true;
        try {
          await this.keep(Number(given), form);
        } catch (error) {
          problem.textContent = /** @type {Error} */ (error).message;
        }
        keeping = false;
      });
      return form;
    }

    /** @param {number} mark @param {HTMLElement} form */
    async keep(mark, form) {
      const { planned, language, number, of, marked } = this.task;
      const due = await marked({
        question: planned.question.key,
        at: new Date().toISOString(),
        mark,
        seconds: Math.round(this.seconds),
        hints: this.hints,
        language,
        numeric: this.right,
      });
      const next = button(
        number < of ? this.words.next : this.words.end,
        () => this.leave(number < of ? "next" : "stop"),
        { class: "md-button md-button--primary" },
      );
      const told = filled(this.words.kept, { mark, date: day(due) });
      form.replaceWith(
        make("p", { role: "status", class: "verdict kept", "data-right": "true" }, told),
        make("p", { class: "buttons" }, next),
      );
      next.focus();
    }
  }

  /** @param {CardTask} task @returns {{element: HTMLElement, title: HTMLElement}} */
  hotloop.card = (task) => new Card(task);
})((globalThis.hotloop ??= {}));
