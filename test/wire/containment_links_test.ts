/** Links that lead out of the root, a mount or the prompts, what else is no file, and what becomes a link later. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import process from "node:process";
import { test } from "node:test";
import { ON_DENO, run, sandbox, withoutShipped } from "../harness/program.ts";
import { definition } from "../documents/prompts/definitions.ts";
import {
  DOCUMENT,
  ERAS,
  Guarded,
  INSIDE,
  makeGuarded,
  ON_WINDOWS,
  OUTSIDE,
  SECRET,
  STEPS_UP,
} from "./outside.ts";

const options = { skip: ON_WINDOWS };
const ADR = "docs/resources/adr";

/** Links that must lead nowhere, from `docs/resources/adr/`: what each leads to. */
const LINKS_OUT: Readonly<Record<string, string>> = {
  "101-relative.md": "../../../secret.md",
  "102-without-ending.md": "../../../secret",
  "103-through-the-category.md": "../adr/../../../secret.md",
  "104-system.md": "/etc/passwd",
  "105-process.md": "/proc/self/environ",
  "106-memory.md": "/proc/self/mem",
  "107-input.md": "/dev/stdin",
  "108-descriptor.md": "/dev/fd/0",
  "109-zero.md": "/dev/zero",
  "110-null.md": "/dev/null",
  "111-working-directory.md": "/proc/self/cwd/README.md",
  "112-sibling.md": "../../../docs-evil/resources/adr/001-use-one-thing.md",
  "113-to-a-link.md": "101-relative.md",
  "114-to-a-link-to-a-link.md": "113-to-a-link.md",
  "115-through-a-folder.md": "stolen/secret.md",
  "116-through-two-folders.md": "stolen-again/secret.md",
  "117-itself.md": "117-itself.md",
  "118-to-and-fro.md": "119-fro-and-to.md",
  "119-fro-and-to.md": "118-to-and-fro.md",
  "120-dead.md": "../../../nothing.md",
  "121-dead-inside.md": "nothing.md",
  "122-a-folder.md": "../../../outside",
  "123-above.md": "../../..",
  "124-all.md": "/",
  "125-out-and-in-and-out.md": "../../../outside/in-and-out",
  "126-absolute.md": "<folder>/outside/secret.md",
  "stolen": "../../../outside",
  "stolen-again": "stolen",
  "stolen-above": "../../..",
  "stolen-sibling": "../../../docs-evil/resources/adr",
  "stolen-system": "/etc",
};

/** What else is no document, although its name says that it is. */
const NO_FILES: Readonly<Record<string, (path: string) => unknown>> = {
  "201-pipe.md": (path) => execFileSync("mkfifo", [path]),
  "202-folder.md": (path) => mkdirSync(path),
  "203-socket.md": (path) => new Promise<void>((resolve) => createServer().unref().listen(path, resolve)),
  "204-device.md": (path) => {
    // Needs rights that few have; there is no device without them.
    if (process.getuid?.() === 0) execFileSync("mknod", [path, "c", "1", "5"]);
  },
};

/** What a client could ask for of all that. */
const LED_TO = Object.keys({ ...LINKS_OUT, ...NO_FILES }).map((name) => name.replace(/\.md$/, "")).flatMap(
  (name) =>
    /^\d/.test(name)
      ? [`architecture://adr/${name}`, `architecture://adr/${name.slice(0, 3)}`, `file:///adr/${name}.md`]
      : ["", "/secret", "/001-use-one-thing", "/secret#part", "/1", "/outside/secret", "/passwd"]
        .map((path) => `architecture://adr/${name}${path}`),
);

/** The links of a category, by their paths in the folder. */
function linksIn(category: string, links: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(links).map(([name, target]) => [`${category}/${name}`, target]));
}

// A sandbox is no help against links that lead out: runtimes follow them.
for (const [where, scheme] of [["in a sandbox", "file"], ["without a sandbox", "architecture"]] as const) {
  test(`${where}, what a link leads out to is not there, nor is what is no file`, options, async (t) => {
    const text = "<<resource:architecture://**>>";
    const folder = makeGuarded(t, {
      files: { "docs/prompts/p.json": definition(text, { name: "p" }) },
      links: {
        ...linksIn(ADR, LINKS_OUT),
        "outside/in-and-out": "../docs/resources/adr/101-relative.md",
        "outside/back": "../docs/resources/adr/001-use-one-thing.md",
      },
    });
    for (const [name, make] of Object.entries(NO_FILES)) await make(`${folder}/${ADR}/${name}`);
    const flags = where === "in a sandbox" ? { runtimeFlags: sandbox(`${folder}/docs`) } : {};
    const guarded = new Guarded(t, { args: () => ["--scheme", scheme], ...flags }, folder);
    const [own, uri] = scheme === "file"
      ? ["file:///adr/001-use-one-thing.md", "file:///adr/{+path}.md"]
      : [DOCUMENT, "architecture://adr/{+path}"];
    const paths = { ref: { type: "ref/resource", uri }, argument: { name: "path", value: "" } };
    await guarded.inEachEra(async () => {
      await guarded.assertNotFound(LED_TO);
      assert.deepEqual(await guarded.uris(), [own]);
      const { completion } = await guarded.result("completion/complete", paths);
      assert.deepEqual(completion.values, ["001-use-one-thing"]);
      const { messages } = await guarded.result("prompts/get", { name: "p" });
      assert.equal(messages[0].content.text, `[${own}] 1. Use one thing\n\n${INSIDE}`);
    });
    const { errors } = guarded.program;
    const led = ["101-relative.md", "112-sibling.md", "125-out-and-in-and-out.md", "stolen", "stolen-above"];
    for (const name of led) assert.match(errors, new RegExp(`adr/${name}: The link leads out of the root`));
    assert.ok(!errors.includes(folder));
  });
}

