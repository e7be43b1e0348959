/* What `hotloop progress` says is next, with its commands. */
((hotloop) => {
  "use strict";
  const { make } = hotloop.dom;
  const items = hotloop.next.map(({ what, why, command }) =>
    make("li", {}, `${what}: ${why}. `, make("code", {}, command)),
  );
  document
    .getElementById("next")
    .replaceChildren(
      items.length > 0
        ? make("ol", { class: "next" }, ...items)
        : make("p", {}, "Nothing: all is done, and no question is due."),
    );
})((globalThis.hotloop ??= {}));
