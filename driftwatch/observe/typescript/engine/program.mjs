// Programs over installed packages that share every parsed file.
import path from "node:path";

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

  // {program, checker, unresolved}: unresolved maps a file to the module names in it that lead nowhere.
  load(job, entries) {
    const ts = this.ts;
    const unresolved = new Map();
    const host = ts.createCompilerHost(this.options);
    host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
    const read = host.getSourceFile;
    host.getSourceFile = (name, language, onError) => {
      if (!this.sources.has(name)) this.sources.set(name, read(name, language, onError));
      return this.sources.get(name);
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
