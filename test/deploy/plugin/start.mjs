/**
 * Runs the program for the project that the client has open, with the records of the first usual folder that it has: without
 * arguments it serves them, `hook CLIENT` answers a hook. In a project without records the server has no documents, because
 * the sample that comes with it is not a decision of the team, and a hook has no answer.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const PLACES = [
  "docs/adr",
  "docs/adrs",
  "docs/decisions",
  "docs/architecture/decisions",
  "docs/architecture/adr",
  "doc/adr",
  "doc/architecture/decisions",
  "adr",
  "decisions",
];

const here = dirname(fileURLToPath(import.meta.url));
const words = process.argv.slice(2);
const records = recordsOf(process.env.CLAUDE_PROJECT_DIR ?? "");
if (records !== undefined || words[0] !== "hook") {
  const folder = records === undefined ? ["--root", join(here, "none")] : ["--mount", `adr=${records}`];
  const args = [join(here, "architrave.mjs"), ...words, ...folder];
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code) => process.exitCode = code ?? 1);
}

/** The folder of the records; undefined without one. adr-tools keeps its place in `.adr-dir`; it must lie in the project. */
function recordsOf(place) {
  const project = realPath(place) ?? process.cwd();
  const named = realPath(join(project, ".adr-dir"));
  // A link could lead to a device, which never ends.
  const isText = named?.startsWith(project + sep) && statSync(named).isFile() && statSync(named).size < 4096;
  const places = isText ? [readFileSync(named, "utf8").trim(), ...PLACES] : PLACES;
  const folders = places.map((place) => realPath(join(project, place)));
  return folders.find((folder) => folder?.startsWith(project + sep));
}

function realPath(path) {
  return path !== "" && existsSync(path) ? realpathSync(path) : undefined;
}
