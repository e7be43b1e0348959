// What a run found: the verdict, findings with their lines, output, arrays and traffic.
import { button, element, number, sentence, table } from './elements.mjs';
import { trafficTable } from './traffic.mjs';

const MOST_TEXT = 20_000;

const at = ({ block, thread }) => (thread ? ` by thread (${thread.join(', ')}) of block (${block.join(', ')})` : '');

/** Findings and messages of the compiler, for Editor.mark. */
export function problems(answer) {
  if (answer.problem) {
    return [...answer.problem.matchAll(/^kernel\.cu:(\d+):(?:(\d+):)? (.*)$/gm)].map(([, line, column, message]) => ({
      line: Number(line),
      column: Number(column ?? 0),
      severity: message.startsWith('warning') || message.startsWith('note') ? 'info' : 'error',
      message,
    }));
  }
  return answer.report.findings.flatMap((finding) => {
    const lines = new Map(finding.witnesses.filter(({ line }) => line?.file === 'kernel.cu').map((witness) => [witness.line.line, witness]));
    return [...lines].map(([line, witness]) => ({
      line,
      severity: 'error',
      message: `${finding.text} Here: ${witness.did}${at(witness)}.`,
    }));
  });
}

function verdict(answer) {
  if (answer.problem) return ['It does not compile', 'bad'];
  const { findings, launches, ended } = answer.report;
  if (findings.length) return [`${findings.length === 1 ? 'One finding' : `${findings.length} findings`}`, 'bad'];
  if (ended !== 'exited') return [`It ${ended}`, 'bad'];
  if (answer.error) return [`The launch failed with error ${answer.error}`, 'bad'];
  if (answer.status) return [`The program ended with status ${answer.status}`, 'bad'];
  if (!launches.length) return ['No kernel was launched', 'bad'];
  return ['Clean: no race, no access out of bounds, nothing read before it was written, in four orders of threads', 'good'];
}

const findingItem = (finding, goTo) =>
  element(
    'li',
    {},
    element('p', {}, element('strong', {}, finding.kind.replaceAll('_', ' ')), ': ', ...sentence(finding.text)),
    element(
      'ul',
      {},
      ...finding.witnesses.map((witness) =>
        element(
          'li',
          {},
          witness.line ? button(`line ${witness.line.line}`, () => goTo(witness.line.line), { class: 'kernel-line' }) : '',
          ` ${witness.did}${at(witness)}`,
        ),
      ),
    ),
  );

const printed = (title, text) =>
  element('section', {}, element('h4', {}, title), element('pre', { tabindex: 0 }, text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}\n… ${number(text.length - MOST_TEXT)} more characters` : text));

const shortNumber = (value) => (typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(7)).toString() : String(value));

function arrayRow(array) {
  const shown = array.values.slice(0, 32).map(shortNumber).join('  ');
  const more = array.count > 32 ? ' …' : '';
  return [array.name, array.type, number(array.count), array.output ? 'written' : 'read', `${shown}${more}`];
}

/** The elements that show an answer of engines/simulate/page.py. */
export function results(answer, goTo) {
  const [title, kind] = verdict(answer);
  const head = element('p', { class: `kernel-verdict kernel-${kind}` }, title);
  if (answer.problem) return [head, printed('Message', answer.problem)];
  const { findings, refused, sites } = answer.report;
  return [
    head,
    findings.length ? element('ol', { class: 'kernel-findings' }, ...findings.map((finding) => findingItem(finding, goTo))) : null,
    refused.length ? element('ul', {}, ...refused.map(({ kernel, error, line }) => element('li', {}, `The launch of ${kernel}${line ? ` in line ${line.line}` : ''} was refused: ${error}`))) : null,
    answer.output ? printed('Output', answer.output) : null,
    answer.errors ? printed('Standard error', answer.errors) : null,
    answer.arrays?.length ? table('Arrays after the launch, first elements', ['name', 'type', 'elements', '', 'values'], answer.arrays.map(arrayRow)) : null,
    sites.length ? element('details', {}, element('summary', {}, 'Memory traffic by line'), trafficTable(sites)) : null,
  ].filter(Boolean);
}
