// Shows a run of an accelerator: where its cycles went, a timeline of the units, and the program.
// It needs no other file: timeline.py puts it into a page as it is, and a page of the site imports it.
// What it gets is `facts` of timeline.py. Everything that a program says stays text.

const STYLE = `
.run-tables { display: flex; flex-wrap: wrap; gap: 0 2.5rem; align-items: start; }
.run-table { max-inline-size: 100%; overflow-x: auto; }
.run table { border-collapse: collapse; font-size: .85em; margin-block: .4em 1em; }
.run caption { text-align: start; padding: .3em 0; font-weight: 700; }
.run th, .run td { padding: .15em 1em .15em 0; text-align: end; border-block-end: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
.run th, .run td:not(.text) { white-space: nowrap; }
.run th:first-child, .run .text { text-align: start; font-weight: inherit; }
.run td.text, .run-listing { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.run td.text { overflow-wrap: anywhere; min-inline-size: 9rem; }
.run-tools { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; margin-block: .5rem; }
.run button { font: inherit; color: inherit; background: transparent; border: 1px solid currentColor; border-radius: 4px; padding: .2em .7em; min-block-size: 2rem; cursor: pointer; }
.run th button { border: 0; padding: 0 .2em; text-decoration: underline; }
.run button:hover { background: color-mix(in srgb, currentColor 12%, transparent); }
.run-chart { position: relative; border: 1px solid color-mix(in srgb, currentColor 35%, transparent); border-radius: 4px; touch-action: pan-y; cursor: crosshair; }
.run-chart:focus-visible, .run-listing:focus-visible { outline: 3px solid #2f81f7; outline-offset: 2px; }
.run-chart canvas { display: block; inline-size: 100%; }
.run-hover { position: absolute; pointer-events: none; z-index: 1; max-inline-size: min(24rem, 90%); padding: .3em .6em; font-size: .8em; line-height: 1.35; background: Canvas; color: CanvasText; border: 1px solid currentColor; border-radius: 4px; white-space: pre-line; overflow-wrap: anywhere; }
.run input[type=range] { inline-size: 100%; margin: .2rem 0; }
.run-said { min-block-size: 4.2em; white-space: pre-line; overflow-wrap: anywhere; margin-block: .3em; }
.run-listing { max-block-size: 24rem; overflow: auto; font-size: .8em; line-height: 1.5; padding: .4em; margin: 0; border: 1px solid color-mix(in srgb, currentColor 35%, transparent); border-radius: 4px; }
.run-listing > div { display: grid; grid-template-columns: 3.2em 4.5em 5em 1fr; gap: .6em; white-space: pre; }
.run-listing .here { background: color-mix(in srgb, #c9a227 35%, transparent); }
.run-listing span:nth-child(-n+2) { text-align: end; opacity: .85; }
.run-listing i { display: inline-block; block-size: .7em; background: #c8553d; }
.run-legend { display: flex; flex-wrap: wrap; gap: .1em 1.1em; margin: .3em 0; font-size: .85em; }
.run-legend i { display: inline-block; inline-size: .9em; block-size: .9em; margin-inline-end: .35em; vertical-align: -.1em; }
`;
/** Colors of what a bundle waits for. */
const WAITS = { 'a result': '#d1495b', 'the scratchpad': '#3a7d7c', 'a split': '#9c5fb5', 'a transfer': '#c98a00', 'a branch': '#6b7280' };
const LABEL = 84; // pixels of the units' names
const ROW = 16;
const GAP = 5;
const NEAREST = 100; // pixels a cycle
const BARS = 2.5; // pixels a cycle from which each instruction has a bar
const FIRST = 10; // lines of the profile that are shown at once

const count = (value) => Math.round(value).toLocaleString('en');
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') node.addEventListener(name, value);
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

