// Finds what a project's own source uses of its upstream packages, and writes it as JSON.
//
//   usage.mjs TYPESCRIPT_DIR JOB_FILE
//
// JOB_FILE holds {project, files, packages: {name: folder}, follow: [name], code: {name: folder}, roots, out}: the project's
// folder, its source files below it, the folders of the installed upstream packages, the packages whose members are told,
// folders of their JavaScript, the folders beside the project that may be read, the file to write.
import fs from "node:fs";
import { createRequire } from "node:module";
import { Addresses } from "./addresses.mjs";
import { Calls } from "./calls.mjs";
import { configKeys } from "./config.mjs";
import { Events } from "./events.mjs";
import { imports } from "./imports.mjs";
import { members } from "./members.mjs";
import { Plugins } from "./plugins.mjs";
import { open } from "./project.mjs";
import { Uses } from "./uses.mjs";
import { Values } from "./values.mjs";

const [typescriptDir, jobFile] = process.argv.slice(2);
const ts = createRequire(import.meta.url)(typescriptDir + "/lib/typescript.js");
const job = JSON.parse(fs.readFileSync(jobFile, "utf8"));

function look() {
  const project = open(ts, job);
  const uses = new Uses(ts, project);
  const addresses = new Addresses(ts, job, project);
  const values = new Values(ts, project, addresses);
  const world = { ts, job, project, checker: project.checker, uses, addresses, values };
  world.events = new Events(world);
  world.calls = new Calls(world);
  const plugins = new Plugins(world);
  plugins.find();
  for (const source of project.own) {
    imports(world, source);
    members(world, source);
    world.events.look(source);
    world.calls.fetches(source);
    configKeys(world, source);
  }
  return uses.result();
}

let result;
try {
  result = look();
} catch (error) {
  result = { failed: String((error && error.stack) || error).slice(0, 2000) };
}
fs.writeFileSync(job.out, JSON.stringify(result));
