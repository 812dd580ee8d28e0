/** Markdown as HTML: tables, task lists, strikethrough, footnotes, headings with ids, links and images through options. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { HtmlOptions } from "../../lib/markdown/mod.ts";
import { toHtml } from "../../lib/markdown/mod.ts";

const same: HtmlOptions = { link: (target) => target, image: (target) => target };

const ROWS: readonly (readonly [name: string, markdown: string, html: string, options?: HtmlOptions])[] = [
  ["strikethrough", "~~a~~ ~b~ ~~~c~~~d", "<p><del>a</del> <del>b</del> ~~~c~~~d</p>\n"],
  ["heading ids", "# A\n\nB\n===\n", '<h1 id="a">A</h1>\n<h1 id="b">B</h1>\n', {
    ids: new Map([[0, "a"], [2, "b"]]),
  }],
  ["links", "[a](https://a.b) [c](d.md)", '<p><a href="https://a.b">a</a> c</p>\n'],
  ["links that an option allows", "[c](d.md)", '<p><a href="d.md">c</a></p>\n', same],
  [
    "raw HTML",
    "a <b>c</b>\n\n<div>\n&amp;",
    '<p>a <code class="html">&lt;b&gt;</code>c<code class="html">&lt;/b&gt;</code></p>\n' +
    '<pre class="html">&lt;div&gt;\n&amp;amp;</pre>\n',
  ],
];

for (const [name, markdown, html, options] of ROWS) {
  test(`toHtml() writes ${name}`, () => assert.equal(toHtml(markdown, options), html));
}
