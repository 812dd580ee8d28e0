/** A copy of the sources type-checks in a repository that sets `strict` and nothing else, whatever its compiler. */

import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import process from "node:process";
import { after, test } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { DENO_RUNTIME, PACKAGES, REPOSITORY, succeed } from "./programs.ts";

/** Beside `strict`, what Node and imports of `.ts` files need; the declarations of Node are not what is checked. */
const COMPILER_OPTIONS = {
  strict: true,
  module: "nodenext",
  allowImportingTsExtensions: true,
  noEmit: true,
  types: ["node"],
  skipLibCheck: true,
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
for (const name of ["mod.ts", "deps.ts", "lib"]) {
  cpSync(`${REPOSITORY}${name}`, `${host}/tools/architrave/${name}`, { recursive: true });
}
mkdirSync(`${host}/node_modules`);
symlinkSync(`${REPOSITORY}node_modules/@types`, `${host}/node_modules/@types`);

for (const name of ["typescript59", "typescript", "../../../node_modules/typescript"]) {
  const folder = `${PACKAGES}${name}`;
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  test(`a copy type-checks with TypeScript ${version}`, () => {
    succeed(process.execPath, [`${folder}/bin/tsc`, "-p", "."], { cwd: host });
  });
}

test("a copy type-checks with Deno", { skip: DENO_RUNTIME.skip }, () => {
  succeed(DENO_RUNTIME.command, ["check", "--quiet", "use.ts", "tools/architrave/lib/"], { cwd: host });
});
