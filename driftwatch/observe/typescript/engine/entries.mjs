// Which declaration file stands behind each public entry of a package.
import fs from "node:fs";
import path from "node:path";

const CONDITIONS = ["types", "import", "node", "module", "default", "require", "bun", "browser"];
const SOURCE = /\.(d\.[cm]?ts|[cm]?tsx?)$/;
const MAX_WILDCARD = 300;

// {entries: [{entry: "" | "/tui", file}], gaps: [{entry, reason}]}. An entry without types is a gap, unless it is no code.
export function entriesOf(root) {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const found = new Map();
  const gaps = [];
  const add = (entry, target) => {
    if (found.has(entry)) return;
    const file = target && declarationFor(root, manifest, target);
    if (file) found.set(entry, file);
    else if (!target || isCode(target)) gaps.push({ entry, reason: target ? `no declarations beside ${target}` : "no target" });
    else if (SOURCE.test(target)) gaps.push({ entry, reason: `${target} is not in the package` });
  };
  if (manifest.exports !== undefined && manifest.exports !== null) readExports(root, manifest, add);
  else readMain(root, manifest, add);
  const entries = [...found].map(([entry, file]) => ({ entry, file })).sort((a, b) => (a.entry < b.entry ? -1 : 1));
  return { entries, gaps };
}

function readExports(root, manifest, add) {
  const map = manifest.exports;
  const keyed = typeof map === "object" && !Array.isArray(map) && Object.keys(map).some((key) => key.startsWith("."));
  const table = keyed ? map : { ".": map };
  for (const [key, value] of Object.entries(table)) {
    if (value === null || !key.startsWith(".")) continue;
    if (key.includes("*")) {
      for (const [entry, target] of expand(root, key, value, table)) add(entry, target);
    } else {
      const target = resolve(value, true) ?? resolve(value, false);
      if (target && !isCode(target) && !SOURCE.test(target)) continue;
      add(key.slice(1), target);
    }
  }
}

// Conditions are taken in the package's own order, as the compiler does; "types" anywhere on the way wins over code.
function resolve(value, typesOnly) {
  if (typeof value === "string") return typesOnly && !SOURCE.test(value) ? undefined : value;
  if (Array.isArray(value)) return first(value.map((item) => resolve(item, typesOnly)));
  if (value === null || typeof value !== "object") return undefined;
  for (const [condition, inner] of Object.entries(value)) {
    if (!CONDITIONS.includes(condition) && !condition.startsWith("types@")) continue;
    const target = resolve(inner, typesOnly);
    if (target) return target;
  }
  return undefined;
}

const first = (list) => list.find((item) => item !== undefined);

function expand(root, key, value, table) {
  const target = resolve(value, true) ?? resolve(value, false);
  if (!target || !target.includes("*")) return [];
  const [before, after] = split(target.replace(/^\.\//, ""));
  const [keyBefore, keyAfter] = split(key.slice(1));
  const rows = [];
  const excluded = Object.entries(table).filter(([, v]) => v === null).map(([k]) => k.slice(1));
  for (const file of files(root, path.posix.dirname(before + "x"))) {
    const hit = [after, ...alternatives(after)].find((end) => file.startsWith(before) && file.endsWith(end) && file.length > before.length + end.length - 1);
    if (hit === undefined) continue;
    const star = file.slice(before.length, file.length - hit.length);
    const entry = keyBefore + star + keyAfter;
    if (excluded.some((row) => row.includes("*") && entry.startsWith(split(row)[0]))) continue;
    rows.push([entry, "./" + file]);
  }
  return rows.sort().slice(0, MAX_WILDCARD);
}

// "./dist/*.js" is typed by "./dist/*.d.ts".
const alternatives = (after) => (/\.[cm]?js$/.test(after) ? [after.replace(/\.([cm]?)js$/, ".d.$1ts")] : after === "" ? [".d.ts"] : []);
const split = (text) => [text.slice(0, text.indexOf("*")), text.slice(text.indexOf("*") + 1)];

function files(root, under) {
  const list = [];
  const visit = (folder) => {
    for (const item of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
      const name = folder ? folder + "/" + item.name : item.name;
      if (item.isDirectory() && item.name !== "node_modules") visit(name);
      else if (item.isFile()) list.push(name);
    }
  };
  if (fs.existsSync(path.join(root, under))) visit(under === "." ? "" : under);
  return list;
}

function readMain(root, manifest, add) {
  const types = manifest.types ?? manifest.typings;
  const mapped = typesVersions(manifest, types ?? "index.d.ts");
  const main = mapped ?? types ?? manifest.main ?? "index.js";
  add("", "./" + String(main).replace(/^\.\//, ""));
}

// The newest range of typesVersions that names a star or this file; ranges are tried in their order, ">=" ones fit the engine.
function typesVersions(manifest, target) {
  for (const [range, paths] of Object.entries(manifest.typesVersions ?? {})) {
    if (/^<=?/.test(range.trim())) continue;
    for (const [pattern, to] of Object.entries(paths)) {
      const plain = String(target).replace(/^\.\//, "");
      if (pattern === plain) return to[0];
      if (pattern.includes("*")) {
        const [before, after] = split(pattern);
        if (plain.startsWith(before) && plain.endsWith(after)) return to[0].replace("*", plain.slice(before.length, plain.length - after.length));
      }
    }
  }
  return undefined;
}

const isCode = (target) => /\.[cm]?jsx?$/.test(target) || !/\.[a-z0-9]+$/i.test(target);

function declarationFor(root, manifest, target) {
  const base = target.replace(/^\.\//, "");
  const candidates = SOURCE.test(base)
    ? [base]
    : [base.replace(/\.([cm]?)jsx?$/, ".d.$1ts"), base.replace(/\.[cm]?jsx?$/, ".d.ts"), base + ".d.ts", base + "/index.d.ts"];
  for (const candidate of candidates) {
    const full = path.join(root, candidate);
    if (SOURCE.test(candidate) && fs.existsSync(full) && fs.statSync(full).isFile()) return fs.realpathSync(full);
  }
  return undefined;
}
