/** Images and other files next to documents: shown by `page`, copied by `site`, checked, and never from outside the folder. */

import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { runHere } from "../harness/command.ts";
import { filesOf, makeFolder, writeFiles } from "../harness/folder.ts";
import { record } from "./documents.ts";
import { start } from "./shown.ts";

const PNG = Uint8Array.from(
  atob(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  ),
  (sign) => sign.charCodeAt(0),
);
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const LINKED = process.platform === "win32" ? [] : ["linked.png", "up/inner.png"];
/** What is shown, by the target of the image. */
const SHOWN = [
  "flow.png",
  "./img/b.JPG",
  "img/a b.gif",
  "../adr/img/c.webp",
  "%66low.png",
  "img/../flow.png?x#y",
];
const REFUSED = [
  ...[
    "gone.png",
    "../out.png",
    ".hidden.png",
    ".git/x.png",
    "large.png",
    "folder.png",
    "note.txt",
    "0002-b.md",
  ],
  ...[
    "/etc/x.png",
    "\\\\host\\x.png",
    "..%2fout.png",
    "%2e%2e/out.png",
    "flow.png%00",
    "file:///x.png",
    ...LINKED,
  ],
];
const quoted = (target: string) => `![an image](<${target}>)`;

function files(text: string): Record<string, string | Uint8Array> {
  const images = [
    "adr/flow.png",
    "adr/img/b.JPG",
    "adr/img/a b.gif",
    "adr/img/c.webp",
    "adr/img/d.jpeg",
    "out.png",
  ];
  return {
    "adr/0001-a.md": record("A", "status: accepted\n", text),
    "adr/0002-b.md": record("B"),
    "adr/s.svg": SVG,
    "adr/folder.png/x.txt": "x",
    "adr/note.txt": "x",
    "adr/large.png": new Uint8Array(10 * 1024 * 1024 + 1),
    ...Object.fromEntries(
      [...images, "adr/.hidden.png", "adr/.git/x.png", "up/inner.png"].map((path) => [path, PNG]),
    ),
  };
}

function link(folder: string) {
  if (LINKED.length === 0) return;
  symlinkSync("../out.png", `${folder}/adr/linked.png`);
  symlinkSync("../up", `${folder}/adr/up`);
}

test("page shows the images of its folder, and no other file", async (t) => {
  const text = [...SHOWN, ...REFUSED].map((target) => `${quoted(target)}\n\n`).join("");
  const folder = makeFolder(t, files(text));
  link(folder);
  const { get, url } = await start(t, "--mount", `adr=${folder}/adr`, "--listen", "127.0.0.1:0");
  const { html } = await get("/adr/0001-a.html");
  const sources = [...html.matchAll(/<img src="([^"]*)" alt="an image" loading="lazy" \/>/g)].map(([, src]) =>
    src!
  );
  assert.equal(sources.length, SHOWN.length, sources.join());
  assert.equal(html.match(/an image <span class="facts">\(not published\)/g)?.length, REFUSED.length - 4);
  for (const source of sources) {
    const response = await fetch(new URL(source.replaceAll("&amp;", "&"), url));
    assert.deepEqual([response.status, new Uint8Array(await response.arrayBuffer())], [200, PNG], source);
    assert.match(response.headers.get("content-type")!, /^image\/(?:png|jpeg|gif|webp)$/);
  }
  const ask = (path: string, of = "adr/0001-a") =>
    fetch(new URL(`${path}?of=${encodeURIComponent(of)}`, url));
  for (const target of REFUSED) {
    const response = await ask(`/adr/${target.replace("%00", "")}`);
    if (target !== "flow.png%00") assert.notEqual(response.status, 200, target);
    await response.body?.cancel();
  }
  assert.equal((await fetch(new URL("/adr/flow.png", url))).status, 404);
  assert.equal((await ask("/adr/flow.png", "adr/none")).status, 404);
  const svg = await ask("/adr/s.svg");
  assert.match(svg.headers.get("content-security-policy")!, /^default-src 'none'.*; sandbox$/);
  assert.equal(svg.headers.get("x-content-type-options"), "nosniff");
  assert.equal(await svg.text(), SVG);
});

test("site copies the images that documents show, embeds SVG, and changes only images that it made", async (t) => {
  const text = `${quoted("img/a b.gif")} ${
    quoted("s.svg")
  } [the image](flow.png) [SVG](s.svg) [note](note.txt) [^](0009-x.md)`;
  const folder = makeFolder(t, files(text)), out = `${folder}/site`;
  const site = async (code: number, ...args: string[]) => {
    const ended = await runHere(["site", out, "--mount", `adr=${folder}/adr`, ...args]);
    assert.equal(ended.code, code, ended.output + ended.errors);
    return ended;
  };
  await site(0, "--write");
  const isImage = (path: string) => /\.(?:png|gif|svg|webp|jpe?g)$/i.test(path);
  assert.deepEqual(filesOf(out).filter(isImage), ["adr/flow.png", "adr/img/a b.gif"]);
  assert.deepEqual(Uint8Array.from(readFileSync(`${out}/adr/img/a b.gif`)), PNG);
  const html = readFileSync(`${out}/adr/0001-a.html`, "utf8");
  assert.match(html, /<img src="\/adr\/img\/a%20b\.gif" [^]*<img src="data:image\/svg\+xml;base64,[\w+/=]+"/);
  assert.match(html, /<a href="\/adr\/flow\.png">the image<\/a>/);
  assert.equal(html.match(/(?:SVG|note|\^) <span class="facts">\(not published\)<\/span>/g)?.length, 3);
  await site(0, "--check");
  const other = Uint8Array.from([...PNG, 0, 255]);
  writeFileSync(`${folder}/adr/flow.png`, other);
  assert.match((await site(1, "--check")).output, /^change .*adr\/flow\.png \(\d+ bytes\)$/m);
  await site(0, "--write");
  assert.deepEqual(Uint8Array.from(readFileSync(`${out}/adr/flow.png`)), other);
  // An image of someone else is kept, and one that was changed by hand too.
  writeFiles(out, { "adr/own.png": PNG, "adr/img/a b.gif": other });
  writeFiles(folder, { "adr/own.png": other, "adr/0002-b.md": record("B", "", quoted("own.png")) });
  assert.match(
    (await site(1, "--write")).errors,
    /Cannot write ".*(?:own\.png|a b\.gif)": site did not make it/,
  );
  rmSync(`${out}/adr/own.png`);
  writeFiles(out, { "adr/img/a b.gif": PNG });
  await site(0, "--write");
  writeFiles(folder, { "adr/0001-a.md": record("A"), "adr/0002-b.md": record("B") });
  writeFiles(out, { "adr/own.png": PNG });
  await site(0, "--write");
  assert.deepEqual([existsSync(`${out}/adr/flow.png`), existsSync(`${out}/adr/own.png`)], [false, true]);
});

