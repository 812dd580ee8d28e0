/** The official clients are let in with a token, are told where to get one without, and find their way to it. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { chmodSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, it } from "node:test";
import * as v2 from "@modelcontextprotocol/client";
import * as v1 from "@modelcontextprotocol/sdk/client/auth.js";
import { ClientCredentialsProvider as ProviderV1 } from "@modelcontextprotocol/sdk/client/auth-extensions.js";
import { V1, V2_AUTO, V2_LEGACY, V2_MODERN } from "./clients.ts";
import { makeFolder } from "../harness/folder.ts";
import {
  closeNow,
  freePort,
  listenLocally,
  onEachRuntime,
  serveEverything,
  serveProgram,
  serving,
} from "./programs.ts";

/** What a client has to show, and the token it gets for it. */
const CLIENT = { clientId: "interop", clientSecret: "the-secret-of-interop" } as const;
const TOKEN = "a-long-random-token-for-interop";
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

/** As little of an authorization server as OAuth needs: it gives the token for the secret. */
let issued = 0;
let issuer = "";
const authority = createServer(({ url: path, headers, method }, response) => {
  const answer = (status: number, value: object) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  if (path === "/.well-known/oauth-authorization-server") {
    return void answer(200, {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      response_types_supported: ["code"],
      grant_types_supported: ["client_credentials"],
      token_endpoint_auth_methods_supported: ["client_secret_basic"],
      code_challenge_methods_supported: ["S256"],
    });
  }
  if (path !== "/token" || method !== "POST") return void answer(404, {});
  const basic = Buffer.from(`${CLIENT.clientId}:${CLIENT.clientSecret}`).toString("base64");
  if (headers.authorization !== `Basic ${basic}`) return void answer(401, { error: "invalid_client" });
  issued++;
  answer(200, { access_token: TOKEN, token_type: "Bearer", expires_in: 3600 });
});
before(async () => void (issuer = await listenLocally(authority)));
after(() => closeNow(authority));

onEachRuntime("authorization", (runtime) => {
  const folder = makeFolder({ after }, { tokens: `interop ${TOKEN}\n` });
  chmodSync(`${folder}/tokens`, 0o600);
  const program = serving(() => {
    return serveProgram(runtime, undefined, ["--token-file", `${folder}/tokens`, "--log-level", "error"], [
      folder,
    ]);
  });
  const everything = serving(async () => {
    const flags = ["--port", `${await freePort()}`, "--token", TOKEN, "--authorization-server", issuer];
    return await serveEverything(runtime, ...flags);
  });

  for (const opening of [V1, V2_LEGACY, V2_AUTO, V2_MODERN]) {
    it(`${opening.name} is let in with the token in its fields, and by nothing else`, async () => {
      const client = await opening.connect(program(), { requestInit: bearer(TOKEN) });
      assert.notEqual((await client.resources()).length, 0);
      await client.close();
      for (const requestInit of [bearer(`${TOKEN}x`), {}]) {
        await assert.rejects(
          opening.connect(program(), { requestInit }),
          /401|Unauthorized|Authentication required/,
        );
      }
    });

    it(`${opening.name} finds where to get a token, gets it, and is let in`, async () => {
      const before = issued;
      const given = { ...CLIENT, expectedIssuer: issuer };
      const authProvider = opening === V1 ? new ProviderV1(given) : new v2.ClientCredentialsProvider(given);
      const client = await opening.connect(everything(), { authProvider });
      assert.match(await client.textOf("test_simple_text"), /simple text response/);
      assert.equal(issued, before + 1);
      assert.ok(client.recording.exchanges.some(({ status }) => status === 401));
      await client.close();
    });
  }

  it("client v2, 2026-07-28, asks a function of its host for the token of each request", async () => {
    let asked = 0;
    const authProvider = { token: () => Promise.resolve(++asked > 0 ? TOKEN : undefined) };
    const client = await V2_MODERN.connect(everything(), { authProvider });
    assert.match(await client.textOf("test_simple_text"), /simple text response/);
    assert.ok(asked >= 2, `${asked} times`);
    await client.close();
  });

  for (const [name, auth] of Object.entries({ v1, v2 })) {
    it(`the helpers of client ${name} read the 401 and what describes the resource`, async () => {
      const unauthorized = await fetch(everything(), { method: "POST", body: "{}" });
      assert.equal(unauthorized.status, 401);
      const { resourceMetadataUrl } = auth.extractWWWAuthenticateParams(unauthorized);
      await unauthorized.body?.cancel();
      const path = "/.well-known/oauth-protected-resource/mcp";
      assert.equal(resourceMetadataUrl?.href, everything().replace("/mcp", path));
      const named = await auth.discoverOAuthProtectedResourceMetadata(everything(), { resourceMetadataUrl });
      assert.deepEqual(named, await auth.discoverOAuthProtectedResourceMetadata(everything()));
      assert.equal(named.resource, everything());
      assert.deepEqual(named.authorization_servers, [issuer]);
    });
  }
});
