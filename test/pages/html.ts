/** A small HTML parser. It fails for markup that browsers would have to repair, and for inline scripts and styles. */

import assert from "node:assert/strict";

const EMPTY: ReadonlySet<string> = new Set(["br", "hr", "img", "input", "link", "meta"]);
const TAG = /<(?:!doctype html|(\/)?([a-z][a-z0-9]*)((?:\s+[a-z][a-z-]*(?:="[^"<]*")?)*)\s*(\/)?)>/giy;
const ATTRIBUTE = /([a-z][a-z-]*)(?:="([^"]*)")?/gi;

/** The text, link targets and ids of a page. */
export interface Read {
  readonly html: string;
  readonly text: string;
  readonly links: readonly string[];
  readonly ids: ReadonlySet<string>;
}

function decoded(text: string): string {
  const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    return name ? named[name] ?? whole : String.fromCodePoint(decimal ? Number(decimal) : parseInt(hex, 16));
  });
}

/** Parses a page. Fails if a tag is not closed, an id is duplicated, or anything in it could run. */
export function readHtml(html: string, where: string): Read {
  const open: string[] = [], links: string[] = [], text: string[] = [];
  const ids = new Set<string>();
  for (let at = 0; at < html.length;) {
    if (html[at] !== "<") {
      const end = html.indexOf("<", at);
      const part = html.slice(at, end < 0 ? html.length : end);
      assert.ok(open.at(-1) !== "script" && open.at(-1) !== "style", `${where}: ${part}`);
      text.push(decoded(part));
      at += part.length;
      continue;
    }
    TAG.lastIndex = at;
    const tag = TAG.exec(html);
    assert.ok(tag, `${where}: no tag at ${JSON.stringify(html.slice(at, at + 80))}`);
    at = TAG.lastIndex;
    const [whole, closes, name = "", attributes = "", isEmpty] = tag;
    if (name === "") continue;
    if (closes) assert.equal(open.pop(), name, `${where}: ${html.slice(at - 80, at)}`);
    else if (!EMPTY.has(name) && !isEmpty) open.push(name);
    for (const [, attribute = "", value = ""] of attributes.matchAll(ATTRIBUTE)) {
      assert.doesNotMatch(attribute, /^(?:on|style$|srcdoc$)/i, `${where}: ${whole}`);
      if (attribute === "id") {
        assert.ok(value !== "" && !ids.has(value), `${where}: the id ${value} is empty or there twice`);
        ids.add(decoded(value));
      }
      if (["href", "src", "action"].includes(attribute)) links.push(decoded(value));
    }
  }
  assert.deepEqual(open, [], where);
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(html, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/, where);
  return { html, text: text.join(""), links, ids };
}

/**
 * Reads all pages that links lead to from a URL, and checks that the sections exist that they name. `read` gives the HTML of a
 * page, nothing for what is no page, and fails for what does not exist.
 */
export async function crawl(
  url: string,
  read: (to: URL) => Promise<string | undefined> | string | undefined,
): Promise<Map<string, Read>> {
  const pages = new Map<string, Read>(), seen = new Set<string>();
  const wanted: [to: URL, from: string][] = [[new URL(url), ""]];
  for (let next = wanted.pop(); next; next = wanted.pop()) {
    const [to, from] = next;
    const where = to.pathname + to.search;
    let page = pages.get(where);
    if (!page && seen.has(where)) continue;
    seen.add(where);
    if (!page) {
      const text = await Promise.resolve(to).then(read).catch((cause) => {
        throw new Error(`${where} is linked from ${from}`, { cause });
      });
      if (text === undefined) continue;
      pages.set(where, page = readHtml(text, where));
      for (const link of page.links) {
        if (/^(?:https?:|mailto:|data:image\/svg)/.test(link)) continue;
        assert.match(link, /^[/#]/, `${where} has a link ${link}`);
        wanted.push([new URL(link, to), where]);
      }
    }
    const section = decodeURIComponent(to.hash.slice(1));
    if (section !== "") assert.ok(page.ids.has(section), `${where} has no section ${section}, says ${from}`);
  }
  return pages;
}
