// Finds the functions the host calls, and tells what the host expects of them, of what they return and of what is in there.
//
// A plugin is what a declaration says is one (`const x: Plugin`, `satisfies Hooks`), a module `{id, server}`, `{id, tui}` or
// `{id, setup}`, or an exported function that returns an object with the names of hooks.
import { propertyName } from "./syntax.mjs";

const ROUNDS = 6;
const MODULE_KEYS = { server: ["Plugin", ""], tui: ["TuiPlugin", "/tui"], setup: ["Plugin", "/v2/promise"] };

export class Plugins {
  constructor(world) {
    Object.assign(this, world);
    world.plugins = this;
    this.types = this.exported();
    this.plugin = this.types.get("Plugin")?.find((type) => this.hooksOf(type));
    this.hooks = this.plugin && this.hooksOf(this.plugin);
    this.classes = new Map();
  }

  // The named types the upstream exports, by name; those of the root entry first.
  exported() {
    const { ts, checker } = this;
    const found = new Map();
    for (const row of this.addresses.names) {
      for (const { entry, file } of row.entries) {
        const source = this.project.program.getSourceFile(file);
        const module = source && checker.getSymbolAtLocation(source);
        for (const symbol of module ? checker.getExportsOfModule(module) : []) {
          if (!["Plugin", "PluginModule", "TuiPlugin", "TuiPluginModule", "ToolDefinition"].includes(symbol.name)) continue;
          const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
          const type = checker.getDeclaredTypeOfSymbol(target);
          type.useEntry ??= entry;
          found.get(symbol.name)?.push(type) ?? found.set(symbol.name, [type]);
        }
      }
    }
    return found;
  }

  hooksOf(type) {
    const result = this.values.results(type)[0];
    return result && this.checker.getAwaitedType(result);
  }

  typeFor(key) {
    const [name, entry] = MODULE_KEYS[key];
    const list = this.types.get(name) ?? [];
    const type = list.find((one) => one.useEntry === entry);
    if (!type || key !== "setup") return type;
    const setup = this.checker.getPropertyOfType(type, "setup");
    return setup && this.checker.getTypeOfSymbol(setup);
  }

  find() {
    for (let round = 0; round < ROUNDS; round += 1) {
      this.news = false;
      this.pushed = new Map();
      for (const source of this.project.own) {
        this.exports(source);
        if (this.values.isTyped(source)) this.typed(source);
      }
      if (!this.news) break;
      this.values.forget();
    }
    for (const [node, type] of this.classes) this.classHooks(node, type);
  }

  // --- where plugins stand -------------------------------------------------------------------------------------------

  exports(source) {
    const { ts, checker } = this;
    const module = checker.getSymbolAtLocation(source);
    for (const symbol of module ? checker.getExportsOfModule(module) : []) {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      if (!target.declarations?.some((d) => this.project.isOwn(d.getSourceFile().fileName))) continue;
      this.candidate(this.values.ofSymbol(target), symbol.name === "default");
    }
    // module.exports = ...
    for (const each of this.values.assignments.get("exports") ?? []) {
      if (each.getSourceFile() === source && each.left.getText() === "module.exports") this.candidate(this.values.of(each.right), true);
    }
  }

  candidate(value, isDefault) {
    const { ts } = this;
    for (const node of value.nodes) {
      if (node.instanceOf) continue;
      if (ts.isObjectLiteralExpression(node)) this.module(node, isDefault);
      else if (ts.isFunctionLike(node) && this.plugin && this.returnsHooks(node, isDefault)) this.push({ nodes: [node], types: [] }, this.plugin);
    }
  }

  // export default { id, server }
  module(literal, isDefault) {
    if (!isDefault && !this.keys(literal).includes("id")) return;
    for (const key of Object.keys(MODULE_KEYS)) {
      const value = this.values.memberOf(literal, key);
      const type = this.typeFor(key);
      const isFunction = value.nodes.some((node) => !node.instanceOf && this.ts.isFunctionLike(node));
      if (type && isFunction) this.push(value, type);
    }
  }

  // The names of hooks among the keys of what it returns; a default export is given more credit.
  returnsHooks(node, isDefault) {
    const { ts } = this;
    const literals = this.values.returned(node).nodes.filter((one) => !one.instanceOf && ts.isObjectLiteralExpression(one));
    const keys = literals.flatMap((one) => this.keys(one));
    const known = keys.filter((key) => this.checker.getPropertyOfType(this.hooks, key));
    return known.length > 0 && (isDefault || known.some((key) => key.includes(".")) || known.length === keys.length);
  }

