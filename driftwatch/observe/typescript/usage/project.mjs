// A program over the project's own files, in which the upstream's packages are the ones laid out for it.
import fs from "node:fs";
import path from "node:path";
import { entriesOf } from "../engine/entries.mjs";

// {program, checker, libDir, own: [SourceFile], unresolved: [{source, node, text}]}
export function open(ts, job) {
  const options = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.esnext.full.d.ts"],
    types: [],
    strict: true,
    noImplicitAny: false,
    noEmit: true,
    skipLibCheck: true,
    allowJs: true,
    checkJs: false,
    maxNodeModuleJsDepth: 0,
    jsx: ts.JsxEmit.Preserve,
    allowImportingTsExtensions: true,
    resolveJsonModule: false,
  };
  const host = ts.createCompilerHost(options, true);
  const cache = ts.createModuleResolutionCache(job.project, (name) => name, options);
  const inside = job.project.endsWith("/") ? job.project : job.project + "/";
  const isOwn = (file) => file.startsWith(inside) && !file.slice(inside.length - 1).includes("/node_modules/");
  const resolve = (text, file) => ts.resolveModuleName(text, file, options, host, cache);
  host.resolveModuleNameLiterals = (literals, file) => literals.map((literal) => found(literal.text, file));

  const unresolved = [];
  const roots = [...job.files.map((file) => path.join(job.project, file)), ...job.ambient];
  for (const folder of Object.values(job.packages)) for (const entry of entries(folder)) roots.push(entry.file);
  const program = ts.createProgram({ rootNames: roots, options, host });
  const own = program.getSourceFiles().filter((source) => isOwn(source.fileName) && !source.isDeclarationFile);
  own.sort((a, b) => (a.fileName < b.fileName ? -1 : 1));
  return { program, checker: program.getTypeChecker(), libDir: path.dirname(ts.getDefaultLibFilePath(options)), own, isOwn, unresolved, dir: inside };

  function found(text, file) {
    const upstream = job.packages[packageOf(text)];
    if (upstream && isOwn(file)) return { resolvedModule: resolve(text, beside(upstream)).resolvedModule };
    const module = resolve(text, file).resolvedModule ?? nearby(text, file);
    const relative = text.startsWith(".") || text.startsWith("/");
    if (isOwn(file) && relative && (!module || outside(module.resolvedFileName))) unresolved.push({ file, text });
    return { resolvedModule: module && !outside(module.resolvedFileName) ? module : undefined };
  }

  // What the project does not have installed (zod, for one) is often there as a dependency of the upstream.
  function nearby(text, file) {
    if (text.startsWith(".") || text.startsWith("/") || !isOwn(file)) return undefined;
    for (const folder of Object.values(job.packages)) {
      const module = resolve(text, beside(folder)).resolvedModule;
      if (module) return module;
    }
    return undefined;
  }

  // A relative import that climbs out of the project leads to files nobody asked us to read.
  function outside(file) {
    const real = realpath(file);
    return !real.startsWith(inside) && !job.roots.some((root) => real.startsWith(root)) && !real.startsWith(path.dirname(ts.getDefaultLibFilePath(options)));
  }
}

export const packageOf = (text) => (text.startsWith("@") ? text.split("/").slice(0, 2).join("/") : text.split("/")[0]);

const beside = (folder) => path.join(folder.slice(0, folder.lastIndexOf("/node_modules/")), "use.ts");

function realpath(file) {
  try {
    return fs.realpathSync(file);
  } catch {
    return file;
  }
}

function entries(folder) {
  try {
    return entriesOf(folder).entries;
  } catch {
    return [];
  }
}
