// Event names the source compares, switches on, looks up or subscribes to, and whether a switch handles every one of them.
import { propertyName } from "./syntax.mjs";

const NAMED_LIKE_EVENTS = /Events?\d*$|^(V\d+)?Event[A-Z0-9]|^Event$/;
const NAMED_LIKE_ONE = /^(e|ev|evt|event|payload|props|data|message|msg)$/i;
const DOTTED = /^[a-z][\w-]*(\.[\w-]+)+$/i;

export class Events {
  constructor(world) {
    Object.assign(this, world);
    this.world = world;
    this.names = new Set();
    this.collect();
  }

  // The names in the upstream's own event types: they make a guess in untyped code a good one.
  collect() {
    const { ts } = this;
    for (const source of this.project.program.getSourceFiles()) {
      if (!this.addresses.owner(source.fileName)) continue;
      for (const node of source.statements) if (ts.isTypeAliasDeclaration(node) && NAMED_LIKE_EVENTS.test(node.name.text)) this.named(node.type);
    }
  }

  named(node) {
    const { ts } = this;
    if (!ts.isTypeLiteralNode(node)) return;
    for (const member of node.members) {
      if (ts.isPropertySignature(member) && propertyName(ts, member.name) === "type" && member.type && ts.isLiteralTypeNode(member.type) && ts.isStringLiteral(member.type.literal)) {
        this.names.add(member.type.literal.text);
      }
    }
  }

  look(source) {
    const { ts } = this;
    const visit = (node) => {
      if (ts.isBinaryExpression(node)) this.compared(node);
      else if (ts.isSwitchStatement(node)) this.switched(node);
      else if (ts.isCallExpression(node)) this.called(node);
      else if (ts.isElementAccessExpression(node)) this.lookedUp(node);
      else if (ts.isTypeReferenceNode(node)) this.extracted(node);
      ts.forEachChild(node, visit);
    };
    this.project.statements(source).forEach(visit);
  }

  add(literal, sure, kind = "event", more = {}) {
    this.uses.add(`event:${literal.text}`, kind, literal, sure ? more : { ...more, unsure: true });
  }

  compared(node) {
    const { SyntaxKind: K } = this.ts;
    const kind = node.operatorToken.kind;
    if (![K.EqualsEqualsEqualsToken, K.EqualsEqualsToken, K.ExclamationEqualsEqualsToken, K.ExclamationEqualsToken].includes(kind)) return;
    for (const [literal, other] of [[node.right, node.left], [node.left, node.right]]) {
      if (this.ts.isStringLiteralLike(literal)) this.tested(literal, other);
    }
  }

  tested(literal, other) {
    const sure = this.isEventName(other);
    if (sure || this.looksLikeOne(literal.text, other)) this.add(literal, sure || this.names.has(literal.text));
  }

