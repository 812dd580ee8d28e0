/** Tests the drawing of graphs. The tests of the command `graph` cover the relations. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Relation } from "../../lib/pages/relations.ts";
import { drawGraph } from "../../lib/pages/graph.ts";
import { GRAPH_SCRIPT } from "../../lib/pages/graph_script.ts";
import { GRAPH_STYLE } from "../../lib/pages/graph_style.ts";

type Drawn = Parameters<typeof drawGraph>[0][number];

const recordOf = (status?: string): NonNullable<Drawn["record"]> => (
  { supersedes: [], supersededBy: [], ...(status === undefined ? {} : { status }) }
);
const made = (count: number): Drawn[] =>
  [...Array(count).keys()].map((index) => ({
    key: `adr/${index}`,
    title: `${index}. Use ${index}`,
    record: recordOf(),
  }));
const said = (text: string): Relation[] =>
  text.split(/, */).filter(Boolean).map((part) => {
    const [from, sign, to] = part.split(" ");
    const kind = ({ ">": "supersedes", "~": "amends", "-": "relates-to", "@": "mentions" } as const)[sign!];
    return { from: `adr/${from}`, to: `adr/${to}`, kind: kind! };
  });

/** The boxes of a graph with their upper left corners, and the ends of its links with their x coordinates. */
function read(svg: string) {
  const boxes = new Map<string, { x: number; y: number; title: string }>();
  const links: { ends: string; kind: string; isRightward: boolean; heads: number }[] = [];
  for (const part of svg.split(/(?=<g transform)/).slice(1)) {
    const [, left, top] = /translate\((\S+) (\S+)\)/.exec(part)!;
    const boxed = part.matchAll(/data-id="(\d+)"[^>]*translate\((\S+) (\S+)\)"><title>([^<]*)/g);
    for (const [, id, x, y, title] of boxed) {
      boxes.set(id!, { x: Number(left) + Number(x), y: Number(top) + Number(y), title: title! });
    }
    const linked = part.matchAll(/<g class="([\w-]+)" data-ends="([\d ]+)"><path d="([^"]+)"(.*)/g);
    for (const [, kind, ends, path, rest] of linked) {
      const numbers = path!.match(/-?[\d.]+/g)!.map(Number);
      const isRightward = numbers[0]! < numbers.at(-2)!;
      links.push({ ends: ends!, kind: kind!, isRightward, heads: rest!.split("head").length - 1 });
    }
  }
  return { boxes, links };
}

test("drawGraph() draws only related documents, each relation once, from left to right", () => {
  const rows: [name: string, relations: string, ids: string, links: string, note?: string][] = [
    ["a chain", "2 > 1, 1 > 0", "0 1 2", "2 1 supersedes, 1 0 supersedes", "2 of 5"],
    ["a circle", "2 > 1, 1 > 0, 0 > 2", "0 1 2", "0 2 supersedes, 1 0 supersedes, 2 1 supersedes", "2 of 5"],
    ["two kinds at once", "1 - 0, 1 > 0", "0 1", "1 0 supersedes", "3 of 5"],
    ["both directions", "1 > 0, 0 > 1", "0 1", "1 0 supersedes", "3 of 5"],
    ["several groups", "4 > 3, 2 - 1, 1 @ 0", "0 1 2 3 4", "2 1 relates-to, 1 0 mentions, 4 3 supersedes"],
    ["no relation", "", "0 1 2 3 4", ""],
  ];
  for (const [name, relations, ids, links, note] of rows) {
    const nodes = made(5), svg = drawGraph(nodes, said(relations)), graph = read(svg);
    const titles = [...graph.boxes.values()].map(({ title }) => Number(title.split(".")[0])).sort();
    assert.equal(titles.join(" "), ids, name);
    const toKey = (id: string) => graph.boxes.get(id)!.title.split(".")[0];
    const drawn = graph.links.map(({ ends, kind }) => [...ends.split(" ").map(toKey), kind].join(" "));
    assert.deepEqual(drawn.sort(), links.split(", ").filter(Boolean).sort(), name);
    assert.ok(graph.links.every(({ isRightward }) => isRightward), name);
    assert.equal(/Not shown: (.*) documents, because they have no relations</.exec(svg)?.[1], note, name);
    assert.equal(drawGraph(nodes, said(relations)), svg, name);
  }
  assert.match(drawGraph([], []), /^<svg [^]*<\/svg>\n$/);
});

test("drawGraph() puts the replacing document to the left, and an arrow at the older end", () => {
  const { boxes, links } = read(drawGraph(made(6), said("5 > 0, 4 ~ 0, 3 - 0, 2 @ 3, 5 > 4")));
  const xOf = (id: number) => [...boxes.values()].find(({ title }) => title.startsWith(`${id}.`))!.x;
  assert.ok(xOf(5) < xOf(4) && xOf(4) < xOf(0));
  const heads = [...new Set(links.map(({ kind, heads }) => `${kind} ${heads}`))];
  assert.deepEqual(heads.sort(), ["amends 1", "mentions 1", "relates-to 0", "supersedes 1"]);
});

