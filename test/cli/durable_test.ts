/** What a command writes is on the disk before anything that depends on it, so that a power cut leaves all or nothing. */

import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { test } from "node:test";
import { cli } from "../harness/command.ts";
import { filesIn, makeFolder } from "../harness/folder.ts";
import { ON_DENO } from "../harness/runtime.ts";

const ACCEPTED = "# X\n\n## Status\n\nAccepted\n";
const FILES = {
  "0001-a.md": ACCEPTED,
  "0002-b.md": ACCEPTED,
  "0003-c.md": "# X\n\n## Status\n\nProposed\n\nSupersedes [1. X](0001-a.md)\n",
};
const SKIP = { skip: ON_DENO && "the modules of Deno keep the functions that they began with" };

type Call = (...given: unknown[]) => unknown;

/** Runs a command while each call of the file system is told; `told` may throw instead of it. */
async function traced(line: string, folder: string, told: (name: string, path: string) => void) {
  const all = fs as unknown as Record<string, Call>;
  const names = ["openSync", "fsyncSync", "renameSync", "linkSync", "rmSync"];
  const real = names.map((name) => [name, all[name]!] as const), paths = new Map<unknown, string>();
  for (const [name, call] of real) {
    all[name] = (...given) => {
      const isMove = name === "renameSync" || name === "linkSync";
      told(name, name === "fsyncSync" ? paths.get(given[0])! : String(given[isMove ? 1 : 0]));
      const result = call(...given);
      if (name === "openSync") paths.set(result, String(given[0]));
      return result;
    };
  }
  syncBuiltinESMExports();
  try {
    return await cli(`${line} --write`, folder);
  } finally {
    for (const [name, call] of real) all[name] = call;
    syncBuiltinESMExports();
  }
}

test(
  "texts and the journal are on the disk before a record changes, and the record before the journal goes",
  SKIP,
  async (t) => {
    for (const line of ["supersede 1 2", "status 3 accepted", "new C", "status 1 rejected"]) {
      const folder = makeFolder(t, FILES), events: string[] = [];
      const { code } = await traced(`${line} --mount adr=DIR`, folder, (name, path) => {
        if (name !== "openSync") events.push(`${name} ${path.slice(folder.length) || "/"}`);
      });
      assert.equal(code, 0);
      const at = (event: RegExp, from = 0) =>
        events.findIndex((one, index) => index >= from && event.test(one));
      const change = at(/^(?:rename|link)Sync \/000/),
        last = events.findLastIndex((one) => /^(?:rename|link)Sync \/000/.test(one));
      const isJournaled = /supersede|accepted/.test(line), what = `${line}: ${events.join("; ")}`;
      const before = events.slice(0, change);
      const texts = before.filter((one) =>
        /^fsyncSync \/\.architrave-lock\/\d\.(?:new|old)$/.test(one)
      ).length;
      assert.equal(texts, isJournaled ? 4 : 1, what);
      if (isJournaled) {
        const journal = at(/^renameSync .*\/journal$/);
        assert.ok(
          at(/^fsyncSync .*\/draft$/) < journal && at(/^fsyncSync \/\.architrave-lock$/, journal) < change,
          what,
        );
        assert.ok(at(/^fsyncSync \/$/, journal) < change, what);
        assert.ok(
          at(/^fsyncSync \/$/, last) < at(/^rmSync .*\/journal$/) && at(/^fsyncSync \/$/, last) > last,
          what,
        );
      } else assert.ok(at(/^fsyncSync \/$/, last) > last, what);
    }
  },
);

test("a disk that does not take a text is named, and nothing changes", SKIP, async (t) => {
  const folder = makeFolder(t, FILES);
  for (const line of ["supersede 1 2", "status 1 rejected", "new C --supersedes 1"]) {
    const { code, errors } = await traced(`${line} --mount adr=DIR`, folder, (name, path) => {
      if (name === "fsyncSync" && path.endsWith("0.new")) {
        throw Object.assign(new Error("x"), { code: "EIO" });
      }
    });
    assert.equal(code, 1, line);
    assert.match(errors, /Cannot write ".*": the system reports EIO\n$/, line);
    assert.deepEqual(filesIn(folder), FILES, line);
  }
});

test("where the system cannot wait for the disk, commands write all the same", SKIP, async (t) => {
  for (const code of ["ERR_ACCESS_DENIED", "EINVAL"]) {
    const folder = makeFolder(t, FILES);
    const done = await traced("supersede 1 2 --mount adr=DIR", folder, (name, path) => {
      // The code of Node under its permissions; that of a file system for a folder.
      const isDenied = name === "fsyncSync" &&
        (code === "ERR_ACCESS_DENIED" || !/\.(?:new|old)$|draft$/.test(path));
      if (isDenied) throw Object.assign(new Error("x"), { code });
    });
    assert.equal(done.code, 0, done.errors);
    assert.match(filesIn(folder)["0001-a.md"]!, /Superseded by/);
  }
});
