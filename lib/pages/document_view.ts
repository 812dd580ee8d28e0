/** The view of a document: its text, metadata and relations. */

import type { Document } from "../documents/document.ts";
import type { Part } from "./markup.ts";
import type { PageRequest, View } from "./components.ts";
import { capitalized, printable } from "../base/text.ts";
import { recordFolder } from "../documents/records/name.ts";
import { currentStatus, isOver, standing } from "../documents/records/status.ts";
import { toUri } from "../documents/uri.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { ATX } from "../formats/markdown/body.ts";
import { toHtml } from "../formats/markdown/render.ts";
import { Markup, markup, textOf } from "./markup.ts";
import { dayOf } from "./model.ts";
import {
  addressOf,
  badgeOf,
  filterLink,
  items,
  labelled,
  MAX_ROWS,
  nameOf,
  pageLink,
  patternsOf,
  replacements,
  rowsOf,
  section,
} from "./components.ts";
import { linkOptions } from "./links.ts";
import { KINDS } from "./relations.ts";

/** The maximum length of a text, in UTF-16 units. */
const MAX_TEXT = 1024 * 1024;
/** The maximum number of records in the list next to a record; it is in the middle. */
const MAX_RAIL = 24;
/** The maximum number of replaced records below the title. */
const MAX_REPLACED = 3;

export async function documentView(request: PageRequest, document: Document): Promise<View> {
  const { model } = request;
  const { category, label, tags, reviewBy, record, key } = document;
  const urls = model.options.repository.urlsOf(document.path);
  await model.store.readable(document);
  const backlinks = await model.backlinks;
  const whole = model.store.text(document) ?? "", isLong = whole.length > MAX_TEXT;
  const text = isLong ? whole.slice(0, whole.lastIndexOf("\n", MAX_TEXT) + 1 || MAX_TEXT) : whole;
  const { outline, id, statusId, body } = readText(request, document, text);
  const relations = rowsOf("", model.relationsOf(document), MAX_ROWS, ({ from, to, kind }) => {
    const [other, word] = from === key ? [to, KINDS[kind][0]] : [from, KINDS[kind][1]];
    return [capitalized(word), " ", labelled(request, model.catalogue.get(other)!)];
  });
  const chain = model.history(document);
  const history = rowsOf("", chain, MAX_ROWS, (one) => {
    const shown = [labelled(request, one), " ", dayOf(one)];
    return one === document ? markup`<span aria-current="true">${shown}</span>` : shown;
  });
  const facts: [name: string, value: Part][] = [
    ["Category", model.counts.category.length > 1 && filterLink(request, "category", category)],
    ["Tags", tags.map((tag, index) => [index > 0 && ", ", filterLink(request, "tag", tag)])],
    ["Applies to", patternsOf(document)],
    ["Review by", reviewBy],
    ["File", urls ? markup`<a href="${urls.view}">${label}</a>` : label],
    ["URI", markup`<code>${toUri(key, model.store.scheme)}</code>`],
  ];
  const known = facts.map(([name, value]) => textOf(value) && markup`<dt>${name}</dt><dd>${value}</dd>\n`);
  const replaced = replacements(request, document, "replaces").slice(0, MAX_REPLACED);
  const line = [
    badgeOf(document),
    record?.date && markup`<span class="date">${record.date}</span>`,
    replaced.map((text) => markup`<span>${text}</span>`),
  ];
  if (urls) line.push(markup`<a class="edit" href="${urls.edit}">Edit</a>`);
  const siblings = (record && model.siblings.get(recordFolder(key))) ?? [], at = siblings.indexOf(document);
  const [before, after] = at < 0 ? [] : [siblings[at - 1], siblings[at + 1]];
  const step = (other: Document | undefined, rel: string, word: string) =>
    other &&
    markup`<a rel="${rel}" href="${request.base}${addressOf(other)}"><small>${word}</small>${
      nameOf(other)
    }</a>`;
  const first = Math.max(0, Math.min(at - MAX_RAIL / 2, siblings.length - MAX_RAIL));
  const rail = rowsOf("", siblings.slice(first, first + MAX_RAIL), MAX_RAIL, (one) => [
    markup`<i class="node ${standing(currentStatus(one))}"></i>`,
    one === document ? markup`<span aria-current="page">${nameOf(one)}</span>` : pageLink(request, one),
  ]);
  const next = replacements(request, document, "replaced by").map((text) => [": ", text]);
  const notice = (isShown: boolean, text: Part) => isShown && markup`<p class="notice">${text}</p>\n`;
  const content = [
    markup`<article>\n`,
    notice(isOver(document), ["This decision is no longer in force", next, "."]),
    notice(whole === "", "This document is empty or can no longer be read."),
    textOf(line) && markup`<p class="byline"${statusId !== "" && markup` id="${statusId}"`}>${line}</p>\n`,
    markup`<div class="text">${body}</div>`,
    markup`<aside aria-label="About this document">${
      outline && markup`<nav aria-label="Outline" class="outline">${outline}</nav>`
    }
<dl class="facts">${known}</dl></aside>\n`,
    notice(isLong, `Only the first ${text.length} of ${whole.length} characters are shown.`),
    markup`</article>\n`,
    section("Relations", relations),
    section("History", chain.length > 1 && history),
    section("Linked from", items(request, [...backlinks.get(key) ?? []])),
    (before || after) && markup`<nav class="pager" aria-label="Records">${step(before, "prev", "Previous")}
${step(after, "next", "Next")}</nav>\n`,
    siblings.length > 2 && markup`<nav class="rail" aria-label="Decisions">${rail}</nav>\n`,
  ];
  return { title: nameOf(document), id, content };
}

