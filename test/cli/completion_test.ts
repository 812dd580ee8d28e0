import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { assertFails, runHere } from "../harness/command.ts";
import { command } from "../harness/runtime.ts";
import { makeFolder } from "../harness/folder.ts";

test("completion names the commands, options and values that can come next", async () => {
  const cases: [line: string[], words: string[]][] = [
    [["gra"], ["graph"]],
    [["config", "cl"], ["claude-code", "claude-desktop"]],
    [["graph", "--format", ""], ["mermaid", "dot", "json", "svg"]],
    [["check", "--format", "s"], ["sarif"]],
    [["check", "--format=s"], ["--format=sarif"]],
    [["check", "--format", "=", "s"], ["sarif"]],
    [["list", "--format", "="], ["text", "json"]],
    [["check", "--ru"], ["--rule"]],
    [["--po"], ["--poll"]],
    [["serve", "--root", ""], []],
    [["completion", ""], ["bash", "zsh", "fish"]],
    [["help", "to"], ["toc"]],
    [["nothing", "--nothing", "x"], []],
  ];
  for (const [line, words] of cases) {
    const { code, output } = await runHere(["completion", "words", "--", ...line]);
    assert.deepEqual([code, output], [0, words.map((word) => `${word}\n`).join("")], line.join(" "));
  }
  const all = (await runHere(["completion", "words", "--", ""])).output;
  assert.match(all, /^serve\nhttp\n(?:[a-z]+\n)+$/);
  await assertFails([["completion tcsh", 2, /Unknown shell "tcsh": use one of bash, zsh, fish/]]);
});

/** What each shell completes of "graph --format s"; the program is on its path under its name. */
const SHELLS: Readonly<Record<string, string>> = {
  bash: `eval "$(architrave completion bash)"
COMP_WORDS=(architrave graph --format s) COMP_CWORD=3
_architrave architrave
echo "\${COMPREPLY[@]}"`,
  zsh: `compdef() { :; }; compadd() { print -r -- "\${(@P)2}"; }
eval "$(architrave completion zsh)"
words=(architrave graph --format s) CURRENT=4
_architrave`,
  fish: `architrave completion fish | source; complete -C "architrave graph --format s"`,
};

for (const [shell, script] of Object.entries(SHELLS)) {
  const isMissing = spawnSync(shell, ["--version"]).error !== undefined;
  test(`completion works in ${shell}`, { skip: isMissing && `${shell} is not installed` }, (t) => {
    const [file, args] = command([]);
    const start = [file, ...args].map((word) => `"${word}"`).join(" ");
    const folder = makeFolder(t, { "architrave": `#!/bin/sh\nexec ${start} "$@"\n` });
    spawnSync("chmod", ["+x", `${folder}/architrave`]);
    const env = { PATH: `${folder}:/usr/bin:/bin`, HOME: folder };
    const { stdout, stderr } = spawnSync(shell, ["-c", script], { env, cwd: folder, encoding: "utf8" });
    assert.deepEqual([stdout.trim(), stderr], ["svg", ""]);
  });
}
