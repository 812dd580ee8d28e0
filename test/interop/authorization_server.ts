/** Where does a client get a token? From a server that gives it to whoever has the secret: as little of OAuth as that needs. */

import { Buffer } from "node:buffer";
import { once } from "node:events";
import { createServer } from "node:http";

/** What a client has to show, and what it gets. */
export const CLIENT = {
  clientId: "interop",
  clientSecret: "the-secret-of-interop",
} as const;
export const TOKEN = "a-long-random-token-for-interop";

/** An authorization server that listens. */
export interface AuthorizationServer {
  readonly url: string;
  /** How often somebody got a token. */
  readonly given: number;
  stop(): Promise<void>;
}

/** Starts one on a port that is free. */
export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  let given = 0;
  let url = "";
  const basic = Buffer.from(`${CLIENT.clientId}:${CLIENT.clientSecret}`)
    .toString("base64");
  const server = createServer(({ url: path, headers, method }, response) => {
    const answer = (status: number, value: object) => {
      response.writeHead(status, { "content-type": "application/json" }).end(
        JSON.stringify(value),
      );
    };
    if (path === "/.well-known/oauth-authorization-server") {
      return answer(200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        response_types_supported: ["code"],
        grant_types_supported: ["client_credentials"],
        token_endpoint_auth_methods_supported: ["client_secret_basic"],
        code_challenge_methods_supported: ["S256"],
      });
    }
    if (path !== "/token" || method !== "POST") return answer(404, {});
    if (headers.authorization !== `Basic ${basic}`) {
      return answer(401, { error: "invalid_client" });
    }
    given++;
    answer(200, {
      access_token: TOKEN,
      token_type: "Bearer",
      expires_in: 3600,
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  return {
    url,
    get given() {
      return given;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
