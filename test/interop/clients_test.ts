/** Do the official clients get everything that there is, and clear refusals of the rest? On the documents of this repository. */

import type { OfficialClient } from "./official.ts";
import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { V1 } from "./client_v1.ts";
import { V2_AUTO, V2_AUTO_IN_PLACE, V2_LEGACY, V2_MODERN } from "./client_v2.ts";
import { refusal, WELL } from "./official.ts";
import { OWN_ROOT, RUNTIMES } from "./runtimes.ts";
import { expectedCategories, expectedDocuments, expectedPrompts } from "./shelf.ts";

const documents = expectedDocuments(OWN_ROOT);
const categories = expectedCategories(OWN_ROOT);
const LIMITS = { code: 10_000, other: 2_000 };

for (const runtime of RUNTIMES) {
  for (const opening of [V1, V2_LEGACY, V2_MODERN, V2_AUTO, V2_AUTO_IN_PLACE]) {
    const modern = opening.revision === "2026-07-28";

    describe(`${opening.name} on ${runtime.name}`, { skip: runtime.skip }, () => {
      let client: OfficialClient;

      before(async () => {
        client = await opening.connect(runtime.launch());
      });

      after(async () => {
        assert.deepEqual(await client.close(), WELL, "the process ends by itself, silently, with 0");
        // What was cancelled too late is answered, which a client should ignore and these report.
        const complaints = client.complaints.filter(({ message }) => !/unknown message ID/.test(message));
        assert.deepEqual(complaints, [], "the client has nothing to complain of");
      });

      it("opens, and learns whom it speaks to", () => {
        assert.equal(client.revision, opening.revision);
        assert.equal(client.serverName, "architrave");
        assert.match(client.instructions ?? "", /architecture:\/\//);
      });

      it("lists every document with what is known of it", async () => {
        const listed = await client.resources();
        assert.deepEqual(listed.map(({ uri }) => uri), documents.map(({ uri }) => uri));
        for (const [index, resource] of listed.entries()) {
          const { name, size, lastModified } = documents[index]!;
          assert.equal(resource.name, name);
          assert.equal(resource.mimeType, "text/markdown");
          assert.equal(resource.size, size);
          assert.equal(resource.annotations?.lastModified, lastModified);
          assert.ok(resource.title, "every document of this repository has a title");
          assert.ok((resource.description ?? "").length > 0);
        }
      });

      it("lists a template for each category, every prompt, and the tools", async () => {
        assert.deepEqual(
          (await client.templates()).map(({ uriTemplate }) => uriTemplate),
          categories.map((category) => `architecture://${category}/{+path}`),
        );
        const prompts = await client.prompts();
        assert.deepEqual(prompts.map(({ name }) => name), expectedPrompts(OWN_ROOT));
        assert.deepEqual(
          prompts.find(({ name }) => name === "create-adr")?.arguments?.map(({ required }) => required),
          [true],
        );
        assert.deepEqual(
          (await client.tools()).map(({ name }) => name),
          ["decisions_for", "list_documents", "read_document", "search_documents"],
        );
      });

      it("reads every document, all at once, in both spellings, byte for byte", async () => {
        const read = await Promise.all(
          documents.flatMap(({ uri, fileUri }) => [client.read(uri), client.read(fileUri)]),
        );
        for (const [index, { uri, fileUri, text }] of documents.entries()) {
          const [own, other] = [read[2 * index]!, read[2 * index + 1]!];
          assert.equal(own.uri, uri);
          assert.equal(other.uri, fileUri);
          assert.ok(Buffer.from(own.text).equals(text), uri);
          assert.equal(other.text, own.text);
        }
      });

      it("reads a record by its number, and one section of it", async () => {
        const whole = await client.read("architecture://adr/1");
        assert.equal(whole.uri, "architecture://adr/001-zero-runtime-dependencies");
        const section = await client.read("architecture://adr/001#consequences");
        assert.ok(section.text.startsWith("## Consequences"));
        assert.ok(whole.text.includes(section.text));
      });

      it("gets every prompt, with its arguments and documents in it", async () => {
        const words = 'Wörter, <<topic>> {{code}} \\<<x>> <<resource:architecture://adr/1>> "$&" 🏛\r\n';
        for (const { name, arguments: parameters } of await client.prompts()) {
          const args = Object.fromEntries(
            (parameters ?? []).filter(({ required }) => required).map((one) => [one.name, words]),
          );
          const [[role, text]] = await client.prompt(name, args) as [[string, string]];
          assert.equal(role, "user");
          assert.ok(text.includes(words), `${name} holds the argument as it was given`);
          assert.equal(text.split(words).length, 2, `${name} holds it once`);
          for (
            const { uri, text: document } of documents.filter(({ uri }) =>
              uri.startsWith("architecture://patterns/")
            )
          ) {
            const embeds = name !== "create-adr";
            assert.equal(text.includes(document.toString()), embeds, `${name} and ${uri}`);
          }
        }
      });

      it("completes the variables of templates and the arguments of prompts", async () => {
        const template = { type: "ref/resource", uri: "architecture://adr/{+path}" } as const;
        const paths = documents.filter(({ uri }) => uri.startsWith("architecture://adr/")).map(({ name }) =>
          name
        );
        const all = await client.complete(template, "path", "");
        assert.deepEqual([all.values, all.total, all.hasMore], [paths, paths.length, false]);
        assert.deepEqual((await client.complete(template, "path", "001")).values, paths.slice(0, 1));
        assert.ok((await client.complete(template, "path", "URI")).values.includes("004-document-uris"));
        assert.deepEqual((await client.complete(template, "path", "no such record")).values, []);
        const prompt = { type: "ref/prompt", name: "create-adr" } as const;
        assert.deepEqual((await client.complete(prompt, "topic", "x")).values, []);
        assert.equal((await refusal(client.complete(prompt, "nope", ""))).code, -32602);
        assert.equal(
          (await refusal(client.complete({ ...template, uri: "architecture://x/{+path}" }, "path", ""))).code,
          -32602,
        );
      });

      it("is refused what is not there", async () => {
        const uri = "architecture://adr/999-not-there";
        const { code, data } = await refusal(client.read(uri));
        // The second generation knows both codes, as the same error.
        assert.equal(code, opening === V1 ? -32002 : -32602);
        assert.deepEqual(data, { uri });
        assert.equal((await refusal(client.read("file:///etc/passwd"))).code, code);
        assert.equal((await refusal(client.page("made up"))).code, -32602);
        assert.equal((await refusal(client.prompt("no-such-prompt"))).code, -32602);
        assert.equal((await refusal(client.prompt("toString"))).code, -32602);
      });

      it("is told which argument of a prompt is wrong, and the limit", async () => {
        const wrong: readonly [Record<string, string> | undefined, RegExp][] = [
          [undefined, /"topic" is missing/],
          [{}, /"topic" is missing/],
          [{ topic: "" }, /"topic".*empty/],
          [{ topic: "t", language: "x" }, /"language"/],
          [{ topic: "🏛".repeat(LIMITS.other + 1) }, /"topic".*2000/],
        ];
        for (const [args, told] of wrong) {
          const { code, message } = await refusal(client.prompt("create-adr", args));
          assert.equal(code, -32602);
          assert.match(message, told);
        }
        const longest = "🏛".repeat(LIMITS.code);
        assert.ok(
          (await client.prompt("review-code-against-patterns", { code: longest }))[0]![1].includes(longest),
        );
        const { message } = await refusal(
          client.prompt("review-code-against-patterns", { code: `${longest}x` }),
        );
        assert.match(message, /"code".*10000/);
      });

      it("may ping where there is a ping", async () => {
        if (!modern) return await client.ping();
        await assert.rejects(client.ping(), "2026-07-28 has none, and the client knows");
      });

      it("cancels requests, and goes on", async () => {
        const controllers = documents.map(() => new AbortController());
        const reads = documents.map(({ uri }, index) => client.read(uri, controllers[index]!.signal));
        const settled = Promise.allSettled([...reads, client.resources(controllers[0]!.signal)]);
        await Promise.resolve();
        for (const controller of controllers.filter((_, index) => index % 2 === 0)) {
          controller.abort("a test");
        }
        for (const [index, { status }] of (await settled).entries()) {
          if (index % 2 === 1 && index < documents.length) {
            assert.equal(status, "fulfilled", `read ${index} was not cancelled`);
          }
        }
        assert.equal((await client.resources()).length, documents.length);
      });
    });
  }
}
