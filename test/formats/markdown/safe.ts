/** Checks that HTML from markdown has only tags, attributes and addresses of markdown. */

import assert from "node:assert/strict";

const PLAIN = "p blockquote ul em strong del br hr table thead tbody tr sup h1 h2 h3 h4 h5 h6";
/** The attributes of each tag. */
const TAGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(PLAIN.split(" ").map((tag) => [tag, ""])),
  a: "href title id aria-label",
  ol: "start",
  li: "class id",
  pre: "class",
  code: "class",
  th: "align",
  td: "align",
  input: "type disabled checked aria-label",
  section: "class",
  img: "src alt title loading",
};
const VALUES: Readonly<Record<string, RegExp>> = {
  href: /^(?:https?:|mailto:|#fn:\d+$|#fnref:\d+$)/i,
  src: /^https:/,
  loading: /^lazy$/,
  id: /^fn(?:ref)?:\d+$/,
  start: /^\d{1,9}$/,
  class: /^(?:language-.+|html|task|footnotes)$/s,
  align: /^(?:left|center|right)$/,
  type: /^checkbox$/,
  disabled: /^$/,
  checked: /^$/,
};
const EMPTY = new Set(["br", "hr", "img", "input"]);
const TAG = /<(\/?)([a-z]+\d?)((?: [a-z-]+="[^"<>]*")*)( \/)?>/g;
const ESCAPED = /^(?:[^<>&"]|&(?:amp|lt|gt|quot|#39);)*$/;

/** Throws if the HTML has more than text and closed tags of markdown, or a link inside a link. */
export function assertSafe(html: string, markdown: string): void {
  const of = `of ${JSON.stringify(markdown)}`;
  const open: string[] = [];
  for (const [tag, close, name, attributes, isClosed] of html.matchAll(TAG)) {
    const allowed = TAGS[name!];
    assert.ok(allowed !== undefined, `${tag} ${of}`);
    if (close) {
      assert.equal(open.pop(), name, `${tag} ${of}`);
      continue;
    }
    assert.equal(isClosed !== undefined, EMPTY.has(name!), `${tag} ${of}`);
    assert.ok(name !== "a" || !open.includes("a"), `${tag} in a link ${of}`);
    if (!isClosed) open.push(name!);
    for (const [, key, value] of attributes!.matchAll(/ ([a-z-]+)="([^"]*)"/g)) {
      assert.ok(allowed.split(" ").includes(key!), `${tag} ${of}`);
      assert.match(value!, ESCAPED, of);
      assert.match(value!, VALUES[key!] ?? /^/, `${tag} ${of}`);
    }
  }
  assert.deepEqual(open, [], of);
  assert.match(html.replace(TAG, ""), ESCAPED, of);
  assert.ok(!html.includes("\0"), of);
}
