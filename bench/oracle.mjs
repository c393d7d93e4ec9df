// The compiler's own word on what differs between two installed versions of a package. Shares nothing with the engine: it
// asks the checker whether one type can stand for the other, member by member, over one program that holds both versions.
//
//   oracle.mjs TYPESCRIPT_DIR JOBS_FILE      JOBS_FILE: [{name, old, new, ambient, out}]
//
// What differs between two installs of one and the same version it cannot see: the caller asks for that first.
//
// Two installs of one class are two classes to the compiler; private and protected members are taken out of the text before
// it is parsed, so that only the public face is compared. Unique symbols are told apart in the same way and are plain symbols.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";

const [typescriptDir, jobsFile] = process.argv.slice(2);
const ts = createRequire(import.meta.url)(typescriptDir + "/lib/typescript.js");
const OPTIONS = { target: 99, module: 99, moduleResolution: 100, lib: ["lib.esnext.full.d.ts"], types: [], strict: true, noEmit: true, skipLibCheck: true };
const DEPTH = 5;
const COVARIANT = new Set(["Array", "ReadonlyArray", "Promise", "ReadonlyMap", "ReadonlySet", "Iterable", "AsyncIterable"]);
const sources = new Map();

const withoutPrivate = (text) =>
  text.replace(/\bunique symbol\b/g, "symbol").replace(/^[ \t]*(?:static\s+)?(?:private|protected)\s+(?!constructor)[^;{]*(?:\{[^}]*\})?;?[ \t]*$/gm, "").replace(/^[ \t]*#private;[ \t]*$/gm, "");

function host() {
  const made = ts.createCompilerHost(OPTIONS);
  made.getSourceFile = (name, language) => {
    if (!sources.has(name)) {
      const text = ts.sys.readFile(name);
      const lib = name.startsWith(path.dirname(ts.getDefaultLibFilePath(OPTIONS)));
      sources.set(name, text === undefined ? undefined : ts.createSourceFile(name, lib ? text : withoutPrivate(text), { languageVersion: 99, jsDocParsingMode: 1 }, true));
    }
    return sources.get(name);
  };
  return made;
}

// The entries as a program that imports them by name would find them.
function entries(root, name, compilerHost) {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const table = manifest.exports && typeof manifest.exports === "object" ? Object.keys(manifest.exports).filter((key) => key.startsWith(".")) : [];
  const wanted = table.length ? table.filter((key) => !key.includes("*")) : ["."];
  const found = new Map();
  for (const key of wanted) {
    const specifier = name + key.slice(1);
    const from = path.join(root, "..", "..".repeat(name.startsWith("@") ? 1 : 0), "..", "from.ts");
    const at = name.startsWith("@") ? path.join(root, "..", "..", "..", "from.ts") : path.join(root, "..", "..", "from.ts");
    const module = ts.resolveModuleName(specifier, at ?? from, OPTIONS, compilerHost).resolvedModule;
    if (module && /\.(d\.)?[cm]?tsx?$/.test(module.resolvedFileName)) found.set(key.slice(1), module.resolvedFileName);
  }
  return found;
}

const quoted = (name) => (/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? "." + name : `[${JSON.stringify(name)}]`);

function speaksOf(property, symbol) {
  const text = (property?.declarations ?? []).map((d) => d.getText()).join(" ");
  return new RegExp(`\\b(this|${String(symbol.escapedName).replace(/\W/g, "")})\\b`).test(text);
}

class Oracle {
  constructor(checker, filled) {
    this.checker = checker;
    this.filled = filled; // generic exports with their parameters filled in, by file and name
    this.known = new Map();
    this.items = {};
  }

  note(item, verdict) {
    if (verdict.read || verdict.write || verdict.differs) this.items[item] = verdict;
  }

  module(prefix, oldModule, newModule) {
    const [before, after] = [oldModule, newModule].map((m) => new Map(this.checker.getExportsOfModule(m).map((s) => [ts.unescapeLeadingUnderscores(s.escapedName), s])));
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const item = `${prefix}#${name}`;
      if (!after.has(name)) this.note(item, { read: true, write: false, differs: true, removed: true });
      else if (!before.has(name)) this.note(item, { read: false, write: false, differs: true, added: true });
      else this.symbol(item, before.get(name), after.get(name));
    }
  }

  target(symbol) {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  symbol(item, oldSymbol, newSymbol) {
    const [a, b] = [this.target(oldSymbol), this.target(newSymbol)];
    if (a === b) return;
    const T = ts.SymbolFlags.Class | ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Enum;
    const V = ts.SymbolFlags.Value;
    if (Boolean(a.flags & T) !== Boolean(b.flags & T) || Boolean(a.flags & V) !== Boolean(b.flags & V)) {
      const gone = (a.flags & T && !(b.flags & T)) || (a.flags & V && !(b.flags & V));
      this.note(item, { read: Boolean(gone), write: false, differs: true });
    }
    if (a.flags & T && b.flags & T) this.types(item, this.declared(a, oldSymbol), this.declared(b, newSymbol), a, b);
    if (a.flags & V && b.flags & V && !(a.flags & ts.SymbolFlags.Enum)) this.types(item, this.checker.getTypeOfSymbol(a), this.checker.getTypeOfSymbol(b), a, b);
  }

  // Two generic types are compared with the same arguments.
  declared(symbol, exported) {
    return this.filled.get(exported) ?? this.checker.getDeclaredTypeOfSymbol(symbol);
  }

  // An object is told member by member; anything else as a whole.
  types(item, a, b, oldSymbol, newSymbol) {
    const generic = (s) => s.declarations?.find((d) => d.typeParameters)?.typeParameters?.length ?? 0;
    if (generic(oldSymbol) !== generic(newSymbol)) this.note(item, { read: true, write: true, differs: true });
    if (this.isObject(a) && this.isObject(b)) {
      const [before, after] = [a, b].map((t) => new Map(this.checker.getPropertiesOfType(t).map((p) => [ts.unescapeLeadingUnderscores(p.escapedName), p])));
      before.delete("prototype");
      after.delete("prototype");
      for (const name of new Set([...before.keys(), ...after.keys()])) {
        if (name.startsWith("__@")) continue;
        const told = { ...this.member(before.get(name), after.get(name), DEPTH) };
        // What only speaks of its own type ("this", Command) differs whenever that does.
        if (speaksOf(before.get(name), oldSymbol) || speaksOf(after.get(name), newSymbol)) told.self = true;
        this.note(item + quoted(name), told);
      }
      return;
    }
    this.note(item, this.compare(a, b, DEPTH));
  }

  isObject(type) {
    return Boolean(type.flags & ts.TypeFlags.Object) && !this.checker.isArrayType(type) && !this.checker.isTupleType(type) && !type.getCallSignatures().length && !type.getConstructSignatures().length;
  }

  member(a, b, depth) {
    if (!b) return { read: true, write: false, differs: true, removed: true };
    const optional = (p) => Boolean(p.flags & ts.SymbolFlags.Optional);
    if (!a) return { read: false, write: !optional(b), differs: true, added: true };
    const verdict = { ...this.compare(this.checker.getTypeOfSymbol(a), this.checker.getTypeOfSymbol(b), depth) };
    if (optional(a) !== optional(b)) {
      verdict.differs = true;
      if (optional(b)) verdict.read = true;
      else verdict.write = true;
    }
    const fixed = (p) => Boolean(ts.getCheckFlags(p) & 8 || ts.getDeclarationModifierFlagsFromSymbol(p) & ts.ModifierFlags.Readonly || (p.flags & ts.SymbolFlags.GetAccessor && !(p.flags & ts.SymbolFlags.SetAccessor)));
    if (fixed(a) !== fixed(b)) {
      verdict.differs = true;
      if (fixed(b)) verdict.write = true; // who assigns to it is refused
    }
    return verdict;
  }

  // read: what the new version gives no longer fits what the old one gave; write: what the old one took is refused.
  compare(a, b, depth) {
    if (a === b) return { read: false, write: false, differs: false };
    const key = `${a.id}:${b.id}`;
    if (this.known.has(key)) return this.known.get(key);
    this.known.set(key, { read: false, write: false, differs: false });
    const verdict = this.deeper(a, b, depth);
    this.known.set(key, verdict);
    return verdict;
  }

  deeper(a, b, depth) {
    const whole = { read: !this.checker.isTypeAssignableTo(b, a), write: !this.checker.isTypeAssignableTo(a, b) };
    whole.differs = whole.read || whole.write;
    if (depth <= 0) return whole;
    const [x, y] = [a.getCallSignatures(), b.getCallSignatures()];
    if (x.length === 1 && y.length === 1 && !x[0].typeParameters && !y[0].typeParameters && !a.getProperties().length) return this.signatures(x[0], y[0], depth - 1);
    if (this.isObject(a) && this.isObject(b) && !(a.flags & ts.TypeFlags.Union)) return this.objects(a, b, depth - 1, whole);
    if (x.length === 1 && y.length === 1 && !whole.differs && x[0].typeParameters?.length === y[0].typeParameters?.length && !a.getProperties().length) return this.signatures(x[0], y[0], depth - 1);
    if (a.flags & ts.TypeFlags.Union && b.flags & ts.TypeFlags.Union && !whole.differs) return this.pairs(whole, a.types, this.twins(a.types, b.types), depth - 1, true);
    const [given, taken] = [this.argumentsOf(a), this.argumentsOf(b)];
    if (given.length && given.length === taken.length && a.symbol?.escapedName === b.symbol?.escapedName && !whole.differs) return this.pairs(whole, given, taken, depth - 1, COVARIANT.has(String(a.symbol?.escapedName)));
    return whole;
  }

  argumentsOf(type) {
    return type.flags & ts.TypeFlags.Object && type.objectFlags & ts.ObjectFlags.Reference ? this.checker.getTypeArguments(type) : [];
  }

  // For each member of a union the one of the other that stands for it, both ways.
  twins(members, others) {
    return members.map((one) => others.find((other) => this.checker.isTypeAssignableTo(one, other) && this.checker.isTypeAssignableTo(other, one)));
  }

  // What the whole hides: an optional member that came or went inside. It can be read and written where the part stands for
  // itself (a member of a union, an element), else only a difference is told.
  pairs(whole, list, others, depth, plain) {
    const told = list.map((one, n) => (others[n] ? this.compare(one, others[n], depth) : whole));
    const any = (name) => told.some((one) => one[name]);
    return { read: plain && any("read"), write: plain && any("write"), differs: any("differs") };
  }

  // Two types that hold type parameters of their own signatures, which are never the same: only members that came, went or
  // changed their mark are told.
  presence(a, b, depth) {
    const result = { read: false, write: false, differs: false };
    const bare = (type) => (type.flags & ts.TypeFlags.Union ? type.types.filter((t) => !(t.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null))) : [type]);
    const [[x], [y]] = [bare(a), bare(b)];
    if (depth <= 0 || bare(a).length !== 1 || bare(b).length !== 1 || !this.isObject(x) || !this.isObject(y)) return result;
    const [before, after] = [x, y].map((t) => new Map(this.checker.getPropertiesOfType(t).map((p) => [p.escapedName, p])));
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [p, q] = [before.get(name), after.get(name)];
      const told = p && q ? this.presence(this.checker.getTypeOfSymbol(p), this.checker.getTypeOfSymbol(q), depth - 1) : this.member(p, q, 0);
      for (const use of ["read", "write", "differs"]) result[use] ||= told[use];
      if (p && q && (p.flags ^ q.flags) & ts.SymbolFlags.Optional) Object.assign(result, { differs: true, [q.flags & ts.SymbolFlags.Optional ? "read" : "write"]: true });
    }
    return result;
  }

  objects(a, b, depth, whole) {
    const result = { ...whole };
    const [before, after] = [a, b].map((t) => new Map(this.checker.getPropertiesOfType(t).map((p) => [p.escapedName, p])));
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      if (String(name).startsWith("__@")) continue;
      const told = this.member(before.get(name), after.get(name), depth);
      result.read ||= told.read;
      result.write ||= told.write;
      result.differs ||= told.differs;
    }
    return result;
  }

  // Parameters the other way round, without the leniency that methods get. Of a generic signature (that can stand for the
  // other as a whole) what names its type parameters is compared by its members only.
  signatures(a, b, depth) {
    const result = { read: false, write: false, differs: false };
    const [p, q] = [a.parameters, b.parameters];
    const least = (s) => s.minArgumentCount ?? s.parameters.length;
    if (p.length !== q.length || least(a) !== least(b)) {
      result.differs = true;
      if (least(b) > least(a) || q.length < p.length) result.read = true;
      if (q.length < p.length || least(b) < least(a)) result.write = true;
    }
    for (let i = 0; i < Math.min(p.length, q.length); i += 1) {
      const told = this[names(a, p[i]) || names(b, q[i]) ? "presence" : "compare"](this.checker.getTypeOfSymbol(p[i]), this.checker.getTypeOfSymbol(q[i]), depth);
      result.read ||= told.write;
      result.write ||= told.read;
      result.differs ||= told.differs;
    }
    const told = this[a.typeParameters?.length ? "presence" : "compare"](a.getReturnType(), b.getReturnType(), depth);
    return { read: result.read || told.read, write: result.write || told.write, differs: result.differs || told.differs };
  }
}

