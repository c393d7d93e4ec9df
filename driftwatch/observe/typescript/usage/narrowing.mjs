// Which members of a union are left at a place, by the tests around it: `x.type === "a"`, `switch (x.type)`, early returns.
export class Narrowing {
  constructor(values) {
    Object.assign(this, { values, ts: values.ts, checker: values.checker });
  }

  // `text` is the expression that the tests must speak of, the node's own unless another is given.
  at(node, value, text = node.getText()) {
    if (value.types.length === 0 || this.values.isTyped(node) || !value.types.some((type) => this.isUnion(type))) return value;
    const tests = this.tests(node, text);
    if (tests.length === 0) return value;
    const types = value.types.flatMap((type) => this.values.parts(type)).filter((part) => tests.every((test) => this.fits(part, test)));
    return types.length ? { types, nodes: value.nodes, whole: value.whole ?? value.types } : value;
  }

  isUnion(type) {
    return this.values.parts(type).length > 1;
  }

  fits(part, { key, literals, truth }) {
    const symbol = this.checker.getPropertyOfType(part, key);
    const type = symbol && this.checker.getTypeOfSymbol(symbol);
    const held = type && (type.isUnion() ? type.types : [type]);
    if (!held?.length || !held.every((one) => one.isStringLiteral())) return true;
    return truth ? held.some((one) => literals.includes(one.value)) : !held.every((one) => literals.includes(one.value));
  }

  // [{key, literals, truth}] that hold where the node stands.
  tests(node, text) {
    const { ts } = this;
    const found = [];
    for (let at = node, parent = at.parent; parent && !ts.isFunctionLike(at); at = parent, parent = at.parent) {
      if (ts.isIfStatement(parent) && at !== parent.expression) this.assume(parent.expression, at === parent.thenStatement, text, found);
      else if (ts.isConditionalExpression(parent) && at !== parent.condition) this.assume(parent.condition, at === parent.whenTrue, text, found);
      else if (ts.isBinaryExpression(parent) && at === parent.right) this.beside(parent, text, found);
      else if (ts.isCaseClause(parent) && at !== parent.expression) this.inCase(parent, text, found);
      else if (ts.isBlock(parent) || ts.isSourceFile(parent)) this.earlier(parent, at, text, found);
    }
    return found;
  }

  beside(parent, text, found) {
    const kind = parent.operatorToken.kind;
    if (kind === this.ts.SyntaxKind.AmpersandAmpersandToken) this.assume(parent.left, true, text, found);
    if (kind === this.ts.SyntaxKind.BarBarToken) this.assume(parent.left, false, text, found);
  }

  inCase(clause, text, found) {
    const { ts } = this;
    const clauses = clause.parent.clauses;
    const key = this.keyOf(clause.parent.parent.expression, text);
    if (!key) return;
    const literals = [];
    for (let i = clauses.indexOf(clause); i >= 0; i -= 1) {
      if (i < clauses.indexOf(clause) && clauses[i].statements.length) break;
      if (!ts.isCaseClause(clauses[i]) || !ts.isStringLiteralLike(clauses[i].expression)) return;
      literals.push(clauses[i].expression.text);
    }
    found.push({ key, literals, truth: true });
  }

  // if (x.type !== "a") return;
  earlier(block, statement, text, found) {
    for (const each of block.statements) {
      if (each === statement) return;
      if (this.ts.isIfStatement(each) && !each.elseStatement && this.leaves(each.thenStatement)) this.assume(each.expression, false, text, found);
    }
  }

  leaves(node) {
    const { ts } = this;
    const last = ts.isBlock(node) ? node.statements.at(-1) : node;
    return !!last && (ts.isReturnStatement(last) || ts.isThrowStatement(last) || ts.isContinueStatement(last) || ts.isBreakStatement(last));
  }

  keyOf(node, text) {
    if (!node || !this.ts.isPropertyAccessExpression(node)) return undefined;
    return node.expression.getText() === text ? node.name.text : undefined;
  }

  assume(condition, truth, text, found) {
    const { ts } = this;
    if (ts.isParenthesizedExpression(condition)) return this.assume(condition.expression, truth, text, found);
    if (ts.isPrefixUnaryExpression(condition) && condition.operator === ts.SyntaxKind.ExclamationToken) return this.assume(condition.operand, !truth, text, found);
    if (ts.isCallExpression(condition)) return this.guarded(condition, truth, text, found);
    if (!ts.isBinaryExpression(condition)) return;
    const K = ts.SyntaxKind;
    const kind = condition.operatorToken.kind;
    if (kind === (truth ? K.AmpersandAmpersandToken : K.BarBarToken)) {
      this.assume(condition.left, truth, text, found);
      this.assume(condition.right, truth, text, found);
    } else if (kind === (truth ? K.BarBarToken : K.AmpersandAmpersandToken)) this.either(condition, truth, text, found);
    else this.compared(condition, truth, text, found);
  }

  // a.type === "x" || a.type === "y": one of both.
  either(condition, truth, text, found) {
    const left = [];
    const right = [];
    this.assume(condition.left, truth, text, left);
    this.assume(condition.right, truth, text, right);
    const [a] = left;
    const [b] = right;
    if (left.length === 1 && right.length === 1 && a.key === b.key && a.truth && b.truth) found.push({ key: a.key, literals: [...a.literals, ...b.literals], truth: true });
  }

  compared(condition, truth, text, found) {
    const { SyntaxKind: K } = this.ts;
    const kind = condition.operatorToken.kind;
    const same = kind === K.EqualsEqualsEqualsToken || kind === K.EqualsEqualsToken;
    if (!same && kind !== K.ExclamationEqualsEqualsToken && kind !== K.ExclamationEqualsToken) return;
    const [literal, other] = this.ts.isStringLiteralLike(condition.right) ? [condition.right, condition.left] : [condition.left, condition.right];
    const key = this.keyOf(other, text);
    if (key && this.ts.isStringLiteralLike(literal)) found.push({ key, literals: [literal.text], truth: same === truth });
  }

  // isIdle(event), where function isIdle(e) { return e.type === "session.idle" }
  guarded(call, truth, text, found) {
    const place = call.arguments.findIndex((argument) => argument.getText() === text);
    if (place < 0 || !this.ts.isIdentifier(call.expression)) return;
    const guard = this.values.symbolOf(call.expression)?.declarations?.[0];
    const target = guard && this.ts.isVariableDeclaration(guard) ? guard.initializer : guard;
    if (!target || !this.ts.isFunctionLike(target) || !target.body) return;
    const parameter = target.parameters[place];
    const only = this.ts.isBlock(target.body) ? target.body.statements.length === 1 && target.body.statements[0].expression : target.body;
    if (parameter && only) this.assume(only, truth, parameter.name.getText(), found);
  }
}
