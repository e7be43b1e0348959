// A program that the reader edits and runs in the page: editor, buttons, findings.
import { Client, lacking, Stopped } from './client.mjs';
import { Editor } from './editor.mjs';
import { button, element } from './elements.mjs';
import { keepForOffline } from './offline.mjs';
import { problems, results } from './results.mjs';
import { bars } from './traffic.mjs';
import { warpSection } from './warp.mjs';

/** One worker for all programs of a page. */
let client = null;

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

export class Kernel {
  /**
   * parent: where it appears. source: the text that Reset brings back. message(text): what the worker
   * is asked (worker.mjs). display(answer, kernel): shows its answer.
   * more: elements between the editor and the buttons. part: of index.json, what the page is kept with.
   * limit: seconds of a run. advice: a sentence for who runs into it.
   */
  constructor(parent, { assets, source, text = source, message, display = showRun, label = 'CUDA program', language, more = [], part = 'start', limit, advice, onChange = () => {} }) {
    Object.assign(this, { assets, source, message, display, part, limit, advice });
    client ??= new Client(assets);
    this.status = element('p', { class: 'kernel-status', role: 'status' });
    this.output = element('div', { class: 'kernel-results' });
    this.runButton = button('Run', () => this.run(), { class: 'md-button md-button--primary' });
    this.stopButton = button('Stop', () => client.stop(), { disabled: true });
    this.resetButton = button('Reset', () => this.reset());
    this.tools = element('div', { class: 'kernel-tools' }, this.runButton, this.stopButton, this.resetButton);
    const place = element('div', { class: 'kernel-editor' });
    this.root = element('div', { class: 'kernel' }, place, ...more, this.tools, this.status, this.output);
    parent.append(this.root);
    this.editor = new Editor(place, text, {
      label: `${label}. Ctrl+Enter runs it; Escape, then Tab leaves the editor.`,
      language,
      onRun: () => this.run(),
      onChange: () => {
        this.clear();
        onChange();
      },
    });
    const reason = lacking();
    if (reason) {
      this.runButton.disabled = true;
      this.say(reason);
    }
  }

  say(text) {
    this.status.textContent = text;
  }

  clear() {
    this.editor.showStep(null);
    this.editor.mark([]);
    this.editor.showTraffic([]);
  }

  reset() {
    this.editor.text = this.source;
    this.output.replaceChildren();
    this.say('');
  }

  /** Ask the worker and show its answer; the promise is kept when that is done. */
  async run({ message = this.message, display = this.display, limit = this.limit } = {}) {
    if (client.isBusy) {
      this.say('Another program is running: stop it first.');
      return;
    }
    const text = this.editor.text;
    const started = performance.now();
    const seconds = () => ((performance.now() - started) / 1000).toFixed(1);
    this.#setBusy(true);
    let step = '';
    const parts = new Set([this.part]);
    const show = () => step && this.say(`${step} … ${seconds()} s`);
    const clock = setInterval(show, 200);
    try {
      const answer = await client.run(message(text), {
        limit,
        advice: this.advice,
        onProgress: ({ step: name, part, bytes, of }) => {
          if (part) parts.add(part);
          step = part ? `${name}, ${megabytes(bytes)} of ${megabytes(of)} MB` : name;
          show();
        },
      });
      clearInterval(clock);
      this.say(`Done in ${seconds()} s.`);
      display(answer, this);
      keepForOffline(this.assets, [...parts]);
    } catch (error) {
      clearInterval(clock);
      this.output.replaceChildren();
      const isTooMuch = error instanceof RangeError || /memory/i.test(error.message);
      const what = error instanceof Stopped ? '' : isTooMuch ? 'The browser has no memory for it: ' : 'It failed: ';
      this.say(`${what}${error.message}`);
    } finally {
      this.#setBusy(false);
    }
  }

  #setBusy(isBusy) {
    this.runButton.disabled = isBusy;
    this.stopButton.disabled = !isBusy;
    this.root.setAttribute('aria-busy', String(isBusy));
  }
}

/** Show an answer of engines/simulate/page.py. */
function showRun(answer, kernel) {
  kernel.editor.mark(problems(answer));
  kernel.editor.showTraffic(bars(answer.report?.sites ?? []));
  const warp = answer.steps?.length ? [warpSection(answer.steps, (line) => kernel.editor.showStep(line))] : [];
  kernel.output.replaceChildren(...results(answer, (line) => kernel.editor.goTo(line)), ...warp);
}
