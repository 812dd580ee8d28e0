/** Authorization of the client against a scripted resource and its authorization server, honest and hostile. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { connect, httpTransport } from "../../lib/client/mod.ts";
import type {
  AuthorizationOptions,
  StoredAuthorization,
  TokenStore,
} from "../../lib/client/authorization.ts";
import { AuthorizationError, authorizedFetch, loopbackLogin } from "../../lib/client/authorization.ts";
import { DISCOVERY } from "./http_server.ts";
import { INFO } from "./scripted_server.ts";

const SERVER = "https://mcp.example/team/mcp";
const ISSUER = "https://login.example";
const REDIRECT = "http://127.0.0.1:3000/callback";
const METADATA = "https://mcp.example/.well-known/oauth-protected-resource/team/mcp";

/** A request that was sent. */
interface Sent {
  readonly url: string;
  readonly method: string;
  readonly authorization: string | null;
  readonly body: string;
}

type Reply = Response | Promise<Response> | undefined;

/** A resource with its authorization server, which issues token-1, token-2 and so on; only the last one is good. */
class World {
  readonly sent: Sent[] = [];
  logins = 0;
  issued = 0;
  /** What is published, and what the token endpoint answers with in addition. */
  resource: Record<string, unknown> = { resource: SERVER, authorization_servers: [ISSUER] };
  metadata: Record<string, unknown> = {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/authorize`,
    token_endpoint: `${ISSUER}/token`,
    registration_endpoint: `${ISSUER}/register`,
    code_challenge_methods_supported: ["S256"],
  };
  tokens: Record<string, unknown> = {};
  challenge: string = `Bearer resource_metadata="${METADATA}"`;
  /** The parameters that the user comes back with, beside those that belong there. */
  back: Record<string, string> = {};
  /** Answers in place of this world, where it answers anything. */
  answer: (sent: Sent, init: RequestInit) => Reply = () => undefined;

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { method = "GET", headers, body } = init;
    const sent: Sent = {
      url,
      method,
      authorization: new Headers(headers).get("authorization"),
      body: String(body ?? ""),
    };
    this.sent.push(sent);
    return await (this.answer(sent, init) ?? this.#respond(sent));
  };

  readonly login: NonNullable<AuthorizationOptions["login"]> = () => ({
    redirectUri: REDIRECT,
    open: ({ searchParams }) => {
      this.logins++;
      const parameters = { code: "code-1", state: searchParams.get("state")!, ...this.back };
      return `${REDIRECT}?${new URLSearchParams(parameters)}`;
    },
  });

  /** Requests that the server answers, each with the status. */
  open(options: AuthorizationOptions = { login: this.login }): (url?: string) => Promise<number> {
    const send = authorizedFetch(SERVER, { fetch: this.fetch, timeoutMs: 200, ...options });
    return async (url = SERVER) => (await send(url, { method: "POST", body: "{}" })).status;
  }

  /** The forms of the token requests. */
  get forms(): Record<string, string>[] {
    return this.to(`${ISSUER}/token`).map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
  }

  to(url: string): Sent[] {
    return this.sent.filter((sent) => sent.url === url);
  }

  #respond({ url, authorization }: Sent): Response {
    if (url === METADATA) return Response.json(this.resource);
    if (url === `${ISSUER}/.well-known/oauth-authorization-server`) return Response.json(this.metadata);
    if (url === `${ISSUER}/register`) return Response.json({ client_id: "client-1" }, { status: 201 });
    if (url === `${ISSUER}/token`) {
      const access_token = `token-${++this.issued}`;
      return Response.json({ access_token, token_type: "Bearer", ...this.tokens });
    }
    if (new URL(url).origin !== "https://mcp.example") return new Response(null, { status: 404 });
    const isGood = this.issued > 0 && authorization === `Bearer token-${this.issued}`;
    return new Response(null, {
      status: isGood ? 200 : 401,
      headers: isGood ? {} : { "WWW-Authenticate": this.challenge },
    });
  }
}

/** A store that shows what is in it. */
function memory(initial: Record<string, StoredAuthorization> = {}): TokenStore & {
  readonly kept: Map<string, StoredAuthorization>;
} {
  const kept = new Map(Object.entries(initial));
  return { kept, get: (server) => kept.get(server), set: (server, value) => void kept.set(server, value) };
}

const redirect = (location: string) => new Response(null, { status: 302, headers: { location } });

test("a program is authorized when the server asks for it: discovery, registration, PKCE, resource, token", async () => {
  const world = new World();
  world.answer = ({ url, authorization, body }) => {
    if (url !== SERVER || authorization !== "Bearer token-1") return undefined;
    return Response.json({ jsonrpc: "2.0", id: JSON.parse(body).id, result: DISCOVERY });
  };
  const fetch = authorizedFetch(SERVER, { fetch: world.fetch, login: world.login, clientName: "tests" });
  const client = await connect(httpTransport(SERVER, { fetch }), { info: INFO, eras: new Map() });
  await client.close();
  const steps = world.sent.map(({ method, url }) => `${method} ${url}`);
  assert.deepEqual(steps, [
    `POST ${SERVER}`,
    `GET ${METADATA}`,
    `GET ${ISSUER}/.well-known/oauth-authorization-server`,
    `POST ${ISSUER}/register`,
    `POST ${ISSUER}/token`,
    `POST ${SERVER}`,
  ]);
  const registration = JSON.parse(world.to(`${ISSUER}/register`)[0]!.body);
  assert.deepEqual(
    [registration.client_name, registration.redirect_uris, registration.application_type],
    ["tests", [REDIRECT], "native"],
  );
  const [{ code_verifier: verifier, ...form }] = world.forms as [Record<string, string>];
  assert.match(verifier!, /^[\w-]{43}$/);
  assert.deepEqual(form, {
    resource: SERVER,
    grant_type: "authorization_code",
    code: "code-1",
    redirect_uri: REDIRECT,
    client_id: "client-1",
  });
});

describe("authorization refuses, and shows no secret", () => {
  const endless = () =>
    new Response(
      new ReadableStream({ pull: (queue) => queue.enqueue(new Uint8Array(64 * 1024).fill(32)) }),
    );
  const never = (_: Sent, { signal }: RequestInit) =>
    new Promise<Response>((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)));
  const at =
    (part: string, reply: (sent: Sent, init: RequestInit) => Reply): World["answer"] => (sent, init) =>
      sent.url.includes(part) ? reply(sent, init) : undefined;
  const SECRET = { id: "known", secret: "secret-1", issuer: ISSUER };
  type Case = [
    name: string,
    change: (world: World) => AuthorizationOptions | void,
    message: RegExp,
    /** What must not be sent any more. */
    spared: string,
  ];
  const cases: Case[] = [
    [
      "metadata of another issuer",
      ({ metadata }) => void (metadata["issuer"] = "https://evil.example"),
      /that of another issuer, "https:\/\/evil\.example"/,
      "/register",
    ],
    [
      "an issuer with another slash",
      ({ metadata }) => void (metadata["issuer"] = `${ISSUER}/`),
      /another issuer/,
      "/register",
    ],
    [
      "a resource elsewhere",
      ({ resource }) => void (resource["resource"] = "https://evil.example/mcp"),
      /says that it is the resource/,
      ISSUER,
    ],
    [
      "a resource beside it",
      ({ resource }) => void (resource["resource"] = "https://mcp.example/team/mcp2"),
      /says that it is the resource "https/,
      ISSUER,
    ],
    [
      "a resource that only begins alike",
      ({ resource }) => void (resource["resource"] = "https://mcp.example/team/mc"),
      /says that it is the resource "https/,
      ISSUER,
    ],
    [
      "no authorization server",
      ({ resource }) => void (resource["authorization_servers"] = [7]),
      /names no authorization server/,
      ISSUER,
    ],
    [
      "an issuer over http",
      ({ resource }) => void (resource["authorization_servers"] = ["http://login.example"]),
      /the issuer must be an https URL/,
      "login.example",
    ],
    [
      "an issuer on this machine for a server elsewhere",
      ({ resource }) => void (resource["authorization_servers"] = ["http://127.0.0.1:9"]),
      /must be an https URL/,
      "127.0.0.1",
    ],
    [
      "resource metadata on this machine",
      (world) => void (world.challenge = 'Bearer resource_metadata="http://localhost/x"'),
      /must be an https URL/,
      "localhost",
    ],
    [
      "metadata that redirects elsewhere",
      (world) =>
        void (world.answer = at("oauth-authorization-server", () => redirect("https://evil.example/x"))),
      /redirects elsewhere/,
      "evil.example",
    ],
    [
      "metadata without an end",
      (world) => void (world.answer = at("oauth-authorization-server", endless)),
      /more than 262144 bytes/,
      "/register",
    ],
    [
      "metadata that never comes",
      (world) => void (world.answer = at("oauth-protected-resource", never)),
      /mcp\.example did not answer in 200 ms/,
      ISSUER,
    ],
    [
      "metadata that fails",
      (world) => void (world.answer = at(ISSUER, () => new Response(null, { status: 503 }))),
      /answered with the status 503/,
      "/register",
    ],
    [
      "no PKCE",
      ({ metadata }) => void delete metadata["code_challenge_methods_supported"],
      /does not support PKCE/,
      "/register",
    ],
    [
      "plain PKCE",
      ({ metadata }) => void (metadata["code_challenge_methods_supported"] = ["plain"]),
      /does not support PKCE/,
      "/register",
    ],
    [
      "an authorization endpoint that is a script",
      ({ metadata }) => void (metadata["authorization_endpoint"] = "javascript:alert(1)"),
      /the authorization endpoint must be an https URL/,
      "/register",
    ],
    [
      "a token endpoint over http",
      ({ metadata }) => void (metadata["token_endpoint"] = "http://login.example/token"),
      /the token endpoint must be an https URL/,
      "/token",
    ],
    [
      "no registration",
      ({ metadata }) => void delete metadata["registration_endpoint"],
      /register one there, and give its id/,
      "/token",
    ],
    [
      "a registration that fails",
      (world) =>
        void (world.answer = at(
          "/register",
          () => Response.json({ error: "invalid_redirect_uri" }, { status: 400 }),
        )),
      /does not register a client for "http:.*" \(invalid_redirect_uri\)/,
      "/token",
    ],
    ["another state", (world) => void (world.back = { state: "other" }), /not for this request/, "/token"],
    [
      "another issuer in the response",
      (world) => void (world.back = { iss: `${ISSUER}/` }),
      /not of this issuer/,
      "/token",
    ],
    [
      "an error of another issuer",
      (world) => void (world.back = { iss: "https://evil.example", error: "evil" }),
      /^(?!.*evil).*not of this issuer/,
      "/token",
    ],
    [
      "an error with control characters",
      (world) => void (world.back = { error: "access_denied", error_description: "no\u001b[31m\n\u202e" }),
      /\(access_denied: no\\u\{1b\}\[31m\\u\{a\}\\u\{202e\}\)$/,
      "/token",
    ],
    [
      "a token request that redirects",
      (world) => void (world.answer = at("/token", () => redirect(`${ISSUER}/token2`))),
      /redirects elsewhere/,
      "/token2",
    ],
    [
      "a token with a line break",
      (world) => void (world.tokens = { access_token: "token-1\r\nX: y" }),
      /cannot be sent/,
      "nowhere",
    ],
    [
      "a token of an unknown type",
      (world) => void (world.tokens = { token_type: "mac" }),
      /cannot be sent/,
      "nowhere",
    ],
    [
      "a DPoP token without a key",
      (world) => void (world.tokens = { token_type: "DPoP" }),
      /cannot be sent/,
      "nowhere",
    ],
    [
      "a client of another issuer",
      ({ login }) => ({ login, client: { ...SECRET, issuer: "https://other.example" } }),
      /belongs to "https:\/\/other\.example"/,
      "/token",
    ],
    [
      "a secret that is wrong",
      (world) => {
        world.answer = at(
          "/token",
          () =>
            Response.json({ error: "invalid_client", error_description: "x".repeat(999) }, { status: 401 }),
        );
        return { client: SECRET };
      },
      /gives no token \(invalid_client: x{200}…\)$/,
      "nowhere",
    ],
    [
      "a key that is none",
      () => ({ client: { id: "known", key: "secret-1" } }),
      /must be PKCS #8 in PEM or a JWK, for the algorithm ES256/,
      "/token",
    ],
    [
      "an algorithm that is unknown",
      () => ({ client: { id: "known", key: "secret-1", algorithm: "none" } }),
      /must be one of ES256/,
      "/token",
    ],
    ["no way to be authorized", () => ({}), /there is no login, and no client with a secret/, "/token"],
  ];
  for (const [name, change, message, spared] of cases) {
    test(name, async () => {
      const world = new World();
      const options = change(world) ?? { login: world.login };
      await assert.rejects(world.open(options)(), (cause: Error) => {
        assert.ok(cause instanceof AuthorizationError, String(cause));
        assert.match(cause.message, message);
        assert.doesNotMatch(cause.message, /secret-1|token-\d|code-\d|[\p{Cc}\p{Cf}]/u);
        return true;
      });
      assert.deepEqual(world.sent.filter(({ url }) => url.includes(spared)), []);
    });
  }

  test("a server that is neither https nor on this machine", () => {
    for (const url of ["http://mcp.example/mcp", "https://user:word@mcp.example/mcp", "file:///mcp"]) {
      assert.throws(() => authorizedFetch(url, {}), AuthorizationError, url);
    }
    authorizedFetch("http://localhost:8080/mcp", {});
  });
});

test("a token is sent to its resource only", async () => {
  const world = new World();
  const send = world.open();
  assert.equal(await send(), 200);
  for (
    const url of ["https://evil.example/team/mcp", "https://mcp.example/team/mcp2", "https://mcp.example/"]
  ) {
    await send(url).catch(() => {});
    assert.deepEqual(world.to(url).filter(({ authorization }) => authorization !== null), [], url);
  }
  assert.equal(await send(`${SERVER}/`), 200);
});

test("one refresh serves all requests that need it, and a new refresh token replaces the old one", async () => {
  const world = new World();
  world.tokens = { refresh_token: "refresh-1" };
  const send = world.open();
  await send();
  // The token is not good any more.
  world.issued++;
  world.tokens = { refresh_token: "refresh-2" };
  assert.deepEqual(await Promise.all([send(), send(), send()]), [200, 200, 200]);
  world.issued++;
  world.tokens = {};
  await send();
  world.issued++;
  await send();
  assert.equal(world.logins, 1);
  const refreshed = world.forms.slice(1).map(({ grant_type, refresh_token, resource }) =>
    [grant_type, refresh_token, resource].join(" ")
  );
  assert.deepEqual(
    refreshed,
    ["refresh-1", "refresh-2", "refresh-2"].map((one) => `refresh_token ${one} ${SERVER}`),
  );
});

test("a refresh token that is no longer good leads to a new login, and a lost registration to a new one", async () => {
  for (const [error, registrations] of [["invalid_grant", 1], ["invalid_client", 2]] as const) {
    const world = new World();
    world.tokens = { refresh_token: "refresh-1" };
    const send = world.open();
    await send();
    world.issued++;
    world.answer = ({ body }) =>
      body.includes("grant_type=refresh_token") ? Response.json({ error }, { status: 400 }) : undefined;
    assert.equal(await send(), 200);
    assert.deepEqual([world.logins, world.to(`${ISSUER}/register`).length], [2, registrations], error);
  }
});

test("a token that is refused although it is new is not asked for again, and neither is a scope", async () => {
  const world = new World();
  world.answer = ({ url }) =>
    url === SERVER
      ? new Response(null, { status: 401, headers: { "WWW-Authenticate": world.challenge } })
      : undefined;
  assert.equal(await world.open()(), 401);
  assert.equal(world.logins, 1);
  const greedy = new World();
  let scopes = 0;
  greedy.answer = ({ url, authorization }) => {
    if (url !== SERVER || authorization === null) return undefined;
    const field = `Bearer error="insufficient_scope", scope="s${++scopes}"`;
    return new Response(null, { status: 403, headers: { "WWW-Authenticate": field } });
  };
  assert.equal(await greedy.open()(), 403);
  assert.equal(greedy.logins, 2);
});

test("what is stored is used by the next program, and not after another issuer took over", async () => {
  const world = new World();
  const store = memory();
  await world.open({ login: world.login, store })();
  assert.deepEqual([...store.kept.keys()], [SERVER]);
  const next = world.open({
    login: world.login,
    store: memory(JSON.parse(JSON.stringify(Object.fromEntries(store.kept)))),
  });
  assert.equal(await next(), 200);
  assert.equal(world.logins, 1);
  // The same resource with another issuer: neither the client nor the refresh token of the first one is sent there.
  const moved = new World();
  const kept: StoredAuthorization = {
    issuer: "https://old.example",
    resource: SERVER,
    client: { id: "old-client", secret: "old-secret", redirectUri: REDIRECT },
    tokens: { access: "old-token", refresh: "old-refresh", scopes: [] },
  };
  assert.equal(await moved.open({ login: moved.login, store: memory({ [SERVER]: kept }) })(), 200);
  const toIssuer = moved.sent.filter(({ url }) => url.startsWith(ISSUER));
  assert.doesNotMatch(JSON.stringify(toIssuer), /old-/);
});

test("a request that is aborted does not wait for the user, and the login still counts", async () => {
  const world = new World();
  const back = Promise.withResolvers<void>();
  const login: AuthorizationOptions["login"] = async (signal) => {
    const inner = await world.login(signal);
    return { ...inner, open: (url) => back.promise.then(() => inner.open(url)) };
  };
  const send = authorizedFetch(SERVER, { fetch: world.fetch, login });
  const first = send(SERVER, { method: "POST", signal: AbortSignal.timeout(20) });
  await assert.rejects(first, { name: "TimeoutError" });
  const second = send(SERVER, { method: "POST" });
  back.resolve();
  assert.equal((await second).status, 200);
  assert.equal(world.logins, 1);
});

test("loopbackLogin() waits for the response with its state, and stops listening", async () => {
  const shown: string[] = [];
  const login = await loopbackLogin((url) => shown.push(url))(new AbortController().signal);
  const back = Promise.resolve(login.open(new URL(`${ISSUER}/authorize?state=expected`)));
  assert.deepEqual(shown, [`${ISSUER}/authorize?state=expected`]);
  const visit = async (path: string) => {
    const response = await fetch(new URL(path, login.redirectUri));
    await response.body?.cancel();
    return response.status;
  };
  for (const path of ["/", "/callback", "/callback?code=x&state=other", "/other?state=expected"]) {
    assert.equal(await visit(path), 404, path);
  }
  assert.equal(await visit("/callback?code=x&state=expected"), 200);
  assert.equal(new URL(await back).searchParams.get("code"), "x");
  login.close?.();
  while (await visit("/").catch(() => undefined) !== undefined) {
    await new Promise((later) => setTimeout(later, 5));
  }
});
