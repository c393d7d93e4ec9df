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
    lib: ["lib.esnext.d.ts"],
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
  const host = ts.createCompilerHost(options);
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseForTypeInfo;
  const cache = ts.createModuleResolutionCache(job.project, (name) => name, options);
  const inside = job.project.endsWith("/") ? job.project : job.project + "/";
  const isOwn = (file) => file.startsWith(inside) && !file.slice(inside.length - 1).includes("/node_modules/");
  const resolve = (text, file) => ts.resolveModuleName(text, file, options, host, cache);
  host.resolveModuleNameLiterals = (literals, file) => literals.map((literal) => found(literal.text, file));

  const unresolved = [];
  const texts = job.files.map((file) => read(path.join(job.project, file)));
  const asked = new Map();
  const roots = job.files.map((file) => path.join(job.project, file));
  for (const folder of Object.values(job.packages)) for (const entry of entries(folder)) roots.push(entry.file);
  const program = ts.createProgram({ rootNames: roots, options, host });
  const own = program.getSourceFiles().filter((source) => isOwn(source.fileName) && !source.isDeclarationFile);
  own.sort((a, b) => (a.fileName < b.fileName ? -1 : 1));
  const statements = new Map(own.map((source) => [source, ownStatements(source)]));
  return { statements: (source) => statements.get(source), program, checker: program.getTypeChecker(), libDir: path.dirname(ts.getDefaultLibFilePath(options)), own, isOwn, unresolved, dir: inside };

  function found(text, file) {
    const upstream = job.packages[packageOf(text)];
    if (upstream && isOwn(file)) return { resolvedModule: resolve(text, beside(upstream)).resolvedModule };
    if (!isOwn(file) && isFar(text)) return { resolvedModule: undefined };
    const relative = text.startsWith(".") || text.startsWith("/");
    const module = (relative && isOwn(file) && script(text, file)) || (resolve(text, file).resolvedModule ?? nearby(text, file));
    if (isOwn(file) && relative && (!module || outside(module.resolvedFileName))) unresolved.push({ file, text });
    return { resolvedModule: module && !outside(module.resolvedFileName) ? module : undefined };
  }

  // Of what a project has built the script is read, not the declaration beside it, which says nothing of what is called.
  function script(text, file) {
    const declared = resolve(text, file).resolvedModule?.resolvedFileName ?? "";
    const built = declared.replace(/\.d\.([cm]?)ts$/, ".$1js");
    return built !== declared && fs.existsSync(built) && { resolvedFileName: built, extension: path.extname(built), isExternalLibraryImport: false };
  }

  // What the upstream's own declarations take from elsewhere (megabytes of effect, for one) is read where the source speaks of it.
  function isFar(text) {
    if (text.startsWith(".") || text.startsWith("/")) return false;
    const name = packageOf(text);
    if (job.follow.includes(name) || name === "zod") return false;
    if (!asked.has(name)) asked.set(name, texts.some((one) => one.includes(`"${name}`) || one.includes(`'${name}`)));
    return !asked.get(name);
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

// A bundler says before each piece which file it came from. What came out of node_modules is not the project's own.
const PIECE = /^\/\/ (?:\.\.?\/)*(\S+\.(?:[cm]?[jt]sx?|json))$/gm;

function ownStatements(source) {
  const pieces = [...source.text.matchAll(PIECE)].map((match) => ({ at: match.index, foreign: match[1].includes("node_modules/") }));
  if (!pieces.some((piece) => piece.foreign)) return source.statements;
  let next = 0;
  let foreign = false;
  return source.statements.filter((statement) => {
    const start = statement.getStart(source);
    while (next < pieces.length && pieces[next].at < start) foreign = pieces[next++].foreign;
    return !foreign;
  });
}

function realpath(file) {
  try {
    return fs.realpathSync(file);
  } catch {
    return file;
  }
}

function read(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function entries(folder) {
  try {
    return entriesOf(folder).entries;
  } catch {
    return [];
  }
}
