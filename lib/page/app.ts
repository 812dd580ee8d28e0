/** The view of documents in chat clients: an MCP App (SEP-1865), a page that talks to its host by messages and loads nothing. */

import type { DocumentProvider } from "../documents/provider.ts";
import type { Access } from "../server/context.ts";
import type { Extension } from "../server/provider.ts";
import { toBase64 } from "../base/bytes.ts";
import { currentStatus, standing } from "../documents/metadata.ts";
import { toUri } from "../documents/uri.ts";
import { relations } from "../graph/relations.ts";
import { drawGraph, GRAPH_SCRIPT, GRAPH_STYLE } from "../graph/svg.ts";
import { APPS } from "../protocol/methods.ts";
import { text, ToolResult } from "../server/tool_result.ts";
import { TIMELINE_STYLE } from "./assets.ts";
import { countBy } from "./model.ts";

/** What the view asks for: how many documents have which status, the most frequent first, and the graph of decisions. */
export function overview({ store, scheme }: DocumentProvider, access: Access | undefined): ToolResult {
  const catalogue = store.catalogue.visibleTo(access), { documents } = catalogue;
  const statuses = countBy(documents, currentStatus)
    .map(([status, count]) => ({ status, standing: standing(status) ?? "other", count }));
  const related = relations(catalogue);
  const hrefOf = ({ key }: { readonly key: string }) => toUri(key, scheme);
  const graph = related.length > 0 ? drawGraph(documents, related, hrefOf) : "";
  const counts = [
    `${documents.length} documents`,
    ...statuses.map(({ status, count }) => `${count} ${status}`),
  ];
  return new ToolResult([text(counts.join(", "))], { value: { total: documents.length, statuses, graph } });
}

/** Reads the view, at its URI. */
export async function viewHandlers(
  view: string,
): Promise<Awaited<ReturnType<NonNullable<Extension["load"]>>>> {
  const policy = `default-src 'none'; script-src ${await hashOf(SCRIPT)}; style-src ${await hashOf(STYLE)}; `;
  const html = PAGE.replace("POLICY", `${policy}base-uri 'none'; form-action 'none'`);
  // Nothing is loaded from anywhere.
  const csp = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] };
  const _meta = { ui: { csp, prefersBorder: true } };
  const contents = { uri: view, mimeType: APPS.mimeType, text: html, _meta };
  return { "resources/read": (_context, _server, uri) => uri === view ? [contents] : undefined };
}

/** The source of an inline script or style, for a Content-Security-Policy. */
async function hashOf(source: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(source));
  return `'sha256-${toBase64(new Uint8Array(digest))}'`;
}

const STYLE = `${GRAPH_STYLE}${TIMELINE_STYLE}
body{margin:0;padding:.75rem;font:.875rem/1.4 var(--font,system-ui,sans-serif);color:var(--ink);background:var(--paper)}
a{color:var(--focus)}
button,input{font:inherit;color:inherit;background:none;border:1px solid var(--line);border-radius:6px;padding:.3rem .6rem;min-height:2rem}
button[aria-pressed=true]{border-color:var(--focus);box-shadow:inset 0 -2px var(--focus)}
:focus-visible{outline:2px solid var(--focus);outline-offset:1px}
.bar{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:0 0 .5rem;padding:0;list-style:none}
.bar li{border-left:4px solid var(--over);padding-left:.4rem}
.bar .inForce{border-color:var(--inForce)}.bar .open{border-color:var(--open)}.bar .rejected{border-color:var(--rejected)}
.timeline p{margin:0;color:var(--dim)}
.graph-box{max-height:30rem}
[hidden]{display:none!important}
`;

