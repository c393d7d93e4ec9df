// Programs over installed packages that share every parsed file.
import fs from "node:fs";
import path from "node:path";
import { Deferred } from "./deferred.mjs";

const BARREL = /^export \* as (\w+) from .*$/gm;
const MANY = 20;
const EMPTY = "/empty.ts";

export class Loader {
  constructor(ts) {
    this.ts = ts;
    this.sources = new Map();
    this.barrels = new Map();
    this.expected = new Map(); // folder -> its files that are not parsed yet
    this.ready = new Map(); // text -> its file, parsed before anybody asked for it
    this.options = {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      lib: ["lib.esnext.full.d.ts"],
      types: [],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      jsx: ts.JsxEmit.Preserve,
      allowImportingTsExtensions: true,
    };
    this.libDir = path.dirname(ts.getDefaultLibFilePath(this.options));
    this.deferred = new Deferred(ts, this.options);
    this.resolutions = ts.createModuleResolutionCache("/", (name) => name, this.options);
  }

  // The parsed file, or what stands for it until it is looked into.
  source(job, name, language) {
    const key = (job.barrels ?? []).some((dir) => name.startsWith(dir + "/")) && this.isBarrel(name) ? job.root + "|" + name : name;
    if (!this.sources.has(key)) {
      const text = this.ts.sys.readFile(name);
      const file = text === undefined || key !== name || job.follow?.includes(packageOf(name)) ? undefined : this.deferred.stub(name, text, language);
      this.sources.set(key, file ?? (text === undefined ? undefined : this.parse(name, key === name ? text : this.lighter(job, text), language)));
    }
    return this.sources.get(key);
  }

  parse(name, text, language) {
    const file = this.ready.get(text);
    if (!file || path.basename(file.fileName) !== path.basename(name)) return this.ts.createSourceFile(name, text, language);
    this.ready.delete(text);
    file.fileName = name;
    file.impliedNodeFormat = language.impliedNodeFormat;
    language.setExternalModuleIndicator(file);
    return file;
  }

  // Parses the next file of these folders; false when there is none.
  expect(folders) {
    for (const folder of folders) {
      if (!folder || !fs.existsSync(folder)) continue;
      if (!this.expected.has(folder)) this.expected.set(folder, declarations(folder));
      const name = this.expected.get(folder).pop();
      if (!name) continue;
      const text = this.ts.sys.readFile(name);
      if (text && !this.ready.has(text)) this.ready.set(text, this.ts.createSourceFile(name, text, this.language));
      return true;
    }
    return false;
  }

  isBarrel(name) {
    if (!this.barrels.has(name)) this.barrels.set(name, (this.ts.sys.readFile(name)?.match(BARREL) ?? []).length >= MANY);
    return this.barrels.get(name);
  }

  // An index of namespaces ("export * as Effect from ...") that only followed packages import: without the namespaces whose
  // names their declarations never say. A library of 150 modules is not parsed for the five that are used.
  lighter(job, text) {
    job.words ??= words(job.importers);
    return text.replace(BARREL, (line, namespace) => (job.words.has(namespace) ? line : ""));
  }

  // Drops the files that only this job's versions have: its own and those of the packages that move with it.
  forget(job) {
    const moving = job.follow.map((name) => `/node_modules/${name}/`);
    for (const name of this.sources.keys()) {
      if (name.startsWith(job.root) || name.startsWith(job.root + "|") || moving.some((part) => name.includes(part))) this.sources.delete(name);
    }
  }

  // Parses and binds what every program has in it: the language's own files.
  prepare() {
    const host = this.ts.createCompilerHost(this.options);
    host.jsDocParsingMode = this.ts.JSDocParsingMode.ParseNone;
    host.getSourceFile = (name, language) => {
      this.language = language;
      return name === EMPTY ? this.ts.createSourceFile(name, "export {};", language) : this.source({}, name, language);
    };
    this.ts.createProgram({ rootNames: [EMPTY], options: this.options, host }).getTypeChecker();
  }

  // {program, checker, unresolved}: unresolved maps a file to the module names in it that lead nowhere.
  load(job, entries) {
    const ts = this.ts;
    const unresolved = new Map();
    const host = ts.createCompilerHost(this.options);
    host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
    host.getSourceFile = (name, language) => this.source(job, name, language);
    host.resolveModuleNameLiterals = (literals, file, redirected, options) =>
      literals.map((literal) => {
        const result = ts.resolveModuleName(literal.text, file, options, host, this.resolutions, redirected);
        const module = result.resolvedModule;
        if (!module || /\.[cm]?jsx?$/.test(module.resolvedFileName)) {
          if (!unresolved.has(file)) unresolved.set(file, []);
          unresolved.get(file).push(literal.text);
        }
        return result;
      });
    const roots = entries.map((entry) => entry.file);
    if (job.ambient) roots.push(...job.ambient);
    const program = ts.createProgram({ rootNames: roots, options: this.options, host });
    const standing = program.getSourceFile;
    program.getSourceFile = (name) => this.deferred.file(standing(name));
    return { program, checker: program.getTypeChecker(), unseen: (name) => this.deferred.unseen(standing(name)), unresolved, libDir: this.libDir };
  }
}

function words(folders) {
  const found = new Set();
  for (const file of folders.flatMap(declarations)) for (const word of fs.readFileSync(file, "utf8").match(/\w+/g) ?? []) found.add(word);
  return found;
}

function declarations(folder) {
  const files = fs.readdirSync(folder, { recursive: true }).filter((file) => /\.[cm]?tsx?$/.test(file) && !file.includes("node_modules/"));
  return files.map((file) => path.join(folder, file));
}

// The package a file belongs to, "" outside of node_modules.
function packageOf(file) {
  const at = file.lastIndexOf("/node_modules/");
  const parts = at < 0 ? [""] : file.slice(at + 14).split("/");
  return parts[0].startsWith("@") ? parts[0] + "/" + parts[1] : parts[0];
}
