/** Is a mount a root of its own? Nothing leads out of it, not even into the root beside it, and its name is no path. */

import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { loadPlatform } from "../../deps.ts";
import { flagsOf, Options, parse, SERVE_OPTIONS } from "../../lib/cli/options.ts";
import { foldersOf } from "../../lib/cli/program.ts";
import { Program, run } from "../harness/program.ts";
import { ask, closeContained, DOCUMENT, makeSurroundings, NEWEST_ERAS, notFound, read } from "./outside.ts";
import { STEPS_UP } from "./spellings.ts";

const ON_WINDOWS = process.platform === "win32" ? "not on Windows" : false;
const MOUNTED = "# Mounted\n\n## Part\n\nThis may be read too.\n";

/** Links out of the mount `decisions`, which lies beside the root `docs` in the surroundings. */
const LINKS_OUT: Readonly<Record<string, string>> = {
  "101-secret.md": "../secret.md",
  "102-root.md": "../docs/resources/adr/001-use-one-thing.md",
  "103-sibling.md": "../decisions-evil/secret.md",
  "104-chain.md": "101-secret.md",
  "105-system.md": "/etc/passwd",
  "stolen": "../outside",
  "root": "../docs",
  "above": "..",
  "sibling": "../decisions-evil",
};
const LED_TO = Object.keys(LINKS_OUT).map((name) => name.replace(/\.md$/, "")).flatMap((name) =>
  /^\d/.test(name)
    ? [`architecture://own/${name}`, `architecture://own/${name}#part`, `file:///own/${name}.md`]
    : ["", "/secret", "/001-use-one-thing", "/resources/adr/001-use-one-thing", "/docs/resources/adr/1"].map((
      path,
    ) => `architecture://own/${name}${path}`)
);

for (const era of NEWEST_ERAS) {
  test(
    `in ${era.name} nothing leads out of a mount, be it a folder or a link to one`,
    { skip: ON_WINDOWS },
    async (t) => {
      const folder = makeSurroundings(t, {
        "decisions/1-x.md": MOUNTED,
        "decisions/sub/2-y.md": MOUNTED,
        "decisions-evil/secret.md": MOUNTED.replace("may", "must not"),
      });
      for (const [name, target] of Object.entries(LINKS_OUT)) {
        symlinkSync(target, `${folder}/decisions/${name}`);
      }
      symlinkSync("decisions/sub/2-y.md", `${folder}/decisions/200-inside.md`);
      symlinkSync("sub/2-y.md", `${folder}/decisions/201-inside.md`);
      symlinkSync("decisions", `${folder}/link`);
      symlinkSync(`${folder}/link`, `${folder}/link-to-a-link`);
      // The operator named the link, so what it leads to is what is to be served.
      for (
        const mounted of [
          "decisions",
          "decisions/",
          "link",
          "link-to-a-link",
          "docs/../link",
          "decisions/sub/..",
        ]
      ) {
        const program = new Program(["--root", `${folder}/docs`, "--mount", `own=${folder}/${mounted}`]);
        await era.begin(program);
        const lines = await read(program, era, LED_TO);
        LED_TO.forEach((uri, row) => assert.equal(lines[row], notFound(era), `${mounted}: ${uri}`));
        const [listed] = await ask(program, era, "resources/list", [{ params: {}, echo: "" }]);
        assert.deepEqual(
          JSON.parse(listed!).result.resources.map(({ uri }: { uri: string }) => uri),
          [DOCUMENT, "architecture://own/1-x", "architecture://own/201-inside", "architecture://own/sub/2-y"],
          mounted,
        );
        for (const name of ["1-x", "201-inside", "sub/2-y"]) {
          const [line] = await read(program, era, [`architecture://own/${name}`]);
          assert.equal(JSON.parse(line!).result.contents[0].text, MOUNTED, "what lies in it is served");
        }
        await closeContained(program, folder);
        assert.ok(!program.output.includes("must not be read"));
        assert.match(program.errors, /own\/102-root\.md: The link leads out of the root/);
      }
    },
  );
}

