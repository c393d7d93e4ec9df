// Types as plain structures. What two spellings of one meaning share is all that is kept:
// unions are sorted sets, parameters are known by place, bases are flattened, aliases of the language's own are resolved.
import { exportsOf, symbolName } from "./names.mjs";

const MAX_DEPTH = 24;
const MAX_UNFOLDED = 2;
const MAX_UNFOLDED_PARTS = 10_000; // of one definition's type with its generic helpers worked out; beyond it they stay names
const MAX_PARTS = 300_000; // of one definition's type; the rest is a gap
const MAX_INHERITED = 40;

// ".name", or ["quoted.name"] for a key that is no identifier.
const member = (name) => (/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? "." + name : name.startsWith("[") ? name : `[${JSON.stringify(name)}]`);

export class Serialiser {
  constructor(ts, names, loaded, reach, gaps, follows) {
    Object.assign(this, { ts, names, checker: loaded.checker, unresolved: loaded.unresolved, onward: reach, gaps, follows });
    this.stack = [];
    this.scope = new Map();
    this.level = 0;
    this.reported = new Set();
    this.open = new Map();
    this.notes = new Map();
  }

  // A definition is named: it will be read too, and the member that names it is noted.
  reach(symbol) {
    this.reached.push(symbol);
    const owner = this.names.ownerOf(symbol);
    if (owner && this.follows(owner.name)) (this.uses[this.top] ??= new Set()).add(this.names.id(symbol));
  }

  // --- definitions ---------------------------------------------------------------------------------------------------

  // With generic helpers worked out; one that comes to too much so is read once more with their names.
  definition(symbol) {
    this.named = false;
    let row = this.attempt(symbol);
    if (this.parts >= MAX_UNFOLDED_PARTS) {
      this.named = true;
      this.open.clear(); // what was cut short may have been open behind the cut
      row = this.attempt(symbol);
    }
    this.reached.forEach((one) => this.onward(one));
    return row;
  }

  attempt(symbol) {
    const { ts } = this;
    this.reached = [];
    const F = ts.SymbolFlags;
    const id = this.names.id(symbol);
    this.current = { id, symbol };
    this.scope = new Map();
    this.level = 0;
    this.stack = [];
    this.places = {};
    this.path = "";
    this.uses = {};
    this.parts = 0;
    this.top = "";
    const row = { id, kind: this.kinds(symbol), at: this.places };
    const declaration = symbol.declarations?.[0];
    if (declaration) this.places[""] = this.names.where(declaration);
    if (this.names.hiddenIds.has(id)) row.hid = 1;
    const deprecated = this.deprecation(symbol);
    if (deprecated !== undefined) row.dep = deprecated;
    if (symbol.flags & (F.Class | F.Interface | F.TypeAlias)) this.typeSide(symbol, row);
    if (symbol.flags & F.Enum) row.members = this.enumMembers(symbol);
    const moduleFlags = F.ValueModule | F.NamespaceModule;
    if (symbol.flags & (F.Variable | F.Function | F.Class | F.Property | F.Method | F.Accessor)) this.valueSide(symbol, row);
    if (symbol.flags & moduleFlags) row.exports = this.namespaceMembers(symbol);
    const uses = Object.entries(this.uses).map(([top, ids]) => [top, [...ids].filter((used) => used !== id).sort()]).filter(([, ids]) => ids.length);
    if (uses.length) row.uses = Object.fromEntries(uses.sort(([a], [b]) => (a < b ? -1 : 1)));
    return row;
  }

  kinds(symbol) {
    const F = this.ts.SymbolFlags;
    const table = [["class", F.Class], ["interface", F.Interface], ["alias", F.TypeAlias], ["enum", F.Enum], ["function", F.Function], ["variable", F.Variable], ["namespace", F.ValueModule | F.NamespaceModule]];
    return table.filter(([, flag]) => symbol.flags & flag).map(([name]) => name);
  }

