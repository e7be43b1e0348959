/* Filters the list of questions. The choice is kept in the address, so that it can be sent on. */
(() => {
  "use strict";

  const form = document.querySelector("form[data-filters]");
  const list = document.querySelector("ul[data-questions]");
  if (!form || !list) return;

  const items = [...list.children].map((item) => ({ item, text: item.textContent.toLowerCase() }));
  const count = form.querySelector("[data-count]");
  const fields = [...form.querySelectorAll("select, input")];
  const chosen = new URLSearchParams(location.hash.slice(1));
  for (const field of fields) {
    if (chosen.has(field.name)) field.value = chosen.get(field.name);
  }

  const fits = ({ item, text }) =>
    fields.every(({ name, value }) => {
      if (!value) return true;
      if (name === "words") return value.toLowerCase().split(/\s+/).every((w) => text.includes(w));
      return item.dataset[name].split(" ").includes(value);
    });

  const show = () => {
    let shown = 0;
    for (const entry of items) {
      entry.item.hidden = !fits(entry);
      shown += entry.item.hidden ? 0 : 1;
    }
    count.textContent = `${shown} of ${items.length} questions`;
  };
  const keep = () => {
    const kept = new URLSearchParams();
    for (const { name, value } of fields) if (value) kept.set(name, value);
    history.replaceState(null, "", `#${kept}`);
  };

  form.addEventListener("submit", (event) => event.preventDefault());
  for (const kind of ["input", "change"]) {
    form.addEventListener(kind, () => {
      show();
      keep();
    });
  }
  form.hidden = false;
  show();
})();
