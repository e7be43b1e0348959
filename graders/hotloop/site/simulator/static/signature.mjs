// The kernels of a file and their parameters, as far as a form needs them.

const KERNEL = /(template\s*<[^>]*>\s*)?__global__\s+(?:static\s+|inline\s+)*(?:__launch_bounds__\s*\([^)]*\)\s*)?void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)\s*\{/g;
const COMMENTS = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

function parameter(text) {
  const plain = text.replace(/__restrict__|__restrict\b|\bvolatile\b/g, ' ').replace(/\s+/g, ' ').trim();
  const [, isConst, type, star, name] = /^(const )?([\w ]+?)(?: const)? ?(\*)? ?(\w+)$/.exec(plain) ?? [];
  if (!name) return { name: plain, isUnknown: true };
  return { name, type: type.trim(), isArray: Boolean(star), isOutput: Boolean(star) && !isConst };
}

/** Whether the program has a `main`, and then runs as a whole. */
export const hasMain = (source) => /\bint\s+main\s*\(/.test(source.replace(COMMENTS, ' '));

/** [{ name, parameters }] of the kernels that a form can launch: no templates. */
export function kernels(source) {
  const text = source.replace(COMMENTS, ' ');
  return [...text.matchAll(KERNEL)]
    .filter(([, template]) => !template)
    .map(([, , name, list]) => ({ name, parameters: list.trim() ? list.split(',').map(parameter) : [] }));
}
