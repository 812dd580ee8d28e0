/** The view of documents in a browser, with the bridge of the official package as its host and the official client connected to it. */

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { describe, it } from "node:test";
import type { McpUiStyles } from "@modelcontextprotocol/ext-apps/app-bridge";
import { AppBridge } from "@modelcontextprotocol/ext-apps/app-bridge";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Frame } from "playwright-core";
import { chromium } from "playwright-core";
import { makeFolder } from "../harness/folder.ts";
import { CHROMIUM, NO_CHROMIUM, NODE_RUNTIME } from "./programs.ts";
import { MODERN_REVISION } from "../harness/conformance.ts";

const skip = NO_CHROMIUM || NODE_RUNTIME.skip;
const MIME_TYPE = "text/html;profile=mcp-app";
const HOSTILE = "<img src=x onerror=alert(1)></script>";

/** 130 records, the last of which have relations and a hostile title. */
function records(): Record<string, string> {
  const of = (number: number, title: string, ...fields: string[]): [string, string] => [
    `${String(number).padStart(4, "0")}-r.md`,
    `---\n${fields.join("\n")}\ndate: 2026-01-02\n---\n# ${title}\n\n## Context\n\nC.\n`,
  ];
  return Object.fromEntries([
    ...Array.from({ length: 127 }, (_, index) => of(index + 1, `Use ${index + 1}`, "status: accepted")),
    of(128, "Use 128", "status: superseded"),
    of(129, "T", `title: "Use ${HOSTILE}"`, "status: proposed", "supersedes: 128", "applies-to: src/**"),
    of(130, "Use neither", "status: rejected", "amends: [129]", "applies-to: src/a.ts"),
  ]);
}

