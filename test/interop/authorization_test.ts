/**
 * Tokens of a real authorization server, oidc-provider: the official clients are let in by the program with one, find their way
 * to it and see what its scopes allow; our client and `inspect` get theirs in the same ways.
 */

import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { after, before, it } from "node:test";
import { ClientCredentialsProvider as ProviderV2 } from "@modelcontextprotocol/client";
import { ClientCredentialsProvider as ProviderV1 } from "@modelcontextprotocol/sdk/client/auth-extensions.js";
// @ts-expect-error The package has no types.
import Provider from "oidc-provider";
import type { StoredAuthorization } from "../../lib/mcp/client/authorization.ts";
import { authorizedFetch } from "../../lib/mcp/client/authorization.ts";
import { connect, httpTransport } from "../../lib/mcp/client/mod.ts";
import { createHttpHandler, jwtBearer, nodeListener } from "../../lib/mcp/http/mod.ts";
import { createServer } from "../../lib/mcp/server/mod.ts";
import { makeFolder } from "../harness/folder.ts";
import { V1, V2_AUTO, V2_LEGACY, V2_MODERN } from "./clients.ts";
import { closeNow, listenLocally } from "../harness/http.ts";
import { Daemon, freePort, onEachRuntime, PROGRAM } from "./programs.ts";
import { serveProgram, serving } from "./programs.ts";

const MACHINE = { client_id: "machine", client_secret: "the secret of the machine: 100%" };
const OFFICIAL = { client_id: "official", client_secret: "the-secret-of-interop" };
/** A token that the program reads from a file. */
const TOKEN = "a-long-random-token-for-interop";
const INFO = { name: "interop", version: "1.0.0" };

const authority = createHttpServer(), resource = createHttpServer();
/** The tokens that the resource accepts no more. */
const revoked = new Set<string>();
let issuer = "", url = "", issued = 0;

before(async () => {
  [issuer, url] = [await listenLocally(authority), `${await listenLocally(resource)}/mcp`];
  const provider = new Provider(issuer, {
    clients: [MACHINE, OFFICIAL].map((client) => {
      return { ...client, grant_types: ["client_credentials"], redirect_uris: [], response_types: [] };
    }),
    cookies: { keys: ["interop"] },
    features: {
      registration: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, audience: string) => {
          const scope = audience === url ? "docs:read" : "docs decisions";
          return { scope, audience, accessTokenFormat: "jwt" };
        },
      },
    },
    pkce: { required: () => true },
    rotateRefreshToken: true,
  });
  provider.on("grant.success", () => issued++);
  authority.on("request", provider.callback());
  const verify = jwtBearer({ jwks: new URL(`${issuer}/jwks`), issuer, audience: url });
  const handler = createHttpHandler(createServer({ info: INFO }), {
    authenticate: async (request) => {
      const token = request.header("authorization") ?? "";
      if (revoked.has(token)) return { status: 401, error: "invalid_token" };
      return await verify(request);
    },
    resourceMetadata: { resource: url, authorization_servers: [issuer], scopes_supported: ["docs:read"] },
  });
  resource.on("request", nodeListener(handler));
});
after(() => [authority, resource].forEach(closeNow));

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

