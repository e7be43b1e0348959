// The page of simulated accelerators: a machine by its seed, its manual, and a program that is run on it.
import { StreamLanguage } from '@codemirror/language';
import { button, element, number, sentence } from './elements.mjs';
import { Kernel } from './kernel.mjs';
import { manual } from './manual.mjs';
import { stored } from './stored.mjs';
import { show } from './viewer.mjs';

const KEPT = 'hotloop.accelerator';
const LIMIT_S = 120;
const MOST_SEED = 999_999;
const WORDS = /^(and|as|assert|break|class|continue|def|elif|else|except|for|from|if|import|in|is|lambda|not|or|pass|raise|return|try|while|with|yield|None|True|False)$/;

/** Colors for assembly and for Python: comments, strings, numbers, labels, words. */
const language = StreamLanguage.define({
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/#.*/)) return 'comment';
    if (stream.match(/[rf]?("""|'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/)) return 'string';
    if (stream.match(/-?\b(0x[0-9a-fA-F]+|\d+)\b/)) return 'number';
    const word = stream.match(/[A-Za-z_]\w*:?/);
    if (word && WORDS.test(word[0])) return 'keyword';
    if (word) return word[0].endsWith(':') ? 'labelName' : 'variableName';
    stream.next();
    return null;
  },
});

const field = (label, input) => element('label', {}, element('span', {}, label), input);
const select = (name, options, change) =>
  element('select', { name, change }, ...options.map(([value, text]) => element('option', { value }, text)));

/** Seed, kernel, items and language. `onMachine`: the machine is another one. */
class Form {
  constructor(counts, kept, { onMachine, onChange }) {
    this.seed = element('input', { name: 'seed', type: 'number', min: 0, max: MOST_SEED, required: true, change: onMachine });
    this.kernel = select('kernel', [], () => {
      this.#follow();
      onChange();
    });
    this.items = element('select', { name: 'items', change: onChange });
    this.language = select('language', [['assembly', 'assembly'], ['python', 'Python: build(items)']], onChange);
    this.set(kept, counts);
    const another = button('Another machine', () => {
      this.seed.value = String(1 + Math.floor(Math.random() * MOST_SEED));
      onMachine();
    });
    this.root = element(
      'fieldset',
      { class: 'kernel-launch' },
      element('legend', {}, 'Machine and kernel'),
      element('div', { class: 'kernel-sizes' }, field('seed of the machine', this.seed), field('kernel', this.kernel), field('items', this.items), field('program in', this.language), another),
    );
  }

  /** counts: the machine's kernels, each with the numbers of items that a judge asks for. */
  set({ seed, kernel, items, language }, counts) {
    this.counts = counts;
    this.seed.value = seed;
    this.language.value = language;
    this.kernel.replaceChildren(...Object.keys(counts).map((name) => element('option', { value: name }, name)));
    this.kernel.value = kernel in counts ? kernel : Object.keys(counts)[0];
    this.#follow(items);
  }

  #follow(items) {
    const counts = this.counts[this.kernel.value];
    this.items.replaceChildren(...counts.map((count) => element('option', { value: count }, String(count))));
    this.items.value = String(counts.includes(items) ? items : counts[0]);
  }

  get values() {
    return { seed: Math.trunc(Number(this.seed.value)), kernel: this.kernel.value, items: Number(this.items.value), language: this.language.value };
  }
}

/** Bars at the lines of an assembly program: their cycles, and how many of these a bundle issued in. */
function bars(run) {
  const most = Math.max(1, ...run.profile.map(({ cycles }) => cycles));
  return run.profile
    .map((row, bundle) => ({ ...row, line: run.lines[bundle] }))
    .filter(({ cycles }) => cycles)
    .map(({ line, cycles, times }) => ({ line, share: cycles / most, efficiency: times / cycles, text: `${number(cycles)} cycles, ${number(cycles - times)} of them waiting` }));
}

function verdict({ mismatch, naive, bound, score, run }) {
  const cycles = `${number(run.cycles)} cycles; naive program ${number(naive)}, lower bound ${number(bound)}`;
  return element(
    'p',
    { class: `kernel-verdict kernel-${mismatch ? 'bad' : 'good'}` },
    mismatch ? `Wrong: ${mismatch}. It took ${cycles}.` : `Right. ${cycles}: ${score.toFixed(3)} of the way.`,
  );
}

function start(place) {
  const example = { seed: 12, kernel: 'walk', items: 16, language: 'assembly', source: place.querySelector('code').textContent.trimEnd() + '\n', files: {} };
  let kept = example;
  try {
    kept = { ...example, ...JSON.parse(stored.get(KEPT) ?? '{}') };
  } catch {
    // What cannot be read is replaced by the first change.
  }
  const files = { ...kept.files };
  const keep = () => stored.set(KEPT, JSON.stringify({ ...form.values, counts: form.counts, source: kernel.editor.text, files }));
  const ask = (what, display) => kernel.run({ message: () => ({ accelerator: { ask: what, ...form.values } }), display });

  const pages = element('div', { class: 'kernel-manual' });
  const book = element('details', { class: 'kernel-book' }, element('summary', {}, 'The manual of this machine'), pages);
  let read = null;
  /** Read about the machine of the seed: its manual, and which kernels it has. */
  const meet = () => {
    const { seed } = form.values;
    if (read === seed) return;
    ask('machine', (answer) => {
      read = seed;
      pages.replaceChildren(...manual(answer.manual));
      form.set(form.values, answer.kernels);
      keep();
    });
  };
  book.addEventListener('toggle', () => book.open && meet());

  const counts = JSON.parse(place.dataset.kernels);
  const form = new Form(kept.counts ?? counts, kept, { onMachine: meet, onChange: keep });
  const names = element('span', {});
  const sayFiles = () => (names.textContent = Object.keys(files).length ? `beside it: ${Object.keys(files).join(', ')}` : '');
  const chooser = element('input', {
    type: 'file',
    multiple: true,
    accept: '.py,.txt',
    hidden: true,
    change: async () => {
      for (const file of chooser.files) files[file.name] = await file.text();
      chooser.value = '';
      const own = Object.keys(files).find((name) => /^def build\(/m.test(files[name]));
      if (own) {
        kernel.editor.text = files[own];
        delete files[own];
        form.language.value = 'python';
      }
      sayFiles();
      keep();
    },
  });

  place.replaceChildren(form.root, book);
  const kernel = new Kernel(place, {
    assets: new URL('./', import.meta.url).href,
    part: 'accelerator',
    limit: LIMIT_S,
    advice: 'Look for a loop that does not end.',
    label: 'Program of the accelerator',
    language,
    source: example.source,
    text: kept.source,
    message: (source) => ({ accelerator: { ask: 'run', ...form.values, source, files } }),
    display: (answer) => display(answer),
    onChange: () => keep(),
  });
  const display = (answer) => {
    if (answer.problem) {
      if (answer.line) kernel.editor.mark([{ line: answer.line, severity: 'error', message: answer.problem }]);
      const go = answer.line ? [' ', button(`line ${answer.line}`, () => kernel.editor.goTo(answer.line), { class: 'kernel-line' })] : [];
      kernel.output.replaceChildren(element('p', { class: 'kernel-verdict kernel-bad' }, ...sentence(answer.problem), ...go));
      return;
    }
    const isOwn = form.values.language === 'assembly';
    if (isOwn) kernel.editor.showTraffic(bars(answer.run));
    const view = element('div', {});
    const printed = answer.printed ? [element('pre', { tabindex: 0 }, answer.printed)] : [];
    kernel.output.replaceChildren(verdict(answer), ...printed, view);
    show(view, answer.run, { onBundle: (bundle) => kernel.editor.showStep(isOwn ? answer.run.lines[bundle] : null) });
  };
  const naive = button('Naive program', () =>
    ask('naive', (answer) => {
      form.language.value = 'assembly';
      kernel.editor.text = answer.program;
      kernel.output.replaceChildren();
    }),
  );
  kernel.tools.append(naive, button('Open files', () => chooser.click()), names, chooser);
  kernel.resetButton.addEventListener('click', () => {
    form.set(example, counts);
    keep();
  });
  sayFiles();
}

const place = document.getElementById('accelerator');
if (place) start(place);
