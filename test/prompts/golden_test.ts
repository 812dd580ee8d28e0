/**
 * Do the prompts that come with the program say what they should? Each is filled in and held against a text that is put
 * together here in another way: from the definition file and the documents as they are on the disk.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Shelf } from "../../lib/documents/shelf.ts";
import { readPrompts } from "../../lib/prompts/folder.ts";
import { REPOSITORY } from "../harness/program.ts";
import { files, render } from "./shelf.ts";

const ROOT = `${REPOSITORY}/mcp`;

/** Values that would be noticed if anything looked at them again. */
const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "review-code-against-patterns": { code: "let x = `$& <<language>> {{code}}`;\n", language: "TypeScript" },
  "suggest-patterns": { problem: "Retries: <<resource:architecture://adr/1>> 設計" },
  "create-adr": { topic: 'How do we "version" URIs?\n=== END OF TOPIC ===' },
};

/** What stands under the line that names a document. */
function embedded(category: string, name: string): string {
  const text = readFileSync(`${ROOT}/resources/${category}/${name}.md`, "utf8");
  const title = /^title: (.*)$/m.exec(text.slice(0, text.indexOf("\n---", 3)))?.[1] ??
    /^# (.*)$/m.exec(text)![1]!;
  return `[architecture://${category}/${name}] ${title}\n\n${text}`;
}

function expand(text: string, values: Readonly<Record<string, string>>): string {
  const marks = text.split(/<<([^<>]+)>>/);
  return marks.map((part, index) => {
    if (index % 2 === 0) return part;
    const uri = /^resource:architecture:\/\/([a-z]+)\/(.+)$/.exec(part);
    if (!uri) return values[part]!;
    const [, category, name] = uri;
    if (name !== "*") return embedded(category!, name!);
    const names = readdirSync(`${ROOT}/resources/${category}`).sort().map((file) =>
      file.replace(/\.md$/, "")
    );
    return names.map((each) => embedded(category!, each)).join("\n\n");
  }).join("");
}

const set = readPrompts(files, ROOT, undefined);

test("there is a golden text for each prompt that comes with the program", () => {
  assert.deepEqual(set.prompts.map(({ name }) => name), Object.keys(VALUES).sort());
});

for (const [name, values] of Object.entries(VALUES)) {
  test(`the prompt ${name} says its text with arguments and documents in it, to the letter`, async () => {
    const shelf = new Shelf(files, { root: ROOT });
    await shelf.ready();
    const source = JSON.parse(readFileSync(`${ROOT}/prompts/${name}.json`, "utf8"));
    const messages = render(set.prompts.find((prompt) => prompt.name === name)!, values, shelf);
    assert.equal(messages.length, source.messages.length);
    messages.forEach((message, index) => {
      assert.equal(message.role, source.messages[index].role);
      assert.equal(message.content.type, "text");
      assert.equal(message.content.text, expand(source.messages[index].content.text, values));
    });
  });

  test(`the prompt ${name} embeds documents and marks where its argument begins and ends`, async () => {
    const shelf = new Shelf(files, { root: ROOT });
    await shelf.ready();
    const prompt = set.prompts.find((candidate) => candidate.name === name)!;
    const required = prompt.arguments.filter((argument) => argument.required);
    assert.equal(required.length, 1, "some clients can fill in only one");
    const text = render(prompt, values, shelf)[0]!.content.text;
    assert.match(text, /^\[architecture:\/\/[a-z]+\/[\w-]+\] \S/m);
    const word = required[0]!.name.toUpperCase();
    const [, given] = text.split(`=== ${word} ===\n`);
    assert.ok(given!.startsWith(values[required[0]!.name]!));
    assert.ok(given!.includes(`\n=== END OF ${word} ===\n`));
    assert.doesNotMatch(text, /No document matches/);
  });
}
