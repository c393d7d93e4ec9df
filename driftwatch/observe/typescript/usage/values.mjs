// What an expression can hold, as far as it comes from the upstream: its declared types, and the project's own functions,
// classes and object literals it may be. Written JavaScript has no types, so they are carried from where the host hands them
// over (a plugin's input, a hook's arguments) through variables, parameters, returns, objects and classes.
import { MAX_DEPTH, MAX_PARTS, MAX_TYPES, NONE } from "./expectations.mjs";
import { Narrowing } from "./narrowing.mjs";
import { calledName } from "./syntax.mjs";
import { ValueNames } from "./value-names.mjs";

const SAYS_TYPES = /@(type|param|satisfies|returns?|import)\s*\{[^}]*import\(|@import\s/;

export class Values extends ValueNames {
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
    if (this.isOwnType(type)) return this.join({ types: [type], nodes: [] }, found);
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
    if (!this.says(type)) return inner;
    return this.isOwnType(type) ? this.join({ types: [type], nodes: [] }, inner) : { types: [type], nodes: inner.nodes };
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
}
