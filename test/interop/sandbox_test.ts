/** What does a client see of a folder behind a link, and what does the operator hear when the sandbox keeps it away? */

import type { Runtime } from "./runtimes.ts";
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { RUNTIMES } from "./runtimes.ts";
import { Wire } from "./wire.ts";

const skip = process.platform === "win32" ? "links need a privilege here" : false;
let folder: string;

before(() => {
  folder = realpathSync(mkdtempSync(`${tmpdir()}/architrave-interop-`));
  mkdirSync(`${folder}/real/resources/adr`, { recursive: true });
  writeFileSync(`${folder}/real/resources/adr/1-first.md`, "# First\n");
  symlinkSync(`${folder}/real`, `${folder}/link`);
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** The program on a root behind a link, in a sandbox that allows these paths. */
function behindLink(runtime: Runtime, allowed: readonly string[]): Wire {
  const launch = runtime.launch(`${folder}/link`);
  const args = launch.args.map((arg) =>
    arg.startsWith("--allow-read=")
      ? `--allow-read=${allowed.map((name) => `${folder}/${name}`).join()}`
      : arg
  );
  return new Wire({ ...launch, args });
}

for (const runtime of RUNTIMES) {
  describe(`a root behind a link on ${runtime.name}`, { skip: runtime.skip || skip }, () => {
    it("is served where it may be read", async () => {
      const wire = behindLink(runtime, ["link", "real"]);
      assert.equal((await wire.askModern("resources/list")).result.resources.length, 1);
      assert.match(
        (await wire.askModern("resources/read", { uri: "architecture://adr/1" })).result.contents[0].text,
        /First/,
      );
      await wire.close();
    });

    it("is one sentence and exit code 2 where only the link may be read", {
      skip: runtime.name !== "deno",
    }, async () => {
      const wire = behindLink(runtime, ["link"]);
      assert.equal(await wire.endInput(), 2);
      assert.match(wire.stderr, /^architrave: Cannot read the --root: [^\n]+\n$/);
    });
  });
}
