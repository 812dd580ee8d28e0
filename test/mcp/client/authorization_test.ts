/** Authorization of the client, with a scripted resource and authorization server that may be hostile. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { connect, httpTransport } from "../../../lib/mcp/client/mod.ts";
import type { AuthorizationOptions, StoredAuthorization } from "../../../lib/mcp/client/authorization.ts";
import type { TokenStore } from "../../../lib/mcp/client/authorization.ts";
import { AuthorizationError, authorizedFetch, loopbackLogin } from "../../../lib/mcp/client/authorization.ts";
import { replaceNetwork } from "../../harness/names.ts";
import { DISCOVERY, INFO } from "../../harness/scripted_server.ts";

const SERVER = "https://mcp.example/team/mcp";
const ISSUER = "https://login.example";
const REDIRECT = "http://127.0.0.1:3000/callback";
const METADATA = "https://mcp.example/.well-known/oauth-protected-resource/team/mcp";
const CHALLENGE = `Bearer resource_metadata="${METADATA}"`;
const EVIL = "https://evil.example";

/** A request that was sent. */
interface Sent {
  readonly url: string;
  readonly method: string;
  readonly authorization: string | null;
  readonly body: string;
}

type Reply = Response | Promise<Response> | undefined;

/** How one world differs from the others. */
interface Change {
  /** Members of the metadata and of token responses. Undefined ones are removed. */
  readonly resource?: Record<string, unknown>;
  readonly metadata?: Record<string, unknown>;
  readonly tokens?: Record<string, unknown>;
  readonly challenge?: string;
  /** Parameters of the redirect, in addition to the regular ones. */
  readonly back?: Record<string, string>;
  /** Answers requests to URLs that contain this text, if it returns a response. */
  readonly at?: readonly [part: string, reply: (sent: Sent, init: RequestInit) => Reply];
  /** Replaces the login. */
  readonly options?: AuthorizationOptions;
}

/** A resource and its authorization server, which issues token-1, token-2 and so on. Only the last token is valid. */
class World {
  readonly sent: Sent[] = [];
  /** The scopes of each login that was shown to the user, and the number of open logins. */
  readonly scopes: (string | null)[] = [];
  begun = 0;
  issued = 0;
  change: Change;

