/** A copy of the sources works inside another repository, whatever that says of itself and wherever it is started from. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { writeFiles } from "../harness/folder.ts";
import { command, ON_DENO, REPOSITORY, run } from "../harness/program.ts";
import {
  COMMONJS,
  compileHost,
  copySources,
  makeHost,
  MARKED,
  SOURCE_FLAGS,
  tryInHosts,
  tryOut,
  unavailable,
} from "./hosts.ts";

tryInHosts("a copy", copySources, SOURCE_FLAGS, false);

const ON_WINDOWS = process.platform === "win32";

test(
  "the commands of the guideline make a copy that works, and check it",
  { skip: ON_WINDOWS },
  async (t) => {
    const guideline = readFileSync(`${REPOSITORY}/mcp/resources/guidelines/running.md`, "utf8");
    const [, section] = /^## A copy in your repository\n([\s\S]*?)^## /m.exec(guideline) ?? [];
    const [, commands] = /^```sh\n([\s\S]*?)^```/m.exec(section!) ?? [];
    const host = makeHost(t, COMMONJS);
    symlinkSync(REPOSITORY, `${dirname(host)}/architrave`);
    const [runtime, flags] = command([], {
      runtimeFlags: [...SOURCE_FLAGS, ...ON_DENO ? ["--allow-write=tools"] : []],
      module: "",
    });
    const start = [runtime, ...flags].join(" ");
    const local = commands!.replaceAll(/npx -y deno run .*?(?=\S*mod\.ts)/g, () => start);
    const { status, stdout, stderr } = spawnSync("sh", ["-ec", local], { cwd: host, encoding: "utf8" });
    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(
      stdout,
      /^created tools\/architrave\/mod\.ts [^]*\n\d+ files as copied: architrave [^\n]+\n$/m,
    );
    // The options for the compiler are enough.
    const [, options] = /^```json\n([\s\S]*?)^```/m.exec(section!) ?? [];
    writeFiles(host, {
      "tsconfig.json": options!,
      "src/main.mts": 'export * from "../tools/architrave/mod.ts";\n',
    });
    if (!unavailable) compileHost(host);
    writeFiles(`${host}/tools/architrave`, MARKED);
    await tryOut(`${host}/tools/architrave/mod.ts`, "/");
  },
);

test("a copy works without a package.json of its own where none says that it is something else", async (t) => {
  const host = makeHost(t, {});
  const module = copySources(`${host}/tools/architrave`, {});
  await tryOut(module, host);
  writeFiles(host, { "package.json": '{ "type": "module" }' });
  await tryOut(module, host);
});

/** What Node says of copies that it cannot run, which the README explains: the folder of a copy, and its other files. */
const ERRORS: Readonly<Record<string, readonly [string, Record<string, string> | undefined, RegExp]>> = {
  "whose package.json was forgotten": [
    "tools/architrave",
    {},
    /set "type": "module" in the nearest package\.json[^]*SyntaxError: Unexpected token 'export'/,
  ],
  "below node_modules": ["node_modules/architrave", undefined, /ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING/],
};
for (const [name, [folder, files, message]] of Object.entries(ERRORS)) {
  test(`a copy ${name} is an error on Node that says what to do`, { skip: ON_DENO }, async (t) => {
    const module = copySources(`${makeHost(t, COMMONJS)}/${folder}`, files);
    const { code, output, errors } = await run(["list"], "", { module, runtimeFlags: SOURCE_FLAGS });
    assert.deepEqual([code, output], [1, ""]);
    assert.match(errors, message);
  });
}
