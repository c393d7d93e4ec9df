// Reads the declarations of installed packages and writes their facts as JSON.
//
//   engine.mjs TYPESCRIPT_DIR JOBS_FILE EXPECTED_FILE
//
// JOBS_FILE is a JSON list of {root, name, follow, out}: the folder of one installed package, its name, the packages whose
// types are followed into (its own and those that move with it) and the file to write. One process serves many jobs, so that
// start-up and the parsing of shared files are paid once. It may appear late: until it does the language's own files are read,
// then those of the folders that EXPECTED_FILE lists, a line each: packages that will be needed wherever they are laid out.
// A folder may be listed before it is there.
import fs from "node:fs";
import { createRequire } from "node:module";
import { entriesOf } from "./entries.mjs";
import { Loader } from "./program.mjs";
import { walk } from "./walk.mjs";

const [typescriptDir, jobsFile, expectedFile] = process.argv.slice(2);
const ts = createRequire(import.meta.url)(typescriptDir + "/lib/typescript.js");
const loader = new Loader(ts);

if (!fs.existsSync(jobsFile)) loader.prepare();
const nobody = new Int32Array(new SharedArrayBuffer(4));
while (!fs.existsSync(jobsFile)) {
  const folders = expectedFile && fs.existsSync(expectedFile) ? fs.readFileSync(expectedFile, "utf8").split("\n") : [];
  if (!loader.expect(folders)) Atomics.wait(nobody, 0, 0, 2);
}
const jobs = JSON.parse(fs.readFileSync(jobsFile, "utf8"));
for (const job of jobs) {
  let result;
  try {
    const { entries, gaps } = entriesOf(job.root);
    result = walk(ts, job, entries, loader.load(job, entries));
    result.entries = entries.map((entry) => entry.entry);
    result.gaps = [...gaps, ...result.gaps];
  } catch (error) {
    result = { failed: String((error && error.stack) || error).slice(0, 2000) };
  }
  fs.writeFileSync(job.out + ".part", JSON.stringify(result));
  fs.renameSync(job.out + ".part", job.out); // whole: it is read while the next job is done
  result = undefined;
  if (job === jobs.at(-1)) break;
  loader.forget(job);
  if (process.memoryUsage().rss > 400 * 1024 * 1024) globalThis.Bun?.gc(true);
}
