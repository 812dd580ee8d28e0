/** The page in Chromium: every view of several folders on several screens, by keyboard, without script, from other sites. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import process from "node:process";
import type { TestContext } from "node:test";
import { after, before, describe, it } from "node:test";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { runHere } from "../harness/command.ts";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { closeNow, listenLocally } from "../harness/http.ts";
import { IS_COMPLETE } from "../harness/runtime.ts";
import { encodeSegment } from "./documents.ts";
import type { HttpServer } from "./programs.ts";
import { CHROMIUM, NO_CHROMIUM, NODE_RUNTIME, OWN_ROOT, serveProgram, WELL } from "./programs.ts";

type Files = Readonly<Record<string, string>>;

/** Records that relate to each other, by their path below "resources". */
function records(count: number, size = 400): Files {
  const statuses = ["accepted", "proposed", "superseded", "rejected", "draft", "accepted", "accepted"];
  const names = Array.from({ length: count }, (_, index) => String(index + 1).padStart(5, "0"));
  return Object.fromEntries(names.map((name, index) => {
    const at = index + 1;
    const relation = at % 9 === 0 ? `amends: ${at - 4}\n` : at % 5 === 4 ? `supersedes: ${at - 2}\n` : "";
    const text = `---
status: ${statuses[at % 7]}
date: ${2014 + index % 12}-0${1 + index % 9}-15
tags: [area-${at % 40}]
applies-to: src/part${at}/**
${relation}---
# Use part ${at}

## Context

The queue number ${at} retries. ${"It is a matter of latency. ".repeat(size / 27)}

## Decision

Use it.
`;
    return [`resources/adr/${name}-use-part-${at}.md`, text];
  }));
}

const PLANT = "window.planted = 1; fetch('http://planted.example/')";
const MARKUP = `<script>${PLANT}</script><img src=x onerror="${PLANT}"><svg onload="${PLANT}"></svg>`;
const SCHEMES =
  "javascript: JavaScript: &#106;avascript: java\tscript: \u0001javascript: data:text/html, vbscript:";
const LINKS = SCHEMES.split(" ").map((scheme, index) =>
  `[a link](<${scheme}${PLANT}>) [another][${index}]\n\n[${index}]: <${scheme}${PLANT}>\n\n`
);
const STEERING = "\u202edesrever\u202c \u2066isolated\u2069 \u0007\u001b[31mred\u009b";
/** Documents that try to get a script, a request or a wrong look past the page. */
const HOSTILE: Files = {
  "resources/adr/0001-a\"'<&#%?.md": `---
status: ${JSON.stringify(MARKUP)}
date: ${JSON.stringify(MARKUP)}
tags: [${JSON.stringify(MARKUP)}, "javascript:${PLANT}"]
applies-to: "**"
supersedes: 2
---
# ${MARKUP} ${STEERING}

${LINKS.join("")}${MARKUP}

![x](http://planted.example/x.png) ![y](javascript:${PLANT}) <http://planted.example/> [^x]

## ${MARKUP}

## page.main

## ${STEERING}

| ${MARKUP} | <style>*{display:none}</style> | ${"wide".repeat(500)} |
| - | - | - |
| ${"many words ".repeat(99)} | ${STEERING} | <base href="http://planted.example/"> |

\`\`\`"><script>${PLANT}</script>
${MARKUP}${"x".repeat(2000)}
\`\`\`

[^x]: ${MARKUP}

<!-- ${MARKUP}
`,
  "resources/adr/0002-b.md": `---\nstatus: superseded\nsuperseded-by: 1\n---\n# ${"wide".repeat(500)}\n\n${
    "x".repeat(5000)
  }\n`,
  "resources/adr/__proto__.md": "# constructor\n\n## __proto__\n\n## constructor\n",
  "resources/größe/日本 記録.md": "# مرحبا عالم\n\n[back](../adr/0002-b.md#nothing)\n",
};
const HOSTILE_PAGES = Object.keys(HOSTILE).map((path) =>
  `${path.slice("resources/".length, -".md".length).split("/").map(encodeSegment).join("/")}.html`
);

