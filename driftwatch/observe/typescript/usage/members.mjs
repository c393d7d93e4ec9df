// Members of the upstream's types: what is read, called and written, and the hooks and tools that are handed to the host.
import { segment } from "./addresses.mjs";
import { propertyName } from "./syntax.mjs";

const MANY = 4; // a member of more declarations than this is told as one of the named union they stand in

export function members(world, source) {
  const { ts } = world;
  const visit = (node) => {
    if (ts.isPropertyAccessExpression(node)) access(world, node, node.name.text, node.name);
    else if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)) access(world, node, node.argumentExpression.text, node.argumentExpression);
    else if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent) && !node.dotDotDotToken) binding(world, node);
    else if (ts.isObjectLiteralExpression(node)) literal(world, node);
    else if (ts.isIndexedAccessTypeNode(node)) indexed(world, node);
    ts.forEachChild(node, visit);
  };
  world.project.statements(source).forEach(visit);
}

function access(world, node, name, at) {
  const { ts, values, uses, calls } = world;
  const base = values.of(node.expression);
  if (!base.types.length) return calls.untyped(node);
  const found = values.properties(base, name);
  if (!found.length) return unknownWrite(world, node, base, name, at);
  const kind = kindOf(world, node);
  const addresses = told(world, base, found, name);
  const through = kind === "read" && isSteppedThrough(ts, node);
  for (const address of addresses) uses.add(address, hookOr(world, base, kind), at, through ? { through: true } : {});
  payload(world, found, at, through || (!values.isTyped(node) && isNamed(ts, node)));
  if (kind === "call") calls.made(node, found);
}

