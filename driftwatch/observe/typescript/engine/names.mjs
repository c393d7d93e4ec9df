// Stable names for declared symbols: "PKG/entry#Export", or "PKG#Name" for what is reached but not exported.
import fs from "node:fs";
import path from "node:path";
import { entriesOf } from "./entries.mjs";

export class Names {
  constructor(ts, job, entries, loaded) {
    Object.assign(this, { ts, job, loaded, ids: new Map(), unseen: new Map(), hiddenIds: new Set(), taken: new Map(), packages: new Map(), exports: [] });
    this.rootDir = fs.realpathSync(job.root);
    this.owners = new Map();
    this.packages.set(this.rootDir, true);
    this.register(job.name, entries, true);
  }

  // {name, dir} of the package a file belongs to; name "@lib" for the language's own files.
  owner(file) {
    let hit = this.owners.get(file);
    if (!hit) this.owners.set(file, (hit = this.findOwner(file)));
    return hit;
  }

  findOwner(file) {
    if (file.startsWith(this.loaded.libDir + "/")) return { name: "@lib", dir: this.loaded.libDir };
    if (file.startsWith(this.rootDir + "/") && !file.slice(this.rootDir.length).includes("/node_modules/")) return { name: this.job.name, dir: this.rootDir };
    const at = file.lastIndexOf("/node_modules/");
    if (at < 0) return { name: this.job.name, dir: this.rootDir };
    const parts = file.slice(at + 14).split("/");
    const name = parts[0].startsWith("@") ? parts[0] + "/" + parts[1] : parts[0];
    return { name, dir: file.slice(0, at + 14) + name };
  }

  ownerOf(symbol) {
    const declaration = symbol.declarations?.[0];
    return declaration ? this.owner(declaration.getSourceFile().fileName) : undefined;
  }

  // Give every export of these entries its name; the shortest entry wins, and a real name wins over "default".
  register(pkg, entries, isRoot) {
    const { program, checker } = this.loaded;
    for (const { entry, file } of ordered(entries)) {
      const source = program.getSourceFile(file);
      const module = source && checker.getSymbolAtLocation(source);
      if (!module) {
        if (isRoot) this.exports.push({ entry, file, missing: source ? "not a module: what it declares is global, or of other modules (declare module), and is not compared" : "not read" });
        continue;
      }
      this.ids.has(module) || this.ids.set(module, `${pkg}${entry}`);
      for (const symbol of exportsOf(this.ts, checker, module)) {
        const behind = isRoot ? undefined : this.unseenBehind(symbol);
        if (behind) {
          this.later(behind, { entry, name: symbolName(this.ts, symbol) });
          continue;
        }
        const target = this.target(symbol);
        const address = `${pkg}${entry}#${symbolName(this.ts, symbol)}`;
        if (isRoot) this.exports.push({ entry, address, symbol: target });
        this.offer(pkg, target, address);
      }
    }
  }

  offer(pkg, target, address) {
    const known = this.ids.get(target);
    if ((!known || (known.endsWith("#default") && !address.endsWith("#default"))) && this.ownsOrAnonymous(pkg, target)) this.give(target, address);
  }

  // The same for another package, but for what nobody has looked into: that has its names when it is met.
  registerSeen(pkg, entries) {
    const { program, checker, unseen } = this.loaded;
    for (const { file } of entries) {
      const source = unseen(file) ? undefined : program.getSourceFile(file);
      const module = source && checker.getSymbolAtLocation(source);
      if (!module) continue;
      for (const symbol of exportsOf(this.ts, checker, module)) this.unseenBehind(symbol) ?? this.target(symbol); // which looks into what it passes on
    }
    for (const { entry, file } of entries) if (unseen(file)) this.later(file, { entry, file });
    this.register(pkg, entries.filter(({ file }) => !unseen(file)), false);
  }

  // The file of "export * as name from ...", when nobody has looked into it.
  unseenBehind(symbol) {
    const declaration = symbol.declarations?.[0];
    if (!declaration || !this.ts.isNamespaceExport(declaration)) return undefined;
    const { program, unseen } = this.loaded;
    const source = declaration.getSourceFile();
    const specifier = declaration.parent.moduleSpecifier;
    const file = program.getResolvedModule(source, specifier.text, program.getModeForUsageLocation(source, specifier))?.resolvedModule?.resolvedFileName;
    return file && unseen(file) ? file : undefined;
  }

