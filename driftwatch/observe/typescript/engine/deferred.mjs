// Files that are parsed when the checker first looks into them.
//
// Most files a package imports, and all they import in turn, are never looked into: a program needs them only to know that
// they are there. Until then a file stands there with nothing in it but its imports.

const SMALLEST = 4096; // characters; below it a parse costs no more than this
// What reaches beyond the file itself, or hangs on its place in the program: such a file is parsed at once.
const REACHES = /\bglobal\s*\{|\bmodule\s*["'`]|\bnamespace\s+global\b|\bas\s+namespace\b|<reference\b|<amd-|\bresolution-mode\b|@ts-/;
const MODULE = /^(?:export|import)\b/m;
const TOKENS = /\/\*[^]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[^])*`/g;
const PASSES_ON = /\bexport\s*(?:type\s*)?(?:[*=]|\{[^}]*\}\s*from\b)|\bexport\s+(?:import|default)\b/;
const LISTED = /\bexport\s*(?:type\s*)?\{([^}]*)\}/g;
const DECLARED = /(?<!\bimport\s+)\b(?:const|let|var|function|class|interface|type|enum|namespace)\s+([\w$]+)/g;
const SPECIFIER = /\b(from|import|require)\s*(\(?)\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/g;

export class Deferred {
  constructor(ts, options) {
    Object.assign(this, { ts, options, waiting: new WeakMap(), whole: new WeakMap() });
  }

  // What stands for this file; undefined when it must be parsed at once.
  stub(name, text, language) {
    if (text.length < SMALLEST || !/\.d\.[cm]?ts$/.test(name) || !MODULE.test(text) || REACHES.test(text)) return undefined;
    const bare = text.replace(TOKENS, (token) => (token[0] === "/" ? " " : token));
    const file = this.ts.createSourceFile(name, imports(bare), language);
    this.waiting.set(file, { name, language, alone: !passesOn(bare) });
    return file;
  }

  // Whether nobody has looked into the file yet, and all it exports is declared in it: then nothing of it is known to anybody.
  unseen(file) {
    return !!this.waiting.get(file)?.alone && !this.whole.has(file);
  }

  // The file itself, where one stands for it.
  file(given) {
    const stub = given?.redirectInfo?.redirectTarget ?? given;
    if (!this.waiting.has(stub)) return given;
    if (!this.whole.has(stub)) this.whole.set(stub, this.parse(stub));
    return this.whole.get(stub);
  }

  parse(stub) {
    const { name, language } = this.waiting.get(stub);
    const file = this.ts.createSourceFile(name, this.ts.sys.readFile(name), language);
    // What a program notes on each of its files.
    for (const key of ["path", "resolvedPath", "originalFileName", "packageJsonLocations", "packageJsonScope", "moduleAugmentations", "ambientModuleNames"]) file[key] = stub[key];
    this.ts.bindSourceFile(file, this.options);
    return file;
  }
}

// A module with the same imports, each asked for in the same way, and nothing else.
function imports(bare) {
  const lines = new Set(["export {};"]);
  for (const [, word, bracket, name] of bare.matchAll(SPECIFIER)) {
    if (word === "require") lines.add(`import R${lines.size} = require(${name});`);
    else if (word === "import" && bracket) lines.add(`export type I${lines.size} = import(${name});`);
    else lines.add(`import ${name};`);
  }
  return [...lines].join("\n");
}

// Whether it may export what another file declares.
function passesOn(bare) {
  const listed = [...bare.matchAll(LISTED)].flatMap(([, names]) => names.split(",")).map((name) => name.trim().replace(/^type\s+(?!as\b)/, "").split(/\s/)[0]);
  if (PASSES_ON.test(bare)) return true;
  if (!listed.length) return false;
  const declared = new Set(Array.from(bare.matchAll(DECLARED), ([, name]) => name));
  return listed.some((name) => name && !declared.has(name));
}
