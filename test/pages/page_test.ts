/** The command `page`: all views, their links, refused requests, and changes. */

import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { assertFails } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";
import { ON_DENO } from "../harness/program.ts";
import { until } from "../harness/process.ts";
import { show, start } from "./shown.ts";
import { open, requestOf } from "../harness/http_client.ts";
import { FILES, HOSTILE, HOSTILE_PATH, record } from "./documents.ts";
import { crawl } from "./html.ts";

/** Reads the target of a link; undefined if it is not a page. */
async function read(to: URL): Promise<string | undefined> {
  const response = await fetch(to);
  const text = await response.text();
  assert.equal(response.status, 200, to.href);
  return response.headers.get("content-type")?.startsWith("text/html") ? text : undefined;
}

test("every view shows the content of the documents", async (t) => {
  const { get } = await show(t, FILES);
  const rows: [path: string, ...facts: RegExp[]][] = [
    [
      "/",
      /3 decision records and 1 other document in 2 categories/,
      /In force1of 3 decisions[^]*To be decided1[^]*Changed last2026-03-042\. Use streams[^]*Overdue1reviews/,
      /accepted 1[^]*Newest decisions\s*2\. Use streams[^]*replaces 1\. Use queues[^]*3\. Use a bus/,
      /No longer in force \(1\)\s*1\. Use queues[^]*replaced by 2\. Use streams/,
      /Overdue reviews \(1\)\s*2\. Use streams[^]*To be decided \(1\)\s*3\. Use a bus/,
    ],
    ["/documents.html", /4 of 4 documents[^]*1\. Use queues superseded 2026-01-02 · adr[^]*Notes & <more>/],
    ["/documents.html?status=accepted", /1 of 4 documents\s*2\. Use streams/],
    ["/documents.html?category=notes", /1 of 4 documents\s*Notes/],
    ["/documents.html?tag=net&text=STREAMS+2", /1 of 4 documents\s*2\. Use streams/],
    ["/documents.html?status=nothing", /0 of 4 documents/],
    [
      "/adr/0001-use-queues.html",
      /1\. Use queues[^]*no longer in force/,
      /Relations\s*Superseded by 2\. Use streams accepted/,
      /History\s*1\. Use queues superseded 2026-01-02\s*2\. Use streams/,
      /Linked from\s*2\. Use streams/,
    ],
    [
      "/graph.html",
      /2\. Use streams[^]*supersedes 1\. Use queues/,
      /Not shown: 1 of 3 documents[^]*Records without relations\s*3\. Use a bus/,
    ],
    ["/adr/0002-use-streams.html", /accepted[^]*2026-03-04[^]*io, net[^]*src\/\*\*[^]*:\/\/adr\/0002/],
    ["/notes/read%20me.html", /Linked from\s*2\. Use streams/],
    ["/findings.html", /error: link-dead \(1\)\s*Fix the link\.\s*adr\/0003-use-a-bus\.md/, /review-overdue/],
    ["/search.html", /Enter search terms/],
    ["/search.html?q=retries", /1 document found for "retries"[^]*#context Retries back off/],
    ["/search.html?q=zebra", /0 documents found for "zebra"/],
    ["/paths.html", /Paths from the root/],
    ["/paths.html?paths=src/a.ts%0d%0aother", /2\. Use streams[^]*applies to src\/\*\*: src\/a\.ts/],
    ["/paths.html?paths=other", /No document says that it applies/],
  ];
  for (const [path, ...facts] of rows) {
    const { text, ids } = await get(path);
    for (const fact of facts) assert.match(text, fact, path);
    assert.ok(ids.has("page.main"), path);
  }
  assert.match((await get("/search.html?q=retries")).html, /<mark>Retries<\/mark> back off/);
  assert.match((await get("/adr/use-streams.html", 404)).text, /no such page/);
});

test("the timeline lists decisions by year, newest first", async (t) => {
  const [e, f] = [record("<E>", "date: 2024-02-01\n"), record("F", "date: March 2024\n")];
  const { html } = await (await show(t, { ...FILES, "adr/4-e.md": e, "adr/5-f.md": f })).get(
    "/timeline.html",
  );
  const list = html.slice(html.indexOf('class="timeline '));
  const listed = list.match(/(?<=<h2[^>]*>)[^<]+|(?<=\.html"(?: class="gone")?>)[^<]+|(?<=<p>)replace[^<]*/g);
  assert.equal(
    listed?.join(),
    "2026,2. Use streams,replaces ,1. Use queues,3. Use a bus,1. Use queues,replaced by ,2. Use streams,2024,4. &lt;E&gt;",
  );
  const row =
    '<span class="date">2026-01-02</span>\n<span><a href="/adr/0001-use-queues.html" class="gone">1. Use queues</a> ';
  assert.ok(html.includes(`${row}<span class="badge over">`), html);
  const lines = list.match(/(?<=<i class="lane )[^"]+/g);
  assert.deepEqual(lines, ["lane0 start", "lane0", "lane0 end"]);
});

/** The start of a record, and what its page shows of it below the title. */
const STATED: readonly (readonly [name: string, text: string, shown: RegExp, hidden: RegExp | undefined])[] =
  [
    [
      "lines",
      "Date: 2026-01-02\n\nStatus: Accepted\n",
      /^accepted2026-01-02\s*Context\s*The text/,
      undefined,
    ],
    [
      "a list",
      "* Status: accepted\n* **Date:** 2026-01-02\n",
      /^accepted2026-01-02\s*Context\s*The text/,
      /Status|Date/,
    ],
    [
      "a section",
      "Date: 2026-01-02\n\n## Status\n\nAccepted.\n",
      /^accepted2026-01-02\s*Context\s*The text/,
      /Status/,
    ],
    ["a section with a sign", "## Status\n\n\u2705 Accepted\n", /^accepted\s*Context\s*The text/, /Status/],
    [
      "a section with prose",
      "## Status\n\nAccepted\n\nBy all of us.\n",
      /^accepted\s*Status\s*Accepted\s*By all/,
      undefined,
    ],
    [
      "two sections",
      "## Date\n\n2026-01-02\n\n## Status\n\nAccepted\n",
      /^accepted2026-01-02\s*Status\s*Accepted/,
      /Date/,
    ],
    [
      "a line that the successor overrules",
      "Status: accepted\n\nSuperseded by: [B](0002-b.md)\n",
      /Status: accepted/,
      undefined,
    ],
    [
      "a list with the successor",
      "- Status: superseded by [B](0002-b.md)\n- Date: 2026-01-02\n",
      /^superseded2026-01-02\s*Context\s*The text/,
      /Status|Date/,
    ],
    ["a section with it", "## Status\n\nErsetzt durch [B](0002-b.md).\n", /^superseded/, /Status|durch/],
    [
      "a successor that is not there",
      "Status: superseded by [D](0009-d.md)\n",
      /Status: superseded by/,
      undefined,
    ],
    ["a successor and why", "Status: superseded by [B](0002-b.md): slow\n", /Status[^]*: slow/, undefined],
    [
      "a successor and another record",
      "Status: superseded by [B](0002-b.md), see [C](0003-c.md)\n",
      /see C/,
      undefined,
    ],
    [
      "another section with a link",
      "Status: superseded by [B](0002-b.md)\n\n## See also\n\n[C](0003-c.md)\n",
      /^superseded\s*See also\s*C/,
      /Status/,
    ],
    ["a line with more", "Status: accepted by Ann\n", /Status: accepted by Ann/, undefined],
    ["another date", "Date: 2026-01-02\n\nDate: 2020-05-05\n", /Date: 2020-05-05/, /Date: 2026/],
  ];
for (const [name, text, shown, hidden] of STATED) {
  test(`a page states status and date once, and keeps what says more: ${name}`, async (t) => {
    const part = "\n## Context\n\nThe text.\n\nStatus: accepted\n\n## Decision\n\nWe do it.\n";
    const { get } = await show(t, {
      "adr/0001-a.md": `# 1. A\n\n${text}${part}`,
      "adr/0002-b.md": record("B"),
      "adr/0003-c.md": record("C"),
    });
    const { html, text: all, ids } = await get("/adr/0001-a.html");
    const below = all.slice(all.indexOf("1. A", all.lastIndexOf("Search\n")) + 4).trim();
    const said = below.replace(/^This decision is no longer in force.*\n/, "");
    assert.match(said, shown);
    const body = said.slice(0, said.indexOf("The text"));
    if (hidden) assert.doesNotMatch(body, hidden);
    assert.ok(!/href="#status"/.test(html) || ids.has("status"));
    assert.ok(!text.includes("## Status") || ids.has("status"), "links to the section work");
  });
}

test("pages name the project, step through records, and offer only filters that have values", async (t) => {
  const files = {
    "adr/0001-a.md": record("A"),
    "adr/0002-b.md": record("B"),
    "adr/0003-c.md": record("C"),
  };
  const { get } = await show(t, files, "--title", "Rockets & <co>");
  const { html, text } = await get("/adr/0002-b.html");
  assert.match(html, /<title>2\. B · Rockets &amp; &lt;co&gt;<\/title>/);
  assert.match(
    html,
    /<a rel="prev" href="\/adr\/0001-a\.html">[^]*<a rel="next" href="\/adr\/0003-c\.html">/,
  );
  assert.match(text, /Previous1\. A\s*Next3\. C/);
  assert.doesNotMatch((await get("/adr/0001-a.html")).html, /rel="prev"/);
  assert.doesNotMatch((await get("/adr/0003-c.html")).html, /rel="next"/);
  const list = (await get("/documents.html")).html;
  assert.deepEqual(list.match(/(?<=<select name=")[a-z]+/g), null);
  assert.match((await get("/documents.html?tag=x")).html, /<select name="tag">/);
  assert.match((await get("/")).html, /<title>Rockets &amp; &lt;co&gt;<\/title>/);
});

test("a record that was replaced leads to its successor", async (t) => {
  const { get } = await show(t, FILES);
  const { text } = await get("/adr/0001-use-queues.html");
  assert.match(text, /no longer in force: replaced by 2\. Use streams\./);
  assert.match((await get("/adr/0002-use-streams.html")).text, /accepted2026-03-04replaces 1\. Use queues/);
});

test("a record has a list of at most 24 records around it", async (t) => {
  const names = Array.from({ length: 30 }, (_, index) => String(index + 1).padStart(4, "0"));
  const { get } = await show(
    t,
    Object.fromEntries(names.map((name) => [`adr/${name}-r.md`, record(`R${name}`)])),
  );
  for (const [own, first, last] of [["0001", 1, 24], ["0016", 4, 27], ["0030", 7, 30]] as const) {
    const { html } = await get(`/adr/${own}-r.html`), rail = html.slice(html.indexOf('class="rail"'));
    const listed = rail.match(/(?<=>R)\d+(?=<)/g)!.map(Number);
    assert.deepEqual([listed[0], listed.at(-1), listed.length], [first, last, 24]);
    assert.match(rail, new RegExp(`aria-current="page">R${own}<`));
  }
});

test("all links of all pages resolve, and nothing in them can run", async (t) => {
  const { url } = await show(t, HOSTILE);
  const pages = await crawl(url, read);
  const documents = [...pages.keys()].filter((path) => /^\/[^/]+\/[^/]+\.html$/.test(path));
  assert.equal(documents.length, Object.keys(HOSTILE).length, documents.join());
  const runs = /<(?:img|a)[^>]*(?:javascript|evil)/i;
  for (const [path, { html }] of pages) assert.doesNotMatch(html, runs, path);
});

test("markup, control characters and links that could run are shown as text", async (t) => {
  const { get } = await show(t, HOSTILE);
  const { html, text, links } = await get(HOSTILE_PATH);
  const shown = ["<script>alert(1)</script>", "\\u{202e}desrever\\u{202c} \\u{1b}[31mred\\u{7}"];
  for (const said of [...shown, "<script>alert(2)"]) assert.ok(text.includes(said), said);
  assert.match(html, /<a href="http:\/\/example\.com\/\?a&amp;b">f<\/a>/);
  assert.match(html, /<meta name="referrer" content="no-referrer">/);
  const outside = links.filter((link) => !/^(?:[#]|\/(?!\/))/.test(link));
  const urls = ["?a&b", "x.png", ""].map((path) => `http://example.com/${path}`);
  assert.deepEqual(outside.slice(1), urls);
  assert.match(outside[0]!, /^data:image\/svg/);
});

test("the bundled sample is shown, with a note", async (t) => {
  const { get } = await show(t, {});
  assert.match((await get("/")).text, /These are the sample documents/);
});

test("long lists and documents are cut, and a list is shown whole on demand", async (t) => {
  const many = Array.from({ length: 250 }, (_, index) => [`notes/${index + 100}.md`, "# N\n"]);
  const long = `# Long\n\n${"A line of a long document.\n".repeat(380_000)}`;
  const { get } = await show(t, { ...Object.fromEntries(many), "notes/long.md": long });
  const { text, links } = await get("/documents.html?category=notes");
  assert.match(text, /251 of 251 documents[^]*and 151 more/);
  assert.ok(links.includes("/documents.html?category=notes&all="));
  const all = await get("/documents.html?category=notes&all=");
  assert.ok(all.links.includes("/notes/349.html") && !links.includes("/notes/349.html"));
  assert.doesNotMatch(all.text, /more/);
  const { html, text: shown } = await get("/notes/long.html");
  assert.ok(html.length < 4_000_000, `${html.length}`);
  assert.match(shown, /Only the first 10\d{5} of 1026\d{4} characters are shown/);
});

test("other hosts, sites, methods and spellings are refused", async (t) => {
  const { port, url } = await show(t, FILES);
  const local = `127.0.0.1:${port}`;
  const rows: [status: number, target: string, fields?: Record<string, string>, method?: string][] = [
    [200, "/"],
    [200, "/index.html?x=y", { host: "localhost" }],
    [200, `http://${local}/style.css`],
    [200, "/adr/0001-use-queues.html", {}, "HEAD"],
    [200, "/", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" }],
    [403, "/", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe" }],
    [403, "/", { "sec-fetch-site": "none", "sec-fetch-dest": "document", "sec-purpose": "prefetch" }],
    [403, "/script.js", { "sec-fetch-site": "same-site", "sec-fetch-dest": "script" }],
    [403, "/events", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "empty" }],
    [403, "/", { host: "evil.example" }],
    [403, "/", { host: "localhost.evil.example:80" }],
    [403, "/", { origin: "https://evil.example" }],
    [403, "/", { origin: "null" }],
    [403, "http://evil.example/"],
    [405, "/", {}, "POST"],
    [405, "/", {}, "PUT"],
    [405, "/events", {}, "OPTIONS"],
    [400, "//adr/0001-use-queues.html"],
    [400, "/adr//0001-use-queues.html"],
    [400, "/adr%2f0001-use-queues.html"],
    [400, "/adr/..%2f..%2fetc/passwd"],
    [400, "/adr/%00.html"],
    [400, "/%2e%2e%2fetc/passwd"],
    [404, "/adr%5c0001-use-queues.html"],
    [404, "/etc/passwd"],
    [404, "/adr/0001-use-queues.md"],
    [404, "/ADR/0001-use-queues.html"],
    [404, "/__proto__"],
    [404, "/notes/read+me.html"],
    [414, `/search.html?q=${"x".repeat(9000)}`],
  ];
  // Deno normalises these before it passes them on.
  const resolved = ["/../etc/passwd", "/adr/../index.html", "/./index.html", "/adr\\0001-use-queues.html"];
  if (!ON_DENO) rows.push(...resolved.map((target): [number, string] => [400, target]));
  for (const [status, target, fields = {}, method = "GET"] of rows) {
    const all = { host: local, connection: "close", ...fields };
    const answered = await open(port, requestOf(method, target, all));
    await answered.head();
    assert.equal(answered.status, status, `${method} ${target} ${JSON.stringify(fields)}`);
    assert.equal(answered.headers.get("x-content-type-options"), "nosniff", target);
    answered.socket.destroy();
  }
  const { headers } = await fetch(url);
  const policy = headers.get("content-security-policy") ?? "";
  const parts = ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"];
  for (const part of parts) assert.ok(policy.includes(part), policy);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  const fields = { "referrer-policy": "no-referrer", "cross-origin-resource-policy": "same-origin" };
  for (const [name, value] of Object.entries(fields)) assert.equal(headers.get(name), value);
});

test("open pages are notified of an edit, and then show it", async (t) => {
  const { folder, port, get } = await show(t, FILES, "--poll", "20");
  assert.match((await get("/")).text, /4 documents/);
  const events = await open(port, requestOf("GET", "/events", { host: "localhost" }));
  await events.head();
  writeFileSync(`${folder}/adr/0004-use-nothing.md`, record("Use nothing", "status: rejected\n"));
  await events.until("an event", () => events.body.includes("data: changed\n\n"));
  assert.match((await get("/")).text, /5 documents/);
  assert.match((await get("/adr/0004-use-nothing.html")).text, /4\. Use nothing/);
  events.socket.destroy();
});

test("a folder of markdown is shown without an option, on another address of this machine", async (t) => {
  const folder = makeFolder(t, { "adr/1-use-x.md": "# Use x\n" });
  // Other systems have no second loopback address.
  const address = process.platform === "linux" ? "127.0.0.2:0" : "127.0.0.1:0";
  const { get } = await start(t, `${folder}/adr`, "--listen", address);
  assert.match((await get("adr/1-use-x.html")).text, /1\. Use x/);
  await assertFails([["page DIR/none", 2, /Cannot read the folder: .*none" does not exist/]], folder);
});

test("page refuses addresses that other machines can reach", async () => {
  const reason = /Cannot show the page on .*: others could read all documents/;
  const addresses = ["0.0.0.0:8090", "192.168.0.1:80", "[::]:0", "docs.example.com:80"];
  await assertFails(addresses.map((address) => [`page --listen ${address}`, 2, reason]));
});

const BROWSERS = { skip: process.platform === "win32" && "the programs of the test are shell scripts" };

test("--open opens the page, and prints its address if no browser can be opened", BROWSERS, async (t) => {
  const { PATH = "" } = process.env;
  t.after(() => void (process.env["PATH"] = PATH));
  const folder = makeFolder(t, { "xdg-open": "#!/bin/sh\nexit 3\n" });
  chmodSync(`${folder}/xdg-open`, 0o755);
  process.env["PATH"] = folder;
  const failed = await show(t, FILES, "--open");
  await until("a warning", () => failed.printed().includes("warning"));
  const reason = "Cannot open a browser: xdg-open ended with 3; open: it was not found";
  assert.ok(failed.printed().includes(reason), failed.printed());
  assert.ok(failed.printed().includes(`open ${failed.url} yourself`), failed.printed());
  writeFileSync(`${folder}/xdg-open`, `#!/bin/sh\necho "$1" > ${folder}/opened\n`);
  const opened = await show(t, FILES, "--open");
  const written = () => existsSync(`${folder}/opened`) && readFileSync(`${folder}/opened`, "utf8") !== "";
  await until("a browser", written);
  assert.equal(readFileSync(`${folder}/opened`, "utf8"), `${opened.url}\n`);
});
