/**
 * Starts the server for the project that Claude Code has open, with the records of the first usual folder that it has. In
 * a project without one the server has no documents: the sample that comes with it is not a decision of the team.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
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
const project = process.env.CLAUDE_PROJECT_DIR || process.cwd();
const child = spawn(process.execPath, [join(here, "architrave.mjs"), ...folderOf(project)], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code) => process.exitCode = code ?? 1);

/** The arguments that name the folder. adr-tools keeps its place in `.adr-dir`. */
function folderOf(project) {
  const named = join(project, ".adr-dir");
  const places = existsSync(named) ? [readFileSync(named, "utf8").trim(), ...PLACES] : PLACES;
  const records = places.find((place) => place !== "" && existsSync(join(project, place)));
  if (records !== undefined) return ["--mount", `adr=${join(project, records)}`];
  return ["--root", join(here, "none")];
}
