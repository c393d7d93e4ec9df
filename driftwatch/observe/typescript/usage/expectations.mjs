// What arrives at a parameter, and what the place of a function or an object literal asks for. A part of Values.
import { contains, functionAround, outer, propertyName } from "./syntax.mjs";

export const NONE = Object.freeze({ types: [], nodes: [] });
export const MAX_DEPTH = 160; // of one question leading to the next
export const MAX_PARTS = 12; // own functions, classes and literals one expression may be
export const MAX_TYPES = 80; // declared types it may have

export class Expectations {
  // --- parameters ----------------------------------------------------------------------------------------------------

  parameter(node) {
    const hit = this.memo.get(node);
    if (hit) return hit;
    if (this.depth > MAX_DEPTH) return NONE;
    this.memo.set(node, NONE);
    this.depth += 1;
    const found = this.handedTo(node);
    this.depth -= 1;
    this.memo.set(node, found);
    return found;
  }

  handedTo(node) {
    const { ts } = this;
    const owner = node.parent;
    const place = owner.parameters.indexOf(node);
    const called = this.callers(owner).flatMap((call) => {
      const given = [...(call.arguments ?? [])];
      if (node.dotDotDotToken || given.slice(0, place + 1).some((one) => ts.isSpreadElement(one))) return [];
      return given[place] ? [this.chosen(call, given[place], this.of(given[place]), owner)] : [];
    });
    const values = this.join(...called.slice(0, 60));
    const expected = this.expected(owner).flatMap((type) => this.parameterType(type, place, node));
    const arrives = this.join({ types: expected.filter((type) => this.says(type)), nodes: [] }, values);
    return this.declaredAs(node, arrives, values.nodes) ?? arrives;
  }

  parameterType(type, place) {
    const { checker } = this;
    for (const part of this.parts(type)) {
      for (const signature of checker.getSignaturesOfType(part, this.ts.SignatureKind.Call)) {
        const parameter = signature.parameters[place];
        if (!parameter) continue;
        const declared = checker.getTypeOfSymbol(parameter);
        const rest = parameter.valueDeclaration?.dotDotDotToken ? checker.getIndexTypeOfType(declared, this.ts.IndexKind.Number) : undefined;
        return [rest ?? declared];
      }
    }
    return [];
  }

  // The calls of a function, as far as its name leads to them.
  callers(owner) {
    const { ts } = this;
    const target = ts.isConstructorDeclaration(owner) ? owner.parent : owner;
    const names = this.namesOf(target);
    const found = [];
    if (ts.isParenthesizedExpression(target.parent) && ts.isCallExpression(target.parent.parent) && target.parent.parent.expression === target.parent) found.push(target.parent.parent);
    for (const { name, test } of names) {
      for (const call of this.callsOf.get(name) ?? []) {
        if (test(call.expression)) found.push(call);
      }
    }
    return found;
  }

  namesOf(target) {
    const { ts } = this;
    const names = [];
    const variable = (symbol) => symbol && names.push({ name: symbol.name, test: (callee) => ts.isIdentifier(callee) && this.symbolOf(callee) === symbol });
    const method = (name) => names.push({ name, test: (callee) => this.mayBe(callee, name, target) });
    if (target.name && ts.isIdentifier(target.name) && !ts.isMethodDeclaration(target)) variable(this.checker.getSymbolAtLocation(target.name));
    if ((ts.isMethodDeclaration(target) || ts.isPropertyDeclaration(target.parent)) && ts.isIdentifier((ts.isMethodDeclaration(target) ? target : target.parent).name)) {
      method((ts.isMethodDeclaration(target) ? target : target.parent).name.text);
    }
    const holder = outer(ts, target);
    if (ts.isVariableDeclaration(holder) && ts.isIdentifier(holder.name)) variable(this.checker.getSymbolAtLocation(holder.name));
    if (ts.isPropertyAssignment(holder) && propertyName(ts, holder.name) !== undefined) {
      method(propertyName(ts, holder.name));
      names.push({ name: "[]", test: (callee) => this.isInTable(callee, holder.parent) });
    }
    if (ts.isCallExpression(holder)) this.passed(holder, target, variable);
    if (ts.isVariableDeclaration(holder) || ts.isFunctionDeclaration(target)) this.shorthands(target, holder, method);
    return names;
  }

