// From the exports of a package to every definition they reach.
import { Names, exportsOf, symbolName } from "./names.mjs";
import { Serialiser } from "./serialise.mjs";

const MAX_DEFINITIONS = 20000;
const TIDY = 128; // definitions after which a large process looks for garbage: working types out leaves much of it
const LARGE = 500 * 1024 * 1024;

// {definitions: [...], exports: [{address, of}], gaps: [{entry|id, reason}]}
export function walk(ts, job, entries, loaded) {
  const names = new Names(ts, job, entries, loaded);
  const gaps = [];
  const queue = [];
  const seen = new Set();
  const follow = new Set(job.follow);
  const reach = (symbol) => {
    if (seen.has(symbol)) return;
    seen.add(symbol);
    const owner = names.ownerOf(symbol);
    if (owner && (follow.has(owner.name) || job.follow === undefined && owner.name !== "@lib")) queue.push(symbol);
  };
  const serialiser = new Serialiser(ts, names, loaded, reach, gaps, (name) => follow.has(name));
  const exported = [];
  for (const row of names.exports) {
    if (row.missing) {
      gaps.push({ entry: row.entry, reason: row.missing });
      continue;
    }
    exported.push({ address: row.address, of: names.id(row.symbol) });
    reach(row.symbol);
  }
  const definitions = [];
  for (let i = 0; i < queue.length; i += 1) {
    if (definitions.length >= MAX_DEFINITIONS) {
      gaps.push({ entry: "", reason: `more than ${MAX_DEFINITIONS} definitions; the rest was not read` });
      break;
    }
    const definition = serialiser.definition(queue[i]);
    if (definition) definitions.push(definition);
    if (i % TIDY === TIDY - 1 && process.memoryUsage().rss > LARGE) globalThis.Bun?.gc(true);
  }
  definitions.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  exported.sort((a, b) => (a.address < b.address ? -1 : 1));
  return { definitions, exports: exported, gaps };
}