// Whether a parameter's type says the name of one of its signature's type parameters.
const names = (signature, parameter) => (signature.typeParameters ?? []).some((one) => new RegExp(`\\b${one.symbol.name}\\b`).test(parameter.valueDeclaration?.type?.getText() ?? one.symbol.name));
const parametersOf = (symbol) => symbol.declarations?.find((d) => d.typeParameters?.length)?.typeParameters.length ?? 0;
const asModule = (file) => file.replace(/\.d\.([cm]?)ts$/, ".$1js").replace(/(?<!\.d)\.([cm]?)tsx?$/, ".$1js");

// A file with an alias for every generic export, its parameters filled with "any": {text, rows: [exported symbol]}.
function fill(checker, program, files) {
  const rows = [];
  const lines = [];
  for (const file of files) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file));
    for (const exported of module ? checker.getExportsOfModule(module) : []) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const count = parametersOf(symbol);
      const isType = symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias);
      if (!count || !isType || exported.escapedName === "default") continue;
      lines.push(`export type F${rows.length} = import(${JSON.stringify(asModule(file))}).${exported.escapedName}<${Array(count).fill("any").join(", ")}>;`);
      rows.push(`${file}#${exported.escapedName}`);
    }
  }
  return { text: lines.join("\n") + "\nexport {};\n", rows };
}