  // function run() {}; return { run }   is called as x.run()
  shorthands(target, holder, method) {
    const name = target.name?.text ?? holder.name?.text;
    if (name) method(name);
  }

  // handlers[event.type](event), where handlers is the object literal the function stands in
  isInTable(callee, table) {
    return this.ts.isElementAccessExpression(callee) && this.of(callee.expression).nodes.includes(table);
  }

  // handlers[event.type](event): what arrives at handlers["a"] has the type "a".
  chosen(call, argument, value, owner) {
    const { ts, checker } = this;
    const key = ts.isElementAccessExpression(call.expression) ? call.expression.argumentExpression : undefined;
    if (!key || !ts.isPropertyAccessExpression(key) || key.expression.getText() !== argument.getText()) return value;
    const name = propertyName(ts, outer(ts, owner).name);
    const parts = value.types.flatMap((type) => this.parts(type)).filter((part) => {
      const symbol = checker.getPropertyOfType(part, key.name.text);
      const type = symbol && checker.getTypeOfSymbol(symbol);
      return type?.isStringLiteral() && type.value === name;
    });
    return parts.length ? { types: parts, nodes: value.nodes } : value;
  }

  // A function handed to a function of ours is called by the name of the parameter it arrives at.
  passed(call, target, variable) {
    const place = call.arguments.findIndex((argument) => contains(argument, target));
    for (const node of this.of(call.expression).nodes) {
      const parameter = !node.instanceOf && this.ts.isFunctionLike(node) ? node.parameters[place] : undefined;
      if (parameter && this.ts.isIdentifier(parameter.name)) variable(this.checker.getSymbolAtLocation(parameter.name));
    }
  }

  mayBe(callee, name, target) {
    if (!this.ts.isPropertyAccessExpression(callee)) return false;
    return this.of(callee).nodes.includes(target);
  }

  // --- what is expected ----------------------------------------------------------------------------------------------

  // The types that the place of a function or an object literal asks for.
  expected(node) {
    const hit = this.expectations.get(node);
    if (hit) return hit;
    this.expectations.set(node, []);
    const found = [...(this.contexts.get(node) ?? []), ...this.expectedAt(node)];
    this.expectations.set(node, found);
    return found;
  }

  expectedAt(node) {
    const { ts, checker } = this;
    if (this.isTyped(node) && ts.isExpression(node)) {
      const type = checker.getContextualType(node);
      if (type && this.says(type)) return [type];
    }
    const parent = node.parent;
    if (ts.isMethodDeclaration(node) && ts.isObjectLiteralExpression(parent)) return this.expectedMember(parent, node.name);
    if (ts.isParenthesizedExpression(parent)) return this.expected(parent);
    if (ts.isPropertyAssignment(parent)) return this.expectedMember(parent.parent, parent.name);
    if (ts.isArrayLiteralExpression(parent)) return this.items({ types: this.expected(parent), nodes: [] }).types;
    if (ts.isCallExpression(parent) && parent.expression !== node) {
      const place = parent.arguments.indexOf(node);
      return this.of(parent.expression).types.flatMap((type) => this.parameterType(type, place));
    }
    if (ts.isReturnStatement(parent) || (ts.isArrowFunction(parent) && parent.body === node)) return this.expectedReturn(parent);
    if (ts.isConditionalExpression(parent)) return this.expected(parent);
    if (ts.isBinaryExpression(parent) && parent.right === node && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken) return this.of(parent.left).types;
    return [];
  }

  expectedMember(literal, name) {
    const key = propertyName(this.ts, name);
    if (key === undefined) return [];
    const base = { types: this.expected(literal), nodes: [] };
    const members = this.member(base, key).types;
    return members.length ? members : this.values(base.types);
  }

  values(types) {
    return types.flatMap((type) => this.parts(type)).map((part) => this.checker.getIndexTypeOfType(part, this.ts.IndexKind.String)).filter(Boolean);
  }

  expectedReturn(node) {
    const owner = this.ts.isReturnStatement(node) ? functionAround(this.ts, node) : node;
    if (!owner) return [];
    return this.awaited({ types: this.expected(owner).flatMap((type) => this.results(type)), nodes: [] }).types;
  }
}
