import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { Program, run } from "../harness/program.ts";

const read = (id: number) => ({
  jsonrpc: "2.0",
  id,
  method: "resources/read",
  params: { uri: "architecture://guidelines/large" },
});

test("the end of input ends the program: everything asked before is answered in full, and the exit code is 0", async (t) => {
  const root = makeFolder(t, { "resources/guidelines/large.md": `# Large\n\n${"word ".repeat(700_000)}` });
  for (const count of [0, 1, 5]) {
    const program = new Program(["--root", root]);
    await program.initialize();
    program.send(...Array.from({ length: count }, (_, id) => read(id)));
    program.child.stdin.end();
    assert.equal(await program.exited, 0);
    assert.equal(program.errors, "");
    assert.equal(program.output.split("\n").filter((line) => line.includes('"contents"')).length, count);
    assert.ok(program.output.endsWith("\n"));
  }
});

test("no input at all is no error", async () => {
  const { code, output, errors } = await run([]);
  assert.deepEqual([code, output, errors], [0, "", ""]);
});

test("a reader that is gone ends the program without a word", async (t) => {
  const root = makeFolder(t, { "resources/guidelines/large.md": `# Large\n\n${"word ".repeat(400_000)}` });
  const program = new Program(["--root", root]);
  await program.initialize();
  program.child.stdout.destroy();
  program.send(...Array.from({ length: 20 }, (_, id) => read(id)));
  assert.equal(await program.exited, 0);
  assert.equal(program.errors, "");
});

test("a signal ends the program at once and without a word", async () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const program = new Program();
    await program.initialize();
    program.child.kill(signal);
    await program.exited;
    assert.equal(program.errors, "");
  }
});

test("a client that stops reading is not read from, and gets everything once it reads again", async (t) => {
  const root = makeFolder(t, { "resources/guidelines/large.md": `# Large\n\n${"word ".repeat(200_000)}` });
  const program = new Program(["--root", root]);
  await program.initialize();
  program.child.stdout.pause();
  program.send(...Array.from({ length: 100 }, (_, id) => read(id)));
  await new Promise((resolve) => setTimeout(resolve, 300));
  program.child.stdout.resume();
  const answers = await program.take(100);
  assert.deepEqual(answers.map(({ id }) => id), Array.from({ length: 100 }, (_, id) => id));
  assert.equal(await program.close(), 0);
});

test("200 large reads that nobody takes do not pile up, and are all answered once somebody does", async (t) => {
  const documents = Object.fromEntries(
    Array.from(
      { length: 200 },
      (_, id) => [`resources/guidelines/d${id}.md`, `# ${id}\n\n${"word ".repeat(200_000)}`],
    ),
  );
  const root = makeFolder(t, documents);
  const program = new Program(["--root", root]);
  await program.initialize();
  await program.ask("resources/list");
  const before = peakMemory(program.child.pid!);
  program.child.stdout.pause();
  program.send(...Array.from({ length: 200 }, (_, id) => ({
    jsonrpc: "2.0",
    id,
    method: "resources/read",
    params: { uri: `architecture://guidelines/d${id}` },
  })));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const peak = peakMemory(program.child.pid!);
  program.child.stdout.resume();
  const answers = await program.take(200);
  assert.deepEqual(answers.map(({ id }) => id), Array.from({ length: 200 }, (_, id) => id));
  // The answers together are 200 MB; 64 MiB of them are kept, and a few more are on their way.
  const growth = peak === undefined || before === undefined ? 0 : peak - before;
  assert.ok(growth < 150 * 1024 * 1024, `${growth} bytes more`);
  assert.equal(await program.close(), 0);
});

/** The peak of a process's memory in bytes, where the system tells. */
function peakMemory(pid: number): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}
