// What a name stands for: variables, parameters, patterns, and what a test on the way says about them.
import { MAX_DEPTH, NONE } from "./expectations.mjs";
import { propertyName } from "./syntax.mjs";
import { ValueCalls } from "./value-calls.mjs";

export class ValueNames extends ValueCalls {
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

  // What is known to arrive where a type is written: that type. One of the project's own only says again what arrives.
  declaredAs(node, value, nodes = value.nodes) {
    const annotated = this.annotated(node);
    if (!annotated) return undefined;
    return annotated.types.every((type) => this.isOwnType(type)) ? this.join(annotated, value) : { types: annotated.types, nodes };
  }

  isOwnType(type) {
    const declarations = (type.aliasSymbol ?? type.symbol)?.declarations ?? [];
    return declarations.length > 0 && declarations.every((one) => this.project.isOwn(one.getSourceFile().fileName));
  }

  variable(node, symbol) {
    const loop = node.parent.parent;
    if (this.ts.isForOfStatement(loop) && loop.initializer === node.parent) return this.items(this.of(loop.expression));
    const value = node.initializer ? this.of(node.initializer) : NONE;
    const declared = this.declaredAs(node, value);
    if (declared) return declared;
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
}
