/** The command `site`: its files, their links, the feed, and what it writes, keeps and deletes. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { runHere } from "../harness/command.ts";
import { filesIn, makeFolder, writeFiles } from "../harness/folder.ts";
import { REPOSITORY } from "../harness/program.ts";
import { FILES, HOSTILE, mountsOf, record } from "./documents.ts";
import type { Read } from "./html.ts";
import { crawl, readHtml } from "./html.ts";

type Files = Readonly<Record<string, string>>;

/** A folder of documents, and a folder next to it for the site. */
function prepare(t: TestContext, files: Files) {
  const folder = makeFolder(t, files), out = `${makeFolder(t)}/site`;
  const args = mountsOf(folder, files);
  const site = async (expected: number, ...more: string[]) => {
    const { code, output, errors } = await runHere(["site", out, ...args, ...more]);
    assert.equal(code, expected, output + errors);
    return { output, errors };
  };
  return { folder, out, args, site };
}

/** Reads a site from its start page, as a browser would at this base. */
function crawlFiles(files: Files, base: string): Promise<Map<string, Read>> {
  return crawl(`http://host${base}`, ({ pathname }) => {
    assert.ok(pathname.startsWith(base), `${pathname} is not below ${base}`);
    const path = decodeURIComponent(pathname.slice(base.length)) || "index.html";
    const text = files[path];
    assert.ok(text !== undefined, `there is no file ${path}`);
    return path.endsWith(".html") ? text : undefined;
  });
}

