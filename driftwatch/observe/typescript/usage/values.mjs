// What an expression can hold, as far as it comes from the upstream: its declared types, and the project's own functions,
// classes and object literals it may be. Written JavaScript has no types, so they are carried from where the host hands them
// over (a plugin's input, a hook's arguments) through variables, parameters, returns, objects and classes.
import { Expectations, MAX_DEPTH, NONE } from "./expectations.mjs";
import { Narrowing } from "./narrowing.mjs";
import { calledName, propertyName, returns } from "./syntax.mjs";

const MAX_PARTS = 12;
const MAX_TYPES = 80;
const SAYS_TYPES = /@(type|param|satisfies|returns?|import)\s*\{[^}]*import\(|@import\s/;

export class Values extends Expectations {
  constructor(ts, project, addresses) {
    super();
    Object.assign(this, { ts, checker: project.checker, project, addresses });
    this.typed = new Map();
    this.contexts = new Map(); // function or object literal -> the type the host expects there
    this.instances = new Map();
    this.narrowing = new Narrowing(this);
    this.forget();
    this.index();
  }

  forget() {
    this.memo = new Map();
    this.symbols = new Map();
    this.fields = new Map();
    this.returnedBy = new Map();
    this.expectations = new Map();
    this.depth = 0;
  }

  // Where a function, a property or a variable is called or assigned, by name: looked through only when asked for.
  index() {
    const { ts } = this;
    this.callsOf = new Map();
    this.assignments = new Map();
    const put = (map, name, node) => map.get(name)?.push(node) ?? map.set(name, [node]);
    const visit = (node) => {
      if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
        const name = calledName(ts, node.expression);
        if (name) put(this.callsOf, name, node);
      } else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
        const name = calledName(ts, node.left);
        if (name) put(this.assignments, name, node);
      }
      ts.forEachChild(node, visit);
    };
    for (const source of this.project.own) this.project.statements(source).forEach(visit);
  }

  // The host expects `type` of this function or object. True when that is news.
  expectOf(node, type) {
    const known = this.contexts.get(node) ?? [];
    if (known.includes(type) || known.length >= MAX_PARTS) return false;
    this.contexts.set(node, [...known, type]);
    return true;
  }

  of(node) {
    const hit = this.memo.get(node);
    if (hit) return hit;
    if (this.depth > MAX_DEPTH) return NONE;
    this.memo.set(node, NONE);
    this.depth += 1;
    const found = this.checked(node, this.evaluate(node));
    this.depth -= 1;
    this.memo.set(node, found);
    return found;
  }

  // In TypeScript the compiler knows better than we do, wherever it knows at all.
  checked(node, found) {
    if (!this.isTyped(node)) return found;
    const type = this.checker.getTypeAtLocation(node);
    if (!this.says(type)) return found;
    const whole = this.beforeTests(node, type);
    return whole ? { types: [type], nodes: found.nodes, whole: [whole] } : { types: [type], nodes: found.nodes };
  }

  // The type a name was declared with, where tests have taken parts of it away.
  beforeTests(node, type) {
    const { ts, checker } = this;
    if (type.aliasSymbol || !(type.flags & ts.TypeFlags.Union) || !ts.isIdentifier(node)) return undefined;
    const symbol = this.symbolOf(node);
    const declared = symbol && checker.getTypeOfSymbol(symbol);
    return declared && declared !== type && declared.flags & ts.TypeFlags.Union ? declared : undefined;
  }

  // TypeScript, or JavaScript whose comments say the types.
  isTyped(node) {
    const source = node.getSourceFile();
    let hit = this.typed.get(source);
    if (hit === undefined) this.typed.set(source, (hit = !/\.[cm]?jsx?$/.test(source.fileName) || SAYS_TYPES.test(source.text)));
    return hit;
  }

  says(type) {
    return !(type.flags & (this.ts.TypeFlags.Any | this.ts.TypeFlags.Unknown | this.ts.TypeFlags.Never));
  }

  evaluate(node) {
    const { ts } = this;
    if (ts.isIdentifier(node)) return this.narrowing.at(node, this.identifier(node));
    if (ts.isPropertyAccessExpression(node)) return this.narrowing.at(node, this.member(this.of(node.expression), node.name.text));
    if (ts.isElementAccessExpression(node)) return this.element(node);
    if (ts.isCallExpression(node)) return this.call(node);
    if (ts.isNewExpression(node)) return this.instance(node);
    if (ts.isAwaitExpression(node)) return this.awaited(this.of(node.expression));
    if (ts.isConditionalExpression(node)) return this.join(this.of(node.whenTrue), this.of(node.whenFalse));
    if (ts.isBinaryExpression(node)) return this.binary(node);
    if (node.kind === ts.SyntaxKind.ThisKeyword) return this.self(node);
    if (ts.isAsExpression(node) || ts.isTypeAssertionExpression(node)) return this.asserted(node);
    if (ts.isParenthesizedExpression(node) || ts.isSatisfiesExpression(node) || ts.isNonNullExpression(node)) return this.of(node.expression);
    if (ts.isObjectLiteralExpression(node) || ts.isFunctionLike(node) || ts.isClassLike(node) || ts.isArrayLiteralExpression(node)) {
      return { types: this.contexts.get(node) ?? [], nodes: [node] };
    }
    return NONE;
  }

  asserted(node) {
    const inner = this.of(node.expression);
    const type = this.checker.getTypeAtLocation(node.type);
    return this.says(type) ? { types: [type], nodes: inner.nodes } : inner;
  }

  binary(node) {
    const { SyntaxKind: K } = this.ts;
    const kind = node.operatorToken.kind;
    if (kind === K.BarBarToken || kind === K.QuestionQuestionToken) return this.join(this.of(node.left), this.of(node.right));
    if (kind === K.AmpersandAmpersandToken || kind === K.CommaToken || kind === K.EqualsToken) return this.of(node.right);
    return NONE;
  }

  join(...values) {
    const filled = values.filter((value) => value.types.length || value.nodes.length);
    if (filled.length < 2) return filled[0] ?? NONE;
    const types = [...new Set(filled.flatMap((value) => value.types))].slice(0, MAX_TYPES);
    const nodes = [...new Set(filled.flatMap((value) => value.nodes))].slice(0, MAX_PARTS);
    const whole = filled.flatMap((value) => value.whole ?? []); // what a test has narrowed, before it did
    return whole.length ? { types, nodes, whole } : { types, nodes };
  }

  // --- names ---------------------------------------------------------------------------------------------------------

  symbolOf(node) {
    const { ts, checker } = this;
    if (node.parent && ts.isShorthandPropertyAssignment(node.parent)) return checker.getShorthandAssignmentValueSymbol(node.parent);
    const symbol = checker.getSymbolAtLocation(node);
    return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }

  identifier(node) {
    if (node.text === "undefined") return NONE;
    const symbol = this.symbolOf(node);
    return symbol ? (this.tested(node, symbol) ?? this.ofSymbol(symbol)) : NONE;
  }

  // const props = event.properties; if (event.type === "a") props.x: the test speaks of props as well.
  tested(node, symbol) {
    const { ts } = this;
    const declaration = symbol.declarations?.length === 1 ? symbol.declarations[0] : undefined;
    if (!declaration || !ts.isVariableDeclaration(declaration) || !declaration.initializer || this.isTyped(node)) return undefined;
    let from = declaration.initializer;
    while (ts.isAsExpression(from) || ts.isParenthesizedExpression(from)) from = from.expression;
    if (!ts.isPropertyAccessExpression(from) || !ts.isIdentifier(from.expression)) return undefined;
    const base = this.of(from.expression);
    if (!base.types.some((type) => this.narrowing.isUnion(type))) return undefined;
    const left = this.narrowing.at(node, base, from.expression.getText());
    return left === base ? undefined : this.member(left, from.name.text);
  }

  ofSymbol(symbol) {
    const hit = this.symbols.get(symbol);
    if (hit) return hit;
    if (this.depth > MAX_DEPTH) return NONE;
    this.symbols.set(symbol, NONE);
    this.depth += 1;
    const found = this.join(...(symbol.declarations ?? []).map((declaration) => this.declared(declaration, symbol)));
    this.depth -= 1;
    this.symbols.set(symbol, found);
    return found;
  }

  declared(node, symbol) {
    const { ts, checker } = this;
    if (this.addresses.isUpstream(symbol)) return { types: [checker.getTypeOfSymbol(symbol)], nodes: [] };
    if (!this.project.isOwn(node.getSourceFile().fileName)) return NONE;
    if (ts.isVariableDeclaration(node)) return this.variable(node, symbol);
    if (ts.isBindingElement(node)) return this.bound(node);
    if (ts.isParameter(node)) return this.parameter(node);
    if (ts.isFunctionDeclaration(node) || ts.isClassLike(node)) return { types: [], nodes: [node] };
    if (ts.isExportAssignment(node)) return this.of(node.expression);
    return NONE;
  }

  annotated(node) {
    const type = node.type && this.checker.getTypeAtLocation(node.type);
    return type && this.says(type) ? { types: [type], nodes: [] } : undefined;
  }

  variable(node, symbol) {
    const loop = node.parent.parent;
    if (this.ts.isForOfStatement(loop) && loop.initializer === node.parent) return this.items(this.of(loop.expression));
    const value = node.initializer ? this.of(node.initializer) : NONE;
    const annotated = this.annotated(node);
    if (annotated) return { types: annotated.types, nodes: value.nodes };
    const later = (this.assignments.get(symbol.name) ?? []).filter((each) => this.ts.isIdentifier(each.left) && this.symbolOf(each.left) === symbol);
    return this.join(value, ...later.map((each) => this.of(each.right)));
  }

  // const {a: b = c} = d
  bound(node) {
    const { ts } = this;
    const from = this.patternSource(node.parent);
    if (node.dotDotDotToken) return from;
    if (ts.isArrayBindingPattern(node.parent)) {
      const place = node.parent.elements.indexOf(node);
      const literal = from.nodes.filter((one) => ts.isArrayLiteralExpression(one) && one.elements[place]).map((one) => this.of(one.elements[place]));
      return this.join(this.items({ types: from.types, nodes: [] }), ...literal);
    }
    const name = propertyName(ts, node.propertyName ?? node.name);
    const value = name === undefined ? NONE : this.member(from, name);
    return node.initializer ? this.join(value, this.of(node.initializer)) : value;
  }

  patternSource(pattern) {
    const { ts } = this;
    const holder = pattern.parent;
    if (ts.isParameter(holder)) return this.parameter(holder);
    if (ts.isBindingElement(holder)) return this.bound(holder);
    if (ts.isVariableDeclaration(holder)) {
      const loop = holder.parent.parent;
      if (ts.isForOfStatement(loop) && loop.initializer === holder.parent) return this.items(this.of(loop.expression));
      return this.annotated(holder) ?? (holder.initializer ? this.of(holder.initializer) : NONE);
    }
    return NONE;
  }

  // --- members -------------------------------------------------------------------------------------------------------

  member(base, name) {
    const types = this.properties(base, name).map((symbol) => this.checker.getTypeOfSymbol(symbol));
    const values = base.nodes.map((node) => this.memberOf(node, name));
    return this.join({ types: [...new Set(types)].filter((type) => this.says(type)).slice(0, MAX_TYPES), nodes: [] }, ...values);
  }

  // The declared members of that name in any of the types.
  properties(base, name) {
    const found = new Set();
    for (const type of base.types) for (const part of this.parts(type)) this.propertyIn(part, name, found);
    return [...found];
  }

  propertyIn(part, name, found) {
    const symbol = this.checker.getPropertyOfType(part, name);
    if (symbol) found.add(symbol);
  }

  // A type without null and undefined, as the members of its union.
  parts(type) {
    const { ts, checker } = this;
    const F = ts.TypeFlags;
    let plain = type.flags & F.Instantiable ? (checker.getBaseConstraintOfType(type) ?? type) : type;
    plain = checker.getNonNullableType(plain);
    const list = plain.flags & F.Union ? plain.types : [plain];
    return list.map((one) => (one.flags & F.Instantiable ? (checker.getBaseConstraintOfType(one) ?? one) : one)).flatMap((one) => (one.flags & F.Union ? one.types : [one]));
  }

  memberOf(node, name) {
    if (!node.instanceOf && this.ts.isArrayLiteralExpression(node)) return NONE;
    if (!this.fields.has(node)) this.fields.set(node, new Map());
    const known = this.fields.get(node);
    const hit = known.get(name);
    if (hit) return hit;
    if (this.depth > MAX_DEPTH) return NONE;
    known.set(name, NONE);
    this.depth += 1;
    const found = this.memberIn(node, name);
    this.depth -= 1;
    known.set(name, found);
    return found;
  }

  memberIn(node, name) {
    const { ts } = this;
    if (node.instanceOf) return this.fieldOf(node.instanceOf, name);
    if (ts.isClassLike(node)) return this.classMember(node, name, true);
    if (!ts.isObjectLiteralExpression(node)) return NONE;
    const values = [];
    for (const property of node.properties) {
      if (ts.isSpreadAssignment(property)) values.push(this.member(this.of(property.expression), name));
      else if (propertyName(ts, property.name) === name) values.push(this.propertyValue(property));
    }
    return this.join(...values);
  }

  propertyValue(property) {
    const { ts } = this;
    if (ts.isPropertyAssignment(property)) return this.of(property.initializer);
    if (ts.isShorthandPropertyAssignment(property)) return this.identifier(property.name);
    if (ts.isMethodDeclaration(property)) return { types: this.contexts.get(property) ?? [], nodes: [property] };
    return NONE;
  }

  classMember(node, name, isStatic) {
    const { ts } = this;
    const values = [];
    for (const member of node.members) {
      if (!member.name || propertyName(ts, member.name) !== name) continue;
      if (!!(ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Static) !== isStatic) continue;
      if (ts.isMethodDeclaration(member)) values.push({ types: [], nodes: [member] });
      else if (ts.isPropertyDeclaration(member)) values.push(this.annotated(member) ?? (member.initializer ? this.of(member.initializer) : NONE));
      else if (ts.isGetAccessor(member)) values.push(this.returned(member));
    }
    return this.join(...values);
  }

  // A field holds what the class assigns to `this.name`, or a parameter property.
  fieldOf(node, name) {
    const { ts } = this;
    const values = [this.classMember(node, name, false)];
    for (const each of this.assignments.get(name) ?? []) {
      if (!ts.isPropertyAccessExpression(each.left) || each.left.expression.kind !== ts.SyntaxKind.ThisKeyword) continue;
      if (this.classAround(each) === node) values.push(this.of(each.right));
    }
    const constructor = node.members.find((member) => ts.isConstructorDeclaration(member));
    for (const parameter of constructor?.parameters ?? []) {
      if (ts.isParameterPropertyDeclaration(parameter, constructor) && parameter.name.text === name) values.push(this.parameter(parameter));
    }
    const base = node.heritageClauses?.find((clause) => clause.token === ts.SyntaxKind.ExtendsKeyword)?.types[0];
    if (base) for (const one of this.of(base.expression).nodes) if (!one.instanceOf && ts.isClassLike(one)) values.push(this.memberOf(this.instanceOf(one), name));
    return this.join(...values);
  }

  classAround(node) {
    for (let at = node.parent; at; at = at.parent) if (this.ts.isClassLike(at)) return at;
    return undefined;
  }

  instanceOf(node) {
    if (!this.instances.has(node)) this.instances.set(node, { instanceOf: node });
    return this.instances.get(node);
  }

  self(node) {
    const { ts } = this;
    for (let at = node.parent; at; at = at.parent) {
      if (ts.isClassLike(at)) return { types: [], nodes: [this.instanceOf(at)] };
      if (ts.isMethodDeclaration(at) && ts.isObjectLiteralExpression(at.parent)) return { types: [], nodes: [at.parent] };
    }
    return NONE;
  }

  element(node) {
    const base = this.of(node.expression);
    if (isLiteralKey(this.ts, node.argumentExpression)) return this.member(base, node.argumentExpression.text);
    return this.items(base);
  }

  // What is inside: the items of arrays and iterators, the values of maps.
  items(base) {
    const { ts, checker } = this;
    const types = [];
    for (const type of base.types) {
      for (const part of this.parts(type)) {
        const index = checker.getIndexTypeOfType(part, ts.IndexKind.Number) ?? checker.getIndexTypeOfType(part, ts.IndexKind.String);
        if (index) types.push(index);
        else if (/^(Async)?(Iterable|Iterator|IterableIterator|Generator|IteratorObject)$|^Set$/.test(part.symbol?.name ?? "")) types.push(...checker.getTypeArguments(part).slice(0, 1));
      }
    }
    const literals = base.nodes.filter((one) => !one.instanceOf && ts.isArrayLiteralExpression(one));
    return this.join({ types: types.filter((type) => this.says(type)), nodes: [] }, ...literals.map((one) => this.itemsOf(one)));
  }

  itemsOf(literal) {
    const hit = this.fields.get(literal);
    if (hit) return hit;
    this.fields.set(literal, NONE);
    const values = literal.elements.slice(0, 40).map((one) => (this.ts.isSpreadElement(one) ? this.items(this.of(one.expression)) : this.of(one)));
    const found = this.join(...values);
    this.fields.set(literal, found);
    return found;
  }

  awaited(value) {
    const types = value.types.flatMap((type) => this.parts(type)).map((type) => this.checker.getAwaitedType(type) ?? type);
    return { types: types.filter((type) => this.says(type)), nodes: value.nodes };
  }

  // --- calls ---------------------------------------------------------------------------------------------------------

  instance(node) {
    const callee = this.of(node.expression);
    const types = callee.types.flatMap((type) => this.checker.getSignaturesOfType(type, this.ts.SignatureKind.Construct)).map((s) => this.checker.getReturnTypeOfSignature(s));
    return { types: types.slice(0, 1), nodes: callee.nodes.filter((one) => !one.instanceOf && this.ts.isClassLike(one)).map((one) => this.instanceOf(one)) };
  }

  call(node) {
    const known = this.builtin(node);
    if (known) return known;
    const callee = this.of(node.expression);
    const types = callee.types.flatMap((type) => this.results(type));
    const values = callee.nodes.filter((one) => !one.instanceOf && this.ts.isFunctionLike(one)).map((one) => this.returned(one));
    return this.join({ types: types.filter((type) => this.says(type)).slice(0, MAX_PARTS), nodes: [] }, ...values);
  }

  // The plainest signature that says anything: a type parameter nobody filled in says nothing.
  results(type) {
    const signatures = this.parts(type).flatMap((part) => this.checker.getSignaturesOfType(part, this.ts.SignatureKind.Call));
    const plain = signatures.find((s) => !s.typeParameters?.length) ?? signatures[0];
    return plain ? [this.checker.getReturnTypeOfSignature(plain)] : [];
  }

  builtin(node) {
    const { ts } = this;
    const callee = node.expression;
    if (!ts.isPropertyAccessExpression(callee) || !ts.isIdentifier(callee.expression)) return undefined;
    const name = `${callee.expression.text}.${callee.name.text}`;
    if (name === "Object.assign") return this.join(...node.arguments.map((one) => this.of(one)));
    if (name === "Object.freeze" || name === "Promise.resolve") return node.arguments[0] ? this.of(node.arguments[0]) : NONE;
    if (name === "Object.values" || name === "Object.entries") return NONE;
    return undefined;
  }

  returned(node) {
    const { ts } = this;
    const hit = this.returnedBy.get(node);
    if (hit) return hit;
    const declared = node.type && this.annotated(node);
    if (!node.body) return declared ?? NONE;
    if (this.depth > MAX_DEPTH) return NONE;
    this.returnedBy.set(node, NONE);
    this.depth += 1;
    const values = ts.isBlock(node.body) ? returns(ts, node.body).map((one) => this.of(one)) : [this.of(node.body)];
    const found = this.join(...values);
    const whole = declared ? { types: declared.types, nodes: found.nodes } : found;
    this.depth -= 1;
    this.returnedBy.set(node, whole);
    return whole;
  }
}

const isLiteralKey = (ts, node) => !!node && (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node));