function table(caption, heads, rows) {
  const body = rows.map((row) => make('tr', {}, ...row.map((cell, at) => (cell instanceof Node && cell.tagName === 'TD' ? cell : make(at ? 'td' : 'th', at ? {} : { scope: 'row' }, cell)))));
  return make(
    'div',
    { class: 'run-table', tabindex: 0, role: 'region', 'aria-label': caption },
    make('table', { class: 'run-rows' }, make('caption', {}, caption), make('thead', {}, make('tr', {}, ...heads.map((head) => make('th', { scope: 'col', class: head === 'bundle' ? 'text' : '' }, head)))), make('tbody', {}, ...body)),
  );
}

/** Where the cycles went: by reason, by unit, and by line. */
function tables(run, goTo) {
  const share = (cycles) => [count(cycles), percent(cycles / run.cycles)];
  const waits = Object.entries(run.waits).sort((one, other) => other[1] - one[1]);
  const waited = waits.reduce((sum, [, cycles]) => sum + cycles, 0);
  const units = Object.entries(run.slots).map(([unit, slots]) => {
    const used = run.used[unit];
    return [unit, String(slots), count(used), percent(used / (slots * run.cycles))];
  });
  const all = run.instructions / (run.width * run.cycles);
  const text = (bundle) => run.bundles[bundle].map(([, instruction]) => instruction).join(' | ');
  const most = run.profile.map((row, bundle) => ({ ...row, bundle })).filter(({ times }) => times);
  most.sort((one, other) => other.cycles - one.cycles);
  const line = ({ bundle, times, cycles, waits: lost }) => {
    const [reason, longest] = Object.entries(lost).sort((one, other) => other[1] - one[1])[0] ?? ['', 0];
    const show = make('button', { type: 'button', click: () => goTo(bundle) }, `line ${run.lines[bundle]}`);
    return [show, ...share(cycles), count(times), longest ? `${count(longest)} for ${reason}` : '', make('td', { class: 'text' }, text(bundle))];
  };
  const heads = ['line', 'cycles', 'share', 'times', 'waited most', 'bundle'];
  const lines = table('Cycles by line', heads, most.slice(0, FIRST).map(line));
  const rest = most.slice(FIRST);
  if (rest.length) {
    const more = make('button', { type: 'button', click: () => lines.replaceWith(table('Cycles by line', heads, most.map(line))) }, `All ${most.length} lines`);
    lines.append(more);
  }
  return [
    make(
      'div',
      { class: 'run-tables' },
      table('Cycles without a bundle', ['it waited for', 'cycles', 'share'], [...waits.map(([reason, cycles]) => [reason, ...share(cycles)]), ['a bundle issued', ...share(run.cycles - waited)]]),
      table('Slots used', ['unit', 'slots', 'instructions', 'share'], [...units, ['all', String(run.width), count(run.instructions), percent(all)]]),
    ),
    lines,
  ];
}

