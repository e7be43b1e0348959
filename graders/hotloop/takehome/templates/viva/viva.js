"use strict";
const asked = JSON.parse(document.getElementById("asked").textContent);
const chosen = (item, name) => item.querySelector(`input[name$="-${name}"]:checked`)?.value;
const typed = (item, name) => item.querySelector(`[data-is="${name}"]`).value.trim();
const number = (text) => (text === "" || isNaN(text) ? null : Number(text));

function prediction(item) {
  const reasoning = chosen(item, "reasoning");
  return {
    item: Number(item.dataset.item),
    kind: chosen(item, "kind"),
    sure: Number(chosen(item, "sure")),
    lines: (typed(item, "lines").match(/\d+/g) || []).map(Number),
    factor: number(typed(item, "factor").replace(",", ".")),
    width: number(typed(item, "width")),
    follow_up: chosen(item, "follow-up") ?? null,
    reasoning: reasoning === undefined ? null : Number(reasoning),
    note: typed(item, "note"),
  };
}

for (const item of document.querySelectorAll(".item")) {
  const button = item.querySelector("button");
  const [first, second] = [item.querySelector(".first"), item.querySelector(".second")];
  const truth = item.querySelector(".truth");
  const isTold = () => !truth.hidden;
  item.addEventListener("change", () => {
    // The mark for the reason comes first, and stays as it was before the prediction was heard.
    second.disabled = isTold() || !chosen(item, "reasoning");
    first.disabled = isTold() || chosen(item, "kind") !== undefined;
    button.disabled = second.disabled || !chosen(item, "kind") || !chosen(item, "sure");
  });
  button.addEventListener("click", () => {
    truth.hidden = false;
    item.querySelector(".key").open = true;
    // What was predicted stays as it was before the truth was told.
    button.disabled = first.disabled = second.disabled = true;
  });
  const next = truth.querySelector("details");
  next?.addEventListener("toggle", () => {
    truth.querySelector("fieldset").disabled = true;
  });
}

document.getElementById("save").addEventListener("click", () => {
  const answers = { candidate: asked.candidate };
  for (const part of Object.keys(asked.items)) {
    const items = [...document.querySelectorAll(`.item[data-part="${part}"]`)];
    const said = items.filter((item) => !item.querySelector(".truth").hidden).map(prediction);
    if (said.length) answers[part] = { items: asked.items[part], said };
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(answers, null, 1)]));
  link.download = `viva-${asked.candidate}.json`;
  link.click();
});