/** The documents of a folder, what is searched in it, a path, and what is read; axe looks at each n-th of them, for 0 at none. */
type Folder = readonly [
  docs: string | (() => Files),
  word: string,
  path: string,
  read: string[],
  nth: number,
];
const LINE = `${MARKUP} [x](y.md) **z**\n`;
const large = () => ({
  "resources/notes/large.md": `# Large\n\n${LINE.repeat(10 * 2 ** 20 / LINE.length - 1)}`,
});
const RFCS = process.env["INTEROP_RFCS"];
const PART = "adr/00009-use-part-9.html";
const OWN = ["adr/006-stdio-only-by-default.html", "guidelines/performance.html"];
const FOLDERS: Readonly<Record<string, Folder>> = {
  "our own documents": [OWN_ROOT, "read", "mod.ts", OWN, IS_COMPLETE ? 1 : 2],
  "640 records": [() => records(640), "queue", "src/part7/a.ts", [PART], IS_COMPLETE ? 1 : 0],
  "hostile documents": [() => HOSTILE, "planted", MARKUP, HOSTILE_PAGES, IS_COMPLETE ? 1 : 2],
  ...IS_COMPLETE && {
    "10,000 records": [() => records(10_000), "latency", "src/part7/a.ts", [PART], 1],
    "a document of 10 MiB": [large, "planted", "a.ts", ["notes/large.html"], 0],
  },
  ...RFCS && { "a folder of proposals": [RFCS, "borrow", "src/lib.rs", [], 1] },
};
const VIEWS = " documents.html documents.html?status=accepted&text=use graph.html timeline.html findings.html"
  .split(" ");
const ALL_SCREENS = ["320 light", "1280 dark", "1280 light", "320 dark", "768 light"];
const SCREENS = ALL_SCREENS.slice(0, IS_COMPLETE ? 5 : 2).map((screen) => screen.split(" "));
const ARGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking " +
  "--disable-component-update --disable-sync --host-resolver-rules=MAP * 127.0.0.1";
/** Reports on the console that a script of a document ran. */
const REPORT =
  `Object.defineProperty(window, "planted", { set() { console.error("a planted script ran"); } });`;

const median = (times: number[]) => Math.round(times.sort((one, other) => one - other)[times.length >> 1]!);