const SCRIPT = `${GRAPH_SCRIPT}
const { parent } = window, root = document.documentElement, find = (id) => document.getElementById(id);
const waiting = new Map(), standings = new Map();
let last = 0, tool, input = {};
const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const ask = (method, params) => new Promise((resolve, reject) => {
  waiting.set(++last, { resolve, reject });
  send({ id: last, method, params });
});
const note = (text) => find("note").textContent = text;
const call = async (name, args) => {
  const result = await ask("tools/call", { name, arguments: args });
  if (result.isError) throw new Error(result.content?.[0]?.text);
  return result;
};
const fail = (error) => note("This did not work: " + (error?.message ?? error));

// Other programs open what they know, and the assistant reads documents.
const open = async (uri) => {
  const content = [{ type: "text", text: "Read " + uri + " with read_document and show me what it says." }];
  const { isError } = await (/^https?:/.test(uri) ? ask("ui/open-link", { url: uri }) : ask("ui/message", { role: "user", content }));
  if (isError) throw new Error("ask for " + uri + " in the chat");
};
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link) return;
  event.preventDefault();
  open(link.getAttribute("href")).catch(fail);
});

const follow = ({ theme, styles, toolInfo } = {}) => {
  if (theme) root.style.colorScheme = theme;
  tool = toolInfo?.tool.name ?? tool;
  const names = { ink: "color-text-primary", dim: "color-text-secondary", paper: "color-background-primary",
    line: "color-border-primary", focus: "color-ring-primary", font: "font-sans" };
  for (const [own, name] of Object.entries(names)) {
    const value = styles?.variables?.["--" + name];
    if (value) root.style.setProperty("--" + own, value);
  }
};
const paint = () => {
  for (const item of find("documents").children) item.className = standings.get(item.dataset.status) ?? "other";
};
const filter = () => {
  const wanted = find("filter").value.toLowerCase();
  for (const item of find("documents").children) item.hidden = !item.textContent.toLowerCase().includes(wanted);
};
const show = ({ structuredContent, content = [], isError }) => {
  const { documents, nextCursor } = structuredContent ?? {};
  if (isError || !documents) return note(content.map(({ text = "" }) => text).join("\\n"));
  for (const { uri, title, number, status = "", date = "", description = "", notice, matched } of documents) {
    const name = number === undefined || title.includes(number) ? title : number + ". " + title;
    const item = make("li", {}, make("a", { href: uri }, name), " ",
      make("span", { className: "status" }, [status, date].filter(Boolean).join(", ")),
      make("p", {}, [matched && "For " + matched + ".", notice ?? description].filter(Boolean).join(" ")));
    item.dataset.status = status;
    find("documents").append(item);
  }
  paint();
  filter();
  note(documents.length === 0 ? "No document." : "");
  find("more").hidden = !nextCursor || !tool;
  find("more").onclick = () => call(tool, { ...input, cursor: nextCursor }).then(show).catch(fail);
};
const showOverview = ({ structuredContent: { total, statuses, graph } }) => {
  for (const { status, standing } of statuses) standings.set(status, standing);
  const counts = statuses.map(({ status, standing, count }) => make("li", { className: standing }, count + " " + status));
  find("counts").replaceChildren(make("li", {}, total + (total === 1 ? " document" : " documents")), ...counts);
  paint();
  if (graph === "") return;
  const { documentElement: svg } = new DOMParser().parseFromString(graph, "image/svg+xml");
  find("box").replaceChildren(document.importNode(svg, true));
  showGraph(find("box").firstChild);
  find("views").hidden = false;
};
find("filter").oninput = filter;
for (const button of find("views").children) {
  button.onclick = () => {
    for (const other of find("views").children) {
      const isShown = other === button;
      other.setAttribute("aria-pressed", isShown);
      find(other.value).hidden = !isShown;
    }
  };
}

const handlers = {
  "ui/notifications/tool-input": ({ arguments: args }) => input = args ?? {},
  "ui/notifications/tool-result": (result) => {
    find("documents").replaceChildren();
    show(result);
  },
  "ui/notifications/tool-cancelled": ({ reason }) => note("The call was cancelled" + (reason ? ": " + reason : "")),
  "ui/notifications/host-context-changed": follow,
};
addEventListener("message", ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return;
  const { id, method, params, result, error } = data;
  if (method === undefined) {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    return error ? reject?.(error) : resolve?.(result);
  }
  if (id === undefined) return handlers[method]?.(params ?? {});
  const isKnown = method === "ping" || method === "ui/resource-teardown";
  send(isKnown ? { id, result: {} } : { id, error: { code: -32601, message: "Method not found" } });
});
new ResizeObserver(() => {
  const height = Math.ceil(document.body.getBoundingClientRect().height);
  send({ method: "ui/notifications/size-changed", params: { width: innerWidth, height } });
}).observe(document.body);
ask("ui/initialize", {
  protocolVersion: "2026-01-26",
  appInfo: { name: "architrave", version: "1.0.0" },
  appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
}).then(({ hostContext, hostCapabilities }) => {
  follow(hostContext);
  send({ method: "ui/notifications/initialized", params: {} });
  if (hostCapabilities?.serverTools) return call("document_overview", {}).then(showOverview);
}).catch(fail);
`;

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Architecture documents</title>
<meta http-equiv="Content-Security-Policy" content="POLICY">
<style>${STYLE}</style></head><body>
<ul id="counts" class="bar"></ul>
<div id="views" class="bar" hidden><button type="button" value="list" aria-pressed="true">Documents</button>
<button type="button" value="graph" aria-pressed="false">Graph</button></div>
<section id="list" aria-label="Documents" class="timeline"><input id="filter" type="search" aria-label="Filter" placeholder="Filter">
<ol id="documents"></ol><button id="more" type="button" hidden>More</button></section>
<section id="graph" aria-label="Graph" hidden><div id="box" class="graph-box" tabindex="0" role="region" aria-label="Graph of decisions"></div></section>
<p id="note" role="status"></p>
<script>${SCRIPT}</script></body></html>
`;
