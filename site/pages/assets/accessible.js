/* Small mends of the theme's markup for keyboard and screen reader. Without it the pages only lose
   what is mended here. */
(() => {
  "use strict";

  /* What scrolls sideways must be reachable by the keyboard, and say what it is. */
  const reachable = () => {
    for (const box of document.querySelectorAll(
      ".md-typeset__scrollwrap, .md-typeset__table, .md-typeset pre, .md-typeset pre > code",
    )) {
      const scrolls = box.scrollWidth > box.clientWidth + 1;
      if (scrolls && !box.hasAttribute("tabindex")) {
        box.tabIndex = 0;
        if (box.tagName !== "DIV") continue;
        box.setAttribute("role", "region");
        box.setAttribute("aria-label", "Table, scrolls sideways");
      }
    }
  };

  const search = document.querySelector(".md-search[role=dialog]");
  search?.setAttribute("aria-label", "Search");

  /* The theme marks navigation lists as expanded, which lists cannot be; their switches can. */
  for (const list of document.querySelectorAll("nav.md-nav[aria-expanded]")) {
    list.removeAttribute("aria-expanded");
  }
  /* A switch in the navigation is a label for the mouse; the keyboard needs a button's manners. */
  for (const label of document.querySelectorAll("label.md-nav__link[tabindex='0']")) {
    label.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      label.click();
    });
  }

  reachable();
  window.addEventListener("load", reachable);
  window.addEventListener("resize", reachable);
  document.addEventListener("toggle", reachable, true);

  /* What is folded is printed too, but for a proof's source; afterwards it is as it was. */
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open], .example)")];
    for (const each of opened) each.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const each of opened) each.open = false;
  });
})();
