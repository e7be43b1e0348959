/* Loads the simulator where a page has a program to run; what is large is loaded by the first Run. */
(() => {
  "use strict";
  const place = document.querySelector("[data-simulator]");
  if (!place) return;
  const reason = !place.dataset.simulator
    ? "This site was built without the simulator: make site builds it with it."
    : location.protocol === "file:"
      ? "Opened as a file, a page cannot run programs. Serve its folder: python -m http.server"
      : "";
  if (reason) {
    const note = document.createElement("p");
    note.textContent = reason;
    place.append(note);
    return;
  }
  const folder = new URL(place.dataset.simulator, location.href);
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = new URL("simulator.css", folder).href;
  document.head.append(style);
  const name = place.dataset.tasks ? "tasks" : place.id || "lesson";
  import(new URL(`${name}.mjs`, folder).href);
})();
