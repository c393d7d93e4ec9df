// Collects what was found, once per place.
import path from "node:path";

export class Uses {
  constructor(ts, project) {
    Object.assign(this, { ts, project, rows: new Map(), gaps: new Map() });
  }

  // `more` may hold through (the value was only stepped through), exhaustive, unsure.
  add(address, kind, node, more = {}) {
    const place = this.place(node);
    const key = `${place.file}|${address}|${kind}|${place.line}:${place.column}`;
    const known = this.rows.get(key);
    if (known && known.through && !more.through) delete known.through;
    if (!known) this.rows.set(key, { address, kind, ...place, ...more });
  }

  gap(node, reason) {
    const place = this.place(node);
    this.gaps.set(`${place.file}:${place.line}:${place.column}|${reason}`, { ...place, reason });
  }

  place(node) {
    const source = node.getSourceFile();
    const { line, character } = source.getLineAndCharacterOfPosition(node.getStart(source));
    return { file: path.relative(this.project.dir, source.fileName), line: line + 1, column: character + 1 };
  }

  result() {
    for (const { file, text } of this.project.unresolved) {
      const name = path.relative(this.project.dir, file);
      this.gaps.set(`${name}|${text}`, { file: name, line: 0, column: 0, reason: `its import of ${JSON.stringify(text)} leads nowhere` });
    }
    const files = this.project.own.map((source) => path.relative(this.project.dir, source.fileName));
    return { uses: [...this.rows.values()], gaps: [...this.gaps.values()], files };
  }
}
