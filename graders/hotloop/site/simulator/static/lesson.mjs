// Programs in a lesson: each block of code that was taken from a whole program can be run in place.
import { element } from './elements.mjs';

const ASSETS = new URL('./', import.meta.url).href;

async function open(place, code) {
  const { Kernel } = await import('./kernel.mjs');
  const response = await fetch(new URL(`programs/${place.dataset.program}`, ASSETS));
  if (!response.ok) throw new Error(`the program: ${response.status} ${response.statusText}`);
  const program = await response.json();
  const kernel = new Kernel(place, {
    assets: ASSETS,
    source: program.source,
    label: `Program ${program.name}`,
    message: (source) => ({
      request: { source, files: program.files },
      built: source === program.source ? program.built : [],
    }),
  });
  kernel.editor.showOnly(Number(place.dataset.first), Number(place.dataset.last));
  code.hidden = true;
  return kernel;
}

for (const place of document.querySelectorAll('.kernel-place')) {
  const code = place.previousElementSibling;
  const start = element(
    'button',
    {
      type: 'button',
      class: 'md-button kernel-start',
      click: async () => {
        start.disabled = true;
        try {
          const kernel = await open(place, code);
          start.remove();
          await kernel.run();
        } catch (error) {
          start.disabled = false;
          place.append(element('p', { role: 'alert' }, `It could not be loaded: ${error.message}.`));
        }
      },
    },
    'Run and edit it here',
  );
  place.append(start);
}