onEachRuntime("the official clients", (runtime) => {
  const folder = makeFolder({ after }, { tokens: `interop ${TOKEN}\n` });
  chmodSync(`${folder}/tokens`, 0o600);
  const withFile = serving(() => {
    const flags = ["--token-file", `${folder}/tokens`, "--log-level", "error"];
    return serveProgram(runtime, undefined, flags, [folder]);
  });
  const withKeys = serving(async () => {
    const listen = `127.0.0.1:${await freePort()}`;
    const keys = ["--jwks", `${issuer}/jwks`, "--issuer", issuer, "--resource", `http://${listen}/mcp`];
    const scopes = ["--require-scope", "category:adr=decisions", "--require-scope", "all=docs"];
    return await serveProgram(runtime, undefined, ["--listen", listen, ...keys, ...scopes]);
  });

  for (const opening of [V1, V2_LEGACY, V2_AUTO, V2_MODERN]) {
    it(`${opening.name} is let in with the token in its fields, and by nothing else`, async () => {
      const client = await opening.connect(withFile(), { requestInit: bearer(TOKEN) });
      assert.notEqual((await client.resources()).length, 0);
      await client.close();
      for (const requestInit of [bearer(`${TOKEN}x`), {}]) {
        await assert.rejects(
          opening.connect(withFile(), { requestInit }),
          /401|Unauthorized|Authentication required/,
        );
      }
    });

    it(`${opening.name} finds where to get a token, gets it, and sees what its scopes allow`, async () => {
      const before = issued;
      const { client_id: clientId, client_secret: clientSecret } = OFFICIAL;
      const given = { clientId, clientSecret, expectedIssuer: issuer };
      const authProvider = opening === V1
        ? new ProviderV1({ ...given, scope: "docs" })
        : new ProviderV2(given);
      const client = await opening.connect(withKeys(), { authProvider });
      const uris = (await client.resources()).map(({ uri }) => uri);
      assert.ok(uris.some((uri) => uri.startsWith("architecture://guidelines/")));
      assert.ok(!uris.some((uri) => uri.startsWith("architecture://adr/")));
      assert.equal(issued, before + 1);
      assert.ok(client.recording.exchanges.some(({ status }) => status === 401));
      await client.close();
    });
  }
});

/** Signs in and consents like a user with a browser; returns where the browser is sent in the end. */
async function browse(start: string | URL, redirectUri: string): Promise<string> {
  const cookies = new Map<string, string>();
  let to = new URL(start), body: URLSearchParams | undefined;
  for (let steps = 0; steps < 20; steps++) {
    const headers = { cookie: Array.from(cookies, (pair) => pair.join("=")).join("; ") };
    const response = await fetch(to, { headers, redirect: "manual", ...body && { method: "POST", body } });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      cookies.set(name!, value!);
    }
    const page = await response.text(), location = response.headers.get("location");
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

it("a client registers itself, a user signs in, and the refresh token is rotated", async () => {
  const redirectUri = "http://127.0.0.1:3000/callback";
  let logins = 0;
  const kept: StoredAuthorization[] = [];
  const fetch = authorizedFetch(url, {
    login: () => ({ redirectUri, open: (url) => (logins++, browse(url, redirectUri)) }),
    store: { get: () => kept.at(-1), set: (_, value) => void kept.push(value) },
  });
  const client = await connect(httpTransport(url, { fetch }), { info: INFO, eras: new Map() });
  for (let round = 0; round < 2; round++) {
    revoked.add(`Bearer ${kept.at(-1)!.tokens!.access}`);
    await client.call("server/discover", {});
  }
  await client.close();
  assert.equal(logins, 1);
  assert.equal(new Set(kept.map(({ tokens }) => tokens!.refresh)).size, 3, "each refresh token is used once");
  assert.deepEqual(kept[0]!.tokens!.scopes, ["docs:read", "offline_access"]);
});

onEachRuntime("inspect --login", ({ command, line }) => {
  const folder = makeFolder({ after }, { secret: `${MACHINE.client_secret}\n` });
  const allowed = ["--allow-net=127.0.0.1", `--allow-read=${folder}`];
  const start = (...flags: string[]) => new Daemon(command, line(allowed, PROGRAM, "inspect", ...flags, url));

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
    const named = ["--client-id", MACHINE.client_id, "--issuer", issuer];
    const program = start(...named, "--client-secret-file", `${folder}/secret`);
    await ended(program);
    assert.match(program.stdout, /^interop 1\.0\.0: revision 2026-07-28/);
  });
});

/** Waits until a program has ended, and has ended well. */
async function ended(program: Daemon): Promise<void> {
  while (!program.isGone) await new Promise((later) => setTimeout(later, 20));
  assert.equal((await program.stop()).code, 0, program.stderr);
}
