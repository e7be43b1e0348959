// The page's simulator under Node: requests come as lines of JSON, and so go the answers.
//   node node.mjs NODE_MODULES BUNDLE
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const [modules, bundle] = process.argv.slice(2).map((folder) => path.resolve(folder));
const load = (folder, file) => import(pathToFileURL(path.join(folder, file)));
const bytes = (name) => new Uint8Array(fs.readFileSync(path.join(bundle, name)));

const { loadPyodide } = await load(modules, 'pyodide/pyodide.mjs');
const { runLLVM } = await load(modules, '@yowasp/clang/gen/bundle.js');
const { Simulator } = await load(bundle, 'simulator.mjs');
await runLLVM(undefined, undefined, { fetchProgress: () => {} });
const { version } = JSON.parse(fs.readFileSync(path.join(bundle, 'index.json'), 'utf8'));
const simulator = new Simulator(await loadPyodide(), bytes('python.zip'), version);
simulator.addCompiler(runLLVM, bytes('compiler.zip'));
for await (const line of readline.createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(simulator.answer(JSON.parse(line)))}\n`);
}
