// deno-lint-ignore-file no-explicit-any
/** What is made of an answer? Of every kind of them, and of none: over a real server. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Answering } from "./api.ts";
import { textOf } from "../server/tool_client.ts";
import { json, plain, routes, startApi } from "./api.ts";
import { callTogether, failureOf, serveFile, tokenOf, written } from "./gateways.ts";

const WITH_SHAPE = written({ response: { type: "object", properties: { id: { type: "integer" } } } });

test("JSON with a schema is data and text, each complete", async (t) => {
  const api = await startApi(t, json({ id: 7, name: "é" }));
  const client = await serveFile({ endpoints: [WITH_SHAPE] }, { base: api.origin });
  const { result } = await client.call("probe");
  assert.deepEqual(result!["structuredContent"], { id: 7, name: "é" });
  assert.equal(result!["isError"], undefined);
  assert.deepEqual(JSON.parse((result!["content"] as [{ text: string }])[0].text), { id: 7, name: "é" });
  assert.equal((await client.list())[0]!["outputSchema"] !== undefined, true);
});

test("a shape is promised of what is not confirmed alone: a plan would not fit it", async (t) => {
  const api = await startApi(t, json([1]));
  const response = { type: "object", required: ["a"] };
  const client = await serveFile({
    endpoints: [
      written({ name: "ask", response }),
      written({ name: "change", method: "POST", allow: true, response }),
    ],
  }, { base: api.origin });
  assert.deepEqual(
    (await client.list()).map(({ name, outputSchema }) => [name, outputSchema !== undefined]),
    [["ask", true], ["change", false]],
  );
  assert.match(failureOf(await client.call("ask")), /not what the API says of itself/);
  const token = tokenOf(await client.call("change"));
  const { result } = await client.call("change", { confirmation_token: token });
  assert.equal(result!["isError"] ?? false, false);
});

test("JSON without a schema is text", async (t) => {
  const api = await startApi(t, json([1, 2]));
  const client = await serveFile({ endpoints: [written()] }, { base: api.origin });
  assert.deepEqual((await client.call("probe")).result, { content: [{ type: "text", text: "[1,2]" }] });
});

test("an answer that does not fit what is promised is shown, and said to be carried out", async (t) => {
  for (
    const [answer, reason] of [
      [json({ id: "7" }), /\/id: Expected an integer/],
      [plain(204), /it is empty/],
      [plain(200, { "content-type": "text/html" }, "<p>"), /it is text\/html and not JSON/],
      [plain(200, { "content-type": "application/json" }, '{"id": 12345678901234567890}'), /lose digits/],
    ] as const
  ) {
    const api = await startApi(t, answer);
    const client = await serveFile({ endpoints: [WITH_SHAPE] }, { base: api.origin });
    const text = failureOf(await client.call("probe"));
    assert.match(text, /^The call was carried out, but/);
    assert.match(text, reason);
    assert.match(text, /\nkind: unexpected_answer; status: 20[04]; retry: no/);
  }
});

test("numbers that lose digits as data keep them as text, beside a failure where data is promised", async (t) => {
  const api = await startApi(
    t,
    plain(200, { "content-type": "application/json" }, '{"id":12345678901234567890}'),
  );
  const client = await serveFile({ endpoints: [written()] }, { base: api.origin });
  assert.equal(textOf(await client.call("probe")), '{"id":12345678901234567890}');
  const promised = await serveFile({ endpoints: [WITH_SHAPE] }, { base: api.origin });
  assert.match(
    failureOf(await promised.call("probe")),
    /unexpected_answer.*\n\n\{"id":12345678901234567890\}$/,
  );
});

test("an answer that nests deeper than a result may is text", async (t) => {
  const deep = `${"[".repeat(500)}${"]".repeat(500)}`;
  const api = await startApi(t, plain(200, { "content-type": "application/json" }, deep));
  const client = await serveFile({ endpoints: [written()] }, { base: api.origin });
  assert.equal(textOf(await client.call("probe")), deep);
});

test("an answer of any depth is text, with all the digits of its numbers", async (t) => {
  const deep = `${"[".repeat(200_000)}1234567890123456789${"]".repeat(200_000)}`;
  const api = await startApi(t, plain(200, { "content-type": "application/json" }, deep));
  const client = await serveFile({ endpoints: [written(), { ...WITH_SHAPE, name: "shaped" }] }, {
    base: api.origin,
  });
  assert.equal(textOf(await client.call("probe")), deep);
  assert.match(failureOf(await client.call("shaped")), /it nests too deep/);
});

test("anything else is text or bytes, with its type; nothing is said to be nothing", async (t) => {
  const bytes = new Uint8Array([0, 255, 1]);
  const api = await startApi(
    t,
    routes({
      "/empty": plain(204),
      "/plain": plain(200, { "content-type": "text/plain; charset=iso-8859-1" }, new Uint8Array([0xe9])),
      "/csv": plain(200, { "content-type": "text/csv" }, "a,b"),
      "/png": plain(200, { "content-type": "image/png" }, bytes),
      "/zip": plain(200, { "content-type": "application/zip" }, bytes),
      "/untyped": plain(200, {}, bytes),
      "/bad": plain(200, { "content-type": "text/plain" }, bytes),
    }),
  );
  const names = ["empty", "plain", "csv", "png", "zip", "untyped", "bad"];
  const client = await serveFile({ endpoints: names.map((name) => written({ name, path: `/${name}` })) }, {
    base: api.origin,
  });
  const answers = await callTogether(client, names.map((name) => ({ name })));
  const contents = answers.map(({ result }) => result!["content"] as any[]);
  assert.deepEqual(contents[0], [{ type: "text", text: "The API answered 204, with no content." }]);
  assert.deepEqual(contents[1], [{ type: "text", text: "é" }]);
  assert.deepEqual(contents[2]!.map(({ text }) => text), ["The API answered with text/csv:", "a,b"]);
  assert.deepEqual(contents[3], [{ type: "image", data: "AP8B", mimeType: "image/png" }]);
  for (
    const [index, type] of [[4, "application/zip"], [5, "application/octet-stream"], [
      6,
      "text/plain",
    ]] as const
  ) {
    const { resource } = contents[index]![0];
    assert.match(resource.uri, /^urn:uuid:/);
    assert.deepEqual([resource.blob, resource.mimeType], ["AP8B", type]);
  }
});

test("JSON that is none is a failure, not mended", async (t) => {
  const api = await startApi(t, plain(200, { "content-type": "application/json" }, '{"id":1'));
  const client = await serveFile({ endpoints: [written()] }, { base: api.origin });
  assert.match(
    failureOf(await client.call("probe")),
    /says? that its answer is JSON, and it is not|said that/,
  );
});

test("a status of 400 and up is a result that states kind, status and whether a retry makes sense", async (t) => {
  const statuses = [400, 401, 404, 408, 409, 422, 429, 500, 502, 503, 504];
  const api = await startApi(t, (response, { url }) => {
    const status = Number(url.slice(1));
    response.writeHead(status, {
      "content-type": "application/json",
      ...(status === 429 ? { "retry-after": "30" } : {}),
    });
    response.end(JSON.stringify({ error: "because", trace: "at db.internal:5432" }));
  });
  const read = statuses.map((status) => written({ name: `get_${status}`, path: `/${status}` }));
  const change = statuses.map((status) =>
    written({ name: `post_${status}`, path: `/${status}`, method: "POST", allow: true })
  );
  const client = await serveFile({ endpoints: [...read, ...change] }, { base: api.origin });
  for (const status of statuses) {
    const text = failureOf(await client.call(`get_${status}`));
    const wait = status === 429 ? ", after 30 seconds" : "";
    const canRetry = [408, 429, 502, 503, 504].includes(status);
    assert.ok(
      text.includes(`\nkind: status; status: ${status}; retry: ${canRetry ? `yes${wait}` : "no"}`),
      text,
    );
    // What an API says of a mistake is for the model; what it says of itself is not.
    assert.equal(text.includes("because"), status < 500, text);
    assert.equal(text.includes("db.internal"), status < 500, text);
    const plan = tokenOf(await client.call(`post_${status}`));
    const changed = failureOf(await client.call(`post_${status}`, { confirmation_token: plan }));
    assert.ok(changed.includes(`retry: ${[429, 503].includes(status) ? `yes${wait}` : "no"}`), changed);
    assert.equal(changed.includes("not known whether"), status >= 500, changed);
  }
});

test("a page of HTML that says what went wrong is not passed on", async (t) => {
  const api = await startApi(t, plain(404, { "content-type": "text/html" }, "<h1>nginx/1.2.3</h1>"));
  const client = await serveFile({ endpoints: [written()] }, { base: api.origin });
  assert.equal(
    failureOf(await client.call("probe")),
    "The API answered 404 (not found).\nkind: status; status: 404; retry: no",
  );
});

test("an API that does not answer in time is a timeout, while it waits and while it sends", async (t) => {
  const api = await startApi(
    t,
    routes({
      "/never": () => {},
      "/slow": (response) => void response.writeHead(200, { "content-type": "application/json" }).write("["),
    }),
  );
  const endpoints = ["never", "slow"].map((name) => written({ name, path: `/${name}`, timeoutMs: 200 }));
  const changing = written({ name: "change", path: "/never", method: "DELETE", allow: true, timeoutMs: 200 });
  const client = await serveFile({ endpoints: [...endpoints, changing] }, { base: api.origin });
  for (const name of ["never", "slow"]) {
    assert.equal(
      failureOf(await client.call(name)),
      "The API did not answer within 200 ms.\nkind: timeout; status: none; retry: yes",
    );
  }
  const token = tokenOf(await client.call("change"));
  assert.match(
    failureOf(await client.call("change", { confirmation_token: token })),
    /not known whether .*retry: no$/s,
  );
});

test("a connection that breaks, and one that never comes about, say nothing of the network", async (t) => {
  const failures: string[] = [];
  const api = await startApi(
    t,
    routes({
      "/cut": (response) => {
        response.writeHead(200, { "content-length": "100", "content-type": "application/json" }).write("[");
        response.destroy();
      },
    }),
  );
  const endpoints = [written({ name: "cut", path: "/cut" })];
  const onfailure = (tool: string, reason: string) => void failures.push(`${tool}: ${reason}`);
  const client = await serveFile({ endpoints }, { base: api.origin, onfailure });
  const words =
    "The API could not be reached, or the connection broke.\nkind: connection; status: none; retry: yes";
  assert.equal(failureOf(await client.call("cut")), words);
  const nobody = await serveFile({ endpoints }, { base: "http://127.0.0.1:1", onfailure });
  assert.equal(failureOf(await nobody.call("cut")), words);
  assert.equal(failures.length, 2);
});

test("an answer that is too large is a failure, however it is packed and whatever it says of its length", async (t) => {
  const large = new Uint8Array(5 * 1024 * 1024).fill(32);
  const endless: Answering = (response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    const more = () => {
      while (response.write(large.subarray(0, 65536)));
    };
    response.on("drain", more);
    more();
  };
  const api = await startApi(
    t,
    routes({
      "/large": plain(200, { "content-type": "text/plain" }, large),
      "/packed": plain(200, { "content-type": "text/plain", "content-encoding": "gzip" }, gzipSync(large)),
      "/endless": endless,
    }),
  );
  const endpoints = ["large", "packed", "endless"].map((name) => written({ name, path: `/${name}` }));
  const client = await serveFile({ endpoints }, { base: api.origin });
  for (const { name } of endpoints as unknown as { name: string }[]) {
    assert.match(
      failureOf(await client.call(name)),
      /larger than is read here.*\nkind: too_large; status: 200; retry: no/,
    );
  }
});

test("a stream of events is not waited for", async (t) => {
  const api = await startApi(
    t,
    (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n"),
  );
  const client = await serveFile({ endpoints: [written()] }, { base: api.origin });
  assert.match(failureOf(await client.call("probe")), /kind: stream; status: 200; retry: no/);
});

test("no more requests are under way at once than may be, and those who wait can give up", async (t) => {
  const open: (() => void)[] = [];
  let most = 0;
  const api = await startApi(t, (response) => {
    open.push(() => void response.end("ok"));
    most = Math.max(most, open.length);
    if (open.length === 2) open.splice(0).forEach((finish) => finish());
  });
  const client = await serveFile({ endpoints: [written()] }, { base: api.origin, concurrency: 2 });
  const answers = await callTogether(client, Array.from({ length: 6 }, () => ({ name: "probe" })));
  assert.equal(answers.length, 6);
  assert.equal(api.asked.length, 6);
  assert.equal(most, 2);
  const blocked = await startApi(t, () => {});
  const waiting = await serveFile({ endpoints: [written({ timeoutMs: 300 })] }, {
    base: blocked.origin,
    concurrency: 1,
  });
  for (const answer of await callTogether(waiting, [{ name: "probe" }, { name: "probe" }])) {
    assert.match(failureOf(answer), /kind: timeout/);
  }
  assert.equal(blocked.asked.length, 1);
});

test("a change whose answer cannot be read is not told as if nothing had happened", async (t) => {
  const JSON_TYPE = { "content-type": "application/json" };
  const api = await startApi(
    t,
    routes({
      "/see_other": plain(303, { location: "/jobs/1" }),
      "/unchanged": plain(304),
      "/large": plain(201, JSON_TYPE, `"${"x".repeat(3000)}"`),
      "/large_refusal": plain(422, JSON_TYPE, `"${"x".repeat(3000)}"`),
      "/large_fault": plain(500, JSON_TYPE, `"${"x".repeat(3000)}"`),
      "/stream": plain(200, { "content-type": "text/event-stream" }, "data: 1\n\n"),
      "/no_json": plain(201, JSON_TYPE, "OK"),
    }),
  );
  const told = {
    see_other: /kind: redirect/,
    unchanged: /kind: redirect/,
    large: /kind: too_large/,
    large_refusal: /kind: too_large/,
    large_fault: /kind: too_large/,
    stream: /kind: stream/,
    no_json: /kind: unreadable/,
  };
  const names = Object.keys(told);
  const endpoints = names.map((name) => written({ name, path: `/${name}`, method: "POST", allow: true }));
  const client = await serveFile({ endpoints }, { base: api.origin, maxBytes: 2000 });
  for (const [name, kind] of Object.entries(told)) {
    const token = tokenOf(await client.call(name));
    const said = failureOf(await client.call(name, { confirmation_token: token }));
    assert.match(said, kind);
    assert.match(said, /retry: no$/);
    assert.doesNotMatch(said, /ask for less/);
    assert.equal(/call was carried out/.test(said), ["large", "stream", "no_json"].includes(name), said);
    assert.equal(
      /not known whether it was carried out: look/.test(said),
      ["see_other", "unchanged", "large_fault"].includes(name),
      said,
    );
  }
});