  typeSide(symbol, row) {
    const { ts, checker } = this;
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    const parameters = symbol.flags & ts.SymbolFlags.TypeAlias ? this.aliasParameters(symbol) : (type.typeParameters ?? []).filter((p) => !p.isThisType && type.localTypeParameters?.includes(p));
    if (parameters.length) row.tp = this.typeParameters(parameters);
    if (symbol.flags & ts.SymbolFlags.TypeAlias) {
      row.type = type.aliasSymbol && type.aliasSymbol !== symbol ? this.type(type) : this.structure(type);
      return;
    }
    const bases = [];
    row.type = { obj: this.members(type, symbol, bases) };
    if (bases.length) row.ext = bases;
    if (symbol.flags & ts.SymbolFlags.Class && symbol.declarations.some((d) => ts.getCombinedModifierFlags(d) & ts.ModifierFlags.Abstract)) row.abs = 1;
  }

  aliasParameters(symbol) {
    const declaration = symbol.declarations?.find((d) => this.ts.isTypeAliasDeclaration(d));
    return (declaration?.typeParameters ?? []).map((node) => this.checker.getTypeAtLocation(node));
  }

  valueSide(symbol, row) {
    const { ts, checker } = this;
    const type = checker.getTypeOfSymbol(symbol);
    if (symbol.flags & ts.SymbolFlags.Class) {
      row.value = { obj: this.members(type, symbol, [], (p) => p.escapedName !== "prototype") };
      return;
    }
    row.value = symbol.flags & ts.SymbolFlags.Function ? { obj: this.members(type, symbol, [], (p) => !this.isNamespaceExport(symbol, p)) } : this.type(type);
  }

  isNamespaceExport(symbol, property) {
    return symbol.exports?.get(property.escapedName) !== undefined && symbol.flags & (this.ts.SymbolFlags.NamespaceModule | this.ts.SymbolFlags.ValueModule) ? true : false;
  }

  namespaceMembers(symbol) {
    return exportsOf(this.ts, this.checker, symbol)
      .map((member) => {
        const target = this.names.target(member);
        const owner = this.names.ownerOf(target);
        if (owner) this.reach(target);
        return { n: symbolName(this.ts, member), ref: this.names.id(target) };
      })
      .sort((a, b) => (a.n < b.n ? -1 : 1));
  }

  enumMembers(symbol) {
    return exportsOf(this.ts, this.checker, symbol)
      .filter((member) => member.flags & this.ts.SymbolFlags.EnumMember)
      .map((member) => {
        const value = this.checker.getConstantValue(member.valueDeclaration);
        const row = { n: symbolName(this.ts, member), v: value ?? null };
        this.places["." + row.n] = this.place(member.valueDeclaration);
        const deprecated = this.deprecation(member);
        if (deprecated !== undefined) row.dep = deprecated;
        return row;
      })
      .sort((a, b) => (a.n < b.n ? -1 : 1));
  }

  deprecation(symbol) {
    for (const declaration of symbol.declarations ?? []) {
      const note = this.deprecationOf(declaration);
      if (note !== undefined) return note;
    }
    return undefined;
  }

  // The text after @deprecated in the comment before a declaration. Comments are not parsed with the file: it costs a third.
  deprecationOf(declaration) {
    const source = declaration.getSourceFile();
    if (!this.notes.has(source)) this.notes.set(source, source.text.includes("@deprecated"));
    if (!this.notes.get(source)) return undefined;
    const holder = this.ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
    const comments = this.ts.getLeadingCommentRanges(source.text, holder.pos) ?? [];
    for (const { pos, end } of comments) {
      const text = source.text.slice(pos, end);
      const at = text.startsWith("/**") ? text.search(/@deprecated\b/) : -1;
      if (at >= 0) return text.slice(at + 11, -2).split(/\n\s*\*?\s*@/)[0].replace(/\n\s*\*? ?/g, " ").trim();
    }
    return undefined;
  }

  // --- type parameters -----------------------------------------------------------------------------------------------

  typeParameters(list) {
    list.forEach((parameter, i) => this.scope.set(parameter, `${this.level}.${i}`));
    this.level += 1;
    return list.map((parameter) => {
      const row = { n: this.scope.get(parameter) };
      const constraint = parameter.symbol?.declarations?.[0]?.constraint;
      if (constraint) row.c = this.type(this.checker.getTypeFromTypeNode(constraint));
      const fallback = parameter.symbol?.declarations?.[0]?.default;
      if (fallback) row.d = this.type(this.checker.getTypeFromTypeNode(fallback));
      return row;
    });
  }

