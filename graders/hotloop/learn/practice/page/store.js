/* Keeps the practice in this browser. Whoever writes reads first and adds, so that two open pages
   lose nothing. Where the browser keeps nothing, it lasts until the page is left. */
((hotloop) => {
  "use strict";

  const NAME = "hotloop.practice";
  /** @type {string | null} */
  let held = null;
  /** What the reader must be told. @type {string} */
  let notice = "";

  const get = () => {
    try {
      return localStorage.getItem(NAME) ?? held;
    } catch {
      return held;
    }
  };
  /** @param {string} text */
  const put = (text) => {
    held = text;
    try {
      localStorage.setItem(NAME, text);
    } catch {
      notice = "This browser keeps nothing: export your practice before you leave the page.";
    }
  };
  /** What cannot be read is not thrown away. @param {string} text */
  const setAside = (text) => {
    const name = `${NAME}.damaged-${new Date().toISOString()}`;
    try {
      localStorage.setItem(name, text);
      localStorage.removeItem(NAME);
    } catch {
      return;
    } finally {
      held = null;
    }
    notice = `What was kept here could not be read; it was set aside as ${name}.`;
  };

  /** What was kept so far. @returns {State} */
  const read = () => {
    const text = get();
    if (text === null) return hotloop.state.empty();
    try {
      return hotloop.state.parse(text);
    } catch {
      setAside(text);
      return hotloop.state.empty();
    }
  };

  /** Keeps what is new in `more`. @param {Partial<State>} more @returns {Promise<State>} */
  const add = async (more) => {
    const state = hotloop.state.merged(read(), { ...hotloop.state.empty(), ...more });
    put(hotloop.state.text(state));
    return state;
  };

  const reset = async () => {
    held = null;
    try {
      localStorage.removeItem(NAME);
    } catch {
      /* Then nothing was kept. */
    }
  };

  /** Calls when another page has written. @param {() => void} call */
  const onChange = (call) =>
    window.addEventListener("storage", (event) => {
      if (event.key === NAME || event.key === null) call();
    });

  hotloop.store = { where: "this browser", read, add, reset, onChange, notice: () => notice };
})((globalThis.hotloop ??= {}));