test("no spelling leads from one mount to another, to the root or to what lies beside them", async (t) => {
  const folder = makeSurroundings(t, {
    "docs/decisions/1-x.md": MOUNTED,
    "docs/decisions-evil/1-x.md": MOUNTED,
    "docs/more/secret.md": MOUNTED,
  });
  const mounts = ["own=decisions", "more=more"].map((mount) => mount.replace("=", `=${folder}/docs/`));
  const program = new Program(["--root", `${folder}/docs`, ...mounts.flatMap((mount) => ["--mount", mount])]);
  const rows = Object.entries(STEPS_UP).flatMap(([name, step]): [string, string][] => [
    [name, `architecture://own/${step}secret`],
    [`${name}, to another mount`, `architecture://own/${step}more/secret`],
    [`${name}, to the root`, `architecture://own/${step}resources/adr/001-use-one-thing`],
    [`${name}, to another category`, `architecture://own/${step}adr/1`],
    [`${name}, to a sibling`, `architecture://own/${step}decisions-evil/1-x`],
    [`${name}, and back`, `architecture://own/${step}own/1-x`],
    [`${name}, as a file`, `file:///own/${step}more/secret.md`],
  ]);
  for (const era of NEWEST_ERAS) {
    await era.begin(program);
    const lines = await read(program, era, rows.map(([, uri]) => uri));
    rows.forEach(([name, uri], row) => assert.equal(lines[row], notFound(era), `${name}: ${uri}`));
  }
  await closeContained(program, folder);
});

test("a category of the root is not there while a mount has its name, in whatever spelling", async (t) => {
  const folder = makeSurroundings(t, { "decisions/9-x.md": MOUNTED });
  const program = new Program(["--root", `${folder}/docs`, "--mount", `adr=${folder}/decisions`]);
  const [era] = NEWEST_ERAS;
  await era!.begin(program);
  const uris = [DOCUMENT, "architecture://adr/1", "file:///adr/001-use-one-thing.md"];
  assert.deepEqual(await read(program, era!, uris), uris.map(() => notFound(era!)));
  await closeContained(program, folder);
});

/** Names that are or could be paths, beside the steps up. */
const NO_NAMES: Readonly<Record<string, string>> = {
  "one dot": ".",
  "two dots": "..",
  "two dots and a slash": "../",
  "three dots": "...",
  "a hidden name": ".git",
  "a path": "a/b",
  "a path with a backslash": "a\\b",
  "a path up in the middle": "a/../b",
  "an absolute path": "/etc",
  "a drive": "C:",
  "a share": "\\\\server\\share",
  "a stream of data": "adr::$DATA",
  "an encoded letter": "%61dr",
  "a space": " ",
  "a trailing space": "adr ",
  "a trailing newline": "adr\n",
  "a dash": "-",
  "a name that every object has": "__proto__",
  "a pattern": "*",
  "an expression": "{+path}",
  "a letter that is not ASCII": "\u00e4",
  "a full-width letter": "\uff41",
  "nothing": "",
};

test("nothing that could be a path is the name of a mount", async () => {
  const platform = await loadPlatform();
  const flags = flagsOf(SERVE_OPTIONS);
  const steps = Object.entries(STEPS_UP).flatMap(([name, step]) =>
    [step, `adr/${step}`, `${step}adr`].map((mount) => [name, mount] as const)
  );
  for (const [name, mount] of [...Object.entries(NO_NAMES), ...steps]) {
    const line = parse([`--mount=${mount}=x`], flags);
    assert.throws(
      () => foldersOf(platform, new Options(undefined, line, flags)),
      /^UsageError: --mount takes /,
      name,
    );
  }
});

test("a mount with a name that could be a path is wrong usage, and nothing is served", async (t) => {
  const folder = makeSurroundings(t);
  for (const mount of ["..", "../docs", "%2e%2e", "/etc", "a/../b", "adr\n", ""]) {
    const { code, output, errors } = await run([
      `--root=${folder}/docs`,
      `--mount=${mount}=${folder}/outside`,
    ]);
    assert.equal(code, 2, mount);
    assert.equal(output, "", mount);
    assert.match(errors, /^architrave: --mount takes /, mount);
  }
});