  // "line:column" in the definition's own file, else with the file.
  place(declaration) {
    const where = this.names.where(declaration);
    const home = this.places[""] ?? "";
    const file = home.slice(0, home.search(/:\d+:\d+$/) + 1);
    return file && where.startsWith(file) ? where.slice(file.length) : where;
  }

  // Runs "work" with "step" added to the path from the definition; where "declaration" stands is noted there. Inside unions
  // and type arguments there is no path: the nearest place above counts.
  under(step, declaration, work) {
    const before = this.path;
    const topBefore = this.top;
    if (before === "" && step) this.top = step;
    this.path = step === null || before === null ? null : before + step;
    if (this.path !== null && declaration && !(this.path in this.places)) this.places[this.path] = this.place(declaration);
    try {
      return work();
    } finally {
      this.path = before;
      this.top = topBefore;
    }
  }

  // --- types ---------------------------------------------------------------------------------------------------------

  type(type) {
    const { ts } = this;
    const alias = type.aliasSymbol;
    if (alias && this.keepsAlias(type, alias)) return this.reference(alias, type.aliasTypeArguments);
    return this.structure(type);
  }

  // Aliases of followed packages stay names (one edit, one place); those of the language and generic helpers are resolved.
  keepsAlias(type, alias) {
    const owner = this.names.ownerOf(alias);
    if (!owner) return false;
    if (owner.name === "@lib") return !!type.aliasTypeArguments?.length && this.isOpen(type.aliasTypeArguments);
    if (!this.follows(owner.name) || !type.aliasTypeArguments?.length) return true;
    return this.named || this.stack.length > MAX_DEPTH / 2 || this.leadsBack(type) || this.isOpen(type.aliasTypeArguments);
  }

  leadsBack(type) {
    return this.stack.some((entry) => entry.aliasSymbol === type.aliasSymbol);
  }

  // Whether a type parameter stands in them: then a generic alias stays a name with arguments, else it is worked out.
  isOpen(types) {
    return types.some((type) => {
      if (!this.open.has(type)) this.open.set(type, JSON.stringify(this.type(type)).includes('"tp":'));
      return this.open.get(type);
    });
  }

  reference(symbol, args) {
    this.reach(symbol);
    const row = { ref: this.names.id(symbol) };
    if (args?.length) row.args = args.map((arg) => this.under(null, undefined, () => this.type(arg)));
    return row;
  }

  structure(type) {
    if (this.stack.includes(type)) return this.recursion(type);
    const unfolded = this.unfolding(type);
    if (unfolded) return { rec: unfolded };
    if (this.stack.length >= MAX_DEPTH || this.tooMuch()) return { text: this.short(type) };
    this.stack.push(type);
    try {
      return this.shape(type);
    } finally {
      this.stack.pop();
    }
  }

  // A conditional or mapped type that leads to itself with other arguments is a new type each time: how far up it was unfolded
  // last, when it was twice.
  unfolding(type) {
    const origin = (one) => one.root?.node ?? (one.objectFlags & this.ts.ObjectFlags.Mapped ? one.declaration : undefined);
    const mine = origin(type);
    const before = mine ? this.stack.flatMap((one, n) => (origin(one) === mine ? [n] : [])) : [];
    return before.length >= MAX_UNFOLDED ? this.stack.length - before.at(-1) : 0;
  }

  tooMuch() {
    this.parts += 1;
    if (!this.named) return this.parts >= MAX_UNFOLDED_PARTS;
    if (this.parts === MAX_PARTS) this.gaps.push({ id: this.current.id, reason: `its type has more than ${MAX_PARTS} parts; the rest was not read` });
    return this.parts >= MAX_PARTS;
  }

