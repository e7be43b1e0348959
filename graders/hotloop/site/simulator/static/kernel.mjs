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

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)}`;

export class Kernel {
  /**
   * parent: where it appears. source: the text at the start. request(text): what is asked of
   * engines/simulate/page.py. built: archives of the program as it is at the start.
   * more: elements between the editor and the buttons.
   */
  constructor(parent, { assets, source, request, built = [], label = 'CUDA program', more = [], onChange = () => {} }) {
    Object.assign(this, { assets, source, request, built });
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
    this.editor = new Editor(place, source, {
      label: `${label}. Ctrl+Enter runs it; Escape, then Tab leaves the editor.`,
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

  async run() {
    if (client.isBusy) {
      this.say('Another program is running: stop it first.');
      return;
    }
    const text = this.editor.text;
    const started = performance.now();
    const seconds = () => ((performance.now() - started) / 1000).toFixed(1);
    this.#setBusy(true);
    let step = '';
    const show = () => step && this.say(`${step} … ${seconds()} s`);
    const clock = setInterval(show, 200);
    try {
      const answer = await client.run(this.request(text), {
        built: text === this.source ? this.built : [],
        onProgress: ({ step: name, bytes, of }) => {
          step = of ? `${name}, ${megabytes(bytes)} of ${megabytes(of)} MB` : name;
          show();
        },
      });
      clearInterval(clock);
      this.show(answer);
      this.say(`Done in ${seconds()} s.`);
      keepForOffline(this.assets);
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

  show(answer) {
    this.editor.mark(problems(answer));
    this.editor.showTraffic(bars(answer.report?.sites ?? []));
    const warp = answer.steps?.length ? [warpSection(answer.steps, (line) => this.editor.showStep(line))] : [];
    this.output.replaceChildren(...results(answer, (line) => this.editor.goTo(line)), ...warp);
  }

  #setBusy(isBusy) {
    this.runButton.disabled = isBusy;
    this.stopButton.disabled = !isBusy;
    this.root.setAttribute('aria-busy', String(isBusy));
  }
}