describe("the page in Chromium", { skip: NO_CHROMIUM }, () => {
  let browser: Browser;
  before(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS.split(/ (?=--)/) });
  });
  after(() => browser.close());

  /** Shows a folder, or one of these files, until the end of the test. */
  async function show(t: TestContext, root: string | Files, ...flags: string[]) {
    let server: HttpServer;
    t.after(async () => assert.deepEqual(await server.stop(), WELL));
    const folder = typeof root === "string" ? root : makeFolder(t, root);
    server = await serveProgram(NODE_RUNTIME, folder, flags, [], "page");
    return { url: server.url, folder };
  }

  /** Opens a tab, with what must not happen in it. */
  async function openTab(t: TestContext, url: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext({ reducedMotion: "reduce", ...options, baseURL: url });
    t.after(() => context.close());
    const problems: string[] = [];
    await context.addInitScript(REPORT);
    context.on("request", (request) => {
      if (!/^data:/.test(request.url()) && !request.url().startsWith(url)) {
        problems.push(`requests ${request.url()}`);
      }
    });
    const page = await context.newPage();
    page.on("console", (message) => problems.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (cause) => problems.push(`throws ${cause}`));
    page.on("dialog", (dialog) => (problems.push(`says ${dialog.message()}`), dialog.dismiss()));
    return { page, problems };
  }

  /** What axe finds against WCAG 2.2 AA. The browser's tools run it, which the policy does not concern. */
  async function findBarriers(page: Page): Promise<string[]> {
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<axe.AxeResults>(
      `axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], resultTypes: ["violations"] })`,
    );
    return violations.map(({ id, nodes }) =>
      `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 200))}`
    );
  }

  for (const [name, [root, word, path, read, nth]] of Object.entries(FOLDERS)) {
    it(`runs nothing of ${name}, loads nothing from elsewhere, fits narrow screens, and has no barriers`, async (t) => {
      const { url } = await show(t, typeof root === "string" ? root : root());
      const forms = [`search.html?q=${word}`, `paths.html?paths=${encodeURIComponent(path)}`];
      const found: string[] = [];
      for (const [screen, [width, colorScheme]] of (SCREENS as ["320", "dark"][]).entries()) {
        const { page, problems } = await openTab(t, url, {
          viewport: { width: +width, height: 800 },
          colorScheme,
        });
        for (const [at, address] of [...VIEWS, ...forms, ...read].entries()) {
          assert.equal((await page.goto(address))!.status(), 200, address);
          const over = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
          if (over > 0) problems.push(`is ${over} pixels too wide`);
          if ((screen + at) % nth === 0) problems.push(...await findBarriers(page));
          const where = `${address} (${width}, ${colorScheme})`;
          found.push(...problems.splice(0).map((problem) => `${where} ${problem}`));
        }
      }
      assert.deepEqual(found, []);
    });
  }

  it("blocks by its policy what would get into a page", async (t) => {
    const { url } = await show(t, records(3));
    const { page, problems } = await openTab(t, url);
    await page.goto("");
    const failures: (string | undefined)[] = [];
    page.on("requestfailed", (request) => failures.push(request.failure()?.errorText));
    const html =
      `<p style="color: red">x</p>${MARKUP}<a id="run" href="javascript:${PLANT}">x</a><iframe src="/"></iframe>`;
    await page.evaluate(`document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(html)});
    const add = (tag, fields) => document.body.append(Object.assign(document.createElement(tag), fields));
    add("script", { textContent: ${JSON.stringify(PLANT)} });
    add("script", { src: "http://planted.example/x.js" });
    add("img", { src: "http://planted.example/x.png" });
    fetch("http://planted.example/").catch(() => {});
    document.getElementById("run").click();`);
    const missing = ["inline style", "inline event handler", "inline script", "Loading the script"];
    missing.push("Loading the image", "Connecting", "JavaScript URL", "Framing");
    for (let tries = 0; tries < 100 && missing.length > 0; tries++, await page.waitForTimeout(20)) {
      const blocked = problems.filter((text) => text.includes("Content Security Policy")).join();
      missing.splice(0, missing.length, ...missing.filter((what) => !blocked.includes(what)));
    }
    assert.deepEqual(missing, [], problems.join("\n"));
    assert.ok(!problems.some((text) => text.includes("planted script ran")));
    assert.deepEqual(failures.filter((text) => text !== "csp"), []);
  });

  it("is read without script and on paper, and forms answer", async (t) => {
    const { url } = await show(t, records(30));
    const { page, problems } = await openTab(t, url, { javaScriptEnabled: false });
    await page.goto("");
    await page.getByRole("link", { name: "Documents" }).click();
    await page.getByLabel("Status").selectOption("rejected");
    await page.getByRole("button", { name: "Filter" }).click();
    assert.equal(await page.locator("main .items > li").count(), 4);
    await page.getByRole("searchbox", { name: "Search" }).fill("latency queue");
    await page.getByRole("button", { name: "Search" }).click();
    assert.ok(await page.locator("main mark").count() > 3);
    await page.locator("main .items a").first().click();
    assert.match(await page.locator("main").innerText(), /Context[^]*It is a matter of latency/);
    for (const view of ["graph.html", "timeline.html"]) {
      await page.goto(view);
      await page.getByRole("link", { name: /Use part 9\b/ }).first().click();
      assert.match(page.url(), /adr\/00009-use-part-9\.html$/);
    }
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator("header").isVisible(), false);
    assert.equal(await page.getByText("The queue number 9 retries").isVisible(), true);
    assert.match((await page.pdf()).subarray(0, 5).toString(), /^%PDF-/);
    assert.deepEqual(problems, []);
  });

  it("is used by keyboard: skip link, search as one types, zoom of the graph", async (t) => {
    const { url } = await show(t, records(30), "--title", "The project");
    const { page, problems } = await openTab(t, url, { viewport: { width: 1280, height: 800 } });
    const focused = () =>
      page.evaluate<string>("document.activeElement.textContent || document.activeElement.id");
    const order =
      "Skip to content,The project,Overview,Documents,Graph,Timeline,Findings,By path,page.q,Search";
    for (const start of order.split(",")) {
      if (start === "Skip to content") await page.goto("");
      await page.keyboard.press("Tab");
      assert.equal(await focused(), start);
    }
    await page.getByText("Skip to content").press("Enter");
    assert.equal(await page.evaluate("document.activeElement.id"), "page.main");
    await page.getByRole("searchbox").focus();
    await page.keyboard.type("laten");
    await page.locator("#page\\.found mark", { hasText: "latency" }).first().waitFor();
    assert.match(await page.getByRole("status").innerText(), /documents? found/);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    assert.match(await focused(), /Use part/);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#page\\.found > *").count(), 0);
    assert.equal(await focused(), "page.q");
    await page.goto("graph.html");
    const size = async () => Math.round((await page.locator("svg.graph").boundingBox())!.width);
    const sizes = [await size()];
    for (const key of "+--") {
      await page.locator(".graph-box").press(key);
      sizes.push(await size());
    }
    await page.getByRole("button", { name: "Zoom in" }).press("Enter");
    const [first = 0, larger = 0, same, smaller = 0] = sizes;
    assert.ok(larger > first && same === first && smaller < first && await size() === first, sizes.join());
    assert.deepEqual(problems, []);
  });

  it("shows an edit while it is open, and keeps what is typed", async (t) => {
    const { url, folder } = await show(t, records(3), "--poll", "20");
    const { page, problems } = await openTab(t, url);
    await page.goto("documents.html");
    await page.getByLabel("Text").fill("half a wo");
    writeFiles(folder, {
      "resources/adr/00004-use-new.md": "---\nstatus: accepted\n---\n# Use something new\n",
    });
    await page.getByRole("link", { name: "Use something new" }).waitFor();
    assert.equal(await page.getByLabel("Text").inputValue(), "half a wo");
    assert.equal(await page.evaluate("document.activeElement.name"), "text");
    assert.deepEqual(problems, []);
  });

  it("shows the number of findings that was not known when the page was answered", async (t) => {
    const { url } = await show(t, records(3));
    const { page, problems } = await openTab(t, url);
    // The findings are known before the page listens for changes.
    await page.route("**/events", (route) => setTimeout(() => void route.continue(), 1000));
    await page.goto("");
    await page.getByRole("link", { name: /^\d+ findings?$/ }).waitFor({ timeout: 20_000 });
    assert.deepEqual(problems, []);
  });

  it("is refused to other hosts, sites and frames, and for other spellings of a path", async (t) => {
    const { url } = await show(t, records(3));
    const { page } = await openTab(t, url);
    const rebound = await page.goto(`${url.replace("127.0.0.1", "rebound.example")}documents.html`);
    assert.equal(rebound!.status(), 403);
    assert.doesNotMatch(await page.content(), /Use part/);
    await page.goto("");
    const paths = "//documents.html /adr%2f00001-use-part-1.html /adr%5C1.html /%2e%2e%2fetc /x/%00";
    for (const path of paths.split(" ")) {
      const status = await page.evaluate(`fetch(location.origin + "${path}").then(({ status }) => status)`);
      assert.equal(status, path.includes("%5C") ? 404 : 400);
    }
    const other = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<!doctype html><title>Other</title><iframe src="${url}"></iframe>`);
    });
    t.after(() => closeNow(other));
    const origin = await listenLocally(other);
    for (const host of ["127.0.0.1", "other.example"]) {
      await page.goto(origin.replace("127.0.0.1", host));
      assert.equal(page.frames().length, 2);
      const framed = await page.frames()[1]!.content();
      assert.doesNotMatch(framed, /Use part|documents/, host);
      const loads = `(() => { const load = (tag, fields) => new Promise((onload, onerror) =>
          document.body.append(Object.assign(document.createElement(tag), { ...fields, onload, onerror })));
        const events = new EventSource("${url}events");
        return Promise.all([fetch("${url}"), fetch("${url}", { mode: "no-cors" }), fetch("${url}", { method: "POST" }),
          load("script", { src: "${url}script.js" }), load("link", { rel: "stylesheet", href: "${url}style.css" }),
          new Promise((onopen, onerror) => Object.assign(events, { onopen, onerror })),
        ].map((sent) => sent.then(() => "loads", () => "fails"))); })()`;
      assert.deepEqual(await page.evaluate(loads), Array(6).fill("fails"), host);
    }
  });

  it("is searched and filtered as static files below a base", async (t) => {
    const root = makeFolder(t, records(30)), out = `${makeFolder(t)}/site`;
    const made = await runHere(["site", out, "--root", root, "--base", "/docs/", "--write"]);
    assert.deepEqual([made.code, made.errors], [0, ""]);
    const types: Record<string, string> = { html: "text/html", css: "text/css", js: "text/javascript" };
    const host = createServer((request, response) => {
      const { pathname } = new URL(request.url!, "http://host");
      const path = decodeURIComponent(pathname.replace("/docs/", "")) || "index.html";
      const isThere = existsSync(`${out}/${path}`);
      response.writeHead(isThere ? 200 : 404, {
        "content-type": types[path.split(".").at(-1)!] ?? "text/html",
      });
      response.end(readFileSync(`${out}/${isThere ? path : "404.html"}`));
    });
    t.after(() => closeNow(host));
    const url = `${await listenLocally(host)}/docs/`;
    const { page, problems } = await openTab(t, url);
    await page.goto("");
    await page.getByRole("searchbox").fill("laten");
    const hit = page.locator("#page\\.found li", { has: page.locator("mark", { hasText: "laten" }) }).first();
    await hit.waitFor();
    assert.match(await hit.innerText(), /#context … ?.*It is a matter of latency|#context .*latency/);
    assert.match(await page.getByRole("status").innerText(), /^30 documents found for "laten"\.$/);
    problems.push(...await findBarriers(page));
    await page.getByRole("searchbox").fill("latency part 21");
    await page.getByText('1 document found for "latency part 21"').waitFor();
    await page.locator("#page\\.found li a").first().click();
    assert.match(page.url(), /\/docs\/adr\/00021-use-part-21\.html$/);
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("link", { name: /^rejected/ }).click();
    await page.getByText("4 of 30 documents").waitFor();
    assert.equal(await page.getByLabel("Status").inputValue(), "rejected");
    await page.getByLabel("Text").fill("part 17");
    await page.getByText("1 of 30 documents").waitFor();
    assert.equal(await page.locator("main .items > li:visible").count(), 1);
    assert.match(page.url(), /status=rejected.*text=part\+17$/);
    assert.deepEqual(problems.splice(0), []);
    const plain = await openTab(t, url, { javaScriptEnabled: false });
    await plain.page.goto("documents.html?status=rejected");
    assert.equal(await plain.page.locator("main .items > li:visible").count(), 30);
    assert.equal(await plain.page.locator("form:visible").count(), 0);
    await plain.page.goto("a/b/nothing");
    await plain.page.getByRole("link", { name: "Graph" }).click();
    assert.equal(await plain.page.locator("svg.graph").count(), 1);
  });

  it("sends at most 60 kB for the overview, the list and a document of 1,000", async (t) => {
    const { url } = await show(t, records(1000, 2000));
    const { page } = await openTab(t, url);
    const tools = await page.context().newCDPSession(page);
    let bytes = 0;
    await tools.send("Network.enable");
    tools.on("Network.loadingFinished", ({ encodedDataLength }) => void (bytes += encodedDataLength));
    const paint = `new Promise((resolve) => new PerformanceObserver((list) =>
      resolve(list.getEntries()[0].startTime)).observe({ type: "paint", buffered: true }))`;
    for (const address of ["", "documents.html", PART]) {
      const times: number[] = [];
      for (let load = 0; load < 5; load++) {
        bytes = 0;
        await page.goto(address);
        times.push(await page.evaluate<number>(paint));
      }
      t.diagnostic(`${address || "overview"}: ${bytes} bytes, first paint after ${median(times)} ms`);
      assert.ok(bytes > 10_000 && bytes < 60_000, `${address}: ${bytes} bytes`);
    }
  });

  it("searches 10,000 records with each keystroke", { skip: !IS_COMPLETE }, async (t) => {
    const { url } = await show(t, records(10_000, 2000));
    const times: number[] = [], typed = "latency of queues that retry";
    for (let count = 0; count < 10 * typed.length; count++) {
      const start = performance.now();
      const found = await fetch(`${url}search.html?few&q=${typed.slice(0, count % typed.length + 1)}`);
      assert.match(await found.text(), /<mark>|0 documents/);
      if (count > 2 * typed.length) times.push(performance.now() - start);
    }
    t.diagnostic(`an answer took ${median(times)} ms`);
  });
});