/** Characters that control the direction of text. */
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A line that states the status or the date and nothing else: "Date: 2026-07-28", "* **Status:** accepted". */
const STATED = /^[ \t]*(?:[*-][ \t]+)?\**(?:status|date)\**:\**[ \t]+(\S.*)$/i;

/** A link, and the maximum length of "Superseded by" before it, in UTF-16 units. */
const LINK = /\[[^[\]]*\]\(([^()]*)\)/g, MAX_BY = 24;

/**
 * The outline and the text of a document. A title at its start becomes the title of the page, and `id` is its slug. What states only
 * the status and date, which the page shows above, is left out; `statusId` is the slug of such a section.
 */
function readText(request: PageRequest, document: Document, text: string) {
  const { lines, front: { bodyLine }, sections } = readMarkdown(text.toWellFormed());
  const [first] = sections;
  const isFirst = first?.level === 1 && first.title === document.title &&
    lines.slice(bodyLine, first.line).every((line) => line.trim() === "");
  const start = isFirst ? first.line + (ATX.test(lines[first.line]!) ? 1 : 2) : bodyLine;
  const { status = "", statusWord = status, date = "" } = document.record ?? {};
  const words = [date, ...currentStatus(document) === status ? [status, statusWord.toLowerCase()] : []];
  const { model } = request,
    related = model.relationsOf(document).filter(({ kind }) => kind === "supersedes");
  const isNewer = (target = "") => {
    const [other] = model.catalogue.follow(document, target)?.documents ?? [];
    return other !== document && related.some(({ from }) => from === other?.key);
  };
  const isKnown = (text = "") => {
    // "Superseded by" in any language, and links to the records that the page names.
    const links = [...text.matchAll(LINK)], rest = text.replace(LINK, "");
    const isReplaced = links.length > 0 && links.length <= related.length && rest.length <= MAX_BY &&
      /\)\W*$/.test(text.slice(-MAX_BY)) &&
      links.every(([, target]) => isNewer(target));
    const said = text.replace(/^[^\p{L}\p{N}]{1,20}|[^\p{L}\p{N}]{1,20}$/gu, "").toLowerCase();
    return isReplaced || (said !== "" && words.includes(said));
  };
  const shown = lines.slice(start), own = sections.filter(({ line }) => line >= start), [top] = own;
  const isStated = (line: string) => isKnown(STATED.exec(line)?.[1]);
  shown.slice(0, (top?.line ?? lines.length) - start).forEach((line, at) =>
    isStated(line) && (shown[at] = "")
  );
  const endOf = (index: number) => own[index + 1]?.line ?? lines.length;
  const stated = own.findIndex(({ line }, index) => {
    const [said, ...more] = lines.slice(line + 1, endOf(index)).filter((text) => text.trim() !== "");
    return more.length === 0 && isKnown(said);
  });
  if (stated >= 0) shown.fill("", own[stated]!.line - start, endOf(stated) - start);
  const named = own.filter(({ slug }, index) => slug !== "" && index !== stated);
  const inner = named.filter(({ level }) => level > 1);
  const outline = rowsOf("", inner, MAX_ROWS, ({ level, title, slug }) => {
    return markup`<a class="level${level}" href="#${encodeURIComponent(slug)}">${title}</a>`;
  });
  const ids = new Map(named.map(({ line, slug }) => [line - start, slug]));
  const html = toHtml(shown.join("\n"), { ...linkOptions(request, document), ids });
  // Text is escaped, so "<table>" is always a tag; it gets keyboard scrolling. Entities can produce control characters.
  const body = html.replaceAll("<table>", '<table tabindex="0">').replace(BIDI_CONTROLS, printable);
  return {
    outline: inner.length > 1 && outline,
    id: isFirst ? first.slug : "",
    statusId: own[stated]?.slug ?? "",
    body: new Markup(body),
  };
}
