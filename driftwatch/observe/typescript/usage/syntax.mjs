// Small questions about syntax.

// The name of a property, where it is written out.
export function propertyName(ts, name) {
  if (!name) return undefined;
  if (ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name) || ts.isPrivateIdentifier(name)) return name.text;
  return ts.isComputedPropertyName(name) && ts.isStringLiteralLike(name.expression) ? name.expression.text : undefined;
}

// The name something is called or assigned by.
export function calledName(ts, node) {
  if (ts.isElementAccessExpression(node)) return "[]";
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  return undefined;
}

// The node that holds a function, seen through brackets, assertions and wrappers such as `guarded(async () => ...)`.
export function outer(ts, node) {
  let at = node.parent;
  while (ts.isParenthesizedExpression(at) || ts.isAsExpression(at) || ts.isSatisfiesExpression(at)) at = at.parent;
  return at;
}

export const contains = (outerNode, inner) => inner.pos >= outerNode.pos && inner.end <= outerNode.end;

export function functionAround(ts, node) {
  for (let at = node.parent; at; at = at.parent) if (ts.isFunctionLike(at)) return at;
  return undefined;
}

// The expressions a body returns, not those of functions inside it.
export function returns(ts, body) {
  const found = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
    if (ts.isReturnStatement(node) && node.expression) found.push(node.expression);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(body, visit);
  return found;
}
