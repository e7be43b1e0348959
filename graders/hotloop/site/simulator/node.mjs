// The page's simulator under Node: requests come as lines of JSON, and so go the answers.
//   node node.mjs NODE_MODULES BUNDLE [--compiled]
// With --compiled a line is { answer, compiled: [{ name, files: { name: base64 } }] }: what was built.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

import { Simulator } from './static/simulator.mjs';

const [modules, bundle] = process.argv.slice(2, 4).map((folder) => path.resolve(folder));
const withCompiled = process.argv[4] === '--compiled';
const load = (file) => import(pathToFileURL(path.join(modules, file)));
const bytes = (name) => new Uint8Array(fs.readFileSync(path.join(bundle, name)));

const { loadPyodide } = await load('pyodide/pyodide.mjs');
const { runLLVM } = await load('@yowasp/clang/gen/bundle.js');
await runLLVM(undefined, undefined, { fetchProgress: () => {} });
const { version } = JSON.parse(fs.readFileSync(path.join(bundle, 'index.json'), 'utf8'));
const simulator = new Simulator(await loadPyodide(), bytes('python.zip'), version);
simulator.addCompiler(runLLVM, bytes('compiler.zip'));

const NEEDED = ['facts.json', 'device.cwasm', 'host.cwasm'];
const encoded = (files) =>
  Object.fromEntries(NEEDED.filter((name) => files[name]).map((name) => [name, Buffer.from(files[name]).toString('base64')]));

const seen = new Set();
for await (const line of readline.createInterface({ input: process.stdin })) {
  const answer = simulator.answer(JSON.parse(line));
  let document = answer;
  if (withCompiled) {
    const compiled = simulator.compiled().filter(({ name }) => !seen.has(name));
    for (const { name } of compiled) seen.add(name);
    document = { answer, compiled: compiled.map(({ name, files }) => ({ name, files: encoded(files) })) };
  }
  process.stdout.write(`${JSON.stringify(document)}\n`);
}