test("a root behind a link is served where both may be read; else it cannot be read", options, async (t) => {
  const folder = makeGuarded(t);
  renameSync(`${folder}/docs`, `${folder}/real`);
  symlinkSync(`${folder}/real`, `${folder}/docs`);
  const guarded = new Guarded(t, { runtimeFlags: sandbox(`${folder}/docs`, `${folder}/real`) }, folder);
  assert.equal(await guarded.text(DOCUMENT), INSIDE);
  await guarded.close(/^$/);
  // Node follows the link before it asks whether it may.
  if (!ON_DENO) return;
  const runtimeFlags = sandbox(`${folder}/docs`);
  const { code, errors } = await run(["--root", `${folder}/docs`], "", { runtimeFlags });
  assert.equal(code, 2);
  assert.match(errors, /^architrave: Cannot read --root: [^\n]+\n$/);
});

test(
  "a folder of categories that is a link out has none, and names no folder outside",
  options,
  async (t) => {
    const folder = makeGuarded(t, { files: { "outside/plans/x.md": OUTSIDE } });
    renameSync(`${folder}/docs/resources`, `${folder}/gone`);
    symlinkSync("../outside", `${folder}/docs/resources`);
    const guarded = new Guarded(t, {}, folder);
    assert.deepEqual((await guarded.result("resources/templates/list")).resourceTemplates, []);
    await guarded.assertNotFound(["architecture://plans/x", "architecture://secret"]);
    await guarded.close(/resources: The link leads out of the root/);
    assert.doesNotMatch(guarded.program.output + guarded.program.errors, /"plans"|plans\/x\.md/);
  },
);

test(
  "no link and no spelling leads out of a mount, which hides a category of its name",
  options,
  async (t) => {
    const mounted = "# Mounted\n\n## Part\n\nThis may be read too.\n";
    // The operator named the link, so what it leads to is what is to be served.
    const mounts = ["decisions", "decisions/", "link", "link-to-a-link", "docs/../link", "decisions/sub/.."];
    const names = ["adr", ...mounts.slice(1).map((_, row) => `own${row}`)];
    const out = {
      "101-secret.md": "../secret.md",
      "102-root.md": "../docs/resources/adr/001-use-one-thing.md",
      "103-sibling.md": "../docs-evil/resources/adr/001-use-one-thing.md",
      "104-chain.md": "101-secret.md",
      "105-system.md": "/etc/passwd",
      ...{ "stolen": "../outside", "root": "../docs", "above": "..", "sibling": "../docs-evil" },
    };
    const inside = { "200-inside.md": "decisions/sub/2-y.md", "201-inside.md": "sub/text" };
    const guarded = new Guarded(t, {
      files: {
        ...{ "decisions/1-x.md": mounted, "decisions/sub/2-y.md": mounted, "decisions/sub/text": mounted },
        "decisions-evil/1-x.md": OUTSIDE,
      },
      links: {
        ...linksIn("decisions", { ...out, ...inside }),
        ...{ "link": "decisions", "link-to-a-link": "<folder>/link" },
      },
      args: (folder) => mounts.flatMap((mount, row) => ["--mount", `${names[row]}=${folder}/${mount}`]),
    });
    const ledTo = Object.keys(out).map((name) => name.replace(/\.md$/, "")).flatMap((name) =>
      /^\d/.test(name)
        ? [name, `${name}#part`, `${name}.md`]
        : ["", "/secret", "/001-use-one-thing", "/resources/adr/001-use-one-thing", "/docs/resources/adr/1"]
          .map((path) => name + path)
    );
    const served = ["1-x", "201-inside", "sub/2-y"].flatMap((name) =>
      names.map((own) => `architecture://${own}/${name}`)
    );
    const others = [
      ...[DOCUMENT, "file:///adr/001-use-one-thing.md", "file:///own1/101-secret.md"],
      ...names.flatMap((own) => ledTo.map((path) => `architecture://${own}/${path}`)),
      ...STEPS_UP.flatMap((step) => [
        ...["secret", "own1/1-x", "docs/resources/adr/001-use-one-thing", "adr/1", "decisions-evil/1-x"]
          .map((path) => `architecture://own0/${step}${path}`),
        `file:///own0/${step}own1/1-x.md`,
      ]),
    ];
    await guarded.inEachEra(async () => {
      await guarded.assertNotFound(others);
      assert.deepEqual(await guarded.uris(), served.toSorted());
      for (const uri of served) assert.equal(await guarded.text(uri), mounted);
    }, /own0\/102-root\.md: The link leads out of the root/);
  },
);

