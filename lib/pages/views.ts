/** The views of all documents together: overview, list, graph, findings. */

import type { Part } from "./markup.ts";
import type { Document } from "../documents/document.ts";
import type { Finding } from "../documents/finding.ts";
import type { PageRequest, View } from "./components.ts";
import { capitalized, compare, count } from "../base/text.ts";
import { withTimeout } from "../base/async.ts";
import { currentStatus, isOverdue, standing } from "../documents/records/status.ts";
import { drawGraph } from "./graph.ts";
import { Markup, markup } from "./markup.ts";
import { dayOf, facetsOf } from "./model.ts";
import {
  addressOf,
  badge,
  CONTRADICTIONS,
  filterLink,
  items,
  labelled,
  MAX_ROWS,
  nameOf,
  pageLink,
  replacements,
  rowsOf,
  section,
  summaryOf,
} from "./components.ts";

/** The maximum number of rows of a short list. */
const MAX_SHORT = 10;
/** How long the overview waits for the findings. */
const FINDINGS_MS = 20;

/** What holds, what changed lately, what is overdue, and what contradicts something. */
export async function overviewView(request: PageRequest): Promise<View> {
  const { model, base } = request, { catalogue: { documents, categories }, counts, newest } = model;
  const { today, repository: { title } } = model.options;
  if (documents.length === 0) {
    return {
      title,
      content: markup`<p>There are no documents yet. <code>init</code> makes the first ones.</p>`,
    };
  }
  const records = documents.filter(({ record }) => record);
  const standings = Map.groupBy(records, (document) => standing(currentStatus(document)) ?? "other");
  const overdue = documents.filter((document) => isOverdue(document, today))
    .sort((one, other) => compare(one.reviewBy!, other.reviewBy!));
  // Checking many documents takes long: then the overview does not wait.
  const found =
    await (request.callTool ? withTimeout(model.findings, FINDINGS_MS, undefined) : model.findings);
  const against = found?.filter(({ rule }) => CONTRADICTIONS.has(rule)) ?? [];
  const statuses = rowsOf("counts", counts.status, MAX_ROWS, ([value, count]) => {
    return filterLink(request, "status", value, markup`${badge(value)} <b>${count}</b>`);
  });
  let at = 0;
  const share = ["inForce", "open", "other", "over", "rejected"].map((kind) => {
    const width = (standings.get(kind as "open")?.length ?? 0) * 100 / records.length, x = at;
    at += width;
    return width > 0 &&
      markup`<rect class="${kind}" x="${x}" width="${Math.max(0, width - 0.4)}" height="1"/>`;
  });
  const card = (kind: string, name: string, big: Part, more: Part) =>
    markup`<section class="card ${kind}"><h2>${name}</h2><p class="big">${big}</p><p>${more}</p></section>\n`;
  const numberOf = (kind: "inForce" | "open") => standings.get(kind)?.length ?? 0;
  const bad = (found: readonly unknown[] | undefined) => found && found.length > 0 ? "rejected" : "";
  const findings = found ? count(found.length, "finding") : markup`<span class="pending">checking</span>`;
  const [last] = newest;
  const short = (title: string, some: readonly Document[]) => {
    const rows = rowsOf("plain", some, MAX_SHORT, (document) => labelled(request, document));
    return section(`${title} (${some.length})`, rows);
  };
  const byLabel = new Map(documents.map((document) => [document.label, document]));
  const contradicting = rowsOf("items", against, MAX_SHORT, ({ file, message }) => {
    const document = byLabel.get(file);
    return markup`${document ? pageLink(request, document) : file}<p>${message}</p>`;
  });
  const changeOf = (document: Document): Part => {
    const [replaced] = replacements(request, document, "replaces");
    return replaced ?? summaryOf(request, document);
  };
  const over = standings.get("over") ?? [];
  const others = documents.length - records.length, inCategories = categories.length > 1;
  const content = [
    markup`<p class="lead">${count(records.length, "decision record")}${
      others > 0 && ` and ${count(others, "other document")}`
    }${inCategories && ` in ${count(categories.length, "category")}`}</p>\n<div class="cards">\n`,
    card("inForce", "In force", numberOf("inForce"), `of ${count(records.length, "decision")}`),
    card("open", "To be decided", numberOf("open"), "proposals and drafts"),
    last && card("new", "Changed last", dayOf(last), pageLink(request, last)),
    today !== "" && card(bad(overdue), "Overdue", overdue.length, "reviews"),
    card(
      bad(against),
      "Contradictions",
      found ? against.length : "…",
      markup`<a href="${base}findings.html">${findings}</a>`,
    ),
    markup`</div>\n`,
    records.length > 0 &&
    markup`<svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
${share}</svg>${statuses}\n`,
    markup`<div class="columns"><div>\n`,
    section("Newest decisions", items(request, newest.slice(0, MAX_SHORT), MAX_SHORT, changeOf)),
    newest.length === 0 && short("In force", standings.get("inForce")?.toReversed() ?? []),
    markup`</div><div>\n`,
    overdue.length > 0 && short("Overdue reviews", overdue),
    section("Contradictions", contradicting),
    short("To be decided", standings.get("open") ?? []),
    section(`No longer in force (${over.length})`, items(request, over, MAX_SHORT)),
    markup`</div></div>\n`,
  ];
  return { title, content };
}

