// A manual's Markdown as elements: headings, paragraphs, lists, tables, code. No HTML is read in it.
import { element, table } from './elements.mjs';

/** Text with `code` and **strong** parts. */
const inline = (text) =>
  text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return element('code', {}, part.slice(1, -1));
    if (part.startsWith('**')) return element('strong', {}, part.slice(2, -2));
    return part;
  });

const cells = (line) =>
  line
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => element('span', {}, ...inline(cell.trim())));

/** Lines of one block: what follows until an empty line, or the end of a block of code. */
function blocks(text) {
  const found = [];
  let block = [];
  let isCode = false;
  const end = () => {
    if (block.length) found.push(block);
    block = [];
  };
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) {
      if (!isCode) end();
      block.push(line);
      if (isCode) end();
      isCode = !isCode;
    } else if (!isCode && !line.trim()) end();
    else if (!isCode && line.startsWith('#')) {
      end();
      found.push([line]);
    } else block.push(line);
  }
  end();
  return found;
}

/** Items of a list: a line that begins none continues the one before. */
const items = (lines, sign) =>
  lines.reduce((list, line) => {
    if (sign.test(line)) list.push(line.replace(sign, ''));
    else list[list.length - 1] += ` ${line.trim()}`;
    return list;
  }, []);

function shown(block, caption) {
  const [first] = block;
  if (first.startsWith('```')) return element('pre', { tabindex: 0 }, element('code', {}, block.slice(1, -1).join('\n')));
  const heading = /^(#+) (.*)/.exec(first);
  if (heading) return element(`h${Math.min(6, heading[1].length + 1)}`, {}, ...inline(heading[2]));
  if (first.startsWith('|')) {
    const [heads, , ...rows] = block;
    return table(caption, cells(heads), rows.map(cells));
  }
  for (const [sign, tag] of [[/^- /, 'ul'], [/^\d+\. /, 'ol']]) {
    if (sign.test(first)) return element(tag, {}, ...items(block, sign).map((item) => element('li', {}, ...inline(item))));
  }
  return element('p', {}, ...inline(block.join(' ')));
}

/** The manual's elements. A table has the heading above it as its caption. */
export function manual(text) {
  let caption = '';
  return blocks(text).map((block) => {
    const node = shown(block, caption);
    if (/^H\d$/.test(node.tagName)) caption = node.textContent;
    return node;
  });
}