  short(type) {
    return this.checker.typeToString(type).replace(/import\("[^"]*"(?:, \{[^}]*\})?\)\.?/g, "");
  }

  recursion(type) {
    if (type.aliasSymbol) return this.reference(type.aliasSymbol, type.aliasTypeArguments);
    return { rec: this.stack.length - this.stack.lastIndexOf(type) };
  }

  text(type) {
    const flags = this.ts.TypeFormatFlags;
    return this.checker.typeToString(type, undefined, flags.NoTruncation | flags.InTypeAlias).replace(/import\("[^"]*"(?:, \{[^}]*\})?\)\.?/g, "");
  }

  // The checker works a conditional or mapped type out when it must write it; what is below its parts is cut short, for a type
  // that leads to ever more of itself is written without end.
  settle(type) {
    this.checker.typeToString(type, undefined, this.ts.TypeFormatFlags.InTypeAlias);
  }

  shape(type) {
    const { ts } = this;
    const F = ts.TypeFlags;
    const flags = type.flags;
    if (flags & F.Any && (type.intrinsicName === "error" || type.intrinsicName === "unresolved")) return this.missing(type);
    if (flags & F.EnumLiteral && !(flags & F.Union)) return this.enumLiteral(type);
    if (flags & F.Enum || (flags & F.EnumLiteral && flags & F.Union)) return { enum: this.refId(type.symbol) };
    if (flags & F.StringLiteral || flags & F.NumberLiteral) return { lit: type.value };
    if (flags & F.BigIntLiteral) return { lit: (type.value.negative ? "-" : "") + type.value.base10Value + "n", big: 1 };
    if (flags & F.BooleanLiteral) return { lit: type.intrinsicName === "true" };
    if (flags & F.UniqueESSymbol) return { usym: this.symbolId(type.symbol) };
    if (flags & F.TypeParameter) return this.parameterUse(type);
    if (flags & F.Union) return this.union(type);
    if (flags & F.Intersection) return this.intersection(type);
    if (flags & F.Index) return { keyof: this.type(type.type) };
    if (flags & F.IndexedAccess) return { index: [this.type(type.objectType), this.type(type.indexType)] };
    if (flags & F.Conditional) return this.conditional(type);
    if (flags & F.TemplateLiteral) return { tpl: [type.texts, type.types.map((t) => this.type(t))] };
    if (flags & F.StringMapping) return { str: [type.symbol.name, this.type(type.type)] };
    if (flags & F.Substitution) return this.type(type.baseType);
    if (flags & F.NonPrimitive) return "object";
    if (flags & F.Object) return this.object(type);
    return type.intrinsicName ?? this.text(type);
  }

  missing(type) {
    const file = this.current.symbol.declarations?.[0]?.getSourceFile().fileName;
    const modules = [...new Set(this.unresolved.get(file) ?? [])].sort();
    const key = this.current.id + modules.join();
    if (!this.reported.has(key)) {
      this.reported.add(key);
      const name = type.symbol?.name ?? type.aliasSymbol?.name;
      const reason = modules.length ? `an import leads nowhere: ${modules.join(", ")}` : `a name it uses is not declared${name ? ": " + name : ""}`;
      this.gaps.push({ id: this.current.id, reason, modules });
    }
    return { missing: modules.join(",") };
  }

  refId(symbol) {
    this.reach(symbol);
    return this.names.id(symbol);
  }

  symbolId(symbol) {
    return this.names.id(symbol);
  }

  enumLiteral(type) {
    const parent = type.symbol.flags & this.ts.SymbolFlags.EnumMember ? this.checker.getSymbolAtLocation(type.symbol.valueDeclaration.parent.name) : type.symbol;
    if (parent === type.symbol) return { enum: this.refId(parent) };
    return { em: this.refId(parent), n: symbolName(this.ts, type.symbol) };
  }

  parameterUse(type) {
    if (type.isThisType) return "this";
    const known = this.scope.get(type);
    return { tp: known ?? "?" + (type.symbol?.name ?? "T") };
  }

  // Named unions inside a union stay names; the comparator looks behind them when it must.
  union(type) {
    return this.unionOf(type.origin && type.origin.flags & this.ts.TypeFlags.Union ? type.origin.types : type.types);
  }

  unionOf(types) {
    return this.under(null, undefined, () => this.sortedUnion(types));
  }

  sortedUnion(types) {
    const members = this.joinEnums(types).map((t) => (typeof t === "string" || t.enum ? t : this.type(t)));
    const keys = new Map(members.map((member) => [JSON.stringify(member), member]));
    const truth = '{"lit":true}';
    const lie = '{"lit":false}';
    if (keys.has(truth) && keys.has(lie)) {
      keys.delete(truth);
      keys.delete(lie);
      keys.set('"boolean"', "boolean");
    }
    const sorted = [...keys].sort((a, b) => (a[0] < b[0] ? -1 : 1)).map(([, member]) => member);
    return sorted.length === 1 ? sorted[0] : { union: sorted };
  }

  // All members of one enum in a union are the enum.
  joinEnums(types) {
    const F = this.ts.TypeFlags;
    const groups = new Map();
    const rest = [];
    for (const type of types) {
      const isMember = type.flags & F.EnumLiteral && type.symbol?.flags & this.ts.SymbolFlags.EnumMember;
      const parent = isMember ? this.checker.getSymbolAtLocation(type.symbol.valueDeclaration.parent.name) : undefined;
      if (parent) groups.set(parent, [...(groups.get(parent) ?? []), type]);
      else rest.push(type);
    }
    for (const [parent, members] of groups) {
      const all = exportsOf(this.ts, this.checker, parent).length;
      if (members.length === all) rest.push({ enum: this.refId(parent) });
      else rest.push(...members);
    }
    return rest;
  }

  intersection(type) {
    const F = this.ts.TypeFlags;
    const plain = type.types.every((t) => t.flags & F.Object && !(t.objectFlags & this.ts.ObjectFlags.Mapped && this.isGeneric(t)) && this.flattens(t));
    if (plain) return { obj: this.members(type, undefined, []) };
    const parts = this.under(null, undefined, () => type.types.map((t) => this.type(t)));
    return { inter: parts.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) };
  }

  flattens(type) {
    const owner = type.symbol && this.names.ownerOf(type.symbol);
    return !this.checker.isArrayType(type) && !this.checker.isTupleType(type) && (!owner || this.follows(owner.name) || !(type.symbol.flags & (this.ts.SymbolFlags.Class | this.ts.SymbolFlags.Interface)));
  }

  isGeneric(type) {
    this.checker.getPropertiesOfType(type); // fills the constraint in
    return type.constraintType !== undefined && (type.constraintType.flags & this.ts.TypeFlags.Instantiable) !== 0;
  }

  conditional(type) {
    const root = type.root;
    for (const parameter of root.inferTypeParameters ?? []) if (!this.scope.has(parameter)) this.scope.set(parameter, "i:" + this.scope.size);
    this.settle(type); // works out both branches
    const yes = type.resolvedTrueType ?? type.resolvedInferredTrueType;
    const no = type.resolvedFalseType;
    if (!yes || !no) return { text: this.text(type) };
    return { cond: [this.type(type.checkType), this.type(type.extendsType), this.type(yes), this.type(no)] };
  }

  object(type) {
    const { ts, checker } = this;
    const flags = type.objectFlags;
    const S = ts.SymbolFlags;
    if (checker.isTupleType(type)) return this.tuple(type);
    if (checker.isArrayType(type)) {
      return { ref: type.target.symbol.name === "ReadonlyArray" ? "@lib#ReadonlyArray" : "@lib#Array", args: checker.getTypeArguments(type).map((t) => this.under("[]", undefined, () => this.type(t))) };
    }
    if (flags & ts.ObjectFlags.Reference) {
      const own = checker.getTypeArguments(type).filter((t) => !t.isThisType).slice(0, type.target.typeParameters?.filter((p) => !p.isThisType).length ?? 0);
      return this.reference(type.target.symbol, own);
    }
    const symbol = type.symbol;
    if (flags & ts.ObjectFlags.ClassOrInterface) return this.reference(symbol);
    if (symbol && symbol.flags & (S.Class | S.ValueModule | S.Enum) && !(flags & ts.ObjectFlags.Mapped)) return { typeof: this.refId(symbol) };
    if (symbol && symbol.flags & S.Function && symbol.exports?.size) return { typeof: this.refId(symbol) };
    if (flags & ts.ObjectFlags.Mapped && this.isGeneric(type)) return this.mapped(type);
    return { obj: this.members(type, undefined, []) };
  }

  tuple(type) {
    const F = this.ts.ElementFlags;
    const target = type.target;
    const items = this.checker.getTypeArguments(type).slice(0, target.elementFlags.length).map((item, i) => {
      const row = { t: this.type(item) };
      if (target.elementFlags[i] & F.Optional) {
        row.o = 1;
        row.t = this.withoutUndefined(item);
      }
      if (target.elementFlags[i] & F.Rest) row.rest = 1;
      if (target.elementFlags[i] & F.Variadic) row.rest = 2;
      return row;
    });
    return target.readonly ? { tuple: items, r: 1 } : { tuple: items };
  }

  mapped(type) {
    const parameter = type.typeParameter ?? (type.declaration && this.checker.getTypeAtLocation(type.declaration.typeParameter));
    this.settle(type); // fills the template in
    if (parameter) this.scope.set(parameter, "m:" + this.stack.length);
    const node = type.declaration;
    const row = { over: this.type(type.constraintType), to: type.templateType ? this.type(type.templateType) : this.text(type) };
    if (node.nameType && type.nameType) row.as = this.type(type.nameType);
    if (node.questionToken) row.o = node.questionToken.kind === this.ts.SyntaxKind.MinusToken ? -1 : 1;
    if (node.readonlyToken) row.r = node.readonlyToken.kind === this.ts.SyntaxKind.MinusToken ? -1 : 1;
    return { mapped: row };
  }

  // --- members -------------------------------------------------------------------------------------------------------

  members(type, symbol, bases, keep = () => true) {
    const { checker } = this;
    const row = {};
    const all = checker.getPropertiesOfType(type).filter((p) => keep(p) && this.isPublic(p));
    const foreign = new Map(all.map((p) => [p, this.foreignBase(p, symbol)]).filter(([, base]) => base !== undefined));
    const byName = foreign.size > MAX_INHERITED;
    if (byName) bases.push(...[...new Set(foreign.values())].sort());
    const props = (byName ? all.filter((p) => !foreign.has(p)) : all).map((p) => this.property(p));
    if (props.length) row.props = props.sort((a, b) => (a.n < b.n ? -1 : a.n > b.n ? 1 : 0));
    const calls = checker.getSignaturesOfType(type, this.ts.SignatureKind.Call);
    if (calls.length) row.call = calls.map((s, i) => (i ? this.under(null, undefined, () => this.signature(s)) : this.signature(s)));
    const news = checker.getSignaturesOfType(type, this.ts.SignatureKind.Construct);
    const open = news.filter((s) => !(s.declaration && this.ts.getCombinedModifierFlags(s.declaration) & (this.ts.ModifierFlags.Private | this.ts.ModifierFlags.Protected)));
    if (open.length) row.new = open.map((s, i) => this.under(i ? null : ".new", undefined, () => this.signature(s)));
    const infos = checker.getIndexInfosOfType(type);
    if (infos.length) row.index = infos.map((info) => this.indexInfo(info)).sort((a, b) => (JSON.stringify(a.k) < JSON.stringify(b.k) ? -1 : 1));
    return row;
  }

  indexInfo(info) {
    const key = this.under(null, undefined, () => this.type(info.keyType));
    const row = { k: key, t: this.under(`[${typeof key === "string" ? key : "key"}]`, info.declaration, () => this.type(info.type)) };
    if (info.isReadonly) row.r = 1;
    return row;
  }

  isPublic(property) {
    const flags = this.ts.getDeclarationModifierFlagsFromSymbol(property);
    return !(flags & (this.ts.ModifierFlags.Private | this.ts.ModifierFlags.Protected)) && !String(property.escapedName).startsWith("__#");
  }

  // The base, of a package that is not followed, that a member is inherited from. Many of them (an HTMLElement) are told by
  // that name and not repeated.
  foreignBase(property, symbol) {
    const parent = property.parent ?? property.declarations?.[0]?.parent?.symbol;
    const declaration = property.declarations?.[0];
    if (!symbol || !parent || parent === symbol || !declaration) return undefined;
    const owner = this.names.owner(declaration.getSourceFile().fileName);
    const mine = this.names.ownerOf(symbol);
    if (owner.name === mine?.name || this.follows(owner.name)) return undefined;
    return parent.flags & (this.ts.SymbolFlags.Class | this.ts.SymbolFlags.Interface) ? this.names.id(parent) : undefined;
  }

  property(property) {
    const { ts, checker } = this;
    const row = { n: symbolName(ts, property) };
    const optional = property.flags & ts.SymbolFlags.Optional;
    const type = checker.getTypeOfSymbol(property);
    if (property.flags & ts.SymbolFlags.Method && property.declarations?.length) row.m = 1;
    const declaration = property.valueDeclaration ?? property.declarations?.[0];
    row.t = this.under(member(row.n), declaration, () => (optional ? this.withoutUndefined(type) : this.type(type)));
    if (optional) row.o = 1;
    if (this.isReadonly(property)) row.r = 1;
    const deprecated = this.deprecation(property);
    if (deprecated !== undefined) row.dep = deprecated;
    return row;
  }

  // "a?: T | undefined" and "a?: T" are one meaning without exactOptionalPropertyTypes.
  withoutUndefined(type) {
    const { ts } = this;
    if (type.flags & ts.TypeFlags.Undefined) return "never";
    if (!(type.flags & ts.TypeFlags.Union) || type.aliasSymbol) return this.type(type);
    const origin = type.origin?.flags & ts.TypeFlags.Union ? type.origin : type;
    const rest = origin.types.filter((t) => !(t.flags & ts.TypeFlags.Undefined));
    return rest.length === 1 ? this.type(rest[0]) : this.unionOf(rest);
  }

  isReadonly(property) {
    const { ts } = this;
    if (ts.getCheckFlags(property) & 8) return true;
    if (ts.getDeclarationModifierFlagsFromSymbol(property) & ts.ModifierFlags.Readonly) return true;
    if (property.flags & ts.SymbolFlags.Accessor) return !(property.flags & ts.SymbolFlags.SetAccessor);
    return false;
  }

  // --- signatures ----------------------------------------------------------------------------------------------------

  signature(signature) {
    const { ts, checker } = this;
    const level = this.level;
    const row = {};
    if (signature.typeParameters?.length) row.tp = this.typeParameters(signature.typeParameters);
    if (signature.thisParameter) row.th = this.under("(this)", signature.thisParameter.valueDeclaration, () => this.type(checker.getTypeOfSymbol(signature.thisParameter)));
    row.p = signature.parameters.map((p, i) => this.parameter(p, signature, i));
    this.spread(row);
    const predicate = checker.getTypePredicateOfSignature(signature);
    row.r = this.under("()", undefined, () => this.type(checker.getReturnTypeOfSignature(signature)));
    if (predicate) row.is = [predicate.kind & 2 || predicate.kind === 3 ? "asserts" : "is", predicate.parameterIndex ?? -1, predicate.type ? this.type(predicate.type) : null];
    const declaration = signature.declaration;
    if (declaration) {
      const note = this.deprecationOf(declaration);
      if (note !== undefined) row.dep = note;
    }
    this.level = level;
    return row;
  }

  parameter(symbol, signature, i) {
    const { ts, checker } = this;
    const declaration = symbol.valueDeclaration;
    const type = checker.getTypeOfSymbol(symbol);
    const row = {};
    const rest = declaration && ts.isParameter(declaration) ? !!declaration.dotDotDotToken : ts.signatureHasRestParameter?.(signature) && i === signature.parameters.length - 1;
    const optional = declaration && ts.isParameter(declaration) ? !!(declaration.questionToken || declaration.initializer) : !!(ts.getCheckFlags(symbol) & 16384) || i >= (signature.minArgumentCount ?? 0);
    if (rest) row.rest = 1;
    else if (optional) row.o = 1;
    row.t = this.under(`(${i})`, declaration, () => (row.o ? this.withoutUndefined(type) : this.type(type)));
    return row;
  }

  // "(...args: [a: string, b?: number])" and "(a: string, b?: number)" are one meaning.
  spread(row) {
    const last = row.p.at(-1);
    if (!last?.rest || !last.t.tuple) return;
    const items = last.t.tuple.map((item) => ({ t: item.rest === 1 ? { ref: "@lib#Array", args: [item.t] } : item.t, ...(item.o ? { o: 1 } : {}), ...(item.rest ? { rest: 1 } : {}) }));
    row.p = [...row.p.slice(0, -1), ...items];
  }
}
