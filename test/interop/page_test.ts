/** The page in Chromium: every view of several folders on several screens, by keyboard, without script, from other sites. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import process from "node:process";
import type { TestContext } from "node:test";
import type { Browser, BrowserContextOptions, CDPSession, Page } from "playwright-core";
import type { HttpServer } from "./programs.ts";
import { after, before, describe, it } from "node:test";
import axe from "axe-core";
import { chromium } from "playwright-core";
import { runHere } from "../harness/command.ts";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { IS_COMPLETE } from "../harness/runtime.ts";
import { encodeSegment } from "./documents.ts";
import { CHROMIUM, closeNow, listenLocally, NO_CHROMIUM, OWN_ROOT, servePage, WELL } from "./programs.ts";

/** Records that relate to each other, by their path: as many as a large collection of proposals has. */
function records(count: number, size = 400): Record<string, string> {
  const statuses = ["accepted", "proposed", "superseded", "rejected", "draft"];
  return Object.fromEntries(Array.from({ length: count }, (_, index) => {
    const number = index + 1, status = statuses[number % 7] ?? "accepted";
    const relation = number % 9 === 0
      ? `amends: ${number - 4}\n`
      : number % 5 === 4
      ? `supersedes: ${number - 2}\n`
      : "";
    const front = `status: ${status}\ndate: ${2014 + index % 12}-0${1 + index % 9}-15\ntags: [area-${
      number % 40
    }]\n${relation}`;
    const body = `## Context\n\nThe queue number ${number} retries.\n\n${
      "It is a matter of latency. ".repeat(size / 27)
    }\n`;
    const name = `resources/adr/${String(number).padStart(5, "0")}-use-part-${number}.md`;
    return [
      name,
      `---\n${front}applies-to: src/part${number}/**\n---\n# Use part ${number}\n\n${body}\n## Decision\n\nUse it.\n`,
    ];
  }));
}

const PLANT = "window.planted = 1; fetch('http://planted.example/')";
const MARKUP = `<script>${PLANT}</script><img src=x onerror="${PLANT}"><svg onload="${PLANT}"></svg>`;
const LINKS = [
  "javascript:",
  "JavaScript:",
  "&#106;avascript:",
  "java\tscript:",
  "\u0001javascript:",
  "data:text/html,",
  "vbscript:",
]
  .map((scheme) =>
    `[${
      scheme.replace(/\W/g, "")
    }](<${scheme}${PLANT}>) [ref][${scheme.length}]\n\n[${scheme.length}]: <${scheme}${PLANT}>`
  );
const STEERING = "\u202edesrever\u202c \u2066isolated\u2069 \u0007\u001b[31mred\u009b";
/** Documents that try to get a script, a request or a wrong look past the page. */
const HOSTILE: Readonly<Record<string, string>> = {
  "resources/adr/0001-a\"'<&#%?.md":
    `---\nstatus: ${JSON.stringify(MARKUP)}\ndate: ${JSON.stringify(MARKUP)}\n` +
    `tags: [${JSON.stringify(`"><script>${PLANT}</script>`)}, "javascript:${PLANT}"]\n` +
    `applies-to: '**'\nsupersedes: 2\n---\n# ${MARKUP} ${STEERING}\n\n${MARKUP}\n\n<!-- ${MARKUP}\n\n${
      LINKS.join("\n\n")
    }\n\n` +
    `![x](http://planted.example/x.png) ![y](javascript:${PLANT}) <http://planted.example/>\n\n` +
    `## ${MARKUP}\n\n## page.main\n\n## page.q\n\n## ${STEERING}\n\n\`\`\`"><script>${PLANT}</script>\n${MARKUP}\n\`\`\`\n\n` +
    `| a ${MARKUP} | b |\n| - | - |\n| <style>*{display:none}</style> | ${STEERING} |\n\n[^x]\n\n[^x]: ${MARKUP}\n`,
  "resources/adr/0002-b.md": `---\nstatus: superseded\nsuperseded-by: 1\n---\n# ${"wide".repeat(500)}\n\n${
    "x".repeat(5000)
  }\n`,
  "resources/adr/__proto__.md": "# constructor\n\n## __proto__\n\n## constructor\n",
  "resources/größe/日本 記録.md": "# مرحبا عالم\n\n[back](../adr/0002-b.md#nothing)\n",
};