  later(file, row) {
    this.unseen.set(file, [...(this.unseen.get(file) ?? []), row]);
  }

  // Somebody has looked into a file: what the entries of its package call it and its exports.
  met(pkg, file) {
    const rows = this.unseen.get(file);
    this.unseen.delete(file);
    const module = this.loaded.checker.getSymbolAtLocation(this.loaded.program.getSourceFile(file));
    for (const row of ordered(rows)) {
      if (row.file) this.register(pkg, [row], false);
      else if (module) this.offer(pkg, module, `${pkg}${row.entry}#${row.name}`);
    }
  }

  ownsOrAnonymous(pkg, symbol) {
    const owner = this.ownerOf(symbol);
    return !owner || owner.name === pkg;
  }

  target(symbol) {
    return symbol.flags & this.ts.SymbolFlags.Alias ? this.loaded.checker.getAliasedSymbol(symbol) : symbol;
  }

  give(symbol, id) {
    this.ids.set(symbol, id);
    this.taken.set(id, symbol);
  }

  id(given) {
    const symbol = this.loaded.checker.getMergedSymbol?.(given) ?? given; // one interface in several files is one name
    const known = this.ids.get(symbol);
    if (known) return known;
    const owner = this.ownerOf(symbol);
    if (!owner) return `@lib#${symbol.escapedName}`;
    if (owner.name !== "@lib" && !this.packages.has(owner.dir)) {
      this.packages.set(owner.dir, true);
      try {
        this.registerSeen(owner.name, entriesOf(owner.dir).entries);
      } catch {
        // A folder without a readable package.json only loses its export names.
      }
      if (this.ids.has(symbol)) return this.ids.get(symbol);
    }
    const file = symbol.declarations[0].getSourceFile().fileName;
    if (this.unseen.has(file)) {
      this.met(owner.name, file);
      if (this.ids.has(symbol)) return this.ids.get(symbol);
    }
    return this.hidden(symbol, owner);
  }

  hidden(symbol, owner) {
    const parent = symbol.parent;
    const name = symbolName(this.ts, symbol);
    const nested = parent?.declarations && !parent.declarations.some((d) => this.ts.isSourceFile(d));
    const whole = symbol.declarations.some((d) => this.ts.isSourceFile(d)); // a module's own name is where it lies on this machine
    let id = nested ? `${this.id(parent)}.${name}` : `${owner.name}${this.fileTag(symbol, owner)}${whole ? "" : "#" + name}`;
    if (owner.name === "@lib" && !nested) return this.give(symbol, id) ?? id; // a global is known by its name
    for (let n = 2; this.taken.has(id) && this.taken.get(id) !== symbol; n += 1) id = id.replace(/(~\d+)?$/, "~" + n);
    if (!nested || this.hiddenIds.has(this.id(parent))) this.hiddenIds.add(id);
    this.give(symbol, id);
    return id;
  }

  // What is not exported is named by its file, so that its name does not hang on what else was found, or when.
  fileTag(symbol, owner) {
    if (owner.name === "@lib") return "";
    const file = symbol.declarations[0].getSourceFile().fileName;
    return "/" + path.relative(owner.dir, file).replace(/\.d\.[cm]?ts$|\.[cm]?tsx?$/, "");
  }

  where(declaration) {
    const source = declaration.getSourceFile();
    const owner = this.owner(source.fileName);
    const { line, character } = source.getLineAndCharacterOfPosition(declaration.getStart(source));
    return `${owner.name}/${path.relative(owner.dir, source.fileName)}:${line + 1}:${character + 1}`;
  }
}

const ordered = (rows) => [...rows].sort((a, b) => a.entry.length - b.entry.length || (a.entry < b.entry ? -1 : a.entry > b.entry ? 1 : 0));

export function exportsOf(ts, checker, module) {
  const list = checker.getExportsOfModule(module).filter((symbol) => !(symbol.flags & ts.SymbolFlags.Prototype));
  const equals = module.exports?.get("export=");
  return equals ? [equals, ...list.filter((symbol) => symbol !== equals)] : list;
}

export function symbolName(ts, symbol) {
  const name = ts.unescapeLeadingUnderscores(symbol.escapedName);
  if (name.startsWith("__@")) {
    const declaration = symbol.declarations?.[0];
    const text = declaration?.name?.expression?.getText?.();
    return `[${text ?? name.slice(3).replace(/@\d+$/, "")}]`;
  }
  return name;
}