/** Shows the view of a tool as a host does: in a sandbox, with the policy that its metadata asks for. */
async function showTool(
  t: TestContext,
  mode: "legacy" | { pin: string },
  name: string,
  args: Record<string, unknown>,
) {
  const folder = makeFolder(t, records());
  const client = new Client({ name: "host", version: "1" }, {
    capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [MIME_TYPE] } } },
    versionNegotiation: { mode },
  });
  const launch = NODE_RUNTIME.launch(undefined, ["--mount", `adr=${folder}`]);
  await client.connect(new StdioClientTransport({ ...launch, stderr: "inherit" }));
  t.after(() => client.close());
  const tool = (await client.listTools()).tools.find((one) => one.name === name)!;
  const { resourceUri: uri } = tool._meta!["ui"] as { resourceUri: string };
  const { contents: [content] } = await client.readResource({ uri });
  assert.ok(content && "text" in content);
  assert.equal(content.mimeType, MIME_TYPE);
  const csp = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] };
  assert.deepEqual(content._meta, { ui: { csp, prefersBorder: true } });
  const flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: flags });
  t.after(() => browser.close());
  const page = await browser.newPage();
  const messages: string[] = [], sizes: number[] = [], faults: string[] = [];
  page.on("console", (message) => void (message.type() === "error" && faults.push(message.text())));
  page.on("dialog", (dialog) => {
    faults.push(`A dialog says ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", ({ message }) => void faults.push(message));
  const policy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
    "img-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'self'";
  const outer = '<iframe sandbox="allow-scripts" width="700" height="500"></iframe>';
  const pages = new Map([
    ["http://host.test/", { body: outer, headers: {} }],
    ["http://view.test/", { body: content.text, headers: { "content-security-policy": policy } }],
  ]);
  await page.route("**", (route) => {
    const answer = pages.get(route.request().url());
    if (!answer) faults.push(`It loads ${route.request().url()}`);
    return answer ? route.fulfill({ ...answer, contentType: "text/html" }) : route.abort();
  });
  const offered = { openLinks: {}, serverTools: {}, message: { text: {} } };
  const hostContext = { theme: "light", toolInfo: { tool } } as const;
  const bridge = new AppBridge(client, { name: "host", version: "1" }, offered, { hostContext });
  bridge.onmessage = ({ content }) => {
    messages.push(content.map((block) => block.type === "text" ? block.text : "").join());
    return Promise.resolve({});
  };
  bridge.onsizechange = ({ height }) => void sizes.push(height!);
  const initialized = Promise.withResolvers<void>();
  bridge.oninitialized = () => initialized.resolve();
  await page.exposeFunction("receive", (message: object) => transport.onmessage?.(message as never));
  await page.goto("http://host.test/");
  await page.evaluate(() => {
    const { contentWindow } = document.querySelector("iframe")!;
    addEventListener("message", ({ source, data }) => {
      const { receive } = globalThis as unknown as { receive(data: object): void };
      if (source === contentWindow) receive(data);
    });
  });
  const transport: Parameters<AppBridge["connect"]>[0] & object = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: (message) =>
      page.evaluate(
        (data) => document.querySelector("iframe")!.contentWindow!.postMessage(data, "*"),
        message as object,
      ),
  };
  await bridge.connect(transport);
  await page.evaluate(() => void (document.querySelector("iframe")!.src = "http://view.test/"));
  await initialized.promise;
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(await client.callTool({ name, arguments: args }) as CallToolResult);
  const frame = page.frame({ url: "http://view.test/" })!;
  return { client, page, frame, bridge, messages, sizes, faults };
}

const texts = (frame: Frame, selector: string) => frame.locator(selector).allInnerTexts();

describe("the view of documents", { skip }, () => {
  for (const mode of ["legacy", { pin: MODERN_REVISION }] as const) {
    it(`lists, counts and draws what list_documents finds, ${JSON.stringify(mode)}`, async (t) => {
      const { frame, page, bridge, messages, sizes, faults } = await showTool(t, mode, "list_documents", {});
      await frame.locator("#counts li").nth(4).waitFor();
      const counts = ["130 documents", "127 accepted", "1 proposed", "1 rejected", "1 superseded"];
      assert.deepEqual(await texts(frame, "#counts li"), counts);
      assert.equal(await frame.locator("#documents li").count(), 100);
      await frame.locator("#more").click();
      await frame.locator("#documents li").nth(129).waitFor();
      assert.equal(await frame.locator("#more").isVisible(), false);
      await frame.locator("#filter").fill("onerror");
      assert.deepEqual(await texts(frame, "#documents li:not([hidden]) a"), [`129. Use ${HOSTILE}`]);

      await frame.locator("#documents li:not([hidden]) a").click();
      assert.equal(await frame.locator("svg.graph").isVisible(), false);
      await frame.getByText("Graph", { exact: true }).click();
      assert.equal(await frame.locator("svg.graph a").count(), 3);
      const width = async () => Number(await frame.locator("svg.graph").getAttribute("width"));
      const before = await width();
      await frame.locator("#box").press("+");
      assert.equal(await width(), before * 1.25);
      await frame.locator("svg.graph a").first().focus();
      assert.equal(await frame.locator("svg.graph a.near").count(), 2);
      await page.keyboard.press("Enter");
      await frame.locator("#note:empty").waitFor({ state: "attached" });
      const asked = (name: string) =>
        `Read architecture://adr/${name} with read_document and show me what it says.`;
      assert.deepEqual(messages, [asked("0129-r"), asked("0130-r")]);

      const ink = () => frame.locator("body").evaluate((body) => getComputedStyle(body).color);
      const light = await ink();
      const variables = { "--color-text-primary": "light-dark(#000, #abcdef)" } as McpUiStyles;
      bridge.setHostContext({ theme: "dark", styles: { variables } });
      await frame.locator("html[style*='dark']").waitFor();
      assert.deepEqual([light, await ink()], ["rgb(28, 33, 40)", "rgb(171, 205, 239)"]);
      assert.deepEqual(await bridge.teardownResource({}), {});
      assert.ok(sizes.some((size) => size > 300), String(sizes));
      assert.deepEqual(faults, []);
    });
  }

  it("shows what decisions_for finds, and the message of a call that fails", async (t) => {
    const args = { paths: ["src/a.ts"] };
    const { client, frame, bridge, faults } = await showTool(t, "legacy", "decisions_for", args);
    await frame.locator("#documents .badge.rejected").waitFor();
    assert.deepEqual(await texts(frame, "#documents a"), [`129. Use ${HOSTILE}`, "130. Use neither"]);
    assert.match((await texts(frame, "#documents p"))[1]!, /^For src\/a\.ts\. This decision is rejected/);
    const failed = await client.callTool({ name: "list_documents", arguments: { category: "<b>" } });
    await bridge.sendToolResult(failed as CallToolResult);
    await frame.locator("#note", { hasText: 'There is no category "<b>"' }).waitFor();
    assert.equal(await frame.locator("#documents li").count(), 0);
    assert.deepEqual(faults, []);
  });
});
