/**
 * Starts the server for the project that Claude Code has open, with the records of the first usual folder that it has. In
 * a project without one the server has no documents: the sample that comes with it is not a decision of the team.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
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
const args = [join(here, "architrave.mjs"), ...folderOf(process.env.CLAUDE_PROJECT_DIR ?? "")];
const child = spawn(process.execPath, args, { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code) => process.exitCode = code ?? 1);

/** The arguments that name the folder. adr-tools keeps its place in `.adr-dir`; it must lie in the project. */
function folderOf(place) {
  const project = realPath(place) ?? process.cwd();
  const named = join(project, ".adr-dir");
  const places = existsSync(named) ? [readFileSync(named, "utf8").trim(), ...PLACES] : PLACES;
  const folders = places.map((place) => realPath(join(project, place)));
  const records = folders.find((folder) => folder?.startsWith(project + sep));
  return records === undefined ? ["--root", join(here, "none")] : ["--mount", `adr=${records}`];
}

function realPath(path) {
  return path !== "" && existsSync(path) ? realpathSync(path) : undefined;
}
