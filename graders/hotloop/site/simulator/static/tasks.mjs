// A module's CUDA tasks: one editor, and for each task a button that has it judged for practice.
import { button, element, sentence } from './elements.mjs';
import { Kernel } from './kernel.mjs';
import { stored } from './stored.mjs';

const ASSETS = new URL('./', import.meta.url).href;
const LIMIT_S = 60;
const PROGRESS = 'hotloop.progress'; // of the practice page, practice/page/judged.js

const WORDS = {
  passed: ['passed', 'good'],
  partial: ['passed in part', 'partly'],
  not_measured: ['open', 'open'],
};

const words = (verdict) => WORDS[verdict] ?? [verdict.replaceAll('_', ' '), 'bad'];

function noteProgress(key, state) {
  let tasks = {};
  try {
    tasks = JSON.parse(stored.get(PROGRESS) ?? '{}') ?? {};
  } catch {
    return; // What cannot be read is the practice page's to set aside.
  }
  // A graded verdict says more than one for practice.
  if (tasks[key]?.done) return;
  stored.set(PROGRESS, JSON.stringify({ ...tasks, [key]: { done: false, state } }));
}

/** What of the record was judged here: [passed, judged] points. */
function points(record, task) {
  const judged = record.checks.filter(({ verdict }) => verdict !== 'not_measured');
  const sum = (checks, value) => checks.reduce((total, check) => total + value(check), 0);
  return [sum(judged, ({ check, earned }) => earned * task.points[check]), sum(judged, ({ check }) => task.points[check])];
}

const isUntouched = (record) => record.sentence.startsWith('Not attempted');

function card(record, task, file, goTo) {
  const [earned, of] = points(record, task);
  const kind = isUntouched(record) ? 'open' : earned === of ? 'good' : earned ? 'partly' : 'bad';
  const title = isUntouched(record)
    ? 'Not started'
    : earned === of
      ? 'All that can be judged here passes'
      : `${Math.round(10 * earned) / 10} of the ${of} points that can be judged here`;
  const linked = (text) => {
    const match = new RegExp(`${file.replaceAll('.', '\\.')}:(\\d+)`).exec(text);
    const line = match && Number(match[1]);
    return [...sentence(text), line ? ' ' : '', line ? button(`line ${line}`, () => goTo(line), { class: 'kernel-line' }) : ''];
  };
  const rows = record.checks.map(({ check, verdict, sentence: text }) => {
    const [word, sign] = words(verdict);
    return element(
      'li',
      { class: `kernel-check kernel-${isUntouched(record) ? 'open' : sign}` },
      element('strong', {}, `${check}: ${isUntouched(record) ? 'not started' : word}`),
      element('span', {}, ` (${task.points[check]} points). `, ...linked(text)),
    );
  });
  return [
    element('p', { class: `kernel-verdict kernel-${kind}` }, `${task.title}: ${title}.`),
    element('ul', { class: 'kernel-checks' }, ...rows),
    element('p', {}, 'A practice verdict: it is not graded and never enters a gradebook.'),
  ];
}

/** Lines that the verdict names, for Editor.mark. */
const marks = (record, file) =>
  isUntouched(record)
    ? []
    : record.checks
        .filter(({ verdict }) => verdict !== 'passed' && verdict !== 'not_measured')
        .flatMap(({ sentence: message }) =>
          [...message.matchAll(new RegExp(`${file.replaceAll('.', '\\.')}:(\\d+)`, 'g'))].map(([, line]) => ({
            line: Number(line),
            severity: 'error',
            message,
          })),
        );

async function start(place) {
  const response = await fetch(new URL(`tasks/${place.dataset.tasks}`, ASSETS));
  if (!response.ok) throw new Error(`the tasks: ${response.status} ${response.statusText}`);
  const tasks = await response.json();
  const [[file, source]] = Object.entries(tasks[0].files);
  const module = tasks[0].task.split('.')[0];
  const name = `hotloop.page.${module}.${file}`;
  const kernel = new Kernel(place, {
    assets: ASSETS,
    source,
    text: stored.get(name) ?? source,
    label: `${file} of ${module}`,
    onChange: () => stored.set(name, kernel.editor.text),
    message: (text) => ({ task: { ...kernel.task, files: { [file]: text } } }),
    display: (record) => {
      kernel.editor.mark(marks(record, file));
      kernel.output.replaceChildren(...card(record, kernel.task, file, (line) => kernel.editor.goTo(line)));
      const [earned, of] = points(record, kernel.task);
      if (!isUntouched(record)) noteProgress(kernel.task.task, `${earned === of ? 'passed' : words(record.verdict)[0]} (practice)`);
    },
  });
  const check = (task) => {
    kernel.task = task;
    return kernel.run({ limit: LIMIT_S });
  };
  kernel.task = tasks[0];
  const list = element(
    'ol',
    { class: 'kernel-task-list' },
    ...tasks.map((task) =>
      element(
        'li',
        {},
        element('strong', {}, task.title),
        '. ',
        ...sentence(task.goal),
        ' ',
        button(`Check ${task.task.split('.')[1]}`, () => check(task), { class: 'kernel-line md-button' }),
      ),
    ),
  );
  place.prepend(list);
  kernel.runButton.remove();
  kernel.tools.append(
    button(`Save ${file}`, () => {
      const link = element('a', { href: URL.createObjectURL(new Blob([kernel.editor.text])), download: file });
      link.click();
      URL.revokeObjectURL(link.href);
    }),
  );
}

for (const place of document.querySelectorAll('.kernel-tasks')) {
  start(place).catch((error) => place.append(element('p', { role: 'alert' }, `It could not be loaded: ${error.message}.`)));
}
