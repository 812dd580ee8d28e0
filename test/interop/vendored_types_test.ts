/** A copy of the sources type-checks in a repository that sets `strict` and little else, whatever its compiler and libraries. */

import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import process from "node:process";
import { after, test } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { DENO_RUNTIME, PACKAGES, PROGRAM, REPOSITORY, succeed } from "./programs.ts";

/** Beside `strict`, what Node and imports of `.ts` files need. */
const COMPILER_OPTIONS = {
  strict: true,
  module: "nodenext",
  allowImportingTsExtensions: true,
  noEmit: true,
  types: ["node"],
};

const USE = `import { createServer } from "./tools/architrave/mod.ts";
createServer({ info: { name: "host", version: "1.0.0" } });
// @ts-expect-error A server has a name: the types were really read.
createServer({ info: {} });
`;

const host = makeFolder({ after }, {
  "package.json": '{ "type": "module" }',
  "use.ts": USE,
  "tsconfig.json": JSON.stringify({ compilerOptions: COMPILER_OPTIONS }),
  "deno.json": "{}",
});
const COPY = ["vendor", `${host}/tools/architrave`, "--write"];
succeed(process.execPath, ["--experimental-strip-types", "--no-warnings", PROGRAM, ...COPY]);
mkdirSync(`${host}/node_modules`);
symlinkSync(`${REPOSITORY}node_modules/@types`, `${host}/node_modules/@types`);

/** Libraries that a host may name; none are those of its target. The copy adds those of ES2024 itself, and needs none of DOM. */
const LIBRARIES = [[], ["ES2023"], ["ES2022", "DOM"], ["ES2023", "DOM", "DOM.Iterable"]];

for (const name of ["typescript59", "typescript", "../../../node_modules/typescript"]) {
  const folder = `${PACKAGES}${name}`;
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  for (const libraries of LIBRARIES) {
    test(`a copy type-checks with TypeScript ${version} and the libraries ${libraries.join(", ") || "of its target"}`, () => {
      const flags = libraries.length > 0 ? ["--lib", libraries.join(",")] : [];
      succeed(process.execPath, [`${folder}/bin/tsc`, "-p", ".", ...flags], { cwd: host });
    });
  }
}

test("a copy type-checks with Deno", { skip: DENO_RUNTIME.skip }, () => {
  succeed(DENO_RUNTIME.command, ["check", "--quiet", "use.ts", "tools/architrave/lib/"], { cwd: host });
});
