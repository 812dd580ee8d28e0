/** Markdown that is made to take much time, stack or memory: toHtml() ends, and its output is proportional to the text. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { toHtml } from "../../../lib/formats/markdown/render.ts";
import { IS_COMPLETE } from "../../harness/runtime.ts";

/** At this size, quadratic time exceeds the timeout; in the complete run, a megabyte. */
const SIZE = IS_COMPLETE ? 1 << 20 : 1 << 16;

/** Repeated texts, without and with spaces. */
const SHORT =
  "[ ![ ]( []( [a]( [a](< *a **a** *a** a**b` a** _ _a **a*_ ~~ ~~a ~a~~ < <a <! <!-- <? <![CDATA[ & &a " +
  "&# ![[]() [a](b [a][ [a][b] <a: <a@a. \\ \\\\ [^a]";
const LONG =
  '*a §*a _b §a* §*a**b §[a](b "§[a](b \'c "§[a](b (§[![a](b)](c) §<a x=\'<a y="§<a b=§    § \t§a  \n§a\n§\n§' +
  "> §> a\n§- §* a\n§1. §- a\n\n§```\n§~~~a\n§<div>\n§<x>\n§<!--\n§# #§=\n§a\n=\n§| §|\n|-\n§a|b\n-|-\n§- [ ] a\n§" +
  "[^a]: §[^a]: [^a]\n§[a]: b\n§[a]: <§[a]: b '\n§[a\n";

/** Texts of at least `size` characters. */
const FAMILIES: Readonly<Record<string, (size: number) => string>> = {
  ...Object.fromEntries(
    [...SHORT.split(" "), ...LONG.split("§")].map((part) =>
      [JSON.stringify(part), (size: number) => part.repeat(Math.ceil(size / part.length))] as const
    ),
  ),
  "brackets that are closed": (size) => "[".repeat(size / 2) + "]".repeat(size / 2),
  "images within images": (size) => "![".repeat(size / 6) + "](a)".repeat(size / 6),
  "links behind open brackets": (size) => "[".repeat(size / 8) + "[a](b)".repeat(size / 8),
  "links behind open images": (size) => "![".repeat(size / 8) + "[a](b)".repeat(size / 8),
  "emphasis within emphasis": (size) => "*a **a ".repeat(size / 14) + "b** b*".repeat(size / 14),
  "long marks": (size) => "*".repeat(size / 2) + "a" + "*".repeat(size / 2),
  "runs of backticks of growing length": (size) => {
    return Array.from({ length: Math.sqrt(2 * size) }, (_, index) => "`".repeat(index + 1)).join("a");
  },
  "a fence of backticks with one behind": (size) => "`".repeat(size / 2) + "a".repeat(size / 2) + "`",
  "brackets in a target": (size) => `[a](${"(".repeat(size)}`,
  "groups of brackets in a target": (size) => `[a](${"(b)".repeat(size / 3)}`,
  "spaces in place of a target": (size) => `[a](${" ".repeat(size)}b`,
  "a long target": (size) => `[a](${"b".repeat(size)}`,
  "addresses": (size) => "https://a ".repeat(size / 10),
  "addresses without a space": (size) => "https://".repeat(size / 8),
  "brackets after an address": (size) => `(https://a${")".repeat(size)}`,
  "addresses with brackets": (size) => `https://a${"()".repeat(900)}).,! `.repeat(size / 1820),
  "a long title": (size) => `[a](b "${"c ".repeat(size / 2)}`,
  "a long tag": (size) => `<a ${"b ".repeat(size / 2)}`,
  "quotes of growing depth": (size) => {
    return Array.from({ length: Math.sqrt(2 * size) }, (_, index) => "> ".repeat(index / 2) + "a\n").join("");
  },
  "lists of growing depth": (size) => {
    return Array.from({ length: Math.sqrt(size) }, (_, index) => "  ".repeat(index) + "- a\n").join("");
  },
  "one long row": (size) => `${"|a".repeat(size / 4)}|\n${"|-".repeat(size / 4)}|\n`,
  "short rows below a long one": (size) =>
    `${"|a".repeat(size / 8)}|\n${"|-".repeat(size / 8)}|\n${"|\n".repeat(size / 8)}`,
  "definitions and their uses": (size) => {
    const names = Array.from({ length: size / 20 }, (_, index) => `n${index}`);
    return names.map((name) => `[${name}]: u\n`).join("") + "\n" + names.map((name) => `[${name}] `).join("");
  },
  "uses of one long definition": (size) => `[a]: ${"b".repeat(size / 2)}\n\n${"[a]".repeat(size / 6)}`,
  "notes that refer to each other": (size) => {
    const names = Array.from({ length: size / 25 }, (_, index) => index);
    return `[^0]\n\n${names.map((name) => `[^${name}]: [^${name + 1}] [^${name - 1}]\n\n`).join("")}`;
  },
};

for (const [name, make] of Object.entries(FAMILIES)) {
  test(`toHtml() limits its output for ${name}`, () => {
    const text = make(SIZE);
    const { length } = toHtml(text, { linksBare: true });
    assert.ok(length < 40 * text.length, `${length} characters`);
  });
}