/** What a folder is made of, what is searched in it, and its documents that are read, by address. */
interface Folder {
  readonly root?: string;
  readonly files?: () => Readonly<Record<string, string>>;
  readonly word: string;
  readonly path: string;
  readonly documents: readonly string[];
}
const FOLDERS: Readonly<Record<string, Folder>> = {
  "our own documents": {
    root: OWN_ROOT,
    word: "permission",
    path: "lib/base/json.ts",
    documents: [
      "adr/006-stdio-only-by-default.html",
      "guidelines/performance.html",
    ],
  },
  "640 records": {
    files: () => records(640),
    word: "queue",
    path: "src/part7/a.ts",
    documents: ["adr/00009-use-part-9.html"],
  },
  "hostile documents": {
    files: () => HOSTILE,
    word: "planted",
    path: `${MARKUP}\u202e`,
    documents: Object.keys(HOSTILE).map((path) =>
      `${
        path.slice("resources/".length, -".md".length).split("/").map(
          encodeSegment,
        ).join("/")
      }.html`
    ),
  },
  ...IS_COMPLETE && {
    "10,000 documents and one of 10 MiB": {
      files: () => ({
        ...records(10_000),
        "resources/notes/large.md": `# Large\n\n${`${MARKUP} [x](y.md) **z**\n`.repeat(50_000)}`,
      }),
      word: "latency",
      path: "src/part7/a.ts",
      documents: ["notes/large.html"],
    },
  },
  ...process.env["INTEROP_RFCS"] !== undefined && {
    "a folder of proposals": {
      root: process.env["INTEROP_RFCS"],
      word: "borrow",
      path: "src/lib.rs",
      documents: [],
    },
  },
};

const VIEWS = [
  "",
  "documents.html",
  "documents.html?status=accepted&text=use",
  "graph.html",
  "timeline.html",
  "findings.html",
];
const SCREENS = [
  { width: 320, colorScheme: "light" },
  { width: 1280, colorScheme: "dark" },
  ...IS_COMPLETE
    ? [{ width: 1280, colorScheme: "light" }, {
      width: 320,
      colorScheme: "dark",
    }, { width: 768, colorScheme: "light" }] as const
    : [],
] as const;
const ARGS =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update " +
  "--disable-sync --host-resolver-rules=MAP * 127.0.0.1";

/** Reports what must not happen as errors of the console. */
const REPORT =
  `Object.defineProperty(window, "planted", { set() { console.error("a script of a document ran"); } });`;