/** The documents that match the fields of the form; an empty field matches all. */
export function listView(request: PageRequest): View {
  const { model: { catalogue: { documents }, counts }, query, base, callTool } = request;
  const names = ["category", "status", "tag"] as const;
  const facets = names.map((name) => [name, query.get(name) ?? ""] as const);
  const text = query.get("text") ?? "", words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = documents.filter((document) =>
    facets.every(([name, value]) => value === "" || facetsOf(document)[name].includes(value)) &&
    words.every((word) => `${nameOf(document)} ${document.description ?? ""}`.toLowerCase().includes(word))
  );
  const choices = facets.map(([name, value]) => {
    if (counts[name].length < (name === "category" ? 2 : 1) && value === "") return undefined;
    const known = counts[name].slice(0, MAX_ROWS).map(([known]) => known);
    const options = [...new Set(["", value, ...known])].sort().map((one) => {
      return markup`<option value="${one}"${one === value && markup` selected=""`}>${one || "all"}</option>`;
    });
    return markup`<label>${capitalized(name)} <select name="${name}">${options}</select></label>\n`;
  });
  const most = callTool && !query.has("all") ? MAX_ROWS : Infinity;
  const all = new URLSearchParams([...query, ["all", ""]]).toString();
  const content = [
    markup`<form action="${base}documents.html" class="filters">${choices}
<label>Text <input name="text" value="${text}" maxlength="200"></label> <button>Filter</button></form>
<p id="page.count">${found.length} of ${documents.length} documents</p>\n`,
    items(request, found, most),
    found.length > most && markup`<p><a href="${base}documents.html?${all}">Show all</a></p>`,
  ];
  return { title: "Documents", content };
}

export async function graphView(request: PageRequest): Promise<View> {
  const { model, base } = request;
  const { catalogue: { documents }, relations } = model, backlinks = await model.backlinks;
  const title = "Graph of decisions", records = documents.filter(({ record }) => record);
  if (records.length === 0) return { title, content: markup`<p>There are no decision records.</p>` };
  // Records without stated relations may link to each other.
  const mentions = records.flatMap(({ key: to }) => {
    const linking = [...backlinks.get(to) ?? []].filter(({ record }) => record);
    return linking.map(({ key: from }) => ({ from, to, kind: "mentions" as const }));
  });
  const shown = relations.length > 0 ? relations : mentions;
  const drawing = drawGraph(documents, shown, (one) => base + addressOf(one));
  const box = markup`<div class="graph-box" role="region" aria-label="Graph" tabindex="0">`;
  const related = new Set(shown.flatMap(({ from, to }) => [from, to]));
  const others = related.size > 0 ? records.filter(({ key }) => !related.has(key)) : [];
  const rest = rowsOf("plain", others, MAX_ROWS, (document) => labelled(request, document));
  const content = [box, new Markup(drawing), markup`</div>\n`, section("Records without relations", rest)];
  return { title, content };
}

export async function findingsView(request: PageRequest): Promise<View> {
  const { catalogue } = request.model, findings = await request.model.findings;
  const byLabel = new Map(catalogue.documents.map((document) => [document.label, document]));
  const groups = Map.groupBy(findings, ({ severity, rule }) => `${severity}: ${rule}`);
  const place = ({ file, line, message }: Finding) => {
    const document = byLabel.get(file), name = line === undefined ? file : `${file}, line ${line}`;
    return markup`${document ? pageLink(request, document, name) : name}<p>${message}</p>`;
  };
  const sections = [...groups].sort(([one], [other]) => compare(one, other)).map(([name, found]) => {
    const content = [markup`<p>${found[0]!.help}</p>`, rowsOf("items", found, MAX_ROWS, place)];
    return section(`${name} (${found.length})`, content);
  });
  const says = findings.length === 0 ? "nothing wrong" : count(findings.length, "problem");
  return { title: "Findings", content: markup`<p>check finds ${says}.</p>\n${sections}` };
}