  // `x.type` of an event, or a variable that holds it.
  isEventName(node, depth = 0) {
    const { ts, values } = this;
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node)) return this.isEventName(node.expression, depth);
    if (ts.isPropertyAccessExpression(node)) return node.name.text === "type" && this.isEvent(values.of(node.expression));
    if (!ts.isIdentifier(node) || depth > 4) return false;
    const declaration = values.symbolOf(node)?.declarations?.[0];
    if (!declaration) return false;
    if (ts.isBindingElement(declaration)) {
      return propertyName(ts, declaration.propertyName ?? declaration.name) === "type" && this.isEvent(values.patternSource(declaration.parent));
    }
    return ts.isVariableDeclaration(declaration) && !!declaration.initializer && this.isEventName(declaration.initializer, depth + 1);
  }

  isEvent(value) {
    const { values, addresses } = this;
    return value.types.some((type) => {
      const parts = values.parts(type);
      const named = [type, ...parts].map((one) => one.aliasSymbol ?? one.symbol).filter((symbol) => symbol && addresses.isUpstream(symbol));
      return named.some((symbol) => NAMED_LIKE_EVENTS.test(symbol.name)) && parts.some((part) => this.literalType(part));
    });
  }

  literalType(part) {
    const symbol = this.checker.getPropertyOfType(part, "type");
    const type = symbol && this.checker.getTypeOfSymbol(symbol);
    return type?.isStringLiteral() ? type.value : undefined;
  }

  looksLikeOne(text, other) {
    const { ts, values } = this;
    if (!DOTTED.test(text)) return false;
    if (ts.isPropertyAccessExpression(other) && other.name.text === "type") {
      const base = other.expression;
      if (values.of(base).types.some((type) => values.says(type))) return false;
      const name = ts.isIdentifier(base) ? base.text : ts.isPropertyAccessExpression(base) ? base.name.text : "";
      return this.names.has(text) || NAMED_LIKE_ONE.test(name);
    }
    return ts.isIdentifier(other) && this.names.has(text);
  }

  // --- switches ------------------------------------------------------------------------------------------------------

  switched(node) {
    const { ts } = this;
    const cases = node.caseBlock.clauses.filter((clause) => ts.isCaseClause(clause) && ts.isStringLiteralLike(clause.expression)).map((clause) => clause.expression);
    const sure = this.isEventName(node.expression);
    if (!sure && !cases.some((literal) => this.looksLikeOne(literal.text, node.expression))) return;
    const exhaustive = sure && this.isExhaustive(node, cases);
    for (const literal of cases) if (sure || DOTTED.test(literal.text)) this.add(literal, sure || this.names.has(literal.text), "event", exhaustive ? { exhaustive: true } : {});
    if (sure) this.whole(node, exhaustive);
  }

  // Every name has its case, and nothing or a check for `never` is left for others.
  isExhaustive(node, cases) {
    const { ts, values } = this;
    const other = node.caseBlock.clauses.find((clause) => ts.isDefaultClause(clause));
    if (other) return this.checksNever(other);
    const base = this.eventOf(node.expression);
    const names = base?.types.flatMap((type) => values.parts(type)).map((part) => this.literalType(part)) ?? [];
    const handled = new Set(cases.map((literal) => literal.text));
    return names.length > 0 && names.every((name) => name !== undefined && handled.has(name));
  }

  checksNever(clause) {
    const text = clause.getText();
    return /:\s*never\b|satisfies\s+never\b|\b(assertNever|assertUnreachable|unreachable|exhaustive\w*|never)\s*\(/i.test(text);
  }

  eventOf(node) {
    const { ts, values } = this;
    if (ts.isPropertyAccessExpression(node)) return values.of(node.expression);
    const declaration = ts.isIdentifier(node) ? values.symbolOf(node)?.declarations?.[0] : undefined;
    if (declaration && ts.isBindingElement(declaration)) return values.patternSource(declaration.parent);
    return declaration && ts.isVariableDeclaration(declaration) && declaration.initializer ? this.eventOf(declaration.initializer) : undefined;
  }

  // A switch is about the whole union: a new event is news for it.
  whole(node, exhaustive) {
    const { addresses } = this;
    const unions = (this.eventOf(node.expression)?.types ?? []).map((type) => type.aliasSymbol).filter((symbol) => symbol && addresses.isUpstream(symbol));
    for (const symbol of unions) this.uses.add(`ts:${addresses.id(symbol)}`, "switch", node.expression, { exhaustive });
    if (exhaustive) this.uses.add("event:**", "switch", node.expression, { exhaustive });
  }

  // --- lists, maps, subscriptions ------------------------------------------------------------------------------------

  called(node) {
    const { ts, values } = this;
    const callee = node.expression;
    const [first] = node.arguments;
    if (!ts.isPropertyAccessExpression(callee) || !first) return;
    const method = callee.name.text;
    if (/^(includes|has|indexOf|get)$/.test(method)) return this.listed(callee.expression, first);
    if (method === "startsWith" && ts.isStringLiteralLike(first) && this.isEventName(callee.expression)) return this.prefix(first);
    if (/^(on|once|off|subscribe|addListener|addEventListener|listen)$/.test(method) && ts.isStringLiteralLike(first)) {
      const found = values.properties(values.of(callee.expression), method);
      const upstream = found.some((symbol) => this.addresses.of(symbol).some((address) => /event/i.test(address)));
      if (upstream) this.add(first, true);
    }
  }

  prefix(literal) {
    if (literal.text.includes(".")) this.uses.add(`event:${literal.text}**`, "event", literal);
  }

  listed(receiver, argument) {
    if (!this.isEventName(argument)) return;
    for (const literal of this.strings(receiver)) this.add(literal, true);
  }

  // ["a", "b"], new Set(["a"]), new Map([["a", f]]) or a variable that holds one
  strings(node, depth = 0) {
    const { ts, values } = this;
    if (depth > 6) return [];
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return this.strings(node.expression, depth);
    if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap((one) => (ts.isStringLiteralLike(one) ? [one] : ts.isArrayLiteralExpression(one) ? this.strings(one, depth + 1).slice(0, 1) : ts.isSpreadElement(one) ? this.strings(one.expression, depth + 1) : []));
    if (ts.isNewExpression(node)) return node.arguments?.[0] ? this.strings(node.arguments[0], depth + 1) : [];
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.arguments[0]) return this.strings(node.arguments[0], depth + 1);
    const declaration = ts.isIdentifier(node) ? values.symbolOf(node)?.declarations?.[0] : undefined;
    return declaration && ts.isVariableDeclaration(declaration) && declaration.initializer && this.project.isOwn(declaration.getSourceFile().fileName) ? this.strings(declaration.initializer, depth + 1) : [];
  }

  // handlers[event.type]
  lookedUp(node) {
    const { ts, values } = this;
    if (!node.argumentExpression || !this.isEventName(node.argumentExpression)) return;
    for (const literal of values.of(node.expression).nodes) {
      if (literal.instanceOf || !ts.isObjectLiteralExpression(literal)) continue;
      const exhaustive = this.coversAll(literal);
      for (const property of literal.properties) {
        const name = propertyName(ts, property.name);
        if (name !== undefined) this.uses.add(`event:${name}`, "event", property.name, exhaustive ? { exhaustive } : {});
      }
      if (exhaustive) this.uses.add("event:**", "switch", node.argumentExpression, { exhaustive });
    }
  }

  // Record<Event["type"], ...> must have every name.
  coversAll(literal) {
    const [type] = this.values.expected(literal);
    if (!type) return false;
    const wanted = this.checker.getPropertiesOfType(type);
    return wanted.length > 0 && wanted.every((symbol) => !(symbol.flags & this.ts.SymbolFlags.Optional));
  }

  // Extract<Event, { type: "session.idle" }>
  extracted(node) {
    const { ts } = this;
    if (!ts.isIdentifier(node.typeName) || node.typeName.text !== "Extract" || node.typeArguments?.length !== 2) return;
    const [from, shape] = node.typeArguments;
    if (!this.isEvent({ types: [this.checker.getTypeAtLocation(from)], nodes: [] }) || !ts.isTypeLiteralNode(shape)) return;
    for (const member of shape.members) {
      if (ts.isPropertySignature(member) && propertyName(ts, member.name) === "type" && member.type) this.literals(member.type);
    }
  }

  literals(node) {
    const { ts } = this;
    if (ts.isUnionTypeNode(node)) for (const one of node.types) this.literals(one);
    if (ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal)) this.add(node.literal, true);
  }
}
