// The page's side of the worker: one request at a time, with progress, a stop, and a time limit.

/** Seconds for running in one order of threads, and for everything else. */
export const LIMIT_S = 20;
const PREPARATION_LIMIT_S = 300;
const ADVICE = 'Look for a loop that does not end, or launch less work: a simulated thread is slower than a real one.';

// A module with two memories: the checker's and the program's.
const TWO_MEMORIES = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 5, 5, 2, 0, 1, 0, 1]);

/** What this browser lacks, as a sentence, or ''. */
export function lacking() {
  if (typeof WebAssembly !== 'object') return 'This browser has no WebAssembly.';
  if (!WebAssembly.validate(TWO_MEMORIES)) {
    return 'This browser runs no WebAssembly with several memories: Chrome and Edge do from 120 on, Firefox from 125.';
  }
  if (typeof DecompressionStream !== 'function') return 'This browser cannot unpack gzip (DecompressionStream).';
  return '';
}

/** The run was ended from here: by the reader, or by the time limit. */
export class Stopped extends Error {}

export class Client {
  /** assets: URL of the folder in which worker.mjs lies. */
  constructor(assets) {
    this.assets = assets;
    this.worker = null;
    this.current = null;
    this.count = 0;
  }

  get isBusy() {
    return this.current !== null;
  }

  /**
   * Ask the worker: { request, built }, { task } or { accelerator }. onProgress gets what it posts (worker.mjs).
   * Rejects with Stopped, or with an Error whose message says what failed.
   */
  run(message, { onProgress = () => {}, limit = LIMIT_S, advice = ADVICE } = {}) {
    if (this.current) return Promise.reject(new Error('a program is running'));
    this.#start();
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      this.current = { id, resolve, reject, onProgress, limit, advice };
      this.#allow(PREPARATION_LIMIT_S, 'It was not ready to run');
      this.worker.postMessage({ id, ...message });
    });
  }

  /** End what runs. The next run starts a new worker. */
  stop(reason = 'Stopped.') {
    this.#terminate();
    this.#end((current) => current.reject(new Stopped(reason)));
  }

  #start() {
    if (this.worker) return;
    this.worker = new Worker(new URL('worker.mjs', this.assets), { type: 'module' });
    this.worker.onmessage = ({ data }) => this.#hear(data);
    this.worker.onerror = (event) => {
      event.preventDefault?.();
      this.#terminate();
      const reason = event.message || 'its files could not be loaded';
      this.#end((current) => current.reject(new Error(`The simulator ended: ${reason}`)));
    };
  }

  #hear(message) {
    if (message.id !== this.current?.id) return;
    if (message.answer) this.#end((current) => current.resolve(message.answer));
    else if (message.failure) {
      this.#terminate();
      this.#end((current) => current.reject(new Error(message.failure)));
    } else {
      if (message.step.startsWith('running')) this.#allow(this.current.limit, 'It did not end');
      this.current.onProgress(message);
    }
  }

  #terminate() {
    this.worker?.terminate();
    this.worker = null;
  }

  #allow(seconds, what) {
    clearTimeout(this.timer);
    const reason = `${what} within ${seconds} s. ${this.current.advice}`;
    this.timer = setTimeout(() => this.stop(reason), 1000 * seconds);
  }

  #end(settle) {
    clearTimeout(this.timer);
    const { current } = this;
    this.current = null;
    if (current) settle(current);
  }
}
