/* Saves a text as a file, and lets a file be chosen. */
((hotloop) => {
  "use strict";
  const { make, button } = hotloop.dom;

  /** @param {string} name @param {string} text */
  const save = (name, text) => {
    const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    const link = make("a", { href, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  };

  /** A button that asks for a file. @param {string} label
   * @param {(text: string, name: string) => void} take */
  const opener = (label, take) => {
    const field = /** @type {HTMLInputElement} */ (
      make("input", { type: "file", accept: ".json,.jsonl", hidden: true, "aria-label": label })
    );
    field.addEventListener("change", async () => {
      const file = field.files?.[0];
      if (file) take(await file.text(), file.name);
      field.value = "";
    });
    return make("span", {}, field, button(label, () => field.click()));
  };

  hotloop.files = { save, opener };
})((globalThis.hotloop ??= {}));