function load(compilerHost, files) {
  const program = ts.createProgram({ rootNames: files, options: OPTIONS, host: compilerHost });
  return { program, checker: program.getTypeChecker() };
}

for (const job of JSON.parse(fs.readFileSync(jobsFile, "utf8"))) {
  const compilerHost = host();
  const [before, after] = [entries(job.old, job.name, compilerHost), entries(job.new, job.name, compilerHost)];
  const roots = [...before.values(), ...after.values(), ...job.ambient];
  const first = load(compilerHost, roots);
  const { text, rows } = fill(first.checker, first.program, [...before.values(), ...after.values()]);
  const probe = path.join(path.dirname(job.out), path.basename(job.out) + ".probe.ts");
  sources.set(probe, ts.createSourceFile(probe, text, 99, true));
  const exists = compilerHost.fileExists;
  compilerHost.fileExists = (name) => name === probe || exists(name);
  const { program, checker } = load(compilerHost, [...roots, probe]);
  const aliases = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(probe)));
  const byRow = new Map(aliases.map((alias) => [rows[Number(String(alias.escapedName).slice(1))], checker.getDeclaredTypeOfSymbol(alias)]));
  const filled = new Map();
  for (const file of [...before.values(), ...after.values()]) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file));
    for (const exported of module ? checker.getExportsOfModule(module) : []) {
      const type = byRow.get(`${file}#${exported.escapedName}`);
      if (type && type.intrinsicName !== "error") filled.set(exported, type);
    }
  }
  const oracle = new Oracle(checker, filled);
  for (const entry of new Set([...before.keys(), ...after.keys()])) {
    const modules = [before, after].map((side) => side.get(entry) && checker.getSymbolAtLocation(program.getSourceFile(side.get(entry))));
    if (modules[0] && modules[1]) oracle.module(job.name + entry, modules[0], modules[1]);
    else oracle.items[job.name + entry] = { read: Boolean(modules[0]), write: false, differs: true };
  }
  sources.delete(probe);
  fs.writeFileSync(job.out, JSON.stringify(oracle.items));
}