describe("the page in Chromium", { skip: NO_CHROMIUM }, () => {
  let browser: Browser;
  before(async () =>
    void (browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ARGS.split(/ (?=--)/),
    }))
  );
  after(() => browser.close());

  /** Shows a folder, or one of these files, until the end of the test. */
  async function show(
    t: TestContext,
    root: string | Readonly<Record<string, string>>,
    ...flags: string[]
  ) {
    let server: HttpServer;
    t.after(async () => assert.deepEqual(await server.stop(), WELL));
    const folder = typeof root === "string" ? root : makeFolder(t, root);
    server = await servePage(folder, flags);
    return { url: server.url, folder };
  }

  /** Opens a tab, with what must not happen in it. */
  async function openTab(
    t: TestContext,
    url: string,
    options: BrowserContextOptions = {},
  ) {
    const context = await browser.newContext({
      reducedMotion: "reduce",
      ...options,
      baseURL: url,
    });
    t.after(() => context.close());
    const problems: string[] = [];
    if (options.javaScriptEnabled !== false) {
      await context.addInitScript(REPORT);
    }
    context.on("request", (request) => {
      if (
        !request.url().startsWith(url) && !request.url().startsWith("data:")
      ) problems.push(`requests ${request.url()}`);
    });
    const page = await context.newPage();
    page.on(
      "console",
      (message) => problems.push(`${message.type()}: ${message.text()}`),
    );
    page.on("pageerror", (cause) => problems.push(`throws ${cause}`));
    page.on(
      "dialog",
      (dialog) => (problems.push(`says ${dialog.message()}`), dialog.dismiss()),
    );
    return { page, problems };
  }

  /** What axe finds against WCAG 2.2 AA. It is run by the browser's tools, which the policy does not concern. */
  async function findBarriers(page: Page): Promise<string[]> {
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<axe.AxeResults>(
      `axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], resultTypes: ["violations"] })`,
    );
    return violations.map(({ id, nodes }) =>
      `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(" ")}`
    );
  }

  for (
    const [name, { root, files, word, path, documents }] of Object.entries(
      FOLDERS,
    )
  ) {
    it(`runs nothing of ${name}, loads nothing from elsewhere, fits narrow screens, and has no barriers`, async (t) => {
      const { url } = await show(t, root ?? files!());
      const forms = [
        `search.html?q=${word}`,
        `paths.html?paths=${encodeURIComponent(path)}`,
        "nothing.html",
      ];
      const found: string[] = [];
      for (const screen of SCREENS) {
        const { width, colorScheme } = screen;
        const { page, problems } = await openTab(t, url, {
          viewport: { width, height: 800 },
          colorScheme,
        });
        for (const address of [...VIEWS, ...forms, ...documents]) {
          const response = await page.goto(address);
          const expected = address === "nothing.html" ? 404 : 200;
          if (expected === 404) problems.splice(0, 1);
          assert.equal(response!.status(), expected, address);
          const over = await page.evaluate<number>(
            "document.documentElement.scrollWidth - innerWidth",
          );
          if (over > 0) problems.push(`is ${over} pixels too wide`);
          if (root === OWN_ROOT || files?.() === HOSTILE || IS_COMPLETE) {
            problems.push(...await findBarriers(page));
          }
          found.push(
            ...problems.splice(0).map((problem) => `${address} (${width}, ${colorScheme}) ${problem}`),
          );
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
    await page.evaluate(
      `document.body.insertAdjacentHTML("beforeend", ${
        JSON.stringify(
          `<p style="color: red">x</p>${MARKUP}<a id="run" href="javascript:${PLANT}">x</a><iframe src="/"></iframe>`,
        )
      }); document.body.append(Object.assign(document.createElement("script"), { textContent: ${
        JSON.stringify(PLANT)
      } }));
    document.body.append(Object.assign(document.createElement("script"), { src: "http://planted.example/x.js" }));
    document.body.append(Object.assign(document.createElement("img"), { src: "http://planted.example/x.png" }));
    fetch("http://planted.example/").catch(() => {}); document.getElementById("run").click();`,
    );
    const blocked = [
      "inline style",
      "inline event handler",
      "inline script",
      "Loading the script",
      "Loading the image",
      "Connecting",
      "JavaScript URL",
      "Framing",
    ];
    const missing = () =>
      blocked.filter((what) =>
        !problems.some((text) => text.includes(what) && text.includes("Content Security Policy"))
      );
    for (let tries = 0; tries < 100 && missing().length > 0; tries++) await page.waitForTimeout(20);
    assert.deepEqual(missing(), [], problems.join("\n"));
    assert.ok(!problems.includes("error: a script of a document ran"));
    assert.deepEqual(failures.filter((text) => text !== "csp"), []);
  });

  it("is read without script and on paper, and forms answer", async (t) => {
    const { url } = await show(t, records(30));
    const { page, problems } = await openTab(t, url, {
      javaScriptEnabled: false,
    });
    await page.goto("");
    await page.getByRole("link", { name: "Documents" }).click();
    await page.getByLabel("Status").selectOption("rejected");
    await page.getByRole("button", { name: "Filter" }).click();
    assert.equal(await page.locator("main .items > li").count(), 4);
    await page.getByRole("searchbox", { name: "Search" }).fill("latency queue");
    await page.getByRole("button", { name: "Search" }).click();
    assert.ok(await page.locator("main mark").count() > 3);
    await page.locator("main .items a").first().click();
    assert.match(
      await page.locator("main").innerText(),
      /Context[^]*It is a matter of latency/,
    );
    for (const view of ["graph.html", "timeline.html"]) {
      await page.goto(view);
      await page.getByRole("link", { name: /Use part 9\b/ }).first().click();
      assert.match(page.url(), /adr\/00009-use-part-9\.html$/);
    }
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator("header").isVisible(), false);
    assert.equal(
      await page.getByText("The queue number 9 retries").isVisible(),
      true,
    );
    assert.match((await page.pdf()).subarray(0, 5).toString(), /^%PDF-/);
    assert.deepEqual(problems, []);
  });

  it("is used by keyboard: skip link, search as one types, zoom of the graph", async (t) => {
    const { url } = await show(t, records(30));
    const { page, problems } = await openTab(t, url, {
      viewport: { width: 1280, height: 800 },
    });
    const focused = () =>
      page.evaluate<string>(
        "(document.activeElement.textContent || document.activeElement.id).trim()",
      );
    await page.goto("");
    const order: string[] = [];
    for (let count = 0; count < 9; count++) {
      await page.keyboard.press("Tab");
      order.push(await focused());
    }
    assert.deepEqual(order, [
      "Skip to content",
      "Overview",
      "Documents",
      "Graph",
      "Timeline",
      "Findings",
      "By path",
      "page.q",
      "Search",
    ]);
    await page.goto("");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate("document.activeElement.id"), "page.main");
    await page.getByRole("searchbox").focus();
    await page.keyboard.type("laten");
    await page.locator("#page\\.found mark", { hasText: "latency" }).first()
      .waitFor();
    assert.match(await page.getByRole("status").innerText(), /documents match/);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    assert.match(await focused(), /Use part/);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#page\\.found > *").count(), 0);
    assert.equal(await focused(), "page.q");
    await page.goto("graph.html");
    const size = async () => (await page.locator("svg.graph").boundingBox())!.width;
    const before = await size();
    await page.locator(".graph-box").focus();
    await page.keyboard.press("+");
    assert.ok(await size() > before);
    await page.keyboard.press("-");
    await page.keyboard.press("-");
    assert.ok(await size() < before);
    await page.getByRole("button", { name: "Zoom in" }).press("Enter");
    assert.equal(Math.round(await size()), Math.round(before));
    assert.deepEqual(problems, []);
  });

  it("shows an edit while it is open, and keeps what is typed", async (t) => {
    const { url, folder } = await show(t, records(3), "--poll", "20");
    const { page, problems } = await openTab(t, url);
    await page.goto("documents.html");
    await page.getByLabel("Text").fill("half a wo");
    await page.waitForFunction(
      "performance.getEntriesByName(location.origin + '/documents.html').length > 0",
    );
    writeFiles(folder, {
      "resources/adr/00004-use-new.md": "---\nstatus: accepted\n---\n# Use something new\n",
    });
    await page.getByRole("link", { name: "Use something new" }).waitFor();
    assert.equal(await page.getByLabel("Text").inputValue(), "half a wo");
    assert.equal(await page.evaluate("document.activeElement.name"), "text");
    assert.deepEqual(problems, []);
  });

  it("is refused to other hosts, sites and frames, and for other spellings of a path", async (t) => {
    const { url } = await show(t, records(3));
    const { port } = new URL(url);
    const { page } = await openTab(t, url);
    const rebound = await page.goto(
      `http://rebound.example:${port}/documents.html`,
    );
    assert.equal(rebound!.status(), 403);
    assert.doesNotMatch(await page.content(), /Use part/);
    await page.goto("");
    const spellings = [
      "//documents.html",
      "/adr%2f00001-use-part-1.html",
      "/adr%5C00001-use-part-1.html",
      "/%2e%2e%2fetc/passwd",
      "/x/%00",
    ];
    const statuses = await page.evaluate<number[]>(
      `Promise.all(${
        JSON.stringify(spellings)
      }.map(async (path) => (await fetch(location.origin + path)).status))`,
    );
    assert.deepEqual(statuses, spellings.map(() => 400));
    const other = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(
        `<!doctype html><title>Other</title><iframe src="${url}"></iframe><object data="${url}"></object>`,
      );
    });
    t.after(() => closeNow(other));
    const origin = await listenLocally(other);
    for (const host of ["127.0.0.1", "other.example"]) {
      await page.goto(origin.replace("127.0.0.1", host));
      const frames = await Promise.all(
        page.frames().map((frame) => frame.content()),
      );
      assert.doesNotMatch(frames.join(), /Use part|documents/, host);
      const load = (tag: string, address: string) =>
        page.evaluate<string>(
          `new Promise((resolve) => document.body.append(Object.assign(
        document.createElement("${tag}"), { onload: () => resolve("loads"), onerror: () => resolve("fails"), src: "${url}${address}" })))`,
        );
      assert.equal(await load("script", "script.js"), "fails", host);
      const rest =
        `Promise.all([fetch("${url}"), fetch("${url}", { mode: "no-cors" }), fetch("${url}", { method: "POST" }),
        new Promise((_, reject) => { new EventSource("${url}events").onerror = reject; })].map((sent) => sent.then(() => "answered", () => "refused")))`;
      assert.deepEqual(
        await page.evaluate(rest),
        Array(4).fill("refused"),
        host,
      );
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
    assert.match(await page.getByRole("status").innerText(), /^30 documents match "laten"\.$/);
    problems.push(...await findBarriers(page));
    await page.getByRole("searchbox").fill("latency part 21");
    await page.getByText('1 documents match "latency part 21"').waitFor();
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

  it("sends at most 60 kB for the overview and the list of 1,000 documents", async (t) => {
    const { url } = await show(t, records(1000, 2000));
    for (
      const address of [
        "",
        "documents.html",
        "graph.html",
        "adr/00009-use-part-9.html",
      ]
    ) {
      const { page } = await openTab(t, url);
      let bytes = 0;
      const tools: CDPSession = await page.context().newCDPSession(page);
      await tools.send("Network.enable");
      tools.on(
        "Network.loadingFinished",
        ({ encodedDataLength }) => void (bytes += encodedDataLength),
      );
      await page.goto(address);
      const paint =
        `new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntriesByName("first-contentful-paint")[0]?.startTime)).observe({ type: "paint", buffered: true }))`;
      t.diagnostic(
        `${address || "overview"}: ${bytes} bytes, first paint after ${await page.evaluate(paint)} ms`,
      );
      if (address !== "graph.html") {
        assert.ok(bytes < 60_000, `${address}: ${bytes} bytes`);
      }
    }
  });
});
