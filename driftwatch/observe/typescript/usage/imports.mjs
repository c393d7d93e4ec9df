// What is imported from the upstream's packages, by the names the import writes.
import { packageOf } from "./project.mjs";

export function imports(world, source) {
  const { ts } = world;
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) declared(world, node);
    else if (ts.isImportTypeNode(node)) typed(world, node);
    else if (ts.isCallExpression(node)) called(world, node);
    for (const comment of node.jsDoc ?? []) visit(comment);
    ts.forEachChild(node, visit);
  };
  world.project.statements(source).forEach(visit);
}

const subject = (world, text) => (world.job.packages[packageOf(text)] ? text : undefined);

function add(world, from, name, node, isType) {
  const kind = isType ? "import-type" : "import";
  const address = name ? `ts:${from}#${name}` : `ts:${from}`;
  world.uses.add(address, kind, node);
  for (const meant of name ? origin(world, node) : []) if (meant !== address) world.uses.add(meant, "import-origin", node);
}

// Where an imported name is really declared, when that is another place than it is imported from.
function origin(world, node) {
  const { ts, checker, addresses } = world;
  const symbol = checker.getSymbolAtLocation(node);
  const target = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  if (!target || !addresses.isUpstream(target)) return [];
  return addresses.of(target);
}

function declared(world, node) {
  const { ts } = world;
  const specifier = node.moduleSpecifier;
  const from = specifier && ts.isStringLiteral(specifier) ? subject(world, specifier.text) : undefined;
  if (!from) return;
  const isType = !!(node.isTypeOnly || node.importClause?.isTypeOnly);
  if (ts.isExportDeclaration(node)) {
    const names = node.exportClause && ts.isNamedExports(node.exportClause) ? node.exportClause.elements : [];
    for (const each of names) add(world, from, (each.propertyName ?? each.name).text, each.name, isType || each.isTypeOnly);
    if (!names.length) add(world, from, "", specifier, isType);
    return;
  }
  const clause = node.importClause;
  if (clause?.name) add(world, from, "default", clause.name, isType);
  const bindings = clause?.namedBindings;
  if (bindings && ts.isNamedImports(bindings)) {
    for (const each of bindings.elements) add(world, from, (each.propertyName ?? each.name).text, each.name, isType || each.isTypeOnly);
  } else if (bindings || !clause?.name) add(world, from, "", specifier, isType);
}

// import("pkg").Name in a type
function typed(world, node) {
  const { ts } = world;
  const literal = ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  const from = literal && ts.isStringLiteral(literal) ? subject(world, literal.text) : undefined;
  if (!from) return;
  let name = node.qualifier;
  while (name && ts.isQualifiedName(name)) name = name.left;
  add(world, from, name?.text ?? "", name ?? literal, true);
}

// import("pkg") and require("pkg")
function called(world, node) {
  const { ts } = world;
  const [argument] = node.arguments;
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(node.expression) && node.expression.text === "require");
  const from = isImport && argument && ts.isStringLiteralLike(argument) ? subject(world, argument.text) : undefined;
  if (from) add(world, from, "", argument, false);
}