test("drawGraph() keeps boxes apart and within the image, and leaves out boxes above the limit", () => {
  let seed = 1;
  const random = (below: number) => (seed = seed * 48271 % 2147483647) % below;
  const relate = (count: number, most: number) =>
    Array.from({ length: most }, () => {
      const from = random(count), to = (from + 1 + random(count - 1)) % count;
      return `${from} ${">~-"[random(3)]} ${to}`;
    }).join(", ");
  const chain = Array.from({ length: 2999 }, (_, index) => `${index + 1} > ${index}`).join(", ");
  const rows: [count: number, relations: string, note?: string][] = [
    [60, relate(60, 40)],
    [40, relate(40, 150)],
    [30, ""],
    [1200, relate(1200, 6000), "Not shown: 200 of 1200 documents<"],
    [3000, chain, "Not shown: 2000 of 3000 documents<"],
  ];
  for (const [count, relations, note] of rows) {
    const svg = drawGraph(made(count), said(relations));
    const boxes = [...read(svg).boxes.values()];
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg)!.map(Number);
    assert.ok(boxes.length <= Math.min(count, 1000) && boxes.length > 0);
    boxes.sort((one, two) => one.x - two.x || one.y - two.y).forEach(({ x, y }, index) => {
      const before = boxes[index - 1];
      assert.ok(!before || before.x + 216 <= x || (before.x === x && before.y + 60 <= y), `${x} ${y}`);
      assert.ok(x >= 0 && y >= 0 && x + 216 <= width! && y + 60 <= height!, `${x} ${y}`);
    });
    if (note !== undefined) assert.ok(svg.includes(note), note);
  }
  for (let count = 2; count < 200; count++) {
    const nodes = 3 + random(9), related = said(relate(nodes, 3 + random(12)));
    const { boxes, links } = read(drawGraph(made(nodes), related));
    assert.ok(links.every(({ isRightward }) => isRightward));
    assert.equal(new Set([...boxes.values()].map(({ x, y }) => `${x} ${y}`)).size, boxes.size);
  }
});

test("drawGraph() names links by the whole title and relations, and shows only text", () => {
  const hostile = '<script>alert("1")</script> & a title that is too long for two lines of a box';
  const nodes: Drawn[] = [
    { key: "a", title: hostile, record: recordOf("rejected") },
    { key: "b", title: "B\u0000\u202e\ud800", record: { ...recordOf('on "hold"'), number: 7 } },
    { key: "c", title: "決定記録の書き方についての長い題名であって二行に収まらないもの", record: undefined },
    { key: "d", title: "No record", record: undefined },
  ];
  const relations: Relation[] = [
    { from: "b", to: "a", kind: "supersedes" },
    { from: "c", to: "b", kind: "amends" },
  ];
  const hrefOf = ({ key }: { readonly key: string }) => `${key}.html?a&b`;
  const svg = drawGraph(nodes, relations, hrefOf);
  assert.doesNotMatch(svg, /<script|\ud800|style=|<style/);
  assert.ok(svg.isWellFormed() && !svg.includes("\0"));
  const root =
    /^<svg xmlns="\S+" class="graph" role="group" aria-label="Graph of decisions" width="\d+" height/;
  assert.match(svg, root);
  assert.match(svg, /<a class="other" data-id="1" href="b.html\?a&amp;b" transform="[^"]+"><title>/);
  assert.match(svg, /<title>7\. B.* \(on &quot;hold&quot;\)\nsupersedes &lt;script&gt;.*\namended by 決定/);
  assert.match(svg, /<a class="rejected" data-id="0" href="a\.html/);
  const lines = Array.from(svg.matchAll(/<text x="15" [^>]*>([^<]*)/g), ([, line]) => line!);
  assert.equal(lines.filter((line) => line.endsWith("…")).length, 2);
  assert.ok(lines.every((line) => line.length < 65), String(lines));
  const many = read(drawGraph(made(40), said(made(39).map((_, index) => `${index + 1} > 0`).join(", "))));
  assert.match(many.boxes.get("0")!.title, /^0\. Use 0\n(superseded by .*\n){12}and 27 more$/);
  const long = made(40).map((one) => ({ ...one, title: "x".repeat(2000) }));
  const toFirst = said(long.map((_, index) => `${index} > 0`).slice(1).join(", "));
  assert.ok(drawGraph(long, toFirst).length < 60_000);
  assert.doesNotMatch(svg, /No record/);
  const own = drawGraph(nodes, []);
  assert.match(own, /<style>[^<]*prefers-color-scheme:dark[^<]*<\/style>/);
  assert.doesNotMatch(own, /var\(/);
});

test("the style and the script of graphs are complete texts that load nothing", () => {
  assert.doesNotMatch(GRAPH_STYLE + GRAPH_SCRIPT, /url\(|@import|https?:|eval|innerHTML|undefined/);
  assert.equal(GRAPH_STYLE.split("{").length, GRAPH_STYLE.split("}").length);
  new Function(GRAPH_SCRIPT);
});