test("a definition file, or the folder of prompts, that is a link out is no prompt", options, async (t) => {
  const evil = definition(SECRET, { name: "evil" });
  const files = {
    "outside/evil.json": evil,
    "docs-evil/prompts/evil.json": evil,
    "docs/elsewhere.json": definition("y", { name: "elsewhere" }),
  };
  const links: Readonly<Record<string, string>> = {
    "absolute.json": "<folder>/outside/evil.json",
    "relative.json": "../../outside/evil.json",
    "sibling.json": "../../docs-evil/prompts/evil.json",
    "chain.json": "first",
    "first": "second",
    "second": "../../outside/evil.json",
    "loop.json": "loop.json",
    "dead.json": "../../outside/nothing.json",
    "device.json": "/dev/zero",
    "folder.json": "../../outside",
    "good.json": "../elsewhere.json",
  };
  const rows = [
    [
      linksIn("docs/prompts", links),
      ["elsewhere"],
      "absolute chain dead device folder loop relative sibling",
    ],
    [{ "docs/prompts": "../outside" }, [], "evil"],
  ] as const;
  for (const [links, served, reported] of rows) {
    const guarded = new Guarded(t, { files, links });
    const { prompts } = await guarded.result("prompts/list");
    assert.deepEqual(withoutShipped(prompts).map(({ name }) => name), served);
    const [line] = await guarded.ask("prompts/get", [{ params: { name: "evil" }, echo: "" }]);
    assert.equal(JSON.parse(line!).error.message, 'There is no prompt "evil"');
    await guarded.close();
    const found = Array.from(guarded.program.errors.matchAll(/prompts\/(\w+)\.json/g), ([, name]) => name);
    assert.equal(found.sort().join(" "), reported);
  }
});

/** What can become a link out while the program runs: each is moved away and a link takes its place. */
const CHANGES: Readonly<Record<string, readonly [place: string, target: string]>> = {
  "a document": [`${ADR}/001-use-one-thing.md`, "../../../outside/001-use-one-thing.md"],
  "a document that is a link": [`${ADR}/002-link.md`, "../../../outside/001-use-one-thing.md"],
  "a folder in a category": [`${ADR}/sub`, "../../../outside"],
  "a category": [ADR, "../../docs-evil/resources/adr"],
  "the folder of the categories": ["docs/resources", "../docs-evil/resources"],
  "the root": ["docs", "docs-evil"],
};

for (const [name, [place, target]] of Object.entries(CHANGES)) {
  test(`what ${name} led to is not there once it is a link out`, options, async (t) => {
    const text = "<<resource:architecture://adr/**>>";
    const guarded = new Guarded(t, {
      files: {
        [`${ADR}/sub/001-use-one-thing.md`]: INSIDE,
        "docs-evil/resources/adr/sub/001-use-one-thing.md": OUTSIDE,
        "docs-evil/resources/adr/002-link.md": OUTSIDE,
        "docs/prompts/p.json": definition(text, { name: "p" }),
        "docs/elsewhere.md": INSIDE,
      },
      links: { [`${ADR}/002-link.md`]: "../../elsewhere.md" },
      // With the next scan, what is at the path of the root is the root.
      ...place === "docs" ? { args: () => ["--poll", "86400000"] } : {},
    });
    await guarded.begin(ERAS[0]);
    assert.equal((await guarded.uris()).length, 3);
    assert.equal(withoutShipped((await guarded.result("prompts/list")).prompts).length, 1);
    renameSync(`${guarded.folder}/${place}`, `${guarded.folder}/gone`);
    symlinkSync(target, `${guarded.folder}/${place}`);
    const file = place.startsWith(`${ADR}/0`) ? place.slice(ADR.length + 1, -3) : "sub/001-use-one-thing";
    await guarded.assertNotFound([`architecture://adr/${file}`, `architecture://adr/${file}#part`]);
    // Whether the change was seen by now or not: nothing from outside is embedded.
    const [prompt] = await guarded.ask("prompts/get", [{ params: { name: "p" }, echo: "" }]);
    const { error, result } = JSON.parse(prompt!);
    const missing =
      /^(?:The prompt "p" embeds architecture:.*, which does not exist|There is no prompt "p")$/;
    if (error) assert.match(error.message, missing);
    else assert.equal(result.messages.length, 1);
    await guarded.close();
  });
}
