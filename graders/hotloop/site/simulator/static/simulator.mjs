// The simulator on Pyodide and clang as WebAssembly. A page's worker and Node's tests load it alike.

const names = (path) => path.split('/').filter(Boolean);

function put(tree, path, data) {
  const folders = names(path);
  const last = folders.pop();
  let node = tree;
  for (const folder of folders) node = node[folder] ??= {};
  node[last] = data;
}

const isFile = (node) => node instanceof Uint8Array || typeof node === 'string';

const copyOfFolders = (tree) =>
  Object.fromEntries(
    Object.entries(tree).map(([name, node]) => [name, isFile(node) ? node : copyOfFolders(node)]),
  );

function treeOf(fileSystem, folder) {
  const tree = {};
  for (const name of fileSystem.readdir(folder)) {
    if (name === '.' || name === '..') continue;
    const path = `${folder}/${name}`;
    const isFolder = fileSystem.isDir(fileSystem.stat(path).mode);
    tree[name] = isFolder ? treeOf(fileSystem, path) : fileSystem.readFile(path);
  }
  return tree;
}

/** What toolchain/browser.py calls: tools on the files that are given to them by absolute path. */
class Compiler {
  constructor(version, runLLVM, shared) {
    this.version = version;
    this.runLLVM = runLLVM;
    this.shared = shared;
  }

  run(command, inputs, outputs) {
    const files = copyOfFolders(this.shared);
    for (const path of outputs) put(files, `${path.slice(0, path.lastIndexOf('/'))}/.keep`, '');
    for (const [path, data] of inputs) put(files, path, data);
    const decoder = new TextDecoder();
    let text = '';
    const print = (bytes) => {
      if (bytes) text += decoder.decode(bytes, { stream: true });
    };
    let status = 0;
    let result = {};
    try {
      result = this.runLLVM([...command], files, { synchronously: true, stdout: print, stderr: print });
    } catch (error) {
      status = error.code || 1;
      if (error.files === undefined) text += String(error);
    }
    const written = new Map();
    for (const path of outputs) {
      const data = names(path).reduce((node, name) => node?.[name], result);
      if (data !== undefined) written.set(path, isFile(data) && typeof data === 'string' ? new TextEncoder().encode(data) : data);
    }
    return [status, text, written];
  }
}

export class Simulator {
  /**
   * Start Python with the simulator's part of Hotloop.
   * @param python Pyodide
   * @param archive python.zip of the bundle
   */
  constructor(python, archive, version) {
    this.python = python;
    this.version = version;
    this.programs = new Set();
    globalThis.hotloop_compiler = { version };
    python.unpackArchive(archive, 'zip', { extractDir: '/' });
    this.page = python.runPython(`
import os, sys
sys.path.insert(0, "/hotloop")
os.environ["HOTLOOP_SIMULATOR_PREBUILT"] = "/simulator/prebuilt"
os.environ["HOTLOOP_SIMULATOR_CACHE"] = "/simulator/cache"
from hotloop.engines.simulate import page
page.start("/simulator")
page
`);
  }

  get canCompile() {
    return globalThis.hotloop_compiler instanceof Compiler;
  }

  /** Let programs be compiled. archive: compiler.zip of the bundle. */
  addCompiler(runLLVM, archive) {
    this.python.unpackArchive(archive, 'zip', { extractDir: '/' });
    const files = { zig: treeOf(this.python.FS, '/zig'), hotloop: treeOf(this.python.FS, '/hotloop') };
    globalThis.hotloop_compiler = new Compiler(this.version, runLLVM, files);
  }

  /** Let a program that was compiled before run without a compiler. archive: a zip of its folder. */
  addProgram(name, archive) {
    if (!this.programs.has(name)) this.python.unpackArchive(archive, 'zip', { extractDir: '/simulator/prebuilt' });
    this.programs.add(name);
  }

  /** Let tasks be judged. numpy must be installed. archive: judge.zip. */
  addJudge(archive) {
    this.python.unpackArchive(archive, 'zip', { extractDir: '/' });
    this.judge = this.python.runPython('from hotloop.judge import practice\npractice');
  }

  /** Judge a task: a request of judge/practice.py, and a verdict's record. */
  verdict(request, onStep = () => {}) {
    return JSON.parse(this.judge.answer(JSON.stringify(request), onStep));
  }

  /**
   * Answer a request of engines/simulate/page.py; both are plain data. onStep is told what begins.
   * `{needs_compiler: true}`: call addCompiler, then ask again.
   */
  answer(request, onStep = () => {}) {
    return JSON.parse(this.page.answer(JSON.stringify(request), '/program', onStep));
  }

  /** The folders of all programs that were compiled here, each as { name, files }. */
  compiled() {
    const programs = treeOf(this.python.FS, '/simulator/cache');
    return Object.entries(programs)
      .filter(([name]) => name.startsWith('program-'))
      .map(([name, files]) => ({ name, files }));
  }
}
