/* The placement test of `hotloop placement`. */
((hotloop) => {
  "use strict";
  const own = hotloop.records.records(document.getElementById("records"), () => {});
  hotloop.placementTest(document.getElementById("placement"), own.tell);
})((globalThis.hotloop ??= {}));
