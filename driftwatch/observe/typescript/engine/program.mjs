// Programs over installed packages that share every parsed file.
import fs from "node:fs";
import path from "node:path";

const BARREL = /^export \* as (\w+) from .*$/gm;
const MANY = 20;

export class Loader {
  constructor(ts) {
    this.ts = ts;
    this.sources = new Map();
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
  }

  plain(name, read) {
    if (!this.sources.has(name)) this.sources.set(name, read());
    return this.sources.get(name);
  }

  // An index of namespaces ("export * as Effect from ...") that only followed packages import: without the namespaces whose
  // names their declarations never say. A library of 150 modules is not parsed for the five that are used.
  lighter(job, name, language) {
    const text = this.ts.sys.readFile(name);
    if (text === undefined || (text.match(BARREL) ?? []).length < MANY) return undefined;
    job.words ??= words(job.importers);
    const kept = text.replace(BARREL, (line, namespace) => (job.words.has(namespace) ? line : ""));
    return this.ts.createSourceFile(name, kept, typeof language === "object" ? { ...language, jsDocParsingMode: this.ts.JSDocParsingMode.ParseNone } : language);
  }

  // Drops the files that only this job's versions have: its own and those of the packages that move with it.
  forget(job) {
    const moving = job.follow.map((name) => `/node_modules/${name}/`);
    for (const name of this.sources.keys()) {
      if (name.startsWith(job.root) || name.startsWith(job.root + "|") || moving.some((part) => name.includes(part))) this.sources.delete(name);
    }
  }

  // {program, checker, unresolved}: unresolved maps a file to the module names in it that lead nowhere.
  load(job, entries) {
    const ts = this.ts;
    const unresolved = new Map();
    const host = ts.createCompilerHost(this.options);
    host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
    const read = host.getSourceFile;
    host.getSourceFile = (name, language, onError) => {
      const inside = (job.barrels ?? []).some((dir) => name.startsWith(dir + "/"));
      const key = inside ? job.root + "|" + name : name;
      if (!this.sources.has(key)) this.sources.set(key, (inside && this.lighter(job, name, language)) || this.plain(name, () => read(name, language, onError)));
      return this.sources.get(key);
    };
    const cache = ts.createModuleResolutionCache(job.root, (name) => name, this.options);
    host.resolveModuleNameLiterals = (literals, file, redirected, options) =>
      literals.map((literal) => {
        const result = ts.resolveModuleName(literal.text, file, options, host, cache, redirected);
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
    return { program, checker: program.getTypeChecker(), unresolved, libDir: this.libDir };
  }
}

function words(folders) {
  const found = new Set();
  for (const folder of folders) {
    for (const file of fs.readdirSync(folder, { recursive: true })) {
      if (!/\.[cm]?tsx?$/.test(file) || file.includes("node_modules/")) continue;
      for (const word of fs.readFileSync(path.join(folder, file), "utf8").match(/\w+/g) ?? []) found.add(word);
    }
  }
  return found;
}
