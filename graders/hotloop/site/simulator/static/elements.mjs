// Makes elements. Everything that a program prints or is called stays text: nothing here parses HTML.

export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A sentence in which `names` are code. */
export const sentence = (text) => text.split('`').map((part, at) => (at % 2 ? element('code', {}, part) : part));

export const button = (text, click, properties = {}) =>
  element('button', { type: 'button', class: 'md-button', click, ...properties }, text);

export function table(caption, heads, rows) {
  const cells = (tag, row) => element('tr', {}, ...row.map((cell) => element(tag, tag === 'th' ? { scope: 'col' } : {}, cell)));
  return element(
    'div',
    { class: 'md-typeset__scrollwrap', tabindex: 0, role: 'region', 'aria-label': caption },
    element(
      'table',
      { class: 'kernel-table' },
      element('caption', {}, caption),
      element('thead', {}, cells('th', heads)),
      element('tbody', {}, ...rows.map((row) => cells('td', row))),
    ),
  );
}

export const number = (value) => value.toLocaleString('en');
