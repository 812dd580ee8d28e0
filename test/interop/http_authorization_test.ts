/** Are the official clients let in with a token, told where to get one without, and do they find their way there? */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, before, describe, it } from "node:test";
import * as v2 from "@modelcontextprotocol/client";
import * as v1 from "@modelcontextprotocol/sdk/client/auth.js";
import { ClientCredentialsProvider as ProviderV1 } from "@modelcontextprotocol/sdk/client/auth-extensions.js";
import type { AuthorizationServer } from "./authorization_server.ts";
import type { HttpServer } from "./http_servers.ts";
import { CLIENT, startAuthorizationServer, TOKEN } from "./authorization_server.ts";
import { freePort } from "./daemon.ts";
import { HTTP_OPENINGS } from "./http_clients.ts";
import { serveEverything, serveProgram } from "./http_servers.ts";
import { WELL } from "./official.ts";
import { RUNTIMES } from "./runtimes.ts";

const BEARER = { headers: { authorization: `Bearer ${TOKEN}` } };

for (const runtime of RUNTIMES) {
  describe(`authorization on ${runtime.name}`, { skip: runtime.skip }, () => {
    let folder: string;
    let authority: AuthorizationServer;
    let everything: HttpServer;
    let program: HttpServer;

    before(async () => {
      folder = mkdtempSync(`${tmpdir()}/architrave-token-`);
      writeFileSync(`${folder}/tokens`, `interop ${TOKEN}\n`, { mode: 0o600 });
      authority = await startAuthorizationServer();
      const port = await freePort();
      const flags = [
        "--port",
        `${port}`,
        "--token",
        TOKEN,
        "--authorization-server",
        authority.url,
      ];
      [everything, program] = await Promise.all([
        serveEverything(runtime, flags),
        serveProgram(runtime, undefined, ["--token-file", `${folder}/tokens`], [
          folder,
        ]),
      ]);
    });
    after(async () => {
      assert.deepEqual(await Promise.all([everything.stop(), program.stop()]), [
        WELL,
        WELL,
      ]);
      await authority.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    for (const opening of HTTP_OPENINGS) {
      const isV1 = opening.name === "client v1";

      it(`${opening.name} is let in with the token in its fields, and by nothing else`, async () => {
        const { client, recording } = await opening.connect(program.url, {
          requestInit: BEARER,
        });
        assert.notEqual((await client.listResources()).resources.length, 0);
        await client.close();
        assert.deepEqual((await recording.finish()).problems, []);
        const wrong = { headers: { authorization: `Bearer ${TOKEN}x` } };
        for (const requestInit of [wrong, {}]) {
          await assert.rejects(
            opening.connect(program.url, { requestInit }),
            /401|Unauthorized|who you are/i,
          );
        }
      });

      it(`${opening.name} finds where to get a token, gets it, and is let in`, async () => {
        const before = authority.given;
        const given = { ...CLIENT, expectedIssuer: authority.url };
        const authProvider = isV1 ? new ProviderV1(given) : new v2.ClientCredentialsProvider(given);
        const connected = await opening.connect(everything.url, {
          authProvider,
        });
        assert.match(
          await connected.call("test_simple_text"),
          /simple text response/,
        );
        assert.equal(authority.given, before + 1);
        const refused = connected.recording.exchanges.filter(({ status }) => status === 401);
        assert.notEqual(refused.length, 0);
        await connected.client.close();
        assert.deepEqual((await connected.recording.finish()).problems, []);
      });
    }

    it("client v2, 2026-07-28, asks a function of its host for the token of each request", async () => {
      let asked = 0;
      const authProvider = {
        token: () => Promise.resolve(++asked > 0 ? TOKEN : undefined),
      };
      const connected = await HTTP_OPENINGS.at(-1)!.connect(everything.url, {
        authProvider,
      });
      assert.match(
        await connected.call("test_simple_text"),
        /simple text response/,
      );
      assert.ok(asked >= 2, `${asked} times`);
      await connected.client.close();
    });

    for (const [name, auth] of Object.entries({ v1, v2 })) {
      it(`the helpers of client ${name} read the 401 and what describes the resource`, async () => {
        const refused = await fetch(everything.url, {
          method: "POST",
          body: "{}",
        });
        assert.equal(refused.status, 401);
        const { resourceMetadataUrl } = auth.extractWWWAuthenticateParams(
          refused,
        );
        await refused.body?.cancel();
        assert.equal(
          resourceMetadataUrl?.href,
          everything.url.replace(
            "/mcp",
            "/.well-known/oauth-protected-resource/mcp",
          ),
        );
        const told = await auth.discoverOAuthProtectedResourceMetadata(
          everything.url,
          { resourceMetadataUrl },
        );
        const found = await auth.discoverOAuthProtectedResourceMetadata(
          everything.url,
        );
        assert.deepEqual(told, found);
        assert.equal(told.resource, everything.url);
        assert.deepEqual(told.authorization_servers, [authority.url]);
      });
    }
  });
}
