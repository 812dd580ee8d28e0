/** The official clients get every document, prompt and tool of this repository over stdio and HTTP, and clear errors. */

import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { OfficialClient } from "./clients.ts";
import { errorOf, notFoundCode, V1, V2_AUTO, V2_AUTO_IN_PLACE, V2_LEGACY, V2_MODERN } from "./clients.ts";
import { expectedCategories, expectedDocuments, expectedPrompts } from "./documents.ts";
import type { HttpServer } from "./programs.ts";
import { OWN_ROOT, RUNTIMES, serveProgram, WELL } from "./programs.ts";
import { MODERN_REVISION } from "./rules.ts";

const documents = expectedDocuments(OWN_ROOT);
const categories = expectedCategories(OWN_ROOT);
const LIMITS = { code: 10_000, other: 2_000 };
const OPENINGS = {
  stdio: [V1, V2_LEGACY, V2_MODERN, V2_AUTO, V2_AUTO_IN_PLACE],
  HTTP: [V1, V2_LEGACY, V2_AUTO, V2_MODERN],
} as const;
/** Everything that a client was listed first, by its name: every transport and runtime must give the same. */
const listed = new Map<string, unknown>();

for (const runtime of RUNTIMES) {
  describe(`the official clients on ${runtime.name}`, { skip: runtime.skip }, () => {
    let server: HttpServer;
    before(async () => void (server = await serveProgram(runtime)));
    after(async () => assert.deepEqual(await server.stop(), WELL));

    for (const transport of ["stdio", "HTTP"] as const) {
      for (const opening of OPENINGS[transport]) {
        const isModern = opening.revision === MODERN_REVISION;

        describe(`${opening.name} over ${transport}`, () => {
          let client: OfficialClient;
          before(async () => {
            client = await opening.connect(transport === "stdio" ? runtime.launch() : server.url);
          });
          // What was cancelled too late is answered, which a client should ignore and these report.
          after(() => client.close(/unknown message ID/));

          it("opens, and learns which server it is", () => {
            assert.equal(client.revision, opening.revision);
            assert.equal(client.raw.getServerVersion()?.name, "architrave");
            assert.match(client.raw.getInstructions() ?? "", /architecture:\/\//);
            if (transport === "HTTP") assert.equal(client.transport.sessionId === undefined, isModern);
          });

          it("lists every document with what is known of it", async () => {
            const resources = await client.resources();
            assert.deepEqual(
              resources.map(({ uri, name, size, mimeType, annotations }) => {
                return { uri, name, size, mimeType, lastModified: annotations?.lastModified };
              }),
              documents.map(({ uri, name, size, lastModified }) => {
                return { uri, name, size, mimeType: "text/markdown", lastModified };
              }),
            );
            for (const { uri, title, description } of resources) assert.ok(title && description, uri);
          });

          it("lists a template for each category, every prompt, and the tools, as over every transport", async () => {
            const all = {
              resources: await client.resources(),
              templates: await client.templates(),
              prompts: await client.prompts(),
              tools: await client.tools(),
            };
            assert.deepEqual(
              all.templates.map(({ uriTemplate }) => uriTemplate),
              categories.map((category) => `architecture://${category}/{+path}`),
            );
            assert.deepEqual(all.prompts.map(({ name }) => name), expectedPrompts(OWN_ROOT));
            const { arguments: parameters } = all.prompts.find(({ name }) => name === "create-adr")!;
            assert.deepEqual(parameters?.map(({ required }) => required), [true]);
            const names = ["decisions_for", "list_documents", "read_document", "search_documents"];
            assert.deepEqual(all.tools.map(({ name }) => name), names);
            const key = opening === V2_AUTO_IN_PLACE ? V2_AUTO.name : opening.name;
            assert.deepEqual(all, listed.get(key) ?? all);
            listed.set(key, all);
          });

          it("reads every document, all at once, in both spellings, byte for byte", async () => {
            const spellings = documents.flatMap((one) => [{ ...one }, { ...one, uri: one.fileUri }]);
            const read = await Promise.all(spellings.map(({ uri }) => client.read(uri)));
            for (const [index, { uri, text }] of spellings.entries()) {
              assert.equal(read[index]!.uri, uri);
              assert.ok(Buffer.from(read[index]!.text).equals(text), uri);
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
            const patterns = documents.filter(({ uri }) => uri.startsWith("architecture://patterns/"));
            for (const { name, arguments: parameters = [] } of await client.prompts()) {
              const required = parameters.filter((one) => one.required).map((one) => [one.name, words]);
              const [[role, text]] = await client.prompt(name, Object.fromEntries(required)) as [
                [string, string],
              ];
              assert.equal(role, "user");
              assert.equal(text.split(words).length, 2, `${name} holds the argument once, as it was given`);
              for (const { uri, text: document } of patterns) {
                assert.equal(text.includes(document.toString()), name !== "create-adr", `${name} and ${uri}`);
              }
            }
          });

          it("completes the variables of templates and the arguments of prompts", async () => {
            const template = { type: "ref/resource", uri: "architecture://adr/{+path}" } as const;
            const paths = documents.filter(({ uri }) => uri.startsWith("architecture://adr/")).map((
              { name },
            ) => name);
            const all = await client.complete(template, "path", "");
            assert.deepEqual([all.values, all.total, all.hasMore], [paths, paths.length, false]);
            assert.deepEqual((await client.complete(template, "path", "001")).values, paths.slice(0, 1));
            assert.ok((await client.complete(template, "path", "URI")).values.includes("004-document-uris"));
            assert.deepEqual((await client.complete(template, "path", "no such record")).values, []);
            const prompt = { type: "ref/prompt", name: "create-adr" } as const;
            assert.deepEqual((await client.complete(prompt, "topic", "x")).values, []);
            assert.equal((await errorOf(client.complete(prompt, "nope", ""))).code, -32602);
            const unknown = { ...template, uri: "architecture://x/{+path}" };
            assert.equal((await errorOf(client.complete(unknown, "path", ""))).code, -32602);
          });

          it("gets an error for what is not there", async () => {
            const uri = "architecture://adr/999-not-there";
            const { code, data } = await errorOf(client.read(uri));
            assert.equal(code, notFoundCode(client));
            assert.deepEqual(data, { uri });
            assert.equal((await errorOf(client.read("file:///etc/passwd"))).code, code);
            assert.equal((await errorOf(client.raw.listResources({ cursor: "made up" }))).code, -32602);
            assert.equal((await errorOf(client.prompt("no-such-prompt"))).code, -32602);
            assert.equal((await errorOf(client.prompt("toString"))).code, -32602);
          });

          it("gets an error that names the argument of a prompt that is wrong, and the limit", async () => {
            const wrong: readonly [Record<string, string> | undefined, RegExp][] = [
              [undefined, /"topic" is missing/],
              [{}, /"topic" is missing/],
              [{ topic: "" }, /"topic".*empty/],
              [{ topic: "t", language: "x" }, /"language"/],
              [{ topic: "🏛".repeat(LIMITS.other + 1) }, /"topic".*2000/],
            ];
            for (const [args, expected] of wrong) {
              const { code, message } = await errorOf(client.prompt("create-adr", args));
              assert.equal(code, -32602);
              assert.match(message, expected);
            }
            const review = (code: string) => client.prompt("review-code-against-patterns", { code });
            const longest = "🏛".repeat(LIMITS.code);
            assert.ok((await review(longest))[0]![1].includes(longest));
            assert.match((await errorOf(review(`${longest}x`))).message, /"code".*10000/);
          });

          it("may ping where there is a ping", async () => {
            if (!isModern) await client.raw.ping();
            else await assert.rejects(client.raw.ping(), "2026-07-28 has none, and the client knows");
          });

          it("cancels requests, and goes on", async () => {
            const controllers = documents.map(() => new AbortController());
            const reads = documents.map(({ uri }, index) => client.read(uri, controllers[index]!.signal));
            const settled = Promise.allSettled([...reads, client.resources(controllers[0]!.signal)]);
            await Promise.resolve();
            for (const [index, controller] of controllers.entries()) {
              if (index % 2 === 0) controller.abort("a test");
            }
            for (const [index, { status }] of (await settled).slice(0, documents.length).entries()) {
              if (index % 2 === 1) assert.equal(status, "fulfilled", `read ${index} was not cancelled`);
            }
            assert.equal((await client.resources()).length, documents.length);
          });
        });
      }
    }
  });
}
