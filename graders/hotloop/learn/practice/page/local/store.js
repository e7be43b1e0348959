/* Keeps the practice in the learner's file, through the server of `hotloop interview`. The page came
   with the file's text and version. A write names the version that it was made from; where the file
   has changed since then, in another window or by another command, both are merged. */
((hotloop) => {
  "use strict";

  let { text, version } = hotloop.record;
  let state = hotloop.state.parse(text);

  /** @param {string} method @param {RequestInit} [more] @returns {Promise<Response>} */
  const request = async (method, more = {}) => {
    try {
      return await fetch("record", { method, cache: "no-store", ...more });
    } catch {
      throw new Error("Not saved: hotloop interview has ended. Start it again in the terminal.");
    }
  };

  /** @param {Response} answer */
  const problem = async (answer) => new Error(`Not saved: ${await answer.text()}`);

  const load = async () => {
    const answer = await request("GET");
    if (!answer.ok) throw await problem(answer);
    version = answer.headers.get("ETag");
    state = hotloop.state.parse(await answer.text());
  };

  /** Writes what `made` makes of the state. An Error says why nothing was written.
   * @param {() => State} made @returns {Promise<State>} */
  const write = async (made) => {
    for (;;) {
      const next = made();
      const headers = { "If-Match": version };
      const answer = await request("PUT", { headers, body: hotloop.state.text(next) });
      if (answer.status === 412) {
        await load();
        continue;
      }
      if (!answer.ok) throw await problem(answer);
      version = answer.headers.get("ETag");
      state = next;
      return state;
    }
  };

  hotloop.store = {
    where: hotloop.record.path,
    read: () => state,
    /** Keeps what is new in `more`. @param {Partial<State>} more */
    add: (more) => write(() => hotloop.state.merged(state, { ...hotloop.state.empty(), ...more })),
    reset: () => write(hotloop.state.empty),
    /** Another window's marks are met when this one writes. */
    onChange: () => {},
    notice: () => "",
  };
})((globalThis.hotloop ??= {}));
