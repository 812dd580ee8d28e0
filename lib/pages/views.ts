/** The views of all documents together: overview, list, graph, timeline, findings. */

import type { Document } from "../documents/document.ts";
import type { Finding } from "../documents/finding.ts";
import type { PageRequest, View } from "./components.ts";
import { capitalized, compare, count } from "../base/text.ts";
import { isOverdue } from "../documents/records/status.ts";
import { drawGraph } from "./graph.ts";
import { Markup, markup } from "./markup.ts";
import { dayOf, facetsOf } from "./model.ts";
import {
  addressOf,
  badge,
  filterLink,
  items,
  labelled,
  MAX_ROWS,
  nameOf,
  pageLink,
  rowsOf,
  section,
} from "./components.ts";

/** The maximum number of rows of a short list. */
const MAX_SHORT = 10;
/** The maximum number of documents in the timeline. */
const MAX_DATED = 2000;

export function overviewView(request: PageRequest): View {
  const { catalogue: { documents, categories }, counts, newest, options: { today } } = request.model;
  const records = documents.filter(({ record }) => record);
  const overdue = documents.filter((document) => isOverdue(document, today))
    .sort((one, other) => compare(one.reviewBy!, other.reviewBy!));
  const statuses = rowsOf("counts", counts.status, MAX_ROWS, ([value, count]) => {
    return filterLink(request, "status", value, markup`${badge(value)} <b>${count}</b>`);
  });
  const all = count(documents.length, "document"), groups = count(categories.length, "category");
  const content = [
    markup`<p>${all} in ${groups}, with ${count(records.length, "decision record")}.</p>\n`,
    section("Decisions by status", statuses),
    section("Newest decisions", items(request, newest.slice(0, MAX_SHORT))),
    section(`Overdue reviews (${overdue.length})`, items(request, overdue, MAX_SHORT)),
  ];
  return { title: "Overview", content };
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

export async function graphView({ model, base }: PageRequest): Promise<View> {
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
  return { title, content: [box, new Markup(drawing), markup`</div>`] };
}

export function timelineView(request: PageRequest): View {
  const { newest } = request.model;
  const years = Map.groupBy(newest.slice(0, MAX_DATED), (document) => dayOf(document).slice(0, 4));
  const row = (document: Document) =>
    markup`<span class="date">${dayOf(document)}</span> ${labelled(request, document)}`;
  const lists = Array.from(years, ([year, own]) => section(year, rowsOf("", own, MAX_DATED, row)));
  const more = newest.length > MAX_DATED && markup`<p>and ${newest.length - MAX_DATED} more</p>`;
  const content = newest.length > 0 ? [lists, more] : markup`<p>No document has a date.</p>`;
  return { title: "Timeline", content: markup`<div class="timeline">${content}</div>` };
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
