// Where a declared member lives, in the words of the declarations observer: "PKG/entry#Name.member(0).part".
import fs from "node:fs";
import { entriesOf } from "../engine/entries.mjs";
import { Names } from "../engine/names.mjs";

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
export const segment = (name) => (IDENTIFIER.test(name) ? "." + name : name.startsWith("[") ? name : `[${JSON.stringify(name)}]`);

export class Addresses {
  constructor(ts, job, project) {
    Object.assign(this, { ts, project, checker: project.checker, known: new Map(), files: new Map() });
    this.follow = new Set(job.follow);
    this.names = [];
    for (const [name, root] of Object.entries(job.packages)) {
      let entries = [];
      try {
        entries = entriesOf(root).entries;
      } catch {
        continue;
      }
      this.names.push({ name, dir: fs.realpathSync(root), entries, names: new Names(ts, { root, name }, entries, project) });
    }
  }

  // The names of the package a file belongs to, or of the first one that reaches it.
  namesOf(file) {
    return (this.names.find((row) => file.startsWith(row.dir + "/") && !file.slice(row.dir.length).includes("/node_modules/")) ?? this.names[0])?.names;
  }

  // The upstream package a file belongs to, "" for every other file.
  owner(file) {
    let hit = this.files.get(file);
    if (hit === undefined) this.files.set(file, (hit = this.findOwner(file)));
    return hit;
  }

  findOwner(file) {
    if (this.project.isOwn(file) || !file.includes("/node_modules/")) return "";
    const parts = file.slice(file.lastIndexOf("/node_modules/") + 14).split("/");
    const name = parts[0].startsWith("@") ? parts[0] + "/" + parts[1] : parts[0];
    return this.follow.has(name) ? name : "";
  }

  isUpstream(symbol) {
    return !!symbol?.declarations?.some((declaration) => this.owner(declaration.getSourceFile().fileName));
  }

  id(symbol) {
    const file = symbol.declarations[0].getSourceFile().fileName;
    return this.namesOf(file).id(symbol);
  }

  // Every address a member is declared at; a property of a union has several.
  of(symbol) {
    let hit = this.known.get(symbol);
    if (!hit) {
      const found = (symbol.declarations ?? []).filter((d) => this.owner(d.getSourceFile().fileName)).map((d) => this.ofDeclaration(d));
      this.known.set(symbol, (hit = [...new Set(found.filter(Boolean))].map((address) => `ts:${address}`)));
    }
    return hit;
  }

  // The same member in the words of the API document: "event:session.idle#properties.sessionID".
  ofEvent(symbol) {
    return (symbol.declarations ?? []).map((declaration) => this.inEvent(declaration)).filter(Boolean);
  }

  inEvent(declaration) {
    const { ts } = this;
    let path = "";
    for (let node = declaration; node && !ts.isSourceFile(node); node = node.parent) {
      const name = this.memberName(node);
      if (name !== undefined) path = segment(name) + path;
      else if (this.isArray(node)) path = "[]" + path;
      else if (ts.isTypeAliasDeclaration(node)) {
        const called = this.literalType(node.type);
        return called && /^\.(properties|data)\b/.test(path) ? `event:${called}#${path.slice(1)}` : undefined;
      } else if (!ts.isTypeLiteralNode(node)) return undefined;
    }
    return undefined;
  }

  // "session.idle" of { type: "session.idle"; properties: ... }
  literalType(node) {
    const { ts } = this;
    const member = ts.isTypeLiteralNode(node) && node.members.find((one) => ts.isPropertySignature(one) && one.name.getText() === "type");
    const literal = member && member.type && ts.isLiteralTypeNode(member.type) && member.type.literal;
    return literal && ts.isStringLiteral(literal) ? literal.text : undefined;
  }

  // From a declaration outwards to the named thing it stands in.
  ofDeclaration(declaration) {
    const { ts } = this;
    let path = "";
    for (let node = declaration; node && !ts.isSourceFile(node); node = node.parent) {
      const parent = node.parent;
      const name = this.memberName(node);
      if (name !== undefined) path = segment(name) + path;
      else if (ts.isParameter(node)) path = `(${parent.parameters.indexOf(node)})${path}`;
      else if (ts.isIndexSignatureDeclaration(node)) path = "[string]" + path;
      else if (ts.isMappedTypeNode(node) || ts.isConditionalTypeNode(node)) path = "";
      else if (this.isArray(node)) path = "[]" + path;
      else if (this.isNamed(node)) return this.idOf(node) + path;
      if (this.isReturn(node, parent)) path = "()" + path;
    }
    return "";
  }

  memberName(node) {
    const { ts } = this;
    const isMember = ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) || ts.isMethodSignature(node) || ts.isMethodDeclaration(node) || ts.isAccessor(node) || ts.isEnumMember(node);
    if (!isMember) return undefined;
    return ts.isComputedPropertyName(node.name) ? `[${node.name.expression.getText()}]` : node.name.text;
  }

  isArray(node) {
    const { ts } = this;
    if (ts.isArrayTypeNode(node)) return true;
    return ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName) && /^(Readonly)?Array$/.test(node.typeName.text);
  }

  isNamed(node) {
    const { ts } = this;
    return ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node) || ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node);
  }

  isReturn(node, parent) {
    return parent && this.ts.isTypeNode(node) && this.ts.isFunctionLike(parent) && parent.type === node;
  }

  idOf(node) {
    const symbol = (node.name && this.checker.getSymbolAtLocation(node.name)) ?? node.symbol;
    return symbol ? this.id(symbol) : "";
  }
}