  keys(literal, depth = 0) {
    const { ts } = this;
    return literal.properties.flatMap((property) => {
      if (!ts.isSpreadAssignment(property)) return [propertyName(ts, property.name) ?? ""];
      const inside = depth > 4 ? [] : this.values.of(property.expression).nodes;
      return inside.filter((one) => !one.instanceOf && ts.isObjectLiteralExpression(one)).flatMap((one) => this.keys(one, depth + 1));
    });
  }

  // Functions whose declared return type is the hooks object.
  typed(source) {
    const { ts, checker } = this;
    const visit = (node) => {
      if (ts.isFunctionLike(node) && node.body) {
        const wanted = node.type ? [checker.getTypeAtLocation(node.type)] : this.values.expected(node).flatMap((type) => this.values.results(type));
        for (const type of wanted) {
          const hooks = checker.getAwaitedType(type) ?? type;
          if (this.isHooks(hooks)) this.push(this.values.returned(node), hooks);
        }
      }
      ts.forEachChild(node, visit);
    };
    this.project.statements(source).forEach(visit);
  }

  isHooks(type) {
    return !!this.hooks && (type === this.hooks || (type.symbol && type.symbol === this.hooks.symbol));
  }

  // --- what is expected of them --------------------------------------------------------------------------------------

  // `type` is asked of everything the value may be, and of what is inside.
  push(value, type, depth = 0) {
    if (!type || !this.values.says(type) || depth > 12) return;
    for (const node of value.nodes) {
      if (this.seen(node, type)) continue;
      if (node.instanceOf) this.pushClass(node.instanceOf, type, depth);
      else if (this.ts.isObjectLiteralExpression(node)) this.pushLiteral(node, type, depth);
      else if (this.ts.isFunctionLike(node)) this.pushFunction(node, type, depth);
    }
  }

  seen(node, type) {
    const known = this.pushed.get(node);
    if (known?.has(type)) return true;
    if (known) known.add(type);
    else this.pushed.set(node, new Set([type]));
    return false;
  }

  expect(node, type) {
    if (this.values.expectOf(node, type)) this.news = true;
  }

  pushLiteral(node, type, depth) {
    const { ts } = this;
    this.expect(node, type);
    for (const property of node.properties) {
      if (ts.isSpreadAssignment(property)) this.push(this.values.of(property.expression), type, depth + 1);
      else this.pushMember(property, propertyName(ts, property.name), type, depth);
    }
  }

  pushMember(property, name, type, depth) {
    if (name === undefined) return;
    const { ts, values } = this;
    for (const wanted of this.memberTypes(type, name)) {
      this.push(values.propertyValue(property), wanted, depth + 1);
      if (ts.isPropertyAssignment(property)) this.wrapped(property.initializer, wanted, depth);
    }
  }

  memberTypes(type, name) {
    const found = this.values.member({ types: [type], nodes: [] }, name).types;
    return found.length ? found : this.values.values([type]);
  }

  // event: guarded(async ({ event }) => ...): what is wrapped is the hook all the same.
  wrapped(node, type, depth) {
    const { ts, values } = this;
    if (!ts.isCallExpression(node) || !values.results(type).length) return;
    if (values.of(node.expression).types.length) return;
    for (const argument of node.arguments) if (ts.isFunctionLike(argument)) this.push(values.of(argument), type, depth + 1);
  }

  pushFunction(node, type, depth) {
    this.expect(node, type);
    for (const result of this.values.results(type)) {
      const awaited = this.checker.getAwaitedType(result) ?? result;
      if (!(awaited.flags & this.ts.TypeFlags.VoidLike)) this.push(this.values.returned(node), awaited, depth + 1);
    }
  }

  pushClass(node, type, depth) {
    if (this.isHooks(type)) this.classes.set(node, type);
    for (const member of node.members) {
      const name = propertyName(this.ts, member.name);
      if (name === undefined) continue;
      for (const wanted of this.memberTypes(type, name)) {
        if (this.ts.isMethodDeclaration(member)) this.push({ nodes: [member], types: [] }, wanted, depth + 1);
        else if (member.initializer) this.push(this.values.of(member.initializer), wanted, depth + 1);
      }
    }
  }

  // A class has members of its own; only those the host knows by name are hooks.
  classHooks(node, type) {
    for (const member of node.members) {
      const name = propertyName(this.ts, member.name);
      const symbol = name !== undefined && this.checker.getPropertyOfType(type, name);
      if (symbol) for (const address of this.addresses.of(symbol)) this.uses.add(address, "hook", member.name);
    }
  }
}