/** Bars of all units over the cycles: zoom, scroll, and a cursor that says what is there. */
class Timeline {
  constructor(run, onBundle) {
    Object.assign(this, { run, onBundle });
    this.rows = this.#rows();
    this.height = this.rows.at(-1).top + this.rows.at(-1).lanes * ROW + GAP + 18;
    this.#sum();
    this.at = 0; // the issue under the cursor
    this.first = 0;
    this.canvas = make('canvas', {});
    this.hover = make('div', { class: 'run-hover', hidden: '' });
    this.chart = make(
      'div',
      { class: 'run-chart', tabindex: 0, role: 'slider', 'aria-label': 'Timeline: arrow keys go from bundle to bundle, plus and minus zoom, 0 shows all', 'aria-valuemin': 0, 'aria-valuemax': Math.max(0, run.cycles - 1), 'aria-valuenow': 0 },
      this.canvas,
      this.hover,
    );
    this.scroll = make('input', { type: 'range', min: 0, step: 'any', 'aria-label': 'First cycle that is shown', input: () => this.#move(Number(this.scroll.value)) });
    this.said = make('p', { class: 'run-said', role: 'status' });
    this.tools = make(
      'div',
      { class: 'run-tools' },
      ...[
        ['Whole run', () => this.#zoom(0)],
        ['Zoom in', () => this.#zoom(this.scale * 2)],
        ['Zoom out', () => this.#zoom(this.scale / 2)],
        ['Next long wait', () => this.#nextWait()],
      ].map(([text, click]) => make('button', { type: 'button', click }, text)),
    );
    this.root = make('div', {}, this.tools, this.chart, this.scroll, this.#legend(), this.said);
    this.#listen();
  }

  #rows() {
    let top = GAP;
    const rows = [['bundles', 1], ...Object.entries(this.run.slots), ['transfer', 1]].map(([name, lanes]) => {
      const row = { name, lanes, top };
      top += lanes * ROW + GAP;
      return row;
    });
    return rows;
  }

  #row(name) {
    return this.rows.find((row) => row.name === name);
  }

  /** Sums of slots used and of waiting before each cycle, so that a whole run is drawn at once. */
  #sum() {
    const { run } = this;
    const { bundle, start, waited, reason } = run.issues;
    this.lost = start.map((cycle, at) => (at + 1 < start.length ? start[at + 1] - waited[at + 1] - cycle - 1 : 0));
    this.why = reason.map((number) => run.reasons[number]);
    const names = ['bundles', 'transfer', ...Object.keys(run.slots), ...Object.keys(WAITS)];
    const sums = Object.fromEntries(names.map((name) => [name, new Float64Array(run.cycles + 2)]));
    const wait = (why, from, to) => {
      for (let cycle = from; cycle < to; cycle++) sums[why][cycle + 1] = 1;
    };
    const each = run.bundles.map((list) => list.map(([unit]) => unit));
    start.forEach((cycle, at) => {
      sums.bundles[cycle + 1] += 1;
      for (const unit of each[bundle[at]]) sums[unit][cycle + 1] += 1;
      if (waited[at]) wait(this.why[at], cycle - waited[at], cycle);
      wait('a branch', cycle + 1, cycle + 1 + this.lost[at]);
    });
    for (const [, begin, end] of run.transfers) for (let cycle = begin; cycle < end; cycle++) sums.transfer[cycle + 1] = 1;
    for (const sum of Object.values(sums)) for (let cycle = 1; cycle < sum.length; cycle++) sum[cycle] += sum[cycle - 1];
    this.sums = sums;
  }

  #legend() {
    const item = (color, text) => make('span', {}, make('i', { style: `background: ${color}` }), text);
    const reasons = [...new Set([...this.run.reasons.filter(Boolean), ...(this.run.waits['a branch'] ? ['a branch'] : [])])];
    return make('div', { class: 'run-legend' }, item('#2f81f7', 'a bundle issues'), ...reasons.map((reason) => item(WAITS[reason], `it waits for ${reason}`)));
  }

  get #span() {
    return this.width / this.scale;
  }

  get #least() {
    return this.width / Math.max(1, this.run.cycles);
  }

  /** The last issue at or before a cycle. */
  #find(cycle) {
    const { start } = this.run.issues;
    let [low, high] = [0, start.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (start[middle] <= cycle) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  #zoom(scale, around = this.run.issues.start[this.at] ?? 0) {
    const place = clamp((around - this.first) / this.#span, 0, 1) || 0;
    this.scale = clamp(scale, this.#least, Math.max(this.#least, NEAREST));
    this.#move(around - place * this.#span);
  }

  #move(first) {
    this.first = clamp(first, 0, Math.max(0, this.run.cycles - this.#span));
    this.scroll.max = String(Math.max(0, this.run.cycles - this.#span));
    this.scroll.value = String(this.first);
    this.scroll.disabled = this.#span >= this.run.cycles;
    this.hover.hidden = true;
    this.#draw();
  }

  /** Put the cursor on an issue, bring it into view, and say what it is. */
  go(at) {
    const { start, bundle } = this.run.issues;
    if (!start.length) return;
    this.at = clamp(at, 0, start.length - 1);
    const cycle = start[this.at];
    if (cycle < this.first || cycle > this.first + this.#span - 1) this.first = cycle - this.#span / 3;
    this.chart.setAttribute('aria-valuenow', cycle);
    this.chart.setAttribute('aria-valuetext', this.#text(this.at));
    this.said.textContent = this.#text(this.at);
    this.#move(this.first);
    this.onBundle(bundle[this.at]);
  }

  /** Go to the next issue of a bundle, zoomed in. */
  goTo(number) {
    const { bundle } = this.run.issues;
    let at = bundle.indexOf(number, this.at + 1);
    if (at < 0) at = bundle.indexOf(number);
    if (at < 0) return;
    this.#near();
    this.go(at);
    this.chart.scrollIntoView({ block: 'nearest' });
  }

  #near() {
    if (this.scale < 8) this.scale = Math.max(this.#least, 12);
  }

  #nextWait() {
    const { waited } = this.run.issues;
    const long = waited.map((cycles, at) => [cycles + this.lost[at], at]).filter(([cycles]) => cycles > 0);
    if (!long.length) {
      this.said.textContent = 'No bundle waits.';
      return;
    }
    const least = long.map(([cycles]) => cycles).sort((one, other) => other - one)[Math.floor(long.length / 10)];
    const [, at] = long.find(([cycles, place]) => cycles >= least && place > this.at) ?? long.find(([cycles]) => cycles >= least);
    this.#near();
    this.go(at);
  }

  #text(at) {
    const { bundle, start, waited } = this.run.issues;
    const number = bundle[at];
    const after = waited[at] ? `, after ${count(waited[at])} cycles of waiting for ${this.why[at]}` : '';
    const branch = this.lost[at] ? `; its branch costs ${count(this.lost[at])} more` : '';
    const parts = this.run.bundles[number].map(([unit, text, latency]) => `${text}  (${unit}${unit === 'flow' || unit === 'dma' || unit === 'store' ? '' : `, ready after ${latency}`})`);
    return `Cycle ${count(start[at])}, line ${this.run.lines[number]}${after}${branch}:\n${parts.join('\n')}`;
  }

  #listen() {
    const { chart } = this;
    const keys = {
      ArrowRight: () => this.go(this.at + 1),
      ArrowLeft: () => this.go(this.at - 1),
      ArrowUp: () => this.go(this.at + 1),
      ArrowDown: () => this.go(this.at - 1),
      PageDown: () => this.go(this.#find(this.run.issues.start[this.at] + this.#span)),
      PageUp: () => this.go(this.#find(this.run.issues.start[this.at] - this.#span)),
      Home: () => this.go(0),
      End: () => this.go(this.run.issues.start.length - 1),
      '+': () => this.#zoom(this.scale * 2),
      '=': () => this.#zoom(this.scale * 2),
      '-': () => this.#zoom(this.scale / 2),
      0: () => this.#zoom(0),
    };
    chart.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });
    chart.addEventListener(
      'wheel',
      (event) => {
        if (event.ctrlKey || event.metaKey) this.#zoom(this.scale * (event.deltaY < 0 ? 1.3 : 1 / 1.3), this.#cycle(event));
        else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.#move(this.first + (event.deltaX || event.deltaY) / this.scale);
        else return;
        event.preventDefault();
      },
      { passive: false },
    );
    const fingers = new Map();
    let moved = 0;
    chart.addEventListener('pointerdown', (event) => {
      fingers.set(event.pointerId, event.clientX);
      moved = 0;
      chart.setPointerCapture(event.pointerId);
    });
    chart.addEventListener('pointermove', (event) => {
      if (!fingers.has(event.pointerId)) {
        this.#point(event);
        return;
      }
      const by = event.clientX - fingers.get(event.pointerId);
      const before = [...fingers.values()];
      fingers.set(event.pointerId, event.clientX);
      if (fingers.size === 2) {
        const now = [...fingers.values()];
        const ratio = Math.abs(now[0] - now[1]) / Math.max(1, Math.abs(before[0] - before[1]));
        this.#zoom(this.scale * ratio, this.#cycle({ clientX: (now[0] + now[1]) / 2 }));
      } else this.#move(this.first - by / this.scale);
      moved += Math.abs(by);
    });
    const end = (event) => {
      const isClick = event.type === 'pointerup' && moved < 6 && fingers.size === 1;
      fingers.delete(event.pointerId);
      if (isClick) this.go(this.#find(this.#cycle(event)));
    };
    chart.addEventListener('pointerup', end);
    chart.addEventListener('pointercancel', end);
    chart.addEventListener('pointerleave', () => (this.hover.hidden = true));
    new ResizeObserver(() => this.#resize()).observe(chart);
    new MutationObserver(() => this.#draw()).observe(document.body, { attributes: true });
  }

  #cycle({ clientX }) {
    return this.first + (clientX - this.chart.getBoundingClientRect().left - LABEL) / this.scale;
  }

  /** Say beside the pointer what lies under it. */
  #point(event) {
    const box = this.chart.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const text = x > LABEL ? this.#under(this.#cycle(event), y) : '';
    this.hover.hidden = !text;
    if (!text) return;
    this.hover.textContent = text;
    const left = x + 14 + this.hover.offsetWidth > box.width ? x - 14 - this.hover.offsetWidth : x + 14;
    this.hover.style.left = `${Math.max(0, left)}px`;
    this.hover.style.top = `${y + 14}px`;
  }

  #under(cycle, y) {
    const row = this.rows.find(({ top, lanes }) => y >= top && y < top + lanes * ROW);
    if (!row) return '';
    if (row.name === 'transfer') {
      const found = this.run.transfers.find(([, begin, end]) => begin <= cycle && cycle < end);
      return found ? `${found[3]}: cycles ${count(found[1])} to ${count(found[2])}, line ${this.run.lines[found[0]]}` : '';
    }
    const last = this.#find(cycle);
    const { start, waited, bundle } = this.run.issues;
    if (row.name === 'bundles') {
      const next = last + 1;
      const isWait = next < start.length && cycle >= start[next] - waited[next] && cycle >= start[last] + 1;
      return this.#text(isWait ? next : last);
    }
    const lane = Math.floor((y - row.top) / ROW);
    for (let at = last; at >= 0 && start[at] > cycle - 200; at--) {
      const instruction = this.run.bundles[bundle[at]].filter(([unit]) => unit === row.name)[lane];
      if (instruction && cycle < start[at] + Math.max(1, instruction[2])) {
        const until = instruction[2] > 1 ? ` to ${count(start[at] + instruction[2])}` : '';
        const why = waited[at] ? `\nThe bundle waited ${count(waited[at])} cycles for ${this.why[at]}.` : '';
        return `${instruction[1]}\ncycle ${count(start[at])}${until}, line ${this.run.lines[bundle[at]]}${why}`;
      }
    }
    return '';
  }

  #resize() {
    const width = Math.max(1, this.chart.clientWidth - LABEL);
    if (width === this.width) return;
    const isWhole = this.width === undefined || this.scale <= this.#least * 1.001;
    this.width = width;
    if (isWhole) this.scale = this.#least;
    this.scale = clamp(this.scale, this.#least, Math.max(this.#least, NEAREST));
    const ratio = globalThis.devicePixelRatio || 1;
    this.canvas.width = Math.round((width + LABEL) * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.canvas.style.height = `${this.height}px`;
    this.#move(this.first);
  }

  #draw() {
    if (this.width === undefined) return;
    const draw = this.canvas.getContext('2d');
    const ratio = globalThis.devicePixelRatio || 1;
    draw.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw.clearRect(0, 0, this.width + LABEL, this.height);
    const ink = getComputedStyle(this.chart).color;
    draw.font = '12px system-ui, sans-serif';
    for (const { name, lanes, top } of this.rows) {
      draw.fillStyle = ink;
      draw.globalAlpha = 1;
      draw.fillText(name, 6, top + ROW - 4);
      draw.globalAlpha = 0.06;
      for (let lane = 0; lane < lanes; lane++) draw.fillRect(LABEL, top + lane * ROW, this.width, ROW - 2);
    }
    draw.globalAlpha = 1;
    draw.save();
    draw.beginPath();
    draw.rect(LABEL, 0, this.width, this.height);
    draw.clip();
    if (this.scale >= BARS) this.#bars(draw);
    else this.#shares(draw);
    this.#axis(draw, ink);
    draw.restore();
  }

  #x(cycle) {
    return LABEL + (cycle - this.first) * this.scale;
  }

  #bars(draw) {
    const { run } = this;
    const { bundle, start, waited } = run.issues;
    const box = (color, from, to, y, alpha = 1) => {
      draw.globalAlpha = alpha;
      draw.fillStyle = color;
      draw.fillRect(this.#x(from), y, Math.max(1, (to - from) * this.scale - 0.7), ROW - 2);
    };
    const last = this.first + this.#span;
    const top = this.#row('bundles').top;
    const labels = {};
    for (let at = this.#find(this.first - 200); at < start.length && start[at] - waited[at] <= last; at++) {
      const cycle = start[at];
      if (waited[at]) box(WAITS[this.why[at]], cycle - waited[at], cycle, top, 0.75);
      box('#2f81f7', cycle, cycle + 1, top);
      if (this.lost[at]) box(WAITS['a branch'], cycle + 1, cycle + 1 + this.lost[at], top, 0.75);
      const lanes = {};
      for (const [unit, text, latency] of run.bundles[bundle[at]]) {
        lanes[unit] = (lanes[unit] ?? -1) + 1;
        const y = this.#row(unit).top + lanes[unit] * ROW;
        if (labels[y]) this.#label(draw, y, labels[y], cycle);
        labels[y] = [text, cycle, cycle + Math.max(1, latency)];
        if (latency > 1) box(run.colors[unit], cycle + 1, cycle + latency, y, 0.3);
        box(run.colors[unit], cycle, cycle + 1, y);
      }
    }
    for (const [y, label] of Object.entries(labels)) this.#label(draw, Number(y), label, Infinity);
    for (const [, begin, end] of run.transfers) if (end > this.first && begin < last) box(run.colors.transfer, begin, end, this.#row('transfer').top);
    draw.globalAlpha = 1;
    draw.strokeStyle = '#2f81f7';
    draw.lineWidth = 2;
    draw.strokeRect(this.#x(start[this.at] ?? 0) - 1, 1, this.scale + 1, this.height - 19);
  }

  /** Write an instruction into its bar, as far as the next one in its slot leaves room. */
  #label(draw, y, [text, cycle, end], next) {
    const room = (Math.min(end, next) - cycle) * this.scale - 4;
    if (room < 30) return;
    draw.save();
    draw.beginPath();
    draw.rect(this.#x(cycle), y, room, ROW);
    draw.clip();
    draw.globalAlpha = 1;
    draw.fillStyle = getComputedStyle(this.chart).color;
    draw.fillText(text, this.#x(cycle) + 3, y + ROW - 5);
    draw.restore();
  }

  /**
   * Too many cycles for bars: in each column of pixels, the share of a unit's slots that is used,
   * and of the cycles in which a bundle issues or waits.
   */
  #shares(draw) {
    const { run, sums } = this;
    const start = run.issues.start;
    for (const { name, lanes, top } of this.rows) {
      const high = lanes * ROW - 2;
      const parts = name === 'bundles' ? [['bundles', '#2f81f7'], ...Object.entries(WAITS)] : [[name, run.colors[name]]];
      for (let x = 0; x < this.width; x++) {
        const from = clamp(Math.floor(this.first + x / this.scale), 0, run.cycles);
        const to = clamp(Math.max(from + 1, Math.floor(this.first + (x + 1) / this.scale)), 0, run.cycles);
        if (to <= from) break;
        let bottom = top + high;
        for (const [part, color] of parts) {
          const tall = (high * (sums[part][to] - sums[part][from])) / ((to - from) * lanes);
          draw.fillStyle = color;
          draw.fillRect(LABEL + x, bottom - tall, 1, tall);
          bottom -= tall;
        }
      }
    }
    draw.fillStyle = '#d1495b';
    draw.fillRect(this.#x(start[this.at] ?? 0), 0, 2, this.height - 18);
  }

  #axis(draw, ink) {
    draw.globalAlpha = 1;
    draw.fillStyle = ink;
    const least = 80 / this.scale;
    const power = 10 ** Math.floor(Math.log10(least));
    const step = Math.max(1, [1, 2, 5, 10].map((by) => by * power).find((by) => by >= least));
    for (let cycle = Math.ceil(this.first / step) * step; cycle <= this.first + this.#span; cycle += step) {
      draw.fillRect(this.#x(cycle), this.height - 18, 1, 4);
      draw.fillText(count(cycle), this.#x(cycle) + 3, this.height - 5);
    }
  }
}

/** The program, with the share of cycles of each line; the line of the cursor is marked. */
class Listing {
  constructor(run) {
    const bundles = new Map(run.lines.map((line, bundle) => [line, bundle]));
    const most = Math.max(1, ...run.profile.map(({ cycles }) => cycles));
    const text = run.text.replace(/\n$/, '').split('\n');
    this.lines = text.map((code, at) => {
      const row = run.profile[bundles.get(at + 1)];
      const bar = make('i', row ? { style: `inline-size: ${(100 * row.cycles) / most}%` } : {});
      return make('div', {}, make('span', {}, String(at + 1)), make('span', {}, row?.times ? count(row.cycles) : ''), make('span', {}, bar), make('span', {}, code));
    });
    this.places = run.lines;
    this.root = make('div', { class: 'run-listing', tabindex: 0, role: 'region', 'aria-label': 'The program: line, cycles, and their share' }, ...this.lines);
  }

  mark(bundle) {
    this.here?.classList.remove('here');
    this.here = this.lines[this.places[bundle] - 1];
    this.here?.classList.add('here');
    if (this.here) this.root.scrollTop = this.here.offsetTop - this.root.offsetTop - this.root.clientHeight / 2;
  }
}

/** Show a run in an element. onBundle: is told the bundle under the timeline's cursor. */
export function show(root, run, { heading = 'h2', onBundle = () => {} } = {}) {
  const listing = new Listing(run);
  const timeline = new Timeline(run, (bundle) => {
    listing.mark(bundle);
    onBundle(bundle);
  });
  const rate = (run.instructions / run.cycles).toFixed(2);
  const distance = run.bound ? ` The lower bound is ${count(run.bound)}: ${(run.cycles / run.bound).toFixed(2)} times.` : '';
  root.classList.add('run');
  root.replaceChildren(
    make('style', {}, STYLE),
    make('p', {}, `${count(run.cycles)} cycles, ${count(run.instructions)} instructions: ${rate} a cycle, of at most ${run.width}.${distance} Bank conflicts: ${count(run.conflicts)} cycles; splits: ${count(run.splits)}.`),
    make(heading, {}, 'Timeline'),
    make('p', {}, 'A row for each unit, a line of it for each slot. A bar begins where an instruction issues; its pale part ends where the result is ready. Point at a bar or tap it for its instruction and line. Arrow keys go from bundle to bundle, + and − zoom; drag to scroll, Ctrl and the wheel zoom.'),
    timeline.root,
    make(heading, {}, 'Profile'),
    ...tables(run, (bundle) => timeline.goTo(bundle)),
    make(heading, {}, 'Program'),
    listing.root,
  );
}
