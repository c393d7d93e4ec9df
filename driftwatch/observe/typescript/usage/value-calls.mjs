// What a call or `new` gives: the declared result, and what the project's own functions return.
import { MAX_DEPTH, MAX_PARTS, NONE } from "./expectations.mjs";
import { returns } from "./syntax.mjs";
import { ValueMembers } from "./value-members.mjs";

export class ValueCalls extends ValueMembers {
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
