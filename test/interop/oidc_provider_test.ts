/** Our client gets its tokens from a real authorization server: oidc-provider, with a resource that checks them. */

import assert from "node:assert/strict";
import { createServer as createHttpServer } from "node:http";
import { after, before, it } from "node:test";
// @ts-expect-error The package has no types.
import Provider from "oidc-provider";
import type { AuthorizationOptions, StoredAuthorization } from "../../lib/client/authorization.ts";
import { authorizedFetch } from "../../lib/client/authorization.ts";
import { connect, httpTransport } from "../../lib/client/mod.ts";
import { createHttpHandler, jwtBearer, nodeListener } from "../../lib/http/mod.ts";
import { createServer } from "../../lib/server/mod.ts";
import { makeFolder } from "../harness/folder.ts";
import { closeNow, Daemon, listenLocally, onEachRuntime, REPOSITORY } from "./programs.ts";

const MACHINE = { client_id: "machine", client_secret: "the secret of the machine: 100%" };
const INFO = { name: "interop", version: "1.0.0" };

const authority = createHttpServer(), resource = createHttpServer();
/** The tokens that the resource accepts no more, and those that it has seen. */
const revoked = new Set<string>(), seen = new Set<string>();
let issuer = "", url = "";

before(async () => {
  [issuer, url] = [await listenLocally(authority), `${await listenLocally(resource)}/mcp`];
  const provider = new Provider(issuer, {
    clients: [{ ...MACHINE, grant_types: ["client_credentials"], redirect_uris: [], response_types: [] }],
    cookies: { keys: ["interop"] },
    features: {
      registration: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, audience: string) => ({
          scope: "docs:read",
          audience,
          accessTokenFormat: "jwt",
        }),
      },
    },
    pkce: { required: () => true },
    rotateRefreshToken: true,
  });
  authority.on("request", provider.callback());
  const verify = jwtBearer({ jwks: new URL(`${issuer}/jwks`), issuer, audience: url });
  const handler = createHttpHandler(createServer({ info: INFO }), {
    authenticate: async (request) => {
      const token = request.header("authorization") ?? "";
      if (revoked.has(token)) return { status: 401, error: "invalid_token" };
      if (token !== "") seen.add(token);
      return await verify(request);
    },
    resourceMetadata: {
      resource: url,
      authorization_servers: [issuer],
      scopes_supported: ["docs:read"],
    },
  });
  resource.on("request", nodeListener(handler));
});
after(() => [authority, resource].forEach(closeNow));

/** Signs in and consents like a user with a browser; returns where the browser is sent in the end. */
async function browse(
  start: string | URL,
  redirectUri: string,
): Promise<string> {
  const cookies = new Map<string, string>();
  let to = new URL(start), body: URLSearchParams | undefined;
  for (let steps = 0; steps < 20; steps++) {
    const headers = { cookie: Array.from(cookies, (pair) => pair.join("=")).join("; ") };
    const response = await fetch(to, {
      headers,
      redirect: "manual",
      ...body ? { method: "POST", body } : {},
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      cookies.set(name!, value!);
    }
    const page = await response.text(),
      location = response.headers.get("location");
    body = undefined;
    if (location !== null) {
      to = new URL(location, to);
      if (to.href.startsWith(redirectUri)) return to.href;
      continue;
    }
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    assert.ok(prompt, `${response.status} ${to}: ${page.slice(0, 2000)}`);
    to = new URL(/action="([^"]+)"/.exec(page)![1]!, to);
    body = new URLSearchParams(prompt === "login" ? { prompt, login: "ada", password: "any" } : { prompt });
  }
  throw new Error("The browser was sent around in a circle");
}

const open = (options: AuthorizationOptions) =>
  connect(httpTransport(url, { fetch: authorizedFetch(url, options) }), { info: INFO, eras: new Map() });

it("a client registers itself, a user signs in, and the refresh token is rotated", async () => {
  const redirectUri = "http://127.0.0.1:3000/callback";
  let logins = 0;
  const kept: StoredAuthorization[] = [];
  const client = await open({
    login: () => ({ redirectUri, open: (url) => (logins++, browse(url, redirectUri)) }),
    store: { get: () => kept.at(-1), set: (_, value) => void kept.push(value) },
  });
  for (let round = 0; round < 2; round++) {
    revoked.add(`Bearer ${kept.at(-1)!.tokens!.access}`);
    await client.call("server/discover", {});
  }
  await client.close();
  assert.equal(logins, 1);
  assert.equal(new Set(kept.map(({ tokens }) => tokens!.refresh)).size, 3, "each refresh token is used once");
  assert.deepEqual(kept[0]!.tokens!.scopes, ["docs:read", "offline_access"]);
});

it("a client gets tokens with its secret", async () => {
  const client = await open({ client: { id: MACHINE.client_id, secret: MACHINE.client_secret, issuer } });
  assert.equal(client.server.info["name"], INFO.name);
  await client.close();
  await assert.rejects(
    open({ client: { id: MACHINE.client_id, secret: "wrong", issuer } }),
    /invalid_client/,
  );
});

it("tokens are bound to a key", async () => {
  await assert.rejects(
    open({ client: { id: MACHINE.client_id, secret: MACHINE.client_secret, issuer }, dpop: true }),
    // The resource of these tests takes bearer tokens only: the authorization server has bound this one.
    /status 401/,
  );
  const bound = [...seen].find((token) => token.startsWith("DPoP "))!;
  const claims = JSON.parse(atob(bound.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")));
  assert.match(claims.cnf.jkt, /^[\w-]{43}$/);
});

onEachRuntime("inspect --login", ({ name, command }) => {
  const folder = makeFolder({ after }, { secret: `${MACHINE.client_secret}\n` });
  const allowed = ["--no-prompt", "--allow-net=127.0.0.1", `--allow-read=${folder}`];
  const before = name === "node" ? ["--experimental-strip-types", "--no-warnings"] : ["run", ...allowed];
  const start = (...flags: string[]) =>
    new Daemon(command, [...before, `${REPOSITORY}mod.ts`, "inspect", ...flags, url]);

  it("signs a user in", async () => {
    const program = start("--login");
    await program.until(() => /sign in: \S+\n/.test(program.stderr));
    const address = new URL(/sign in: (\S+)/.exec(program.stderr)![1]!);
    const redirectUri = address.searchParams.get("redirect_uri")!;
    const back = await fetch(await browse(address, redirectUri));
    assert.match(await back.text(), /^You can close this page/);
    await ended(program);
    assert.match(program.stdout, /^interop 1\.0\.0: revision 2026-07-28/);
  });

  it("signs a client in", async () => {
    const program = start("--client-id", MACHINE.client_id, "--client-secret-file", `${folder}/secret`);
    await ended(program);
    assert.match(program.stdout, /^interop 1\.0\.0: revision 2026-07-28/);
  });
});

/** Waits until a program has ended, and has ended well. */
async function ended(program: Daemon): Promise<void> {
  while (!program.isGone) await new Promise((later) => setTimeout(later, 20));
  assert.equal((await program.stop()).code, 0, program.stderr);
}
