// The playground: any kernel, launch sizes and arrays from a form, and a link that carries all of it.
import { button, element } from './elements.mjs';
import { Kernel } from './kernel.mjs';
import { packed, unpacked } from './share.mjs';
import { hasMain, kernels } from './signature.mjs';

const INTEGERS = /^(unsigned|signed|int|short|char|long|bool|size_t|u?int\d+_t)/;
const WAYS = [
  ['random', 'random'],
  ['arange', '0, 1, 2, …'],
  ['zeros', 'zeros'],
  ['ones', 'ones'],
  ['text', 'these numbers:'],
];
const MOST_ROWS = 32;

const select = (options, value) =>
  element('select', {}, ...options.map(([name, text]) => element('option', { value: name, selected: name === value }, text)));
const field = (label, input) => element('label', {}, element('span', {}, label), input);
const sizes = (text) => {
  const numbers = text.split(/[\s,×x]+/).filter(Boolean).map(Number);
  if (!numbers.length || numbers.length > 3 || numbers.some((n) => !Number.isInteger(n) || n < 1)) {
    throw new Error(`“${text}” is no launch size: one to three whole numbers, such as 4 or 16, 16`);
  }
  return [...numbers, 1, 1].slice(0, 3);
};

/** The form of one launch. `values` keeps what was typed, by parameter, while the code changes. */
class LaunchForm {
  constructor(document) {
    this.root = element('fieldset', { class: 'kernel-launch' });
    this.kernel = document.kernel;
    this.grid = document.grid ?? '4';
    this.block = document.block ?? '64';
    this.values = { ...document.values };
  }

  /** Follow the source. */
  update(source) {
    const list = kernels(source);
    if (hasMain(source)) {
      this.root.replaceChildren(element('legend', {}, 'A program with a main: it is run as a whole'));
      this.chosen = null;
      return;
    }
    this.chosen = list.find(({ name }) => name === this.kernel) ?? list[0];
    if (!this.chosen) {
      this.root.replaceChildren(element('legend', {}, 'No kernel that a form can launch: write one without template parameters, or a main'));
      return;
    }
    const name = select(list.map((each) => [each.name, each.name]), this.chosen.name);
    name.addEventListener('change', () => {
      this.kernel = name.value;
      this.update(source);
    });
    const grid = this.#text('grid', this.grid, (text) => (this.grid = text));
    const block = this.#text('block', this.block, (text) => (this.block = text));
    this.root.replaceChildren(
      element('legend', {}, 'Launch'),
      element('div', { class: 'kernel-sizes' }, field('kernel', name), field('grid (blocks)', grid), field('block (threads)', block)),
      ...this.chosen.parameters.slice(0, MOST_ROWS).map((parameter) => this.#row(parameter)),
    );
  }

  #text(name, value, onInput, more = {}) {
    const input = element('input', { name, value, size: 8, autocomplete: 'off', ...more });
    input.addEventListener('input', () => onInput(input.value));
    return input;
  }

  #row(parameter) {
    const { name, type, isArray, isOutput, isUnknown } = parameter;
    if (isUnknown) return element('p', {}, `“${name}”: a form has no field for it; write a main.`);
    const kept = (this.values[name] ??= isArray ? { count: '256', way: isOutput ? 'zeros' : 'random', text: '' } : { text: '256' });
    if (!isArray) {
      return element('div', { class: 'kernel-parameter' }, field(`${name} (${type})`, this.#text(name, kept.text, (text) => (kept.text = text))));
    }
    const way = select(WAYS, kept.way);
    const numbers = this.#text(`${name}-numbers`, kept.text, (text) => (kept.text = text), { size: 20, 'aria-label': `${name}: its numbers`, placeholder: '1 2 3' });
    const count = this.#text(`${name}-count`, kept.count, (text) => (kept.count = text));
    const follow = () => {
      numbers.hidden = kept.way !== 'text';
      count.disabled = kept.way === 'text';
    };
    way.addEventListener('change', () => {
      kept.way = way.value;
      follow();
    });
    follow();
    return element('div', { class: 'kernel-parameter' }, field(`${name} (${type}*${isOutput ? ', written' : ''}) elements`, count), field('filled with', way), numbers);
  }

  /** What engines/simulate/page.py is asked. Raises an Error about a field. */
  request(source) {
    if (hasMain(source)) return { source };
    this.update(source);
    if (!this.chosen) throw new Error('there is no kernel to launch');
    const parameters = this.chosen.parameters.map(({ name, type, isArray, isOutput, isUnknown }) => {
      if (isUnknown) throw new Error(`the parameter “${name}” has a type that a form cannot fill: write a main`);
      const kept = this.values[name];
      const given = (text) => {
        const value = Number(text);
        if (text.trim() === '' || Number.isNaN(value)) throw new Error(`${name}: “${text}” is no number`);
        return value;
      };
      if (!isArray) {
        const value = given(kept.text);
        // A float parameter is told by a decimal point: JSON writes 2.0 as 2.
        return INTEGERS.test(type) ? { name, value: Math.trunc(value) } : { name, type, value };
      }
      const values = kept.way === 'text' ? kept.text.split(/[\s,]+/).filter(Boolean).map(given) : kept.way;
      return { name, type, output: isOutput, count: given(kept.count), values };
    });
    return { source, kernel: this.chosen.name, grid: sizes(this.grid), block: sizes(this.block), parameters };
  }

  get document() {
    return { kernel: this.kernel, grid: this.grid, block: this.block, values: this.values };
  }
}

async function start(place) {
  const example = { source: place.querySelector('code').textContent.trimEnd() + '\n' };
  let note = '';
  let document = example;
  if (location.hash.length > 1) {
    try {
      document = await unpacked(location.hash.slice(1));
    } catch (error) {
      note = `The link cannot be read: ${error.message}. Here is an example.`;
    }
  }
  const form = new LaunchForm(document);
  place.replaceChildren();
  const kernel = new Kernel(place, {
    assets: new URL('./', import.meta.url).href,
    source: document.source,
    more: [form.root],
    message: (source) => ({ request: form.request(source) }),
    onChange: () => form.update(kernel.editor.text),
  });
  form.update(document.source);
  const copy = button('Copy link', async () => {
    const address = new URL(location.href);
    address.hash = await packed({ source: kernel.editor.text, ...form.document });
    history.replaceState(null, '', address);
    try {
      await navigator.clipboard.writeText(address.href);
      kernel.say('The link is copied: it carries the program and the launch.');
    } catch {
      kernel.say('The link is in the address bar: it carries the program and the launch.');
    }
  });
  kernel.tools.append(copy);
  kernel.say(note);
  window.addEventListener('hashchange', () => location.reload());
}

const place = document.getElementById('playground');
if (place) start(place);