// The payload of an event has an address in the API document too.
function payload(world, found, at, through) {
  let each = [...new Set(found.flatMap((symbol) => world.addresses.ofEvent(symbol)))];
  if (each.length > MANY) each = [...new Set(each.map((address) => address.replace(/^event:[^#]*/, "event:*")))];
  for (const address of each) world.uses.add(address, "read", at, through ? { through: true } : {});
}

// const props = event.properties: in plain JavaScript what is read of it is followed.
const isNamed = (ts, node) => ts.isVariableDeclaration(node.parent) && ts.isIdentifier(node.parent.name);

// hooks["my.hook"] = ... where the host knows no such hook
function unknownWrite(world, node, base, name, at) {
  if (kindOf(world, node) !== "write" || !isHooks(world, base.types)) return;
  world.uses.add(`ts:${world.addresses.id(world.plugins.hooks.symbol)}${segment(name)}`, "hook", at);
}

const isHooks = (world, types) => types.some((type) => world.plugins.isHooks(world.checker.getNonNullableType(type)));

const hookOr = (world, base, kind) => (kind === "write" && isHooks(world, base.types) ? "hook" : kind);

function kindOf(world, node) {
  const { ts } = world;
  const parent = node.parent;
  if ((ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.expression === node) return "call";
  if (ts.isBinaryExpression(parent) && parent.left === node && isAssignment(ts, parent.operatorToken.kind)) return "write";
  if (ts.isDeleteExpression(parent) || ts.isPrefixUnaryExpression(parent) || ts.isPostfixUnaryExpression(parent)) {
    return ts.isDeleteExpression(parent) || parent.operator >= ts.SyntaxKind.PlusPlusToken && parent.operator <= ts.SyntaxKind.MinusMinusToken ? "write" : "read";
  }
  return "read";
}

const isAssignment = (ts, kind) => kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;

function isSteppedThrough(ts, node) {
  const parent = node.parent;
  if ((ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)) && parent.expression === node) return true;
  if (ts.isNonNullExpression(parent) || ts.isParenthesizedExpression(parent) || ts.isAsExpression(parent)) return isSteppedThrough(ts, parent);
  return ts.isVariableDeclaration(parent) && parent.initializer === node && ts.isObjectBindingPattern(parent.name);
}

// The addresses of a member; what stands in many members of one named union is told as the union's.
function told(world, base, found, name) {
  const { addresses, values } = world;
  const each = [...new Set(found.flatMap((symbol) => addresses.of(symbol)))];
  if (each.length <= MANY) return each;
  const unions = [...(base.whole ?? []), ...base.types].filter((type) => values.parts(type).length > 1).map((type) => values.checker.getNonNullableType(type).aliasSymbol ?? type.aliasSymbol).filter((symbol) => symbol && addresses.isUpstream(symbol));
  return unions.length ? [...new Set(unions.map((symbol) => `ts:${addresses.id(symbol)}${segment(name)}`))] : each;
}

function binding(world, node) {
  const { ts, values, uses } = world;
  const name = propertyName(ts, node.propertyName ?? node.name);
  if (name === undefined) return;
  const base = values.patternSource(node.parent);
  const through = !ts.isIdentifier(node.name);
  payload(world, values.properties(base, name), node.propertyName ?? node.name, through);
  for (const address of told(world, base, values.properties(base, name), name)) uses.add(address, "read", node.propertyName ?? node.name, through ? { through: true } : {});
}

// --- what is handed over ---------------------------------------------------------------------------------------------

function literal(world, node) {
  const { ts, values, uses } = world;
  const types = fitting(world, node, values.expected(node));
  if (!types.length) return;
  const base = { types, nodes: [] };
  const hooks = isHooks(world, types);
  for (const property of node.properties) {
    if (ts.isSpreadAssignment(property)) {
      if (hooks) spread(world, property);
      continue;
    }
    const name = propertyName(ts, property.name) ?? constant(world, property.name);
    if (name === undefined) {
      if (hooks) uses.gap(property.name, "the name of this hook is computed, so it could not be told");
      continue;
    }
    const found = told(world, base, values.properties(base, name), name);
    for (const address of found) uses.add(address, hooks ? "hook" : "write", property.name);
    if (hooks && !found.length) uses.add(hookAddress(world, name), "hook", property.name);
    if (hooks && name === "tool") tools(world, values.propertyValue(property), found[0]);
  }
}

// { type: "text", ... } is one member of the union that is asked for.
function fitting(world, node, types) {
  const { ts, values, checker } = world;
  const literals = node.properties.filter((one) => ts.isPropertyAssignment(one) && ts.isStringLiteralLike(one.initializer));
  if (!literals.length) return types;
  const fits = (part, one) => {
    const symbol = checker.getPropertyOfType(part, propertyName(ts, one.name) ?? "");
    const type = symbol && checker.getTypeOfSymbol(symbol);
    return !type?.isStringLiteral() || type.value === one.initializer.text;
  };
  return types.flatMap((type) => {
    const parts = values.parts(type);
    const left = parts.filter((part) => literals.every((one) => fits(part, one)));
    return left.length && left.length < parts.length ? left : [type];
  });
}

const hookAddress = (world, name) => `ts:${world.addresses.id(world.plugins.hooks.symbol)}${segment(name)}`;

function constant(world, name) {
  if (!world.ts.isComputedPropertyName(name)) return undefined;
  const type = world.checker.getTypeAtLocation(name.expression);
  return type.isStringLiteral() ? type.value : undefined;
}

function spread(world, property) {
  const { values, uses, checker, project } = world;
  const value = values.of(property.expression);
  if (value.nodes.some((node) => node.instanceOf || world.ts.isObjectLiteralExpression(node))) return;
  const names = value.types.flatMap((type) => values.parts(type)).flatMap((type) => checker.getPropertiesOfType(type));
  for (const symbol of names) {
    const known = values.properties({ types: [world.plugins.hooks], nodes: [] }, symbol.name);
    if (known.length) uses.add(world.addresses.of(known[0])[0], "hook", property);
  }
  if (!names.length && !isNothing(world, property.expression)) uses.gap(property, `what \`...${property.expression.getText().slice(0, 60)}\` adds to the hooks could not be told`);
}

// ...(condition ? {} : undefined) adds nothing that could be missed.
function isNothing(world, node) {
  const { ts } = world;
  if (ts.isParenthesizedExpression(node)) return isNothing(world, node.expression);
  return ts.isObjectLiteralExpression(node) && node.properties.length === 0;
}

function tools(world, value, address, depth = 0) {
  const { ts, values, uses } = world;
  for (const node of value.nodes) {
    if (node.instanceOf || !ts.isObjectLiteralExpression(node)) continue;
    for (const property of node.properties) {
      if (ts.isSpreadAssignment(property)) {
        if (depth < 6) tools(world, values.of(property.expression), address, depth + 1);
        continue;
      }
      const name = propertyName(ts, property.name) ?? constant(world, property.name);
      if (name === undefined) uses.gap(property.name, "the id of this tool is computed, so it could not be told");
      else uses.add(`${address ?? hookAddress(world, "tool")}${segment(name)}`, "tool", property.name);
    }
  }
}

// Hooks["event"] in a type
function indexed(world, node) {
  const { ts, checker, values, uses } = world;
  if (!ts.isLiteralTypeNode(node.indexType) || !ts.isStringLiteral(node.indexType.literal)) return;
  const type = checker.getTypeAtLocation(node.objectType);
  if (!values.says(type)) return;
  const base = { types: [type], nodes: [] };
  const name = node.indexType.literal.text;
  for (const address of told(world, base, values.properties(base, name), name)) uses.add(address, "read", node.indexType);
}
