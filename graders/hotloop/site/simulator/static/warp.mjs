// Who touches what: the requests of the first warp, step by step.
import { button, element, sentence } from './elements.mjs';

const SECTOR = 32;
const BANKS = 32;
const WORD = 4;
const MOST_ROWS = 24;

/** lane numbers as people write them: 0–7, 9 */
function ranges(lanes) {
  const parts = [];
  for (let i = 0; i < lanes.length; ) {
    let end = i;
    while (lanes[end + 1] === lanes[end] + 1) end += 1;
    parts.push(end > i ? `${lanes[i]}–${lanes[end]}` : `${lanes[i]}`);
    i = end + 1;
  }
  return parts.join(', ');
}

/** Map of each word (its number from the start of memory) to the lanes that touch it. */
function words(step) {
  const touched = new Map();
  const base = step.first - Math.min(...step.offsets.filter((offset) => offset !== null));
  step.offsets.forEach((offset, lane) => {
    if (offset === null) return;
    const from = Math.floor((base + offset) / WORD);
    const to = Math.floor((base + offset + step.width - 1) / WORD);
    for (let word = from; word <= to; word += 1) touched.set(word, [...(touched.get(word) ?? []), lane]);
  });
  return { touched, base };
}

function summary(step, touched) {
  const lanes = step.offsets.filter((offset) => offset !== null).length;
  const did = { read: 'read', write: 'write', atomic: 'update atomically' }[step.did];
  const start = `${lanes} lanes ${did} ${step.width} bytes each, ${step.memory}`;
  if (step.space === 'constant') return `${start}: ${touched.size} different words, one after the other`;
  if (step.space === 'shared') {
    const inBank = new Map();
    for (const word of touched.keys()) inBank.set(word % BANKS, (inBank.get(word % BANKS) ?? 0) + 1);
    const worst = Math.max(...inBank.values());
    const parts = Math.max(1, Math.min(4, step.width / WORD));
    const told = worst > parts ? `${worst} words in one bank: a conflict` : 'no bank conflict';
    return `${start}: ${told}`;
  }
  const sectors = new Set([...touched.keys()].map((word) => Math.floor((word * WORD) / SECTOR)));
  const fewest = Math.ceil((touched.size * WORD) / SECTOR);
  return `${start}: ${sectors.size} sectors of 32 bytes, and ${fewest} would hold them`;
}

/** A grid of words: a row is a sector of global memory, or one word of each bank. */
function grid(step, { touched, base }) {
  const perRow = step.space === 'shared' ? BANKS : SECTOR / WORD;
  const rows = [...new Set([...touched.keys()].map((word) => Math.floor(word / perRow)))].sort((a, b) => a - b);
  const isFew = perRow === BANKS;
  const head = Array.from({ length: perRow }, (_, column) => (isFew ? column : `+${column * WORD}`));
  const body = rows.slice(0, MOST_ROWS).map((row) => {
    const cells = head.map((_, column) => {
      const lanes = touched.get(row * perRow + column);
      if (!lanes) return element('td', {});
      return element('td', { class: 'kernel-touched', title: `lanes ${ranges(lanes)}` }, isFew && lanes.length > 2 ? `${lanes[0]}…` : ranges(lanes));
    });
    return element('tr', {}, element('th', { scope: 'row' }, `byte ${row * perRow * WORD - base}`), ...cells);
  });
  return element(
    'div',
    { class: 'md-typeset__scrollwrap', tabindex: 0, role: 'region', 'aria-label': 'Lanes by address' },
    element(
      'table',
      { class: isFew ? 'kernel-warp kernel-banks' : 'kernel-warp' },
      element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, isFew ? 'bank' : 'sector'), ...head.map((text) => element('th', { scope: 'col' }, String(text))))),
      element('tbody', {}, ...body),
    ),
    rows.length > MOST_ROWS ? element('p', {}, `and ${rows.length - MOST_ROWS} more rows`) : null,
  );
}

/** The section about the first warp; onStep gets the line of the step shown. */
export function warpSection(steps, onStep) {
  let at = 0;
  const title = element('p', { class: 'kernel-step-title' });
  const picture = element('div', {});
  const slider = element('input', { type: 'range', min: 1, max: steps.length, value: 1, 'aria-label': 'Step', input: () => show(Number(slider.value) - 1) });
  const before = button('Back', () => show(at - 1));
  const after = button('Next', () => show(at + 1));
  const shown = element('p', { 'aria-live': 'polite' });

  function show(index) {
    at = Math.min(Math.max(0, index), steps.length - 1);
    const step = steps[at];
    const places = words(step);
    slider.value = String(at + 1);
    before.disabled = at === 0;
    after.disabled = at === steps.length - 1;
    title.textContent = `Request ${at + 1} of ${steps.length}: ${step.kernel}, line ${step.line?.line ?? '?'}, ${step.space} memory`;
    shown.replaceChildren(...sentence(`${summary(step, places.touched)}.`));
    picture.replaceChildren(grid(step, places));
    onStep(step.line?.line);
  }

  const details = element(
    'details',
    { class: 'kernel-warp-steps', toggle: () => (details.open ? show(at) : onStep(null)) },
    element('summary', {}, `Threads and memory: ${steps.length} requests of the first warp`),
    title,
    element('div', { class: 'kernel-tools' }, before, slider, after),
    shown,
    picture,
  );
  return details;
}
