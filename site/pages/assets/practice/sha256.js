/* SHA-256 of a text. The browser's own is only there on pages that came over https, and only
   asynchronously; it is needed to draw the same numbers as the terminal does. */
((hotloop) => {
  "use strict";

  const ROUNDS = 64;

  /** The first 32 bits of the fractional part of the primes' roots: that is how the standard
   * defines its constants. @param {number} count @param {number} root @returns {number[]} */
  const fractions = (count, root) => {
    const found = [];
    for (let n = 2; found.length < count; n += 1) {
      let prime = true;
      for (let d = 2; d * d <= n && prime; d += 1) prime = n % d !== 0;
      if (prime) found.push(((n ** (1 / root)) % 1) * 2 ** 32 >>> 0);
    }
    return found;
  };
  const START = fractions(8, 2);
  const ADDED = fractions(ROUNDS, 3);

  /** @param {number} word @param {number} by */
  const turned = (word, by) => (word >>> by) | (word << (32 - by));

  /** The text's bytes, a 1, zeros, and its length in bits: a multiple of 64 bytes.
   * @param {string} text */
  const padded = (text) => {
    const bytes = new TextEncoder().encode(text);
    const whole = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
    whole.set(bytes);
    whole[bytes.length] = 0x80;
    new DataView(whole.buffer).setBigUint64(whole.length - 8, BigInt(bytes.length) * 8n);
    return new DataView(whole.buffer);
  };

  /** @param {DataView} bytes @param {number} from */
  const scheduled = (bytes, from) => {
    const words = new Int32Array(ROUNDS);
    for (let n = 0; n < 16; n += 1) words[n] = bytes.getInt32(from + 4 * n);
    for (let n = 16; n < ROUNDS; n += 1) {
      const [late, early] = [words[n - 2], words[n - 15]];
      const a = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
      const b = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
      words[n] = a + words[n - 7] + b + words[n - 16];
    }
    return words;
  };

  /** @param {Int32Array} state @param {Int32Array} words */
  const mix = (state, words) => {
    let [a, b, c, d, e, f, g, h] = state;
    for (let n = 0; n < ROUNDS; n += 1) {
      const chosen = (e & f) ^ (~e & g);
      const most = (a & b) ^ (a & c) ^ (b & c);
      const one = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + chosen + ADDED[n] + words[n];
      const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + most;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, n) => {
      state[n] += value;
    });
  };

  /** The digest as people write it. @param {string} text */
  const hex = (text) => {
    const bytes = padded(text);
    const state = Int32Array.from(START);
    for (let from = 0; from < bytes.byteLength; from += 64) mix(state, scheduled(bytes, from));
    return [...state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  };

  /** One of `length` places, the same one for the same text. @param {string} text
   * @param {number} length */
  const place = (text, length) => Number(BigInt(`0x${hex(text).slice(0, 16)}`) % BigInt(length));

  /** Texts in an order that follows from the seed alone. @template T @param {T[]} things
   * @param {string} seed @param {(thing: T) => string} name @returns {T[]} */
  const shuffled = (things, seed, name) =>
    things
      .map((thing) => ({ thing, by: hex(`${seed}.${name(thing)}`) }))
      .sort((a, b) => (a.by < b.by ? -1 : 1))
      .map(({ thing }) => thing);

  hotloop.sha256 = { hex, place, shuffled };
})((globalThis.hotloop ??= {}));
