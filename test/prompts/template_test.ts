import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTemplate, TemplateError } from "../../lib/prompts/template.ts";

const NAMES = new Set(["a", "long_name", "with-dash", "__proto__", "constructor"]);

/** A template in short: arguments and documents in brackets. */
function parse(text: string): string[] {
  return parseTemplate(text, NAMES).map((part) => {
    if (part.kind === "text") return part.text;
    if (part.kind === "argument") return `[${part.name}]`;
    return part.kind === "document" ? `[document ${part.uri}]` : `[documents ${part.pattern}]`;
  });
}

test("parseTemplate() takes both spellings for the same", () => {
  assert.deepEqual(parse("x <<a>> y {{a}} z"), ["x ", "[a]", " y ", "[a]", " z"]);
  assert.deepEqual(parse("<< a >>{{\ta }}"), ["[a]", "[a]"]);
  assert.deepEqual(parse("<<long_name>><<with-dash>>"), ["[long_name]", "[with-dash]"]);
  assert.deepEqual(parse("<<a}} {{a>>"), ["<<a}} {{a>>"]);
});

test("parseTemplate() gives one text for all that stands between marks", () => {
  assert.deepEqual(parse("only text"), ["only text"]);
  assert.deepEqual(parse(""), []);
  assert.deepEqual(parse("\\<<a>> and <<a b>> and << >> and <<>>"), ["<<a>> and <<a b>> and << >> and <<>>"]);
});

test("parseTemplate() takes escaped marks literally, and leaves other backslashes alone", () => {
  assert.deepEqual(parse("\\<<a>> \\{{a}}"), ["<<a>> {{a}}"]);
  assert.deepEqual(parse("\\<<resource:nothing>>"), ["<<resource:nothing>>"]);
  assert.deepEqual(parse("\\<<undeclared>>"), ["<<undeclared>>"]);
  assert.deepEqual(parse("a\\b \\n \\\\ \\"), ["a\\b \\n \\\\ \\"]);
});

test("parseTemplate() leaves alone what cannot be a name", () => {
  for (
    const text of [
      "cat <<EOF\nx\nEOF",
      "a << b >> c",
      "{{ a.b }}",
      "{{#if a}}",
      "<<<a b>>>",
      "x<<1>>",
      "{{{}}}",
    ]
  ) {
    if (text === "a << b >> c") assert.throws(() => parse(text), TemplateError);
    else assert.deepEqual(parse(text), [text]);
  }
  assert.deepEqual(parse("<<<a>>>"), ["<", "[a]", ">"]);
  assert.deepEqual(parse(`<<${"a".repeat(1001)}>>`), [`<<${"a".repeat(1001)}>>`]);
});

test("parseTemplate() refuses a name that is not declared, and says how to mean the text", () => {
  assert.throws(() => parse("<<b>>"), /"b" is not among the arguments; .* backslash/);
  assert.throws(() => parse("{{toString}}"), TemplateError);
});

test("parseTemplate() takes names of every object for names", () => {
  assert.deepEqual(parse("<<__proto__>><<constructor>>"), ["[__proto__]", "[constructor]"]);
});

test("parseTemplate() tells one document from a pattern for many", () => {
  assert.deepEqual(parse("<<resource:architecture://adr/7>>"), ["[document architecture://adr/7]"]);
  assert.deepEqual(parse("{{ resource: architecture://adr/7#decision }}"), [
    "[document architecture://adr/7#decision]",
  ]);
  assert.deepEqual(parse("<<resource:architecture://adr/*>>"), ["[documents adr/*]"]);
  assert.deepEqual(parse("<<resource:ARCHITECTURE://a b/**/ü*>>"), ["[documents a%20b/**/%C3%BC*]"]);
});

test("parseTemplate() refuses what is no document", () => {
  for (const uri of ["", "adr/7", "file:///etc/passwd", "https://example.org/"]) {
    assert.throws(() => parse(`<<resource:${uri}>>`), /is no document/, uri);
  }
  assert.throws(() => parse("<<resource:architecture://adr/*#decision>>"), /a section of many documents/);
});

test("parseTemplate() reads a megabyte of marks in no time", () => {
  const start = performance.now();
  for (const part of ["<<", "{{", "<<a", "<<a>", "\\<<", "<<a>>", "<<resource:", "}}", "<< "]) {
    try {
      parse(part.repeat(1_000_000 / part.length));
    } catch (cause) {
      assert.ok(cause instanceof TemplateError);
    }
  }
  assert.ok(performance.now() - start < 10_000);
});

test("parseTemplate() gives what nobody can change", () => {
  const template = parseTemplate("x <<a>>", NAMES);
  assert.ok(Object.isFrozen(template) && template.every((part) => Object.isFrozen(part)));
});
