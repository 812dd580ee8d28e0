/** Markdown becomes the HTML of the official examples of CommonMark and GFM, and what micromark makes of real documents. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { micromark } from "micromark";
import { gfmFootnote, gfmFootnoteHtml } from "micromark-extension-gfm-footnote";
import { gfmStrikethrough, gfmStrikethroughHtml } from "micromark-extension-gfm-strikethrough";
import { gfmTable, gfmTableHtml } from "micromark-extension-gfm-table";
import { gfmTaskListItem, gfmTaskListItemHtml } from "micromark-extension-gfm-task-list-item";
import { toHtml } from "../../lib/formats/markdown/render.ts";
import { EXAMPLES } from "../formats/markdown/examples.ts";
import { assertSafe } from "../formats/markdown/safe.ts";
import { REPOSITORY } from "./programs.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

/** The HTML with all links, and HTML as HTML. */
function toRawHtml(markdown: string): string {
  const html = toHtml(markdown, { link: (target) => target });
  return html.replace(/<(pre|code) class="html">(.*?)<\/\1>/gs, (_, _tag, text) => unescaped(text))
    .replaceAll("&#39;", "'").replaceAll(' class="task"', "")
    .replace(/ aria-label="(?:to do|done)"/g, "");
}

const IMAGE = /<img src="([^"]*)" alt="([^"]*)"( title="[^"]*")? \/>/g;

/** The HTML with links to images instead of them, and their text within links. */
function withoutImages(html: string): string {
  return html.replace(/<a .*?<\/a>/gs, (link) => link.replace(IMAGE, (_, source, text) => text || source))
    .replace(IMAGE, (_, source, text, title = "") => `<a href="${source}"${title}>${text || source}</a>`);
}

/** Examples of CommonMark that are not followed, with the reason. */
const EXCEPTIONS: ReadonlyMap<number, string> = new Map([
  [25, "entities that are hardly ever typed: a table of all 2,125 names would be larger than the module"],
]);

test("all examples of CommonMark 0.31.2 become the HTML that stands beside them, but for one", () => {
  const spec = read("./node_modules/commonmark-spec/spec.txt").replaceAll("→", "\t");
  const examples = [...spec.matchAll(/^`{32} example\n(.*?)^\.\n(.*?)^`{32}$/gms)];
  assert.equal(examples.length, 652);
  for (const [index, [, markdown, html]] of examples.entries()) {
    const name = `example ${index + 1}`;
    assertSafe(toHtml(markdown!), markdown!);
    if (EXCEPTIONS.has(index + 1)) assert.notEqual(toRawHtml(markdown!), html, `${name} is followed now`);
    else assert.equal(toRawHtml(markdown!), withoutImages(html!), name);
  }
});

test("the examples of GFM for tables, task lists and strikethrough become the HTML that stands beside them", () => {
  // Tags without content are closed, and boxes have their attributes in another order.
  const boxes = (html: string): string =>
    html.replace(
      /<input ([^>]*?) ?\/?>/g,
      (_, attributes) => `<input ${attributes.split(" ").sort().join(" ")}>`,
    );
  const { examples } = JSON.parse(read("./gfm_examples.json"));
  assert.ok(examples.length >= 12);
  for (const { number, markdown, html } of examples) {
    assert.equal(boxes(toRawHtml(markdown)), boxes(html), `example ${number}`);
  }
});

/** What micromark writes, with notes as here. */
function oracle(markdown: string): string {
  return withoutImages(micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfmTable(), gfmStrikethrough(), gfmTaskListItem(), gfmFootnote()],
    htmlExtensions: [gfmTableHtml(), gfmStrikethroughHtml(), gfmTaskListItemHtml(), gfmFootnoteHtml()],
  }));
}

/** Without spaces and line ends, and without the links between notes and their marks, which have other names. */
function comparable(html: string): string {
  return html.replace(/<h2 [^>]*class="sr-only">Footnotes<\/h2>/, "")
    .replace(/<a href="#(?:user-content-)?fnref[^>]*>↩(?:<sup>\d+<\/sup>)?<\/a>/g, "")
    .replace(/<a href="#(?:user-content-)?fn[^>]*>(\d+)<\/a>/g, "$1")
    .replace(/<(section|li) (?:class="footnotes"|data-footnotes|id="(?:user-content-)?fn)[^>]*>/g, "<$1>")
    .replace(/\s+/g, "");
}

test("our own documents become the same HTML as with micromark", () => {
  const paths = readdirSync(REPOSITORY, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md") && !path.includes("node_modules"));
  assert.ok(paths.length > 60, `${paths.length}`);
  for (const path of paths) {
    const text = readFileSync(REPOSITORY + path, "utf8").replace(/^---\n.*?\n---\n/s, "");
    assert.equal(comparable(toRawHtml(text)), comparable(oracle(text)), path);
  }
});

test("our own examples become the same HTML as with micromark", () => {
  for (const [name, markdown] of EXAMPLES) {
    assert.equal(comparable(toRawHtml(markdown)), comparable(oracle(markdown)), name);
  }
});
