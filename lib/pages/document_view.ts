/** The view of a document: its text, metadata and relations. */

import type { Document } from "../documents/document.ts";
import type { Part } from "./markup.ts";
import type { PageRequest, View } from "./components.ts";
import { capitalized, printable } from "../base/text.ts";
import { isOver } from "../documents/records/status.ts";
import { toUri } from "../documents/uri.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { ATX } from "../formats/markdown/body.ts";
import { toHtml } from "../formats/markdown/render.ts";
import { Markup, markup, textOf } from "./markup.ts";
import { dayOf } from "./model.ts";
import {
  badgeOf,
  filterLink,
  items,
  labelled,
  MAX_ROWS,
  nameOf,
  patternsOf,
  rowsOf,
  section,
} from "./components.ts";
import { linkOptions } from "./links.ts";
import { KINDS } from "./relations.ts";

/** The maximum length of a text, in UTF-16 units. */
const MAX_TEXT = 1024 * 1024;

export async function documentView(request: PageRequest, document: Document): Promise<View> {
  const { model } = request;
  const { category, label, tags, reviewBy, record, key } = document;
  const urls = model.options.repository.urlsOf(document.path);
  await model.store.readable(document);
  const backlinks = await model.backlinks;
  const whole = model.store.text(document) ?? "", isLong = whole.length > MAX_TEXT;
  const text = isLong ? whole.slice(0, whole.lastIndexOf("\n", MAX_TEXT) + 1 || MAX_TEXT) : whole;
  const { outline, id, body } = readText(request, document, text);
  const related = model.relations.filter(({ from, to }) => from === key || to === key);
  const relations = rowsOf("", related, MAX_ROWS, ({ from, to, kind }) => {
    const [other, word] = from === key ? [to, KINDS[kind][0]] : [from, KINDS[kind][1]];
    return [capitalized(word), " ", labelled(request, model.catalogue.get(other)!)];
  });
  const chain = model.history(document);
  const history = rowsOf("", chain, MAX_ROWS, (one) => {
    const shown = [labelled(request, one), " ", dayOf(one)];
    return one === document ? markup`<span aria-current="true">${shown}</span>` : shown;
  });
  const facts: [name: string, value: Part][] = [
    ["Status", badgeOf(document)],
    ["Date", record?.date],
    ["Category", filterLink(request, "category", category)],
    ["Tags", tags.map((tag, index) => [index > 0 && ", ", filterLink(request, "tag", tag)])],
    ["Applies to", patternsOf(document)],
    ["Review by", reviewBy],
    ["File", urls ? markup`<a href="${urls.edit}" title="Edit">${label}</a>` : label],
    ["URI", markup`<code>${toUri(key, model.store.scheme)}</code>`],
  ];
  const known = facts.map(([name, value]) => textOf(value) && markup`<dt>${name}</dt><dd>${value}</dd>\n`);
  const notice = (isShown: boolean, text: string) => isShown && markup`<p class="notice">${text}</p>\n`;
  const content = [
    markup`<article>\n`,
    notice(isOver(document), "This decision is no longer in force."),
    notice(whole === "", "This document is empty or can no longer be read."),
    markup`<dl class="facts">${known}</dl>`,
    outline && markup`<nav aria-label="Outline" class="outline">${outline}</nav>`,
    markup`<div class="text">${body}</div>`,
    notice(isLong, `Only the first ${text.length} of ${whole.length} characters are shown.`),
    markup`</article>\n`,
    section("Relations", relations),
    section("History", chain.length > 1 && history),
    section("Linked from", items(request, [...backlinks.get(key) ?? []])),
  ];
  return { title: nameOf(document), id, content };
}

/** Characters that control the direction of text. */
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The outline and the text of a document. A title at its start becomes the title of the page, and `id` is its slug. */
function readText(request: PageRequest, document: Document, text: string) {
  const { lines, front: { bodyLine }, sections } = readMarkdown(text.toWellFormed());
  const [first] = sections;
  const isFirst = first?.level === 1 && first.title === document.title &&
    lines.slice(bodyLine, first.line).every((line) => line.trim() === "");
  const start = isFirst ? first.line + (ATX.test(lines[first.line]!) ? 1 : 2) : bodyLine;
  const named = sections.filter(({ slug, line }) => slug !== "" && line >= start);
  const inner = named.filter(({ level }) => level > 1);
  const outline = rowsOf("", inner, MAX_ROWS, ({ level, title, slug }) => {
    return markup`<a class="level${level}" href="#${encodeURIComponent(slug)}">${title}</a>`;
  });
  const ids = new Map(named.map(({ line, slug }) => [line - start, slug]));
  const html = toHtml(lines.slice(start).join("\n"), { ...linkOptions(request, document), ids });
  // Text is escaped, so "<table>" is always a tag; it gets keyboard scrolling. Entities can produce control characters.
  const body = html.replaceAll("<table>", '<table tabindex="0">').replace(BIDI_CONTROLS, printable);
  return { outline: inner.length > 1 && outline, id: isFirst ? first.slug : "", body: new Markup(body) };
}
