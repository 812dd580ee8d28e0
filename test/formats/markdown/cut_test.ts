import assert from "node:assert/strict";
import { test } from "node:test";
import { cutInline, cutMarkdown } from "../../../lib/formats/markdown/cut.ts";
import { toHtml } from "../../../lib/formats/markdown/render.ts";

const LONG = "word ".repeat(100);
const CODE = Array.from({ length: 60 }, (_, index) => `line ${index};`);
const fenced = (before: string, fence: string, prefix: string, end = fence) =>
  [`${before}${fence}js`, ...CODE.map((line) => prefix + line), ...end === "" ? [] : [prefix + end]].join(
    "\n",
  );

/** Texts that open something. Each is longer than 200 UTF-16 units, or is not closed by its author. */
const TEXTS: readonly string[] = [
  // Fences.
  `Text.\n\n${fenced("", "```", "")}`,
  `Text.\n\n${fenced("", "~~~", "")}`,
  `Text.\n\n${fenced("", "``````", "")}`,
  `Text.\n\n${fenced("  ", "```", "  ")}`,
  `- Item\n\n${fenced("  ", "```", "  ")}`,
  `1. Item\n   - Inner\n\n${fenced("     ", "~~~~", "     ")}`,
  `Text.\n\n${fenced("- ", "```", "  ")}`,
  `Text.\n\n${fenced("> ", "```", "> ")}`,
  `> - ${fenced("", "```", ">   ")}`,
  fenced("", "````", "").replace("line 3;", "```\ninner\n```"),
  fenced("", "~~~", "").replace("line 3;", "```"),
  // Not closed by the author.
  "Text.\n\n```\ncode",
  "Text.\n\n~~~~ts\ncode\n~~~",
  "Text.\n\n> ```\n> code\n\nAfter.",
  "- ```\n  code",
  "```\n",
  `\`\`\`js\n${"x".repeat(1000)}`,
  // Comments and tags.
  `Text.\n\n<!-- ${LONG} -->`,
  "Text.\n\n<!-- open",
  `Text.\n\n<pre>\n${LONG}\n\n${LONG}</pre>`,
  "Text.\n\n<script>\nlet a;",
  "<style>\n\n",
  "Text.\n\n<?php\n\necho",
  "<![CDATA[ x",
  // Links, images and code in lines.
  `${"word ".repeat(38)}[a link](https://example.com/${"x".repeat(100)})`,
  `${"word ".repeat(38)}![an image](${"x".repeat(100)} "title")`,
  `${"word ".repeat(38)}[${"text ".repeat(20)}](x.md)`,
  `${"word ".repeat(38)}<https://example.com/${"x".repeat(100)}>`,
  `${"word ".repeat(38)}\`code ${"x ".repeat(60)}\``,
  `${"word ".repeat(38)}<!-- ${LONG} --> after`,
  `[a link](https://example.com/${"x".repeat(400)})`,
  `- one\n- two [a\n  link](https://example.com/${"x".repeat(200)})\n- three`,
  // Tables, indented code.
  `Text.\n\n| a | b |\n|---|---|\n${"| cell | cell |\n".repeat(30)}`,
  `Text.\n\n${CODE.map((line) => `    ${line}`).join("\n")}`,
  `# ${LONG}`,
];

test("a text that is cut opens nothing that it does not close", () => {
  for (const text of TEXTS) {
    for (const most of [30, 100, 190, 200, 210, 1_000_000]) {
      const cut = cutMarkdown(text, most);
      assert.ok(cut.length <= most + 40, `${cut.length} of ${most}: ${text}`);
      const html = toHtml(`${cut}\n\nRead *all* of it.`);
      assert.ok(html.trimEnd().endsWith("<p>Read <em>all</em> of it.</p>"), `${most}: ${cut}\n---\n${html}`);
      // Also for a reader that knows no lists and quotes.
      const fences = cut.split("\n").flatMap((line) =>
        /^[\s>]*(?:[-*+] |\d+\. )*(`{3,}|~{3,})/.exec(line)?.[1] ?? []
      );
      let open = "";
      for (const fence of fences) open = open === "" ? fence : fence.startsWith(open) ? "" : open;
      assert.equal(open, "", `${most}: ${cut}`);
      assert.doesNotMatch(cut, /\]\([^)]*$/);
      // Of a text that is one long link, its words are left.
      if (text.length > most && cut !== "a link") assert.ok(cut.includes("…"), cut);
    }
  }
});

test("a text that fits and is closed is not changed", () => {
  for (
    const text of [
      "",
      "Text.",
      "```\ncode\n```",
      "- ```\n  code\n  ```\n",
      "> ~~~\n> x\n> ~~~\n\nMore.",
      "<br>",
    ]
  ) {
    assert.equal(cutMarkdown(text, 1000), text);
  }
});

test("inline text is cut outside of links, code and tags", () => {
  const rows: [text: string, most: number, cut: string][] = [
    ["plain words", 5, "plain…"],
    ["see [the page](page.md) now", 10, "see…"],
    ["see [the page](page.md) now", 25, "see [the page](page.md) n…"],
    ["see `a b c` now", 8, "see…"],
    ["see ``a ` c`` now", 8, "see…"],
    ["see <b> and <https://a.b/c> now", 15, "see <b> and…"],
    ["see [a][b] now", 8, "see…"],
    ["a \\[b c d", 5, "a \\[b…"],
    ["a [b c d", 5, "a [b …"],
    ["[a link](https://example.com)", 10, "a link"],
    ["a 👩‍💻", 3, "a …"],
  ];
  for (const [text, most, cut] of rows) assert.equal(cutInline(text, most), cut);
});
