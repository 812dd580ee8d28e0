/** What ships holds no other package, says so in its bill of materials, and comes out the same wherever it is built. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, utimesSync } from "node:fs";
import process from "node:process";
import { after, test } from "node:test";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import typescript from "typescript";
import { examplesOf, programsOf } from "../harness/examples.ts";
import { filesOf, makeFolder, writeFiles } from "../harness/folder.ts";
import { handshake } from "../harness/program.ts";
import { PACKAGES, REPOSITORY, succeed } from "./programs.ts";

/** What a build reads. */
const SOURCES = [
  ...[
    ".ci",
    "lib",
    "mcp",
    "test/deploy",
    "deps.ts",
    "mod.ts",
    "package.json",
    "tsconfig.build.json",
  ],
  ...["tsconfig.json", "CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md"],
];

/** Builds the package, the single file and the files of other channels in a copy of the sources. */
function build(
  folder: string,
  touched: Date,
  umask: number,
  env: Record<string, string>,
): string {
  mkdirSync(folder, { recursive: true });
  for (const name of SOURCES) {
    cpSync(`${REPOSITORY}${name}`, `${folder}/${name}`, { recursive: true });
  }
  for (const file of filesOf(folder).map((path) => `${folder}/${path}`)) {
    utimesSync(file, touched, touched);
    chmodSync(file, 0o666 & ~umask);
  }
  symlinkSync(`${REPOSITORY}node_modules`, `${folder}/node_modules`);
  const commands = `npm pack --silent && "${process.execPath}" .ci/bundle.mjs made --channels`;
  succeed("sh", ["-c", `umask ${umask.toString(8)}; ${commands}`], {
    cwd: folder,
    env,
  });
  return folder;
}

const top = makeFolder({ after });
const [one, other] = [
  build(`${top}/one`, new Date("2001-02-03"), 0o022, { TZ: "UTC", LANG: "C" }),
  build(`${top}/another folder/ü`, new Date(), 0o077, {
    TZ: "Asia/Tokyo",
    LANG: "tr_TR.UTF-8",
  }),
];
const archive = `architrave-${JSON.parse(readFileSync(`${one}/package.json`, "utf8")).version}.tgz`;

test("two builds in different folders, at different times, give the same bytes", () => {
  const digests = (folder: string) =>
    [...filesOf(`${folder}/made`).map((file) => `made/${file}`), archive].map((
      file,
    ) =>
      `${file} ${
        createHash("sha256").update(readFileSync(`${folder}/${file}`)).digest(
          "hex",
        )
      }`
    );
  const found = digests(one);
  for (
    const name of [
      "architrave.mjs",
      "architrave.d.mts",
      "architrave.mcpb",
      "plugin/",
      ".tgz",
    ]
  ) {
    assert.ok(found.some((line) => line.includes(name)), name);
  }
  assert.deepEqual(digests(other), found);
});

test("the bill of materials is valid CycloneDX and empty, as npm finds the installed package", async () => {
  const folder = `${top}/installed`;
  mkdirSync(folder);
  const npm = (...args: string[]) => succeed("npm", args, { cwd: folder });
  npm("init", "-y");
  npm(
    "install",
    "--silent",
    "--offline",
    "--no-audit",
    "--no-fund",
    `${one}/${archive}`,
  );
  const text = readFileSync(
    `${folder}/node_modules/architrave/dist/sbom.cdx.json`,
    "utf8",
  );
  assert.equal(
    await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(
      text,
    ),
    null,
  );
  const { components, metadata: { component } } = JSON.parse(text);
  assert.deepEqual(components, []);
  const found = JSON.parse(
    npm("sbom", "--omit", "dev", "--sbom-format", "cyclonedx"),
  );
  assert.deepEqual(
    found.components.map(({ purl }: { purl: string }) => purl.split("?")[0]),
    [
      component.purl,
    ],
  );
});

test("the installed package imports its own files and the runtime's modules only", () => {
  const dist = `${top}/installed/node_modules/architrave/dist`;
  const files = filesOf(dist).filter((file) => /\.js$/.test(file)).map((file) => `${dist}/${file}`);
  const found = [...files, `${one}/made/architrave.mjs`].flatMap((file) =>
    typescript.preProcessFile(readFileSync(file, "utf8")).importedFiles.map((
      { fileName },
    ) => fileName)
  );
  assert.ok(found.length > 500, `${found.length} imports`);
  assert.deepEqual(
    found.filter((specifier) => !/^(?:\.{1,2}\/|node:)/.test(specifier)),
    [],
  );
});

test("a program that installs the package as the guideline says compiles and runs word for word", () => {
  const guideline = "mcp/resources/guidelines/library.md";
  const [manifest] = examplesOf(guideline).filter(({ language }) => language === "json");
  const folder = `${top}/program`;
  mkdirSync(`${top}/architrave`);
  cpSync(`${one}/${archive}`, `${top}/architrave/${archive}`);
  const compilerOptions = {
    module: "nodenext",
    strict: true,
    noEmit: true,
    lib: ["es2023"],
    types: ["node"],
  };
  writeFiles(folder, {
    "package.json": manifest!.text,
    "tsconfig.json": JSON.stringify({ compilerOptions, include: ["*.ts"] }),
    "wrong.ts": `import { createServer } from "@architrave/architrave";
// @ts-expect-error A server has a name: the types were really read.
export const wrong = () => createServer({ info: {} });\n`,
  });
  const programs = programsOf(guideline);
  for (const [index, text] of programs.entries()) {
    writeFiles(folder, { [`program${index}.ts`]: text });
  }
  succeed("npm", [
    "install",
    "--silent",
    "--offline",
    "--no-audit",
    "--no-fund",
  ], { cwd: folder });
  // The declarations of Node, and no others: not those of DOM.
  symlinkSync(
    `${REPOSITORY}node_modules/@types`,
    `${folder}/node_modules/@types`,
  );
  for (
    const name of [
      "typescript59",
      "typescript",
      "../../../node_modules/typescript",
    ]
  ) {
    succeed(process.execPath, [`${PACKAGES}${name}/bin/tsc`, "-p", "."], {
      cwd: folder,
    });
  }
  const messages = [{
    method: "initialize",
    id: 1,
    params: handshake("2025-11-25"),
  }, {
    method: "tools/call",
    id: 2,
    params: { name: "shout", arguments: { text: "hi" } },
  }];
  const input = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  const index = programs.findIndex((text) => text.includes('"shout"'));
  const flags = ["--experimental-strip-types", "--no-warnings"];
  const output = succeed(process.execPath, [...flags, `program${index}.ts`], {
    cwd: folder,
    input,
  });
  const [, called] = output.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(called.result, { content: [{ type: "text", text: "HI" }] });
});
