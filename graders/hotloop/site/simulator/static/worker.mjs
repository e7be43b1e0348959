// The worker of a page: all of the simulator runs here, so that the page stays usable and can end it.
//
// It gets { id, request, built }, { id, task } or { id, accelerator } and posts { id, step } while it runs, or
// { id, step, part, bytes, of } while it loads a part, then { id, answer } or { id, failure }. `built`:
// names of archives in built/ with the programs that were compiled with the site. `task`: what
// judge/practice.py is asked. `accelerator`: what engines/accelerator/workbench.py is asked. Parts are those of index.json.
import { Simulator } from './simulator.mjs';

const HERE = new URL('./', import.meta.url);

/** A file that lies here as `name.gz`: servers need to know nothing of compression. */
async function unpacked(name, onBytes) {
  const response = await plainFetch(new URL(`${name}.gz`, HERE));
  if (!response.ok) throw new Error(`${name}.gz: ${response.status} ${response.statusText}`);
  const counted = new TransformStream({
    transform(chunk, controller) {
      onBytes(chunk.byteLength);
      controller.enqueue(chunk);
    },
  });
  const body = response.body.pipeThrough(counted).pipeThrough(new DecompressionStream('gzip'));
  return new Response(body, { headers: { 'Content-Type': 'application/wasm' } });
}

let onBytes = () => {};
const plainFetch = globalThis.fetch.bind(globalThis);
// Pyodide and clang fetch their own modules, by names that do not end in `.gz`. The archive of headers
// that comes with clang is not needed: programs are compiled with Zig's.
globalThis.fetch = (input, options) => {
  const url = new URL(input instanceof Request ? input.url : input, HERE);
  if (url.pathname.endsWith('-resources.tar')) return Promise.resolve(new Response(new Uint8Array(1024)));
  const isPacked = url.href.startsWith(HERE.href) && url.pathname.endsWith('.wasm');
  return isPacked ? unpacked(url.href.slice(HERE.href.length), onBytes) : plainFetch(input, options);
};

async function bytes(name) {
  const response = await plainFetch(new URL(name, HERE));
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  const data = new Uint8Array(await response.arrayBuffer());
  onBytes(data.byteLength);
  return data;
}

let loading = null;
let simulated = null;
let workbench = null;
let index = null;

/** Start Python, once. */
async function python() {
  loading ??= import(new URL('pyodide.mjs', HERE)).then(({ loadPyodide }) =>
    loadPyodide({ indexURL: HERE.href, stdout: () => {}, stderr: () => {} }),
  );
  return loading;
}

async function loadSimulator() {
  const [started, archive] = await Promise.all([python(), bytes('python.zip')]);
  return new Simulator(started, archive, index.version);
}

async function loadWorkbench() {
  const [started, archive] = await Promise.all([python(), bytes('accelerator.zip')]);
  started.unpackArchive(archive, 'zip', { extractDir: '/' });
  return started.runPython(`
import sys
sys.path.insert(0, "/hotloop")
from hotloop.engines.accelerator import workbench
workbench
`);
}

async function addCompiler(simulator) {
  const [{ runLLVM }, archive] = await Promise.all([
    import(new URL('clang.js', HERE)),
    bytes('compiler.zip'),
  ]);
  await runLLVM(undefined, undefined, { fetchProgress: () => {} });
  simulator.addCompiler(runLLVM, archive);
}

function progress(id, step, part) {
  const of = index.bytes[part];
  let total = 0;
  onBytes = (count) => {
    total += count;
    postMessage({ id, step, part, bytes: Math.min(total, of), of });
  };
  onBytes(0);
}

async function addJudge(simulator) {
  await simulator.python.loadPackage(new URL(index.numpy, HERE).href);
  simulator.addJudge(await bytes('judge.zip'));
}

async function verdict(id, simulator, task) {
  if (!simulator.canCompile) {
    progress(id, 'loading clang', 'compiler');
    await addCompiler(simulator);
  }
  if (!simulator.judge) {
    progress(id, 'loading numpy and the checks', 'judge');
    await addJudge(simulator);
  }
  return simulator.verdict(task, (step) => postMessage({ id, step: `running: ${step}` }));
}

async function ofAccelerator(id, request) {
  if (workbench === null) {
    progress(id, 'loading Python', 'accelerator');
    workbench = loadWorkbench();
  }
  const loaded = await workbench;
  postMessage({ id, step: 'running' });
  return JSON.parse(loaded.answer(JSON.stringify(request)));
}

async function answer({ id, request, built = [], task, accelerator }) {
  index ??= await (await plainFetch(new URL('index.json', HERE))).json();
  if (accelerator) return ofAccelerator(id, accelerator);
  if (simulated === null) {
    progress(id, 'loading Python and the checker', 'start');
    simulated = loadSimulator();
  }
  const simulator = await simulated;
  if (task) return verdict(id, simulator, task);
  for (const name of built) simulator.addProgram(name, await bytes(`built/${name}`));
  const run = () => simulator.answer(request, (step) => postMessage({ id, step }));
  const first = run();
  if (!first.needs_compiler) return first;
  progress(id, 'loading clang', 'compiler');
  await addCompiler(simulator);
  return run();
}

onmessage = async ({ data }) => {
  try {
    postMessage({ id: data.id, answer: await answer(data) });
  } catch (error) {
    loading = simulated = workbench = null;
    postMessage({ id: data.id, failure: String(error?.message ?? error) });
  }
};
