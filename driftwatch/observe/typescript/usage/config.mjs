// Keys of the host's configuration that a `config` hook reads and writes.
import { propertyName } from "./syntax.mjs";

export function configKeys(world, source) {
  const { ts } = world;
  const visit = (node) => {
    if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) key(world, node);
    else if (ts.isBindingElement(node)) bound(world, node);
    ts.forEachChild(node, visit);
  };
  world.project.statements(source).forEach(visit);
}

// The outermost access of a chain that begins at the configuration: config.agent.build.prompt
function key(world, node) {
  const { ts } = world;
  const parent = node.parent;
  if ((ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)) && parent.expression === node) return;
  const names = [];
  for (let at = node; ; at = at.expression) {
    if (ts.isNonNullExpression(at) || ts.isParenthesizedExpression(at) || ts.isAsExpression(at)) continue;
    if (isConfig(world, at)) break;
    const name = segmentOf(world, at);
    if (name === undefined) return;
    names.unshift(name);
  }
  if (names.length) add(world, names, node, isWrite(ts, node) ? "config-set" : "config");
}

function segmentOf({ ts }, node) {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (!ts.isElementAccessExpression(node)) return undefined;
  return ts.isStringLiteralLike(node.argumentExpression) ? node.argumentExpression.text : "*";
}

function add(world, names, node, kind) {
  if (/^(map|filter|push|includes|some|find|forEach|length|concat|keys|values|entries)$/.test(names.at(-1))) names.pop();
  if (names.length) world.uses.add(`config:${names.join(".")}`, kind, node);
}

function isWrite(ts, node) {
  const parent = node.parent;
  return ts.isBinaryExpression(parent) && parent.left === node && parent.operatorToken.kind >= ts.SyntaxKind.FirstAssignment && parent.operatorToken.kind <= ts.SyntaxKind.LastAssignment;
}

// Holds what the host hands to the `config` hook, by its declared type.
function isConfig(world, node) {
  if (world.ts.isPropertyAccessExpression(node) || world.ts.isElementAccessExpression(node)) {
    if (!world.ts.isIdentifier(node.expression) && node.expression.kind !== world.ts.SyntaxKind.ThisKeyword) return false;
  }
  return holdsConfig(world, world.values.of(node));
}

function holdsConfig(world, value) {
  const wanted = configType(world);
  return !!wanted && value.types.some((type) => type === wanted || (type.aliasSymbol && type.aliasSymbol === wanted.aliasSymbol));
}

function configType(world) {
  if (world.configType !== undefined) return world.configType;
  const hook = world.plugins.hooks && world.checker.getPropertyOfType(world.plugins.hooks, "config");
  const types = hook ? world.values.parameterType(world.checker.getTypeOfSymbol(hook), 0) : [];
  return (world.configType = types[0] ?? null);
}

function bound(world, node) {
  if (!world.ts.isObjectBindingPattern(node.parent) || node.dotDotDotToken) return;
  const name = propertyName(world.ts, node.propertyName ?? node.name);
  if (name !== undefined && holdsConfig(world, world.values.patternSource(node.parent))) world.uses.add(`config:${name}`, "config", node.propertyName ?? node.name);
}
