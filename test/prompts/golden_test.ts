/**
 * The prompts that come with the program: each is filled in and compared with a text that is put together here in another
 * way, from the definition file and the documents as they are on the disk.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { files, openStore } from "../documents/stores.ts";
import { REPOSITORY } from "../harness/program.ts";
import { fill, openPrompts } from "./definitions.ts";

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
    if (!name!.includes("*")) return embedded(category!, name!);
    const fits = new RegExp(`^${name!.replace(/\*+/g, ".*")}$`);
    const names = readdirSync(`${ROOT}/resources/${category}`).sort().map((file) => file.replace(/\.md$/, ""))
      .filter((each) => fits.test(each));
    return names.map((each) => embedded(category!, each)).join("\n\n");
  }).join("");
}

test("there is a golden text for each prompt that comes with the program", () => {
  const names = readdirSync(`${ROOT}/prompts`).map((file) => file.replace(/\.json$/, ""));
  assert.deepEqual(names.sort(), Object.keys(VALUES).sort());
});

for (const [name, values] of Object.entries(VALUES)) {
  test(`the prompt ${name} says its text with arguments and documents in it, to the letter`, async () => {
    const source = JSON.parse(readFileSync(`${ROOT}/prompts/${name}.json`, "utf8"));
    const { provider } = await openPrompts(files, ROOT, await openStore(files, ROOT));
    const messages = await fill(provider, name, values);
    assert.deepEqual(
      messages,
      source.messages.map(({ role, content }: { role: string; content: { text: string } }) => ({
        role,
        content: { type: "text", text: expand(content.text, values) },
      })),
    );
    const required: { name: string }[] = source.arguments.filter((each: { required: boolean }) =>
      each.required
    );
    assert.equal(required.length, 1, "some clients can fill in only one");
    const said = messages[0]!.content.text;
    assert.match(said, /^\[architecture:\/\/[a-z]+\/[\w-]+\] \S/m);
    const word = required[0]!.name.toUpperCase();
    const [, given] = said.split(`=== ${word} ===\n`);
    assert.ok(given!.startsWith(values[required[0]!.name]!), "it marks where the argument begins and ends");
    assert.ok(given!.includes(`\n=== END OF ${word} ===\n`));
    assert.doesNotMatch(said, /No document matches/);
  });
}
