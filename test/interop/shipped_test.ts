/** What ships holds no other package, says so in its bill of materials, and comes out the same wherever it is built. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import typescript from "typescript";
import { makeFolder } from "../harness/folder.ts";
import { environment, REPOSITORY } from "./programs.ts";

/** What a build reads. */
const SOURCES = [
  ".ci",
  "lib",
  "mcp",
  "test/deploy",
  "deps.ts",
  "mod.ts",
  "package.json",
  "tsconfig.build.json",
];
SOURCES.push("tsconfig.json", "CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md");

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`).sort();

function run(cwd: string, env: Record<string, string>, command: string, ...args: string[]): string {
  const path = `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`;
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { ...environment(), PATH: path, ...env },
    encoding: "utf8",
    timeout: 120_000,
  });
  assert.equal(status, 0, `${command} ${args.join(" ")}\n${stdout}${stderr}`);
  return stdout;
}

/** Builds the package, the single file and the files of other channels in a copy of the sources. */
function build(folder: string, touched: Date, umask: number, env: Record<string, string>): string {
  mkdirSync(folder, { recursive: true });
  for (const name of SOURCES) cpSync(`${REPOSITORY}${name}`, `${folder}/${name}`, { recursive: true });
  for (const file of filesOf(folder)) {
    utimesSync(file, touched, touched);
    chmodSync(file, 0o666 & ~umask);
  }
  symlinkSync(`${REPOSITORY}node_modules`, `${folder}/node_modules`);
  const node = process.execPath;
  run(
    folder,
    env,
    "sh",
    "-c",
    `umask ${umask.toString(8)}; npm pack --silent && "${node}" .ci/bundle.mjs made --channels`,
  );
  return folder;
}

const top = makeFolder({ after });
const [one, other] = [
  build(`${top}/one`, new Date("2001-02-03"), 0o022, { TZ: "UTC", LANG: "C" }),
  build(`${top}/another folder/ü`, new Date(), 0o077, { TZ: "Asia/Tokyo", LANG: "tr_TR.UTF-8" }),
];
const archive = `${one}/architrave-${JSON.parse(readFileSync(`${one}/package.json`, "utf8")).version}.tgz`;

test("two builds in different folders, at different times, give the same bytes", () => {
  const digests = (folder: string) => {
    const files = [...filesOf(`${folder}/made`), archive.replace(one, folder)];
    return files.map((file) =>
      [file.slice(folder.length), createHash("sha256").update(readFileSync(file)).digest("hex")].join(" ")
    );
  };
  const found = digests(one);
  for (const name of ["architrave.mjs", "architrave.d.mts", "architrave.mcpb", "plugin/", ".tgz"]) {
    assert.ok(found.some((line) => line.includes(name)), name);
  }
  assert.deepEqual(digests(other), found);
});

test("the bill of materials is valid CycloneDX and empty, as npm finds the installed package", async () => {
  const folder = `${top}/installed`;
  mkdirSync(folder);
  run(folder, {}, "npm", "init", "-y");
  run(folder, {}, "npm", "install", "--silent", "--offline", "--no-audit", "--no-fund", archive);
  const text = readFileSync(`${folder}/node_modules/architrave/dist/sbom.cdx.json`, "utf8");
  assert.equal(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text), null);
  const { components, metadata: { component } } = JSON.parse(text);
  assert.deepEqual(components, []);
  const found = JSON.parse(run(folder, {}, "npm", "sbom", "--omit", "dev", "--sbom-format", "cyclonedx"));
  assert.deepEqual(found.components.map(({ purl }: { purl: string }) => purl.split("?")[0]), [
    component.purl,
  ]);
});

test("the installed package imports its own files and the runtime's modules only", () => {
  const files = filesOf(`${top}/installed/node_modules/architrave/dist`).filter((file) => /\.js$/.test(file));
  const found = [...files, `${one}/made/architrave.mjs`].flatMap((file) =>
    typescript.preProcessFile(readFileSync(file, "utf8")).importedFiles.map(({ fileName }) => fileName)
  );
  assert.ok(found.length > 500, `${found.length} imports`);
  assert.deepEqual(found.filter((specifier) => !/^(?:\.{1,2}\/|node:)/.test(specifier)), []);
});