test("a page of a site embeds a limited amount of SVG", async (t) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg"><!--${"x".repeat(1024 * 1024)}--></svg>`;
  const folder = makeFolder(t, {
    "adr/0001-a.md": record("A", "", `${quoted("s.svg")} `.repeat(1000)),
    "adr/s.svg": svg,
  });
  const { code } = await runHere(["site", `${folder}/site`, "--mount", `adr=${folder}/adr`, "--write"]);
  const html = readFileSync(`${folder}/site/adr/0001-a.html`, "utf8");
  assert.deepEqual([code, html.match(/<img /g)?.length, html.match(/not published/g)?.length], [0, 4, 996]);
});

test("check finds images that are missing or lead out", async (t) => {
  const text = [...SHOWN, ...REFUSED].map((target) => `${quoted(target)}\n\n`).join("");
  const folder = makeFolder(t, files(text));
  link(folder);
  const { output } = await runHere(["check", "--mount", `adr=${folder}/adr`, "--format", "json"]);
  const { findings } = JSON.parse(output) as { findings: { rule: string; message: string }[] };
  const found = findings.filter(({ rule }) => rule.startsWith("link-")).map(({ rule, message }) =>
    `${rule} ${/leads to (\S+?),/.exec(message)?.[1]}`
  );
  const dead = ["gone.png", ".hidden.png", ".git/x.png", "large.png", "folder.png", ...LINKED];
  const leaving = ["../out.png"];
  for (const target of dead) assert.ok(found.includes(`link-dead ${target}`), `${target}: ${found}`);
  for (const target of leaving) assert.ok(found.includes(`link-leaves ${target}`), `${target}: ${found}`);
  for (const target of SHOWN) assert.ok(!found.some((one) => one.endsWith(` ${target}`)), target);
});

/** By the remote of a repository: where its files are edited. */
const REMOTES: readonly (readonly [remote: string, url: string | undefined])[] = [
  ["git@github.com:acme/rocket.git", "https://github.com/acme/rocket/edit/trunk/docs/adr/0001-a%20b.md"],
  [
    "https://user:secret@github.com/acme/rocket",
    "https://github.com/acme/rocket/edit/trunk/docs/adr/0001-a%20b.md",
  ],
  [
    "ssh://git@gitlab.acme.com:2222/a/b/c.git",
    "https://gitlab.acme.com/a/b/c/-/edit/trunk/docs/adr/0001-a%20b.md",
  ],
  [
    "https://codeberg.org/acme/rocket.git/",
    "https://codeberg.org/acme/rocket/_edit/trunk/docs/adr/0001-a%20b.md",
  ],
  ["https://example.com/acme/rocket.git", undefined],
  ["/srv/git/rocket.git", undefined],
  ["javascript:alert(1)//github.com/a", undefined],
];
for (const [remote, url] of REMOTES) {
  test(`the link to edit is guessed from the remote ${remote}`, async (t) => {
    const config =
      `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${remote}\n[branch "trunk"]\n\tremote = origin\n`;
    const folder = makeFolder(t, {
      ".git/config": config,
      "docs/adr/0001-a b.md": record(
        "A",
        "",
        "[x](../../src/x.ts) [y](../../../../../evil/x) [z](java\tscript:alert(1)) https://bare.example/x\n\n```mermaid\ngraph TD\n```\n",
      ),
    });
    const { get } = await start(t, `${folder}/docs/adr`, "--listen", "127.0.0.1:0");
    const { links, html } = await get("/adr/0001-a%20b.html");
    assert.deepEqual(links.filter((link) => /edit/.test(link)), url === undefined ? [] : [url]);
    const top = url?.replace(/\/-\/edit\//, "/-/blob/").replace("/edit/", "/blob/").replace(
      "/_edit/",
      "/src/branch/",
    );
    assert.equal(
      links.some((link) => link === top?.replace("docs/adr/0001-a%20b.md", "src/x.ts")),
      url !== undefined,
    );
    assert.doesNotMatch(html, /secret|evil|href="java/);
    assert.ok(links.includes("https://bare.example/x"));
    assert.equal(/See this diagram drawn in the repository/.test(html), url !== undefined);
  });
}