/** Reads an Atom feed, and checks what RFC 4287, section 4.1, requires. */
function readFeed(text: string): { links: string[]; ids: string[]; updated: string[]; text: string } {
  const [head, xml] = text.split(/(?<=\?>)\n/) as [string, string];
  assert.equal(head, '<?xml version="1.0" encoding="utf-8"?>');
  assert.match(xml, /^<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom" xml:base="[^"]+">/);
  const { links, text: said } = readHtml(xml.replace("xml:base", "base"), "feed.xml");
  const [feed, ...entries] = xml.split(/(?=<entry>)/);
  const all = [feed!, ...entries].map((part) => {
    const [id, updated, title] = ["id", "updated", "title"].map((name) => {
      const [found, ...others] = part.matchAll(new RegExp(`<${name}>([^<]+)</${name}>`, "g"));
      assert.ok(found && others.length === 0, `${name} in ${part}`);
      return found[1]!;
    });
    assert.ok(title !== "" && new URL(id!).href.includes(":"));
    assert.match(updated!, /^\d{4}-\d{2}-\d{2}T00:00:00Z$/);
    return { id: id!, updated: updated! };
  });
  assert.equal(all.length, new Set(all.map(({ id }) => id)).size, "ids are unique");
  assert.match(feed!, /<author><name>.+<\/name><\/author>[^]*<link rel="self" href="[^"]+"\/>/);
  const updated = all.map(({ updated }) => updated);
  assert.deepEqual(updated, updated.toSorted().reverse(), "the newest is first");
  return { links: [...links], ids: all.map(({ id }) => id), updated, text: said };
}

const KINDS: [name: string, files: Files, base: string][] = [
  ["plain", FILES, "/"],
  ["hostile", HOSTILE, "/docs/1/"],
  ["no", { "adr/readme.txt": "" }, "/"],
  ["sample", {}, "/a%20b/"],
];
for (const [name, files, base] of KINDS) {
  test(`site is reproducible, and all its links resolve: ${name} documents`, async (t) => {
    const { out, site, args } = prepare(t, files);
    await site(0, "--write", "--base", base);
    const made = filesIn(out);
    const [other, where] = [`${makeFolder(t)}/other`, base.replace(/.\/$/, "$&").slice(0, -1) || "/"];
    assert.equal((await runHere(["site", other, ...args, "--write", "--base", where])).code, 0);
    assert.deepEqual(filesIn(other), made);
    const pages = await crawlFiles(made, base);
    const linked = new Set([...pages.keys()].map((path) => decodeURIComponent(path.slice(base.length))));
    const shown = Object.keys(made).filter((path) => path.endsWith(".html") && path !== "404.html");
    for (const path of shown) assert.ok(linked.has(path), `${path} is not linked`);
    for (const [path, { html }] of pages) {
      assert.doesNotMatch(html, /<(?:img|a)[^>]*(?:javascript|evil)/i, path);
      assert.match(
        html,
        /<meta http-equiv="content-security-policy" content="default-src &#39;none&#39;/,
        path,
      );
    }
    readHtml(made["404.html"]!, "404.html");
    const others = Object.keys(made).filter((path) => !path.includes("/") && !path.endsWith(".html"));
    assert.deepEqual(others, ["feed.xml", "script.js", "search.json", "style.css"]);
    readFeed(made["feed.xml"]!);
    const { documents, words } = JSON.parse(made["search.json"]!);
    const listed = made["documents.html"]!.split('<ul class="items">')[1]?.match(/<li>/g) ?? [];
    assert.equal(documents.length, listed.length);
    const places = words.flatMap(([word, ...at]: [string, ...number[]]) => {
      assert.match(word, /^[\p{L}\p{N}]{2,64}$/u);
      return at;
    });
    assert.ok(places.every((place: number) => place in documents));
    new Function(made["script.js"]!);
  });
}

test("site makes the same files on Deno, with permission to write only there", async (t) => {
  const deno = "Deno" in globalThis ? process.execPath : "deno";
  if (spawnSync(deno, ["--version"]).error) return t.skip("there is no deno");
  const { folder, out, args, site } = prepare(t, { ...FILES, ...HOSTILE });
  await site(0, "--write");
  const made = filesIn(out), flags = ["--no-prompt", "--allow-read", `--allow-write=${out}`];
  rmSync(out, { recursive: true });
  const all = ["run", ...flags, `${REPOSITORY}/mod.ts`, "site", out, ...args, "--write"];
  const { status, stderr } = spawnSync(deno, all, { cwd: folder, encoding: "utf8" });
  assert.deepEqual([status, stderr], [0, ""]);
  assert.deepEqual(filesIn(out), made);
});

test("the pages of a site do not depend on the date, and the feed lists decisions, newest first", async (t) => {
  const { out, site } = prepare(t, FILES);
  await site(0, "--write", "--base", "https://example.com/docs");
  const files = filesIn(out);
  assert.doesNotMatch(Object.values(files).join(""), /overdue/i);
  assert.match(files["paths.html"]!, /they apply to: 1\.[^]*2\. Use streams[^]*<code>src\/\*\*<\/code>/);
  assert.match(files["index.html"]!, /<a href="\/docs\/documents\.html\?status=accepted">/);
  const { ids, updated, links, text } = readFeed(files["feed.xml"]!);
  const keys = ["adr/0002-use-streams", "adr/0003-use-a-bus", "adr/0001-use-queues"];
  assert.deepEqual(ids, ["https://example.com/docs/feed.xml", ...keys.map((key) => `architecture://${key}`)]);
  assert.deepEqual(updated, ["03-04", "03-04", "02-03", "01-02"].map((day) => `2026-${day}T00:00:00Z`));
  const paths = ["", "feed.xml", ...keys.map((key) => `${key}.html`)];
  assert.deepEqual(links, paths.map((path) => `https://example.com/docs/${path}`));
  assert.match(text, /2\. Use streams \(accepted\)/);
});

test("--base of site must be a path or the URL of a host", async (t) => {
  const { site, out } = prepare(t, { "adr/1-a.md": record("A") });
  const wrong = "docs/ //evil.example/ /a/../b /a//b /a?b /a#b ftp://a/ https://u@a/ /\\a";
  for (const base of ["", ...wrong.split(" ")]) {
    const { errors } = await site(2, `--base=${base}`);
    assert.match(errors, /--base takes a path such as \/docs\/ or a URL such as/, base);
  }
  const links = { "/a b/": "/a%20b/style.css", "http://a:80/x": "/x/style.css", "/": "/style.css" };
  for (const [base, link] of Object.entries(links)) {
    await site(0, "--write", "--base", base);
    assert.ok(filesIn(out)["index.html"]!.includes(`href="${link}"`), base);
  }
});

test("site lists the files that it would write, and --check fails until they are written", async (t) => {
  const { folder, out, site } = prepare(t, FILES);
  const { output } = await site(0);
  assert.match(output.replace(out, "OUT"), /^create OUT\/index\.html \(\d+ bytes\)\n/);
  assert.ok(!existsSync(out));
  assert.match((await site(1, "--check")).errors, /\d+ files are not current: --write instead of --check/);
  assert.ok(!existsSync(out));
  await site(0, "--write");
  writeFiles(out, { "index.html": readFileSync(`${out}/index.html`, "utf8").replaceAll("\n", "\r\n") });
  assert.equal((await site(0, "--check")).output, "There is nothing to change.\n");
  const train = record("Use a train", "status: proposed\ndate: 2026-02-03\n");
  writeFiles(folder, { "adr/0003-use-a-bus.md": train });
  rmSync(`${folder}/notes/read me.md`);
  const before = filesIn(out);
  const stale = /^change .*use-a-bus\.html[^]*^delete .*\/notes\/read me\.html \(0 bytes\)$/m;
  assert.match((await site(1, "--check")).output, stale);
  assert.deepEqual(filesIn(out), before);
  const written = JSON.parse((await site(0, "--write", "--format", "json")).output);
  assert.deepEqual(written.files.at(-1), { path: `${out}/notes/read me.html`, change: "deleted", bytes: 0 });
  await site(0, "--check");
  assert.ok(!existsSync(`${out}/notes/read me.html`));
  assert.match((await site(2, "--check", "--write")).errors, /Use either --write or --check/);
});

test("site says nothing that depends on the day", async (t) => {
  const parts =
    "\n## Context\n\nC.\n\n## Decision\n\nWe keep it until 2026-01-03.\n\n## Consequences\n\nE.\n";
  const { out, site } = prepare(t, {
    "adr/0001-a.md": `---\nstatus: accepted\nvalid-until: 2026-01-03\n---\n\n# A\n${parts}`,
    "adr/0002-b.md": `---\nstatus: proposed\ndate: 2026-01-03\n---\n\n# B\n${parts}`,
    "adr/0003-c.md": `---\nstatus: accepted\nreviewBy: 2026-01-03\n---\n\n# C\n${
      parts.replace("until", "on")
    }`,
  });
  await site(0, "--write");
  assert.doesNotMatch(filesIn(out)["findings.html"]!, /adr-expired|adr-proposed-long|review-overdue/);
});

test("site overwrites and deletes only files that it made", async (t) => {
  const { out, site } = prepare(t, FILES);
  const own = {
    "CNAME": "example.com",
    "extra.html": "<p>mine</p>",
    "notes/mine.html": "<!doctype html><title>architrave:site</title>",
    // Another site.
    "v1/search.json": "{}",
    "v1/index.html": '<meta name="generator" content="architrave:site">',
  };
  writeFiles(out, own);
  await site(0, "--write");
  if (process.platform !== "win32") symlinkSync("index.html", `${out}/home.html`);
  await site(0, "--write");
  assert.ok(existsSync(`${out}/index.html`));
  for (const [name, text] of Object.entries(own)) assert.equal(filesIn(out)[name], text);
  const taken = { "index.html": "<p>mine</p>", "style.css": "a {}", "feed.xml": Uint8Array.of(0xff) };
  for (const [name, content] of Object.entries(taken)) {
    rmSync(out, { recursive: true });
    writeFiles(out, { [name]: content });
    const { errors } = await site(1, "--write");
    const reason = "site did not make it and does not overwrite it; move it";
    assert.match(errors, new RegExp(`Cannot write ".*/${name}": ${reason}`));
    assert.deepEqual(Object.keys(filesIn(out)), [name]);
  }
});

test("site makes nothing if a category has the name of one of its files", async (t) => {
  for (const name of ["script.js", "style.css", "search.json", "feed.xml", "404.html", "index.html"]) {
    const { out, site } = prepare(t, { [`${name}/a.md`]: "# A\n" });
    const { errors } = await site(1, "--write");
    assert.match(errors, new RegExp(`Cannot make the site: the category "${name}" has the name of a file`));
    assert.ok(!existsSync(out));
  }
});