  constructor(change: Change = {}) {
    this.change = change;
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { method = "GET", headers, body } = init;
    const authorization = new Headers(headers).get("authorization");
    const sent: Sent = { url, method, authorization, body: String(body ?? "") };
    this.sent.push(sent);
    const [part, reply] = this.change.at ?? [];
    const answer = part !== undefined && url.includes(part) ? reply!(sent, init) : undefined;
    return await (answer ?? this.#respond(sent));
  };

  get logins(): number {
    return this.scopes.length;
  }

  readonly login: NonNullable<AuthorizationOptions["login"]> = () => ({
    redirectUri: (this.begun++, REDIRECT),
    close: () => void this.begun--,
    open: ({ searchParams }) => {
      this.scopes.push(searchParams.get("scope"));
      const parameters = { code: "code-1", state: searchParams.get("state")!, ...this.change.back };
      return `${REDIRECT}?${new URLSearchParams(parameters)}`;
    },
  });

  /** Requests that the server answers, each with the status. */
  open(store?: TokenStore): (url?: string) => Promise<number> {
    const { options = { login: this.login, ...store && { store } } } = this.change;
    const send = authorizedFetch(`${SERVER}#part`, { fetch: this.fetch, timeoutMs: 200, ...options });
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
    const { resource, metadata, tokens, challenge = CHALLENGE } = this.change;
    if (url === METADATA) {
      return Response.json({ resource: SERVER, authorization_servers: [ISSUER], ...resource });
    }
    if (url === `${ISSUER}/.well-known/oauth-authorization-server`) {
      return Response.json({
        issuer: ISSUER,
        authorization_endpoint: `${ISSUER}/authorize`,
        token_endpoint: `${ISSUER}/token`,
        registration_endpoint: `${ISSUER}/register`,
        code_challenge_methods_supported: ["S256"],
        ...metadata,
      });
    }
    if (url === `${ISSUER}/register`) return Response.json({ client_id: "client-1" }, { status: 201 });
    if (url === `${ISSUER}/token`) {
      const access_token = `token-${++this.issued}`;
      return Response.json({ access_token, token_type: "Bearer", ...tokens });
    }
    if (new URL(url).origin !== "https://mcp.example") return new Response(null, { status: 404 });
    const isGood = this.issued > 0 && authorization === `Bearer token-${this.issued}`;
    return isGood ? new Response() : challenged(401, challenge);
  }
}

/** An authorization by another issuer. */
const OLD = {
  issuer: "https://old.example",
  resource: SERVER,
  client: { id: "old-client", redirectUri: REDIRECT },
  tokens: { access: "old-token", refresh: "old-refresh", scopes: [] },
};

/** A store that exposes its map. */
function memory(kept: Map<string, StoredAuthorization>): TokenStore {
  return { get: (server) => kept.get(server), set: (server, value) => void kept.set(server, value) };
}

const challenged = (status: number, challenge: string) =>
  new Response(null, { status, headers: { "WWW-Authenticate": challenge } });
const redirect = (location: string) => new Response(null, { status: 302, headers: { location } });

test("a program is authorized when the server requires it: discovery, registration, PKCE, resource, token", async () => {
  const world = new World({
    at: [SERVER, ({ authorization, body }) => {
      if (authorization !== "Bearer token-1") return undefined;
      return Response.json({ jsonrpc: "2.0", id: JSON.parse(body).id, result: DISCOVERY });
    }],
  });
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
  const { client_name, redirect_uris, application_type } = registration;
  assert.deepEqual([client_name, redirect_uris, application_type], ["tests", [REDIRECT], "native"]);
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
    new Response(new ReadableStream({ pull: (queue) => queue.enqueue(new Uint8Array(64 * 1024).fill(32)) }));
  const never = (_: Sent, { signal }: RequestInit) =>
    new Promise<Response>((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)));
  const error = (status: number, error: string, error_description?: string) => () =>
    Response.json({ error, error_description }, { status });
  const client = (client: AuthorizationOptions["client"]) => ({ options: { client } });
  const SECRET = { id: "known", secret: "secret-1", issuer: ISSUER };
  const servers = (...authorization_servers: unknown[]) => ({ resource: { authorization_servers } });
  const metadata = (metadata: Record<string, unknown>) => ({ metadata });
  const PLACE = "oauth-authorization-server";
  const isElsewhere = /the server at https:\/\/mcp\.example states that it is the resource "https/;
  /** By the request that must not be sent. */
  const CASES: Readonly<Record<string, readonly (readonly [change: Change, message: RegExp])[]>> = {
    [ISSUER]: [
      [{ resource: { resource: `${EVIL}/mcp` } }, isElsewhere],
      [{ resource: { resource: "https://mcp.example/team/mcp2" } }, isElsewhere],
      [{ resource: { resource: "https://mcp.example/team/mc" } }, isElsewhere],
      [servers(7), /names no authorization server/],
      [{ at: ["oauth-protected-resource", never] }, /mcp\.example did not answer in 200 ms/],
    ],
    "http:": [
      [servers("http://login.example"), /the issuer must be an https URL/],
      [servers("http://127.0.0.1:9"), /the issuer must be an https URL/],
      [{ challenge: 'Bearer resource_metadata="http://localhost/x"' }, /metadata must be an https URL/],
      [metadata({ token_endpoint: "http://login.example/token" }), /token endpoint must be an https URL/],
    ],
    "/register": [
      [metadata({ issuer: EVIL }), /that of another issuer, "https:\/\/evil\.example"/],
      [metadata({ issuer: `${ISSUER}/` }), /that of another issuer/],
      [{ at: [PLACE, endless] }, /more than 262144 bytes/],
      [{ at: [ISSUER, error(503, "x")] }, /answered with the status 503/],
      [metadata({ code_challenge_methods_supported: undefined }), /does not support PKCE/],
      [metadata({ code_challenge_methods_supported: ["plain"] }), /does not support PKCE/],
      [metadata({ token_endpoint: "http://login.example/token" }), /token endpoint must be an https URL/],
      [metadata({ token_endpoint: "http://127.0.0.1/token" }), /token endpoint must be an https URL/],
      [
        metadata({ token_endpoint: "https://u:p@login.example/token" }),
        /token endpoint must be an https URL/,
      ],
      [metadata({ token_endpoint: "ftp://login.example/token" }), /token endpoint must be an https URL/],
      [metadata({ token_endpoint: "/token" }), /token endpoint must be an https URL/],
      [metadata({ token_endpoint: undefined }), /token endpoint must be an https URL/],
      [
        metadata({ authorization_endpoint: "javascript:alert(1)" }),
        /authorization endpoint must be an https/,
      ],
    ],
    "/token": [
      [metadata({ registration_endpoint: undefined }), /register one there, and pass its id/],
      [
        { at: ["/register", error(400, "invalid_redirect_uri")] },
        /does not register a client for "http:.*" \(invalid_redirect_uri\)/,
      ],
      [
        { at: ["/register", () => Response.json({ client_id: "a" }, { status: 400 })] },
        /does not register a client for "http:.*" \(status 400\)/,
      ],
      [{ options: { login: () => new Promise(() => {}), loginTimeoutMs: 20 } }, /took longer than 20 ms/],
      [{ back: { state: "other" } }, /does not belong to this request/],
      [{ back: { iss: `${ISSUER}/` } }, /not come from this issuer/],
      [{ metadata: { authorization_response_iss_parameter_supported: true } }, /not come from this issuer/],
      [{ back: { iss: EVIL, error: "evil" } }, /^(?!.*evil).*not come from this issuer/],
      [
        { back: { error: "access_denied", error_description: "no\u001b[31m\n\u202e" } },
        /\(access_denied: no\\u\{1b\}\[31m\\u\{a\}\\u\{202e\}\)$/,
      ],
      [client({ ...SECRET, issuer: "https://other.example" }), /belongs to "https:\/\/other\.example"/],
      [
        { options: { client: { id: "known" }, store: { get: () => OLD, set() {} } } },
        /the client belongs to "https:\/\/old\.example"/,
      ],
      [client({ id: "known", key: "secret-1" }), /must be PKCS #8 in PEM or a JWK, for the algorithm ES256/],
      [client({ id: "known", key: "secret-1", algorithm: "none" }), /must be one of ES256/],
      [{ options: {} }, /neither a login nor a client with a secret/],
    ],
    "evil.example": [[{ at: [PLACE, () => redirect(`${EVIL}/x`)] }, /redirects elsewhere/]],
    "/token2": [[{ at: ["/token", () => redirect(`${ISSUER}/token2`)] }, /redirects elsewhere/]],
    "Bearer": [
      [{ tokens: { access_token: "token-1\r\nX: y" } }, /cannot be sent/],
      [{ tokens: { token_type: "mac" } }, /cannot be sent/],
      [{ tokens: { token_type: "DPoP" } }, /cannot be sent/],
      [
        { ...client(SECRET), at: ["/token", error(401, "invalid_client", "x".repeat(999))] },
        /issued no token \(invalid_client: x{200}…\)$/,
      ],
    ],
  };
  for (const [spared, cases] of Object.entries(CASES)) {
    for (const [change, message] of cases) {
      test(`${JSON.stringify(change)}: ${message}, and nothing is sent with ${spared}`, async () => {
        const world = new World(change);
        await assert.rejects(world.open()(), (cause: Error) => {
          assert.ok(cause instanceof AuthorizationError, String(cause));
          assert.match(cause.message, message);
          assert.doesNotMatch(cause.message, /secret-1|token-\d|code-\d|[\p{Cc}\p{Cf}]/u);
          return true;
        });
        const isWrong = ({ url, authorization }: Sent) => `${url} ${authorization}`.includes(spared);
        assert.deepEqual(world.sent.filter(isWrong), []);
        assert.equal(world.begun, 0);
      });
    }
  }

  test("a server that is neither https nor on this machine", () => {
    for (const url of ["http://mcp.example/mcp", "https://user:word@mcp.example/mcp", "file:///mcp"]) {
      assert.throws(() => authorizedFetch(url, {}), AuthorizationError, url);
    }
    authorizedFetch("http://localhost:8080/mcp", {});
  });
});

const PRIVATE = [
  "https://169.254.169.254/latest",
  "https://10.0.0.5:8443/x",
  "https://192.168.1.1",
  "https://100.64.0.1/",
  "https://localhost:9/x",
  "https://x.localhost./",
  "https://127.0.0.1./",
  "https://0x7f.1/",
  "https://2130706433/",
  "https://[::1]/x",
  "https://[fe80::1]/",
  "https://[fd00::1]/",
  "https://[::ffff:10.0.0.1]/",
  "https://[::ffff:0:7f00:1]/",
  "https://[64:ff9b::7f00:1]/",
  "https://intranet/x",
  "https://metadata.google.internal/",
  "https://kubernetes.default.svc/",
];
const NAMED: Readonly<Record<string, (url: string) => Change>> = {
  "resource metadata": (url) => ({ challenge: `Bearer resource_metadata="${url}"` }),
  "issuer": (url) => ({ resource: { authorization_servers: [url] } }),
  "token": (url) => ({ metadata: { token_endpoint: url } }),
  "authorization": (url) => ({ metadata: { authorization_endpoint: url } }),
  "registration": (url) => ({ metadata: { registration_endpoint: url } }),
};
for (const [what, change] of Object.entries(NAMED)) {
  test(`a public server cannot name a private ${what} address: nothing is sent there, and no user signs in`, async () => {
    for (const url of PRIVATE) {
      const world = new World(change(url));
      await assert.rejects(world.open()(), ({ message }: Error) => {
        assert.match(
          message,
          /^Cannot authorize: the .* is in a private network, and the server is not: /,
          url,
        );
        assert.doesNotMatch(message, /latest|status|reach|redirect/);
        return true;
      });
      const { host } = new URL(url);
      assert.deepEqual(world.sent.filter((sent) => new URL(sent.url).host === host), []);
      assert.equal(world.logins, 0, url);
    }
  });
}

test("private addresses are used if the server has one, too, or if the user has named the issuer", async () => {
  const rows: [server: string, issuer: string, options?: AuthorizationOptions][] = [
    ["https://10.0.0.5/mcp", "https://10.0.0.6"],
    ["https://mcp.corp/mcp", "https://login.corp"],
    ["https://[::1]/mcp", "https://localhost:8443"],
    ["http://127.0.0.1:3000/mcp", "http://127.0.0.1:3001"],
    ["https://mcp.example/mcp", "https://10.0.0.7", { client: { id: "c", issuer: "https://10.0.0.7" } }],
    ["https://mcp.example/mcp", "https://sso.corp/a", { client: { id: "c", issuer: "https://sso.corp/a" } }],
  ];
  for (const [server, issuer, options] of rows) {
    const world = new World();
    const fetch = (url: string, init: RequestInit) => {
      const { pathname } = new URL(url);
      if (url === server) {
        const isGood = new Headers(init.headers).get("authorization") === "Bearer t";
        return Promise.resolve(isGood ? new Response() : challenged(401, "Bearer"));
      }
      const answer = /protected-resource/.test(pathname)
        ? { resource: server, authorization_servers: [issuer] }
        : /well-known/.test(pathname)
        ? {
          issuer,
          authorization_endpoint: `${issuer}/a`,
          token_endpoint: `${issuer}/t`,
          registration_endpoint: `${issuer}/r`,
          code_challenge_methods_supported: ["S256"],
        }
        : { client_id: "c", access_token: "t", token_type: "Bearer" };
      return Promise.resolve(Response.json(answer));
    };
    const send = authorizedFetch(server, { fetch, login: world.login, ...options });
    assert.equal((await send(server, { method: "POST" })).status, 200, server);
  }
});

test("a name that resolves to a private address is one, unless the name of the server does, too", async (t) => {
  const world = new World();
  const addresses: Record<string, string[]> = {};
  replaceNetwork(t, addresses, world.fetch as typeof fetch);
  const rows: [addresses: Record<string, string[]>, isAllowed: boolean][] = [
    [{ "login.example": ["93.184.216.34"] }, true],
    [{ "login.example": [] }, true],
    [{ "login.example": ["127.0.0.1"] }, false],
    [{ "login.example": ["93.184.216.34", "10.0.0.1"] }, false],
    [{ "login.example": ["::1"] }, false],
    [{ "login.example": ["::ffff:192.168.0.1"] }, false],
    [{ "login.example": ["10.0.0.1"], "mcp.example": ["93.184.216.34"] }, false],
    [{ "login.example": ["10.0.0.1"], "mcp.example": ["10.0.0.2"] }, true],
  ];
  for (const [next, isAllowed] of rows) {
    delete addresses["mcp.example"];
    Object.assign(addresses, next);
    world.sent.length = 0;
    const request = authorizedFetch(SERVER, { login: world.login })(SERVER, { method: "POST" });
    if (isAllowed) assert.equal((await request).status, 200);
    else await assert.rejects(request, /the issuer is in a private network.*: login\.example$/);
    assert.equal(world.sent.some(({ url }) => url.startsWith(ISSUER)), isAllowed, JSON.stringify(next));
  }
});

test("the secret of a client goes only to an issuer that the user has named, confirmed or used before", async () => {
  const secret = { id: "known", secret: "secret-1" }, named = { ...secret, issuer: ISSUER };
  const used = { get: () => ({ ...OLD, issuer: ISSUER }), set() {} };
  const rows: [options: AuthorizationOptions, isSent: boolean][] = [
    [{ client: secret }, false],
    [{ client: secret, confirmIssuer: () => false }, false],
    [{ client: secret, confirmIssuer: () => Promise.resolve(false) }, false],
    [{ client: secret, confirmIssuer: (issuer) => issuer === "https://mcp.example" }, false],
    [{ client: secret, assertion: () => "jwt" }, false],
    [{ client: secret, store: { get: () => undefined, set() {} } }, false],
    [{ client: secret, confirmIssuer: (issuer) => issuer === ISSUER }, true],
    [{ client: named }, true],
    [{ client: secret, store: used }, true],
  ];
  for (const withLogin of [false, true]) {
    for (const [options, isSent] of rows) {
      const world = new World();
      world.change = { options: { ...options, ...withLogin && { login: world.login } } };
      const answer = world.open()();
      if (isSent) assert.equal(await answer, 200);
      else {
        await assert.rejects(answer, ({ message }: Error) => {
          assert.doesNotMatch(message, /secret-1/);
          return /secret is not sent to "https:\/\/login\.example", which the server has named: .*--issuer$/
            .test(
              message,
            );
        });
      }
      const bodies = world.sent.filter(({ body, authorization }) =>
        body.includes("secret-1") || authorization?.startsWith("Basic ")
      );
      assert.deepEqual([bodies.length > 0, isSent ? 0 : world.logins], [isSent, 0]);
    }
  }
  // Asked once, for all later tokens.
  let asked = 0;
  const world = new World();
  world.change = { options: { client: secret, confirmIssuer: () => ++asked > 0 } };
  const send = world.open();
  await send();
  world.issued++;
  assert.deepEqual([await send(), asked], [200, 1]);
});

test("a token is sent only to its resource", async () => {
  const world = new World({ at: [EVIL, () => challenged(401, CHALLENGE)] });
  const send = world.open();
  assert.equal(await send(), 200);
  for (const url of [`${EVIL}/team/mcp`, "https://mcp.example/team/mcp2", "https://mcp.example/"]) {
    await send(url).catch(() => {});
    assert.deepEqual(world.to(url).filter(({ authorization }) => authorization !== null), [], url);
  }
  assert.equal(world.to(`${EVIL}/team/mcp`).length, 1);
  assert.equal(await send(`${SERVER}/`), 200);
});

test("one refresh serves all requests that need it, and a new refresh token replaces the old one", async () => {
  const world = new World({ tokens: { refresh_token: "refresh-1" } });
  const send = world.open();
  await send();
  // The token is no longer valid.
  world.issued++;
  world.change = { tokens: { refresh_token: "refresh-2" } };
  assert.deepEqual(await Promise.all([send(), send(), send()]), [200, 200, 200]);
  world.issued++;
  world.change = {};
  await send();
  world.issued++;
  await send();
  assert.equal(world.logins, 1);
  const refreshed = world.forms.slice(1).map((form) =>
    `${form["grant_type"]} ${form["refresh_token"]} ${form["resource"]}`
  );
  assert.deepEqual(refreshed, ["1", "2", "2"].map((one) => `refresh_token refresh-${one} ${SERVER}`));
});

test("an invalid refresh token leads to a new login, and a lost registration to a new registration", async () => {
  const rows = [["invalid_grant", 200, 2, 1], ["invalid_client", 200, 2, 2], ["x", "x", 1, 1]] as const;
  for (const [error, outcome, logins, registrations] of rows) {
    const world = new World({ tokens: { refresh_token: "refresh-1" } });
    const send = world.open();
    await send();
    world.issued++;
    const refuse = ({ body }: Sent) =>
      body.includes("grant_type=refresh_token") ? Response.json({ error }, { status: 400 }) : undefined;
    world.change = { at: ["/token", refuse] };
    assert.equal(await send().catch(({ code }) => code), outcome);
    assert.deepEqual([world.logins, world.to(`${ISSUER}/register`).length], [logins, registrations], error);
  }
});

test("if a new token is refused, neither another one nor its scope is requested again", async () => {
  const world = new World({ at: [SERVER, () => challenged(401, CHALLENGE)] });
  assert.equal(await world.open()(), 401);
  assert.equal(world.logins, 1);
  // A request is not repeated with the same nonce, or without one.
  const strict = new World({ at: [SERVER, () => challenged(401, 'DPoP error="use_dpop_nonce"')] });
  assert.equal(await strict.open()(), 401);
  assert.equal(strict.sent.length, 1);
  // A token that was just refreshed is not refreshed again.
  const stored = { ...OLD, issuer: ISSUER };
  world.change = { ...world.change, options: { login: world.login, store: { get: () => stored, set() {} } } };
  assert.equal(await world.open()(), 401);
  assert.deepEqual(world.forms.slice(1).map((form) => form["grant_type"]), [
    "refresh_token",
    "authorization_code",
  ]);
  let scopes = 0;
  const demand = ({ authorization }: Sent) =>
    authorization === null
      ? undefined
      : challenged(403, `Bearer error="insufficient_scope", scope="s${++scopes}"`);
  const tokens = { refresh_token: "refresh-1" }, challenge = `${CHALLENGE}, scope="s0"`;
  const greedy = new World({ at: [SERVER, demand], challenge, tokens });
  assert.equal(await greedy.open()(), 403);
  assert.deepEqual(greedy.scopes, ["s0", "s0 s1"]);
  scopes = -1;
  const refused = new World({ at: [SERVER, demand], challenge });
  await assert.rejects(refused.open()(), { status: 403, message: /the scopes "s0" were requested/ });
});

test("a store that failed is read again, and the end of a session leads to no sign-in", async () => {
  const world = new World();
  let reads = 0;
  const get = () => {
    if (++reads === 1) throw new Error("locked");
    return undefined;
  };
  const options = { fetch: world.fetch, login: world.login, store: { get, set() {} } };
  const send = authorizedFetch(SERVER, options);
  await assert.rejects(send(SERVER, {}), /locked/);
  assert.equal((await send(SERVER, { method: "DELETE" })).status, 401);
  assert.equal(world.logins, 0);
  assert.equal((await send(SERVER, {})).status, 200);
});

test("the next program uses what is stored, but not with another issuer", async () => {
  const world = new World();
  const kept = new Map<string, StoredAuthorization>();
  await world.open(memory(kept))();
  assert.deepEqual([...kept.keys()], [SERVER]);
  const copy = new Map<string, StoredAuthorization>(JSON.parse(JSON.stringify([...kept])));
  assert.equal(await world.open(memory(copy))(), 200);
  assert.equal(world.logins, 1);
  // The second program refreshes the token of the first one.
  const [first, second] = [world.open(memory(kept)), world.open(memory(kept))];
  assert.equal(await first(), 200);
  world.issued++;
  assert.deepEqual([await second(), await first(), world.logins], [200, 200, 2]);
  const { client, tokens } = OLD, own = { ...OLD, issuer: ISSUER };
  const rows: [stored: StoredAuthorization, isUnfit: RegExp][] = [
    // The same resource with another issuer: neither the client nor the refresh token of the first one is sent there.
    [OLD, /old-/],
    [{ ...own, resource: "https://mcp.example/" }, /old-(?:token|refresh)/],
    [{ ...own, tokens: { ...tokens, key: "that of a process which is gone" } }, /old-(?:token|refresh)/],
    [{ ...own, tokens: undefined!, client: { ...client, redirectUri: `${REDIRECT}/other` } }, /old-client/],
  ];
  for (const [stored, isUnfit] of rows) {
    const moved = new World();
    assert.equal(await moved.open(memory(new Map([[SERVER, stored]])))(), 200);
    const toIssuer = moved.sent.filter(({ url }) => url.startsWith(ISSUER));
    assert.doesNotMatch(JSON.stringify(toIssuer), isUnfit);
  }
});

test("an aborted request does not wait for the user, and the login is still used", async () => {
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

test("loopbackLogin() waits for the redirect with its state, and stops listening", async () => {
  const shown: string[] = [];
  const login = await loopbackLogin((url) => shown.push(url))(new AbortController().signal);
  const back = Promise.resolve(login.open(new URL(`${ISSUER}/authorize?state=expected`)));
  assert.deepEqual(shown, [`${ISSUER}/authorize?state=expected`]);
  const statusAt = async (path: string) => {
    const response = await fetch(new URL(login.redirectUri).origin + path);
    await response.body?.cancel();
    return response.status;
  };
  for (const path of ["/", "//", "/callback", "/callback?code=x&state=other", "/other?state=expected"]) {
    assert.equal(await statusAt(path), 404, path);
  }
  assert.equal(await statusAt("/callback?code=x&state=expected"), 200);
  assert.equal(new URL(await back).searchParams.get("code"), "x");
  login.close?.();
  while (await statusAt("/").catch(() => undefined) !== undefined) {
    await new Promise((later) => setTimeout(later, 5));
  }
});
