// Which operations of the host's API are called: through the client, or by hand.
import fs from "node:fs";
import path from "node:path";

const METHODS = ["get", "put", "post", "delete", "patch", "head", "options"];
const OURS = /server|base|host|origin|opencode|api|url|endpoint/i;

export class Calls {
  constructor(world) {
    Object.assign(this, world);
    this.world = world;
    this.sources = new Map();
  }

  // A method of a client class is the operation that the JavaScript beside its declaration asks for.
  made(node, symbols) {
    const operations = symbols.flatMap((symbol) => symbol.declarations ?? []).map((declaration) => this.operation(declaration)).filter(Boolean);
    const asked = operations.length ? operations : [this.asked(node.parent)].filter(Boolean);
    for (const operation of asked) this.uses.add(operation, "call", node.name ?? node);
  }

  operation(declaration) {
    const { ts } = this;
    const holder = declaration.parent;
    if (!ts.isMethodDeclaration(declaration) || !ts.isClassDeclaration(holder) || !holder.name) return undefined;
    const file = declaration.getSourceFile().fileName;
    const table = this.table(file);
    return table?.get(`${holder.name.text}.${declaration.name.getText()}`);
  }

  table(file) {
    if (!this.sources.has(file)) this.sources.set(file, this.read(file));
    return this.sources.get(file);
  }

  read(file) {
    const { ts } = this;
    const owner = this.addresses.owner(file);
    const at = file.lastIndexOf(`/node_modules/${owner}/`);
    const folder = this.job.code[owner];
    if (!owner || !folder || at < 0) return undefined;
    const script = path.join(folder, file.slice(at + `/node_modules/${owner}/`.length).replace(/\.d\.([cm]?)ts$/, ".$1js"));
    if (!fs.existsSync(script)) return undefined;
    const source = ts.createSourceFile(script, fs.readFileSync(script, "utf8"), ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS);
    const found = new Map();
    const visit = (node) => {
      if (ts.isClassLike(node) && node.name) this.classOf(node, found);
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  }

  classOf(node, found) {
    const { ts } = this;
    for (const member of node.members) {
      if (!ts.isMethodDeclaration(member) || !member.body) continue;
      const visit = (inner) => {
        const asked = ts.isCallExpression(inner) && this.asked(inner);
        if (asked) found.set(`${node.name.text}.${member.name.getText()}`, asked);
        else ts.forEachChild(inner, visit);
      };
      visit(member.body);
    }
  }

  // client.post({ url: "/session/{id}" }), client.get.sse({ url })
  asked(call) {
    const { ts } = this;
    const names = [];
    for (let at = call.expression; ts.isPropertyAccessExpression(at); at = at.expression) names.push(at.name.text);
    const method = names.slice(0, 2).find((name) => METHODS.includes(name));
    const [options] = call.arguments;
    if (!method || !options || !ts.isObjectLiteralExpression(options)) return undefined;
    const url = options.properties.find((property) => ts.isPropertyAssignment(property) && property.name.getText() === "url");
    if (!url || !ts.isStringLiteralLike(url.initializer) || !url.initializer.text.startsWith("/")) return undefined;
    return address(method, url.initializer.text.replace(/[{][^{}]*[}]/g, "{}"));
  }

  // A client nobody could give a type to, asked for a path by hand.
  untyped(node) {
    const call = node.parent;
    if (!this.ts.isCallExpression(call) || call.expression !== node) return;
    const asked = /this\._?client\b/.test(node.expression.getText()) ? undefined : this.asked(call); // else a bundled client
    if (asked) this.uses.add(asked, "call", node.name ?? node, { unsure: true });
  }

  // --- fetch ---------------------------------------------------------------------------------------------------------

  fetches(source) {
    const { ts } = this;
    const visit = (node) => {
      if (ts.isCallExpression(node) && node.arguments[0] && this.isFetch(node.expression)) this.fetched(node);
      ts.forEachChild(node, visit);
    };
    this.project.statements(source).forEach(visit);
  }

  isFetch(node) {
    const { ts } = this;
    if (ts.isIdentifier(node)) return /^\w*fetch$/i.test(node.text);
    return ts.isPropertyAccessExpression(node) && /^fetch$/i.test(node.name.text);
  }

  fetched(call) {
    const target = this.target(call.arguments[0]);
    if (!target) return;
    const { path: where, sure } = target;
    this.uses.add(address(this.method(call.arguments[1]), where), "call", call, sure ? {} : { unsure: true });
  }

  method(init) {
    const { ts } = this;
    const literal = init && this.values.of(init).nodes.find((node) => !node.instanceOf && ts.isObjectLiteralExpression(node));
    const property = literal?.properties.find((one) => ts.isPropertyAssignment(one) && one.name.getText() === "method");
    if (!property) return "GET";
    return ts.isStringLiteralLike(property.initializer) ? property.initializer.text : "*";
  }

  // The path of a URL that leads to the host: `${base}/session/${id}`, new URL("/session", base), base + "/session".
  target(node) {
    const { ts } = this;
    if (ts.isNewExpression(node) && node.expression.getText() === "URL" && node.arguments?.[0]) {
      const inner = this.text(node.arguments[0]);
      if (!node.arguments[1]) return this.split(inner);
      return inner?.startsWith("/") ? { path: clean(inner), sure: this.isOurs(node.arguments[1]) } : undefined;
    }
    this.base = undefined;
    return this.split(this.text(node), this.base);
  }

  split(text) {
    if (!text) return undefined;
    const local = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\]|\{\})(:(\d+|\{\}))?(\/.*)$/.exec(text);
    if (local) return { path: clean(local[4]), sure: true };
    const ours = !!this.base && this.isOurs(this.base);
    if (ours && /^\{\}[a-z]/i.test(text)) return { path: clean("/" + text.slice(2)), sure: true }; // a URL ends with its slash
    if (/^\{\}\/[a-z]/i.test(text)) return { path: clean(text.slice(2)), sure: ours };
    return undefined;
  }

  isOurs(node) {
    const types = this.values.of(node).types;
    return OURS.test(node.getText()) || types.some((type) => type.symbol?.name === "URL");
  }

  // A string with {} for every part that is not known.
  text(node) {
    const { ts } = this;
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isTemplateExpression(node)) {
      if (!node.head.text) this.base = node.templateSpans[0].expression;
      return node.head.text + node.templateSpans.map((span) => this.part(span.expression) + span.literal.text).join("");
    }
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
      const left = this.text(node.left) ?? this.part(node.left);
      if (left === "{}") this.base ??= node.left;
      return left + (this.text(node.right) ?? this.part(node.right));
    }
    if (ts.isIdentifier(node)) {
      const declaration = this.values.symbolOf(node)?.declarations?.[0];
      if (declaration && ts.isVariableDeclaration(declaration) && declaration.initializer && declaration.parent.flags & ts.NodeFlags.Const) return this.text(declaration.initializer);
    }
    return undefined;
  }

  part(node) {
    const text = this.ts.isIdentifier(node) ? this.text(node) : undefined;
    return text !== undefined && /^(https?:\/\/|\/)/.test(text) ? text : "{}";
  }
}

const clean = (text) => text.replace(/[?#].*$/, "").replace(/(?<=.)\/$/, "");

const address = (method, where) => `http:${method.toUpperCase()} ${where}`;
