import assert from "node:assert/strict";
import { test } from "node:test";
import { cliJson } from "../../harness/command.ts";
import { makeFolder } from "../../harness/folder.ts";
import { cpuNow } from "../../harness/process.ts";
import { definition, say } from "./definitions.ts";

/** Texts of a prompt with the arguments topic and code: the marks that check reports, with the words for the reason. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  // Unknown.
  "{{tool:search_documents}}": ["{{tool:search_documents}} names neither"],
  "<<tool:x>>": ["<<tool:x>> names neither"],
  "{{prompt:other}} and {{skill: x}}": ["{{prompt:other}} names neither", "{{skill: x}} names neither"],
  "{{topic.name}}": ["{{topic.name}} names neither"],
  "{{#if topic}}x{{/if}}": ["{{#if topic}} names neither", "{{/if}} names neither"],
  "{{the topic}}": ["{{the topic}} names neither"],
  "<<the topic>>": ["<<the topic>> names neither"],
  "<<file:a.md>> {{thème}}": ["<<file:a.md>> names neither", "{{thème}} names neither"],
  // Nested.
  "{{resource:architecture://patterns/{{topic}}.md}}": [
    "{{resource:architecture://patterns/….md}} mark in it",
  ],
  "<<resource:architecture://adr/<<topic>>>>": ["<<resource:architecture://adr/…>> mark in it"],
  "{{tool:{{topic}}}}": ["{{tool:…}} mark in it"],
  "{{ {{topic}} }}": ["{{ … }} mark in it"],
  "{{resource:architecture://adr/<<topic>>}}": ["{{resource:architecture://adr/…}} mark in it"],
  "<<resource:architecture://adr/{{topic}}>>": ["<<resource:architecture://adr/…>> mark in it"],
  // Unclosed.
  "{{topic": ["{{topic not closed"],
  "a <<topic> b": ["<<topic> b not closed"],
  "{{topic} b": ["{{topic} b not closed"],
  "<<topic}} {{code>>": ["<<topic not closed", "{{code not closed"],
  "{{resource:architecture://adr/7\n\nMore": ["{{resource:architecture://adr/7 not closed"],
  "<<resource:architecture://adr/7": ["<<resource:architecture://adr/7 not closed"],
  "{{\ntopic\n}}": ["{{ line break"],
  "{{resource:\narchitecture://adr/7}}": ["{{resource: line break"],
  [`{{resource:${"a".repeat(2000)}}}`]: ["{{resource:aaa not closed"],
  // Expanded, literal, or another language.
  "<<topic>> {{ code }} {{topic}}{{code}} <<<topic>>>": [],
  "\\{{tool:x}} \\<<the topic>> \\{{topic \\<<topic": [],
  "cat <<EOF\nx\nEOF": [],
  "1 << 2 and 8 >> 1; cout << x << y; vector<vector<int>> a": [],
  "${{ secrets.TOKEN }} <p style={{ color: 'red' }}>": [],
  '{"a": {"b": {}}} {{}} {{{}}} << >> <<>>': [],
  '{{"a": 1}} {{ 1 + 2 }} {{%d}}': [],
  "f{{x: 1, y: 2}}": [],
};

test("check reports the marks of a prompt that are not expanded, with file and place", async (t) => {
  const texts = Object.entries(TEXTS);
  const folder = makeFolder(
    t,
    Object.fromEntries(texts.map(([text], index) => [
      `prompts/p${index}.json`,
      definition(["Task.", text], { name: `p${index}`, arguments: [{ name: "topic" }, { name: "code" }] }),
    ])),
  );
  const { findings } = await cliJson("check --root DIR --rule prompt-mark", folder);
  for (const [index, [text, expected]] of texts.entries()) {
    const own = findings.filter(({ file }: { file: string }) => file === `prompts/p${index}.json`);
    assert.equal(own.length, expected.length, `${text}: ${JSON.stringify(own)}`);
    for (const [at, { message, severity }] of own.entries()) {
      const [mark = "", reason = ""] = expected[at]!.split(
        / (?=names neither|mark in it|not closed|line break)/,
      );
      assert.ok(message.startsWith(`messages[1].content.text: "${mark}`), message);
      assert.ok(message.includes(reason), message);
      assert.equal(severity, "warning");
    }
  }
});

test("a mark that is not expanded is still served as it is", async () => {
  const text = "{{tool:x}} {{resource:architecture://patterns/{{topic}}.md}} {{topic";
  assert.equal(
    await say(text, { topic: "T" }),
    "{{tool:x}} {{resource:architecture://patterns/T.md}} {{topic",
  );
});

test("a large prompt of marks is checked in linear time", async (t) => {
  const start = cpuNow();
  for (const part of ["{{", "<<", "{{a ", "<<a", "{{tool:", "\\{{", "{{topic ", "{{ \n", "<<tool:x>>"]) {
    const folder = makeFolder(t, {
      "prompts/p.json": definition(part.repeat(300_000 / part.length), { arguments: [{ name: "topic" }] }),
    });
    const { findings } = await cliJson("check --root DIR --rule prompt-mark", folder);
    assert.ok(findings.length <= 10, part);
  }
  assert.ok(cpuNow() - start < 10_000);
});
