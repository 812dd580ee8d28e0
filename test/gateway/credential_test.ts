// deno-lint-ignore-file no-explicit-any
/** Who gets to see a secret? The API, below its base, and nobody else: no redirect, no message, no log, no list. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Api } from "./api.ts";
import { credential } from "../../lib/gateway/credential.ts";
import { textOf } from "../server/tool_client.ts";
import { json, plain, routes, startApi } from "./api.ts";
import { failureOf, serveFile, tokenOf, written } from "./gateways.ts";

const AUTH = {
  header: { type: "header", name: "X-Key" },
  query: { type: "query", name: "api_key" },
  cookie: { type: "cookie", name: "sid" },
  bearer: { type: "bearer" },
} as const;
const SECRETS = {
  header: "header-secret\n",
  query: "query&secret",
  cookie: "cookie-secret",
  bearer: "bearer-secret",
};

test("each kind of credential travels in its place", async (t) => {
  const api = await startApi(t);
  const client = await serveFile({ auth: AUTH, endpoints: [written()] }, {
    base: api.origin,
    secrets: SECRETS,
  });
  await client.call("probe");
  const [{ url, headers }] = api.asked as unknown as [Api["asked"][0]];
  assert.equal(url, "/probe?api_key=query%26secret");
  assert.equal(headers["x-key"], "header-secret");
  assert.equal(headers["cookie"], "sid=cookie-secret");
  assert.equal(headers["authorization"], "Bearer bearer-secret");
  const basic = await serveFile({ auth: { b: { type: "basic" } }, endpoints: [written()] }, {
    base: api.origin,
    secrets: { b: "me:pass:word\r\n" },
  });
  await basic.call("probe");
  assert.equal(api.asked[1]!.headers["authorization"], `Basic ${btoa("me:pass:word")}`);
});

test("an endpoint gets the credentials that it names, and a header for all goes with each", async (t) => {
  const api = await startApi(t);
  const endpoints = [written({ name: "open", auth: [] }), written({ name: "closed", auth: ["header"] })];
  const client = await serveFile({ auth: AUTH, endpoints }, {
    base: api.origin,
    secrets: { header: "header-secret" },
    secretHeaders: { "X-All": "for-everything" },
  });
  await client.call("open");
  await client.call("closed");
  assert.deepEqual(api.asked.map(({ headers }) => [headers["x-key"], headers["x-all"]]), [
    [undefined, "for-everything"],
    ["header-secret", "for-everything"],
  ]);
});

test("a parameter that is a credential is none of the model's", async (t) => {
  const api = await startApi(t);
  const parameters = [{ name: "x-KEY", in: "header", required: true }, { name: "api_key", in: "query" }, {
    name: "q",
    in: "query",
  }];
  const client = await serveFile({ auth: AUTH, endpoints: [written({ parameters })] }, {
    base: api.origin,
    secrets: SECRETS,
  });
  const { properties } = (await client.list())[0]!["inputSchema"] as { properties: object };
  assert.deepEqual(Object.keys(properties), ["q"]);
  await client.call("probe", { q: "1" });
  assert.equal(api.asked[0]!.headers["x-key"], "header-secret");
  assert.equal(api.asked[0]!.url, "/probe?q=1&api_key=query%26secret");
});

test("credentials travel on no redirect to another origin, and it is not followed", async (t) => {
  const thief = await startApi(t);
  const api = await startApi(
    t,
    (response) => void response.writeHead(302, { location: `${thief.origin}/probe` }).end(),
  );
  const client = await serveFile({ auth: AUTH, endpoints: [written()] }, {
    base: api.origin,
    secrets: SECRETS,
  });
  assert.match(
    failureOf(await client.call("probe")),
    /redirected the call.*\nkind: redirect; status: 302; retry: no/,
  );
  assert.equal(thief.asked.length, 0);
});

test("a redirect within the origin is followed, with credentials only below the base", async (t) => {
  const api = await startApi(
    t,
    routes({
      "/v1/probe": (response) => void response.writeHead(301, { location: "/v1/moved?x=1" }).end(),
      "/v1/moved": (response) => void response.writeHead(307, { location: "/v2/moved" }).end(),
      "/v2/moved": json({ done: true }),
    }),
  );
  const client = await serveFile({ auth: AUTH, endpoints: [written()] }, {
    base: `${api.origin}/v1`,
    secrets: SECRETS,
  });
  assert.equal(textOf(await client.call("probe")), '{"done":true}');
  const [first, second, third] = api.asked as [Api["asked"][0], Api["asked"][0], Api["asked"][0]];
  for (const { headers } of [first, second]) assert.equal(headers["authorization"], "Bearer bearer-secret");
  assert.equal(third.headers["authorization"], undefined);
  assert.equal(third.headers["x-key"], undefined);
  assert.equal(third.headers["cookie"], undefined);
  assert.equal(third.url, "/v2/moved");
});

test("a credential in the query is in a redirect once, and outside the base not at all", async (t) => {
  const api = await startApi(t, (response, { url }) => {
    const next = url.startsWith("/v1/probe?")
      ? url.replace("/v1/probe?", "/v1/probe/?%61pi_key=x&")
      : url.startsWith("/v1/probe/?")
      ? url.replace("/v1/probe/?", "/v2/probe?")
      : undefined;
    if (next === undefined) json({ done: true })(response, undefined as never);
    else response.writeHead(307, { location: next }).end();
  });
  const endpoint = written({ parameters: [{ name: "q", in: "query" }] });
  const client = await serveFile({ auth: { query: AUTH.query }, endpoints: [endpoint] }, {
    base: `${api.origin}/v1`,
    secrets: { query: SECRETS.query },
  });
  assert.equal(textOf(await client.call("probe", { q: "a b" })), '{"done":true}');
  assert.deepEqual(api.asked.map(({ url }) => url), [
    "/v1/probe?q=a%20b&api_key=query%26secret",
    "/v1/probe/?q=a%20b&api_key=query%26secret",
    "/v2/probe?q=a%20b",
  ]);
});

test("redirects end: in circles, to nowhere, to another scheme, and of what was confirmed", async (t) => {
  const api = await startApi(
    t,
    routes({
      "/circle": (response) => void response.writeHead(302, { location: "/circle" }).end(),
      "/nowhere": plain(302),
      "/scheme": plain(302, { location: "file:///etc/passwd" }),
      "/user": (response, { headers }) =>
        void response.writeHead(302, { location: `http://u:p@${headers.host}/x` }).end(),
      "/change": plain(307, { location: "/other" }),
      "/unchanged": plain(304),
    }),
  );
  const names = ["circle", "nowhere", "scheme", "user", "unchanged"];
  const endpoints = names.map((name) => written({ name, path: `/${name}` }));
  const change = written({ name: "change", path: "/change", method: "PUT", allow: true });
  const client = await serveFile({ endpoints: [...endpoints, change] }, { base: api.origin });
  for (const name of names) {
    assert.match(failureOf(await client.call(name)), /kind: redirect; status: 30\d; retry: no/, name);
  }
  assert.equal(api.asked.filter(({ url }) => url === "/circle").length, 6);
  const token = tokenOf(await client.call("change"));
  assert.match(
    failureOf(await client.call("change", { confirmation_token: token })),
    /kind: redirect; status: 307/,
  );
  assert.equal(api.asked.some(({ url }) => url === "/other"), false);
});

test("a secret that the API shows is not passed on: in data, in text, in a refusal, in the log", async (t) => {
  const echo = (status: number) => (response: any, { url, headers }: any) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(
      JSON.stringify({ url, headers }),
    );
  const api = await startApi(
    t,
    routes({ "/good": echo(200), "/bad": echo(400), "/cut": (response) => void response.destroy() }),
  );
  const logged: string[] = [];
  const endpoints = ["good", "bad", "cut"].map((name) =>
    written({ name, path: `/${name}`, ...(name === "good" ? { response: { type: "object" } } : {}) })
  );
  const client = await serveFile({ auth: AUTH, endpoints }, {
    base: api.origin,
    secrets: SECRETS,
    onfailure: (tool, reason) => void logged.push(`${tool}: ${reason}`),
  });
  const shown = JSON.stringify([
    await client.call("good"),
    await client.call("bad"),
    await client.call("cut"),
    await client.list(),
  ]);
  assert.match(shown, /\[redacted\]/);
  for (const secret of Object.values(SECRETS)) {
    for (const form of [secret.trim(), encodeURIComponent(secret.trim())]) {
      assert.equal(shown.includes(form), false, form);
      assert.equal(logged.join().includes(form), false, form);
    }
  }
  assert.equal(logged.length, 1);
});

test("a file that holds no secret is refused without being quoted", () => {
  for (const content of ["", "\n", "two\nlines", "tab\there", "ü-secret"]) {
    assert.throws(() => credential("key", { type: "bearer" }, content), (cause: Error) => {
      return cause.name === "GatewayError" && cause.message.includes("key") &&
        (content.trim() === "" || !cause.message.includes(content));
    });
  }
  assert.throws(() => credential("key", { type: "basic" }, "no-colon"), /with a colon/);
});

test("a credential goes where a request has a place of that name", () => {
  const made = (type: "header" | "cookie" | "query", name: string) => () =>
    credential("key", { type, name }, "the-secret");
  const bad = ["", "X Y", "X:Y", "X\nY", "\u00fcber", "a;b", "a=b", 'a"b'];
  for (const name of bad) {
    for (const type of ["header", "cookie"] as const) {
      assert.throws(made(type, name), /cannot go in the (?:header|cookie) ".*": its name/, name);
    }
  }
  for (const name of ["Host", "content-length", "Transfer-Encoding"]) {
    assert.throws(made("header", name), /belongs to the connection/);
  }
  assert.equal(made("header", "X-Api_Key.2")().name, "x-api_key.2");
  assert.equal(made("cookie", "host")().name, "host");
  assert.equal(made("query", "api key[]")().name, "api key[]");
});
