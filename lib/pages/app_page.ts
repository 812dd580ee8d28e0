/** The page of the MCP App, as text. */

import { STATUSES } from "../documents/records/status.ts";
import { GRAPH_SCRIPT } from "./graph_script.ts";
import { STYLE } from "./style.ts";

export const APP_SCRIPT: string = `${GRAPH_SCRIPT}
const root = document.documentElement, find = (id) => document.getElementById(id), waiting = new Map();
const standings = ${JSON.stringify(Object.fromEntries(STATUSES))};
let last = 0, tool, input = {};
const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const ask = (method, params) => new Promise((resolve, reject) => {
  waiting.set(++last, { resolve, reject });
  send({ id: last, method, params });
});
const note = (text) => find("note").textContent = text;
const fail = (error) => note("This did not work: " + (error?.message ?? error));
const call = async (name, args) => {
  const result = await ask("tools/call", { name, arguments: args });
  if (result.isError) throw new Error(result.content?.[0]?.text);
  return result;
};

document.addEventListener("click", (event) => {
  const uri = event.target.closest("a[href]")?.getAttribute("href");
  if (!uri) return;
  event.preventDefault();
  const content = [{ type: "text", text: "Read " + uri + " with read_document and show me what it says." }];
  ask("ui/message", { role: "user", content }).then(({ isError }) => {
    if (isError) throw new Error("ask for " + uri + " in the chat");
  }).catch(fail);
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
const badge = (status, word) =>
  make("span", { className: "badge " + standings[status] }, status + (word ? ' ("' + word + '")' : ""));
const filter = find("filter").oninput = () => {
  const wanted = find("filter").value.toLowerCase();
  for (const item of find("documents").children) item.hidden = !item.textContent.toLowerCase().includes(wanted);
};
const show = ({ structuredContent, content = [], isError }) => {
  const { documents, nextCursor } = structuredContent ?? {};
  if (isError || !documents) return note(content.map(({ text = "" }) => text).join("\\n"));
  for (const { uri, title, number, status, statusWord, date = "", description, notice, matched } of documents) {
    const name = number === undefined || title.includes(number) ? title : number + ". " + title;
    const says = [matched && "For " + matched + ".", notice ?? description].filter(Boolean).join(" ");
    find("documents").append(make("li", {}, make("a", { href: uri }, name), " ",
      ...status ? [badge(status, statusWord), " "] : [],
      make("span", { className: "facts" }, date), make("p", {}, says)));
  }
  filter();
  note(documents.length === 0 ? "No document." : "");
  find("more").hidden = !nextCursor || !tool;
  find("more").onclick = () => call(tool, { ...input, cursor: nextCursor }).then(show).catch(fail);
};
const showOverview = ({ structuredContent: { total, statuses, graph } }) => {
  const counts = statuses.map(({ status, count }) => make("li", {}, count + " ", badge(status)));
  find("counts").replaceChildren(make("li", {}, total + (total === 1 ? " document" : " documents")), ...counts);
  if (graph === "") return;
  const { documentElement: svg } = new DOMParser().parseFromString(graph, "image/svg+xml");
  find("box").replaceChildren(document.importNode(svg, true));
  showGraph(find("box").firstChild);
  find("graph").hidden = false;
};

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

export const APP_PAGE: string = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Architecture documents</title>
<meta http-equiv="Content-Security-Policy" content="POLICY">
<style>${STYLE}</style></head><body>
<ul id="counts" class="counts"></ul>
<details id="graph" hidden><summary>Graph</summary>
<div id="box" class="graph-box" tabindex="0" role="region" aria-label="Graph of decisions"></div></details>
<p><input id="filter" name="q" type="search" aria-label="Filter" placeholder="Filter"></p>
<ul id="documents" class="items"></ul><button id="more" type="button" hidden>More</button>
<p id="note" role="status"></p>
<script>${APP_SCRIPT}</script></body></html>
`;
