// What stands at a member of a value: declared types, the fields of the project's own classes and object literals, the items of
// lists.
import { Expectations, MAX_DEPTH, MAX_TYPES, NONE } from "./expectations.mjs";
import { propertyName } from "./syntax.mjs";

export class ValueMembers extends Expectations {
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
}

const isLiteralKey = (ts, node) => !!node && (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node));
