import assert from "node:assert/strict";
import { test } from "node:test";
import { resourceProvider } from "../../lib/server/resource_provider.ts";
import { UriTemplateError } from "../../lib/server/uri_template.ts";
import { connect } from "./tool_client.ts";

const provider = resourceProvider({
  resources: [
    {
      uri: "x:b",
      name: "b",
      mimeType: "text/plain",
      read: ({ sessionId }) => `for ${sessionId ?? "nobody"}`,
    },
    { uri: "x:a", name: "a", read: () => Promise.resolve(new Uint8Array([0, 255])) },
    { uri: "x:gone", name: "gone", read: () => undefined },
  ],
  templates: [{
    uriTemplate: "x:zone/{zone}{?q}",
    name: "zone",
    read: ({ zone, q }) => zone === "none" ? undefined : `${zone} ${q ?? "-"}`,
    values: (variable) => variable === "zone" ? ["east", "west"] : [],
  }, {
    uriTemplate: "x:{+rest}",
    name: "rest",
    read: ({ rest }) => [{ uri: `x:${rest}`, text: "1" }, { uri: "x:2", text: "2" }],
  }],
});

test("resources from code are listed by URI, templates in their order", async () => {
  const { ask } = await connect({ resources: [provider] });
  assert.deepEqual((await ask("resources/list")).result, {
    resources: [{ uri: "x:a", name: "a" }, { uri: "x:b", name: "b", mimeType: "text/plain" }, {
      uri: "x:gone",
      name: "gone",
    }],
  });
  const { resourceTemplates } = (await ask("resources/templates/list")).result!;
  assert.deepEqual(
    (resourceTemplates as { uriTemplate: string }[]).map(({ uriTemplate }) => uriTemplate).toSorted(),
    [
      "x:zone/{zone}{?q}",
      "x:{+rest}",
    ],
  );
});

test("a resource from code is text, bytes or several contents; one alone comes before a template, and templates in order", async () => {
  const { ask } = await connect({ resources: [provider] });
  const read = async (uri: string) => (await ask("resources/read", { uri })).result?.["contents"];
  assert.deepEqual(await read("x:b"), [{ uri: "x:b", mimeType: "text/plain", text: "for nobody" }]);
  assert.deepEqual(await read("x:a"), [{ uri: "x:a", blob: "AP8=" }]);
  assert.deepEqual(await read("x:zone/a%20b?q=1"), [{ uri: "x:zone/a%20b?q=1", text: "a b 1" }]);
  assert.deepEqual(await read("x:zone/a"), [{ uri: "x:zone/a", text: "a -" }]);
  assert.deepEqual(await read("x:p/q"), [{ uri: "x:p/q", text: "1" }, { uri: "x:2", text: "2" }]);
});

test("a resource of a template is read by the URI that a client expands it to, with what it leaves plain and leaves out", async () => {
  const notes = resourceProvider({
    templates: [{
      uriTemplate: "notes://team/{team}{/page}",
      name: "team",
      read: ({ team, page }) => `${team} ${page ?? "-"}`,
    }],
  });
  const { ask } = await connect({ resources: [notes] });
  const read = async (uri: string) => (await ask("resources/read", { uri })).result?.["contents"];
  const uri = `notes://team/${encodeURIComponent("o'brien (new)!")}`;
  assert.deepEqual(await read(uri), [{ uri, text: "o'brien (new)! -" }]);
  assert.deepEqual(await read(`${uri}/1`), [{ uri: `${uri}/1`, text: "o'brien (new)! 1" }]);
  assert.equal(await read("notes://team/"), undefined);
});

test("what is not there is not found, in the code of the revision", async () => {
  for (const [version, code] of [["2025-11-25", -32002], ["2026-07-28", -32602]] as const) {
    const { ask } = await connect({ resources: [provider] }, version);
    for (const uri of ["x:gone", "x:zone/none", "y:a", ""]) {
      assert.equal((await ask("resources/read", { uri })).error?.code, code, uri);
    }
  }
});

test("the variables of a template are completed with the values that they can take", async () => {
  const { ask } = await connect({ resources: [provider] });
  const complete = (uri: string, name: string) =>
    ask("completion/complete", { ref: { type: "ref/resource", uri }, argument: { name, value: "w" } });
  const values = async (uri: string, name: string) =>
    ((await complete(uri, name)).result!["completion"] as { values: string[] }).values;
  assert.deepEqual(await values("x:zone/{zone}{?q}", "zone"), ["west"]);
  assert.deepEqual(await values("x:{+rest}", "rest"), []);
  assert.equal((await complete("x:zone/{zone}{?q}", "none")).error?.code, -32602);
  assert.equal((await complete("x:none", "zone")).error?.code, -32602);
});

test("two resources of one URI are refused, and so is a template that cannot be read", () => {
  const resource = { uri: "x:a", name: "a", read: () => "" };
  assert.throws(() => resourceProvider({ resources: [resource, resource] }), TypeError);
  assert.throws(
    () => resourceProvider({ templates: [{ uriTemplate: "{a*}", name: "a", read: () => "" }] }),
    UriTemplateError,
  );
});
