/**
 * Authorization of a client over HTTP: OAuth 2.1 as MCP asks for it. It plugs into `httpTransport` as its `fetch`.
 *
 * @module
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */

import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Challenge, Dpop, Protection, Registration } from "./authorization_server.ts";
import type { HttpOptions } from "./http.ts";
import { abortable, onceDone, withDeadline } from "../../base/async.ts";
import { toBase64Url } from "../../base/base64.ts";
import { isLoopback } from "../../base/hosts.ts";
import { discardBody } from "../../base/responses.ts";
import { asArray, asString, compact } from "../../base/json.ts";
import { AuthorizationError, checkedUrl, covers, createDpop, digest } from "./authorization_server.ts";
import { discover, endpointOf, failed, readChallenge, refused } from "./authorization_server.ts";
import { requestToken, scopesOf, send, shown } from "./authorization_server.ts";
import { rootCause } from "./http.ts";

export type { Awaitable } from "../../base/async.ts";
export type { Registration } from "./authorization_server.ts";
export type { HttpOptions } from "./http.ts";
export { AuthorizationError } from "./authorization_server.ts";
export { ClientError, HttpError } from "./options.ts";

/** How a client is authorized. */
export interface AuthorizationOptions {
  /** Begins to sign a user in. Without it, no user takes part: `client` has a secret or a key, or there is an `assertion`. */
  readonly login?: (signal: AbortSignal) => Awaitable<Login>;
  /** A client that was registered before. Without `issuer`, it belongs to the first authorization server that is met. */
  readonly client?: Registration & { readonly issuer?: string | undefined } | undefined;
  /** The https URL of the client's metadata document, which is its id where the authorization server supports that. */
  readonly clientMetadataUrl?: string;
  /** What the user sees of a client that registers itself. @default {"MCP client"} */
  readonly clientName?: string;
  /** Scopes to ask for in any case, with spaces between them. @default {those that the server asks for} */
  readonly scope?: string | undefined;
  /**
   * Returns a JWT that is exchanged for a token (RFC 7523): that of this program (extension Workload Identity Federation), or
   * what `identityAssertion` returns (extension Enterprise-Managed Authorization).
   */
  readonly assertion?: (request: AssertionRequest) => Awaitable<string>;
  /** Whether tokens are bound to a key (extension DPoP). @default {when the server asks for it} */
  readonly dpop?: boolean;
  /** Keeps registrations and tokens. @default {this memory} */
  readonly store?: TokenStore;
  /** Sends all requests. @default {the `fetch` of the runtime} */
  readonly fetch?: HttpOptions["fetch"];
  /** How long one request to an authorization server may take, in milliseconds. @default {30000} */
  readonly timeoutMs?: number;
  /** How long an authorization may take in all, with the user, in milliseconds. @default {300000} */
  readonly loginTimeoutMs?: number;
}

/** One sign-in of a user. */
export interface Login {
  /** Where the authorization server sends the user back to. */
  readonly redirectUri: string;
  /** Shows the URL to the user. Returns the URL that the user was sent back to, with all its parameters. */
  open(url: URL): Awaitable<string | URL>;
  /** Called when the sign-in is over, whether it succeeded or failed. */
  close?(): void;
}

/** What an assertion is for. */
export interface AssertionRequest {
  /** The authorization server. */
  readonly issuer: string;
  /** The resource that the token is for. */
  readonly resource: string;
  /** The scopes that are needed, with spaces between them; undefined for none in particular. */
  readonly scope: string | undefined;
  /** Aborted when it takes too long. */
  readonly signal: AbortSignal;
}

/** Keeps what was authorized, by the URL of the server. The values are JSON, and secret. */
export interface TokenStore {
  /** Returns what was set last. */
  get(server: string): Awaitable<StoredAuthorization | undefined>;
  /** Replaces it. */
  set(server: string, value: StoredAuthorization): Awaitable<void>;
}

/** A registration and tokens. They are never used with another issuer or for another resource. */
export interface StoredAuthorization {
  /** The authorization server. */
  readonly issuer: string;
  /** What the tokens are for. */
  readonly resource: string;
  /** The client, if it has registered itself, and the redirect URI that it has registered. */
  readonly client?: Registration & { readonly redirectUri: string };
  /** The tokens, with the scopes that were asked for. */
  readonly tokens?: Tokens;
}

/** Tokens of one authorization server for one resource. */
export interface Tokens {
  /** The access token. */
  readonly access: string;
  /** The refresh token. */
  readonly refresh?: string | undefined;
  /** The scopes that were asked for. */
  readonly scopes: readonly string[];
  /** The thumbprint of the key that they are bound to. */
  readonly key?: string | undefined;
}

/** How often one request is sent, with other tokens, scopes or nonces; and how often it leads to a new authorization. */
const MAX_SENDS = 6, MAX_GRANTS = 2;
const TIMEOUT_MS = 30_000, LOGIN_TIMEOUT_MS = 300_000;
/** How long it may take to send the page that ends a sign-in, in milliseconds. */
const CLOSE_MS = 1000;
const GRANTS = "urn:ietf:params:oauth:grant-type:";

/**
 * Makes a `fetch` for `httpTransport` that gets tokens when the server asks for them, and renews them. The tokens are sent to
 * this server only, which must be https, or on this machine.
 *
 * Needs the permission to connect to the authorization server.
 *
 * @param server The endpoint, as for `httpTransport`.
 * @throws {AuthorizationError} Here for a URL that tokens must not be sent to; and from requests when there is no token.
 *
 * @example
 * ```ts
 * import { connect, httpTransport } from "@architrave/architrave/client";
 * import { authorizedFetch, loopbackLogin } from "@architrave/architrave/authorization";
 *
 * const url = "https://example.com/mcp";
 * const login = loopbackLogin((address) => console.log(`Sign in at ${address}`));
 * const transport = httpTransport(url, { fetch: authorizedFetch(url, { login }) });
 * const client = await connect(transport, { info: { name: "our-client", version: "1.0.0" }, connectTimeoutMs: 300_000 });
 * ```
 */
export function authorizedFetch(
  server: string | URL,
  options: AuthorizationOptions,
): NonNullable<HttpOptions["fetch"]> {
  const url = checkedUrl(String(server), "the server", true);
  url.hash = "";
  const authorizer = new Authorizer(url, options);
  return (to, init) => authorizer.fetch(to, init);
}

class Authorizer {
  readonly #server: URL;
  readonly #options: AuthorizationOptions;
  readonly #fetch: NonNullable<HttpOptions["fetch"]>;
  #known: StoredAuthorization | undefined;
  readonly #ready = onceDone(() => this.#load());
  /** The authorization that is under way, for all requests. */
  #running: Promise<Outcome> | undefined;
  #dpop: Dpop | undefined;

  constructor(server: URL, options: AuthorizationOptions) {
    this.#server = server;
    this.#options = options;
    this.#fetch = options.fetch ?? fetch;
  }

  async fetch(to: string, init: RequestInit): Promise<Response> {
    await this.#ready();
    const url = new URL(to);
    let grants = 0, isRefreshed = false;
    for (let sends = 1;; sends++) {
      const tokens = this.#tokensFor(url);
      const response = await this.#fetch(to, await this.#withToken(url, init, tokens));
      const { status, headers } = response;
      const isRenewed = this.#dpop?.renew(url, headers) ?? false;
      const isOurs = url.origin === this.#server.origin;
      // The end of a session is not worth a sign-in: the server forgets it anyway.
      const isAsked = [401, 403].includes(status) && init.method !== "DELETE";
      if (!isOurs || !isAsked || sends === MAX_SENDS) return response;
      const challenge = readChallenge(headers.get("www-authenticate"));
      const isNonce = challenge["error"] === "use_dpop_nonce";
      const isScope = challenge["error"] === "insufficient_scope" && challenge["scope"] !== undefined;
      // A new token that is refused would be refused again, unless other scopes are asked for.
      const canHelp = isNonce ? isRenewed : status === 403 ? isScope && grants < MAX_GRANTS : grants === 0;
      if (!canHelp) return response;
      discardBody(response);
      if (isNonce) continue;
      const authorizing = this.#authorize({ used: tokens, challenge, status, isRefreshed });
      const outcome = await abortable(authorizing, init.signal ?? undefined);
      if (outcome === "granted") grants++;
      if (outcome === "refreshed") isRefreshed = true;
    }
  }

  async #load(): Promise<void> {
    const { store } = this.#options;
    if (store) this.#known = await store.get(this.#server.href);
  }

  async #save(known: StoredAuthorization): Promise<void> {
    this.#known = known;
    await this.#options.store?.set(this.#server.href, known);
  }

  /** The tokens, if they are for this URL: a redirect may lead to another resource of the same origin. */
  #tokensFor(url: URL): Tokens | undefined {
    const { resource = "", tokens } = this.#known ?? {};
    if (!tokens || url.origin !== this.#server.origin || !covers(resource, url)) return undefined;
    // Tokens that another process has stored are bound to a key that only it had.
    return tokens.key === undefined || tokens.key === this.#dpop?.thumbprint ? tokens : undefined;
  }

  async #withToken(url: URL, init: RequestInit, tokens: Tokens | undefined): Promise<RequestInit> {
    if (!tokens) return init;
    const { access, key } = tokens;
    const headers = new Headers(init.headers);
    headers.set("Authorization", `${key === undefined ? "Bearer" : "DPoP"} ${access}`);
    if (key !== undefined) headers.set("DPoP", await this.#dpop!.prove(init.method ?? "GET", url, access));
    return { ...init, headers };
  }

  /** Gets tokens in place of those that were not enough, once for all requests that wait for them. */
  #authorize(need: Need): Promise<Outcome> {
    if (this.#running) return this.#running.then(() => "changed");
    if (this.#tokensFor(this.#server)?.access !== need.used?.access) return Promise.resolve("changed");
    const { loginTimeoutMs: ms = LOGIN_TIMEOUT_MS } = this.#options;
    const run = (signal: AbortSignal) => abortable(this.#run(need, signal), signal);
    return this.#running = withDeadline(ms, failed(`it was not done in ${ms} ms`), undefined, run)
      .finally(() => this.#running = undefined);
  }

  async #run(need: Need, signal: AbortSignal): Promise<Outcome> {
    const { used, challenge, status, isRefreshed } = need;
    // Another process may have stored new ones.
    await this.#load();
    if (this.#tokensFor(this.#server)?.access !== used?.access) return "changed";
    const { client: given, timeoutMs = TIMEOUT_MS, clientMetadataUrl = "", dpop } = this.#options;
    const allowLoopback = isLoopback(this.#server.hostname);
    const access = { fetch: this.#fetch, timeoutMs, allowLoopback, signal };
    const found = await discover(access, this.#server, challenge, given?.issuer ?? this.#known?.issuer);
    const { issuer, resource } = found;
    // A given client without an issuer belongs to the first one that was met.
    const belongsTo = given?.issuer ?? (given && this.#known?.issuer) ?? issuer;
    if (belongsTo !== issuer) {
      throw failed(`the client belongs to "${shown(belongsTo)}", and the server asks for "${shown(issuer)}"`);
    }
    const before = this.#known?.issuer === issuer ? this.#known : undefined;
    const tokens = before?.resource === resource ? before.tokens : undefined;
    let known: StoredAuthorization = compact({ issuer, resource, client: before?.client });
    const isBound = dpop ?? (found.needsDpop || challenge["scheme"] === "dpop");
    if (isBound) found.dpop = this.#dpop ??= await createDpop();
    const isSameKey = tokens?.key === found.dpop?.thumbprint;
    if (status === 401 && !isRefreshed && isSameKey && tokens?.refresh) {
      const form = { grant_type: "refresh_token", refresh_token: tokens.refresh, resource };
      try {
        const body = await requestToken(found, given ?? known.client ?? { id: clientMetadataUrl }, form);
        await this.#save({ ...known, tokens: readTokens(body, tokens, found.dpop) });
        return "refreshed";
      } catch (cause) {
        const code = cause instanceof AuthorizationError ? cause.code : undefined;
        if (code === "invalid_client") known = { issuer, resource };
        else if (code !== "invalid_grant") throw cause;
      }
    }
    const scopes = this.#scopes(found, tokens?.scopes ?? [], need), scope = scopes.join(" ") || undefined;
    const { body, ...registered } = await this.#grant({ ...found, known, scopes, scope });
    const granted = readTokens(body, { scopes, access: "" }, found.dpop);
    await this.#save({ ...known, ...registered, tokens: granted });
    return "granted";
  }

  /** The scopes to ask for: the earlier ones, those of the options and of the challenge; without the latter two, the resource's. */
  #scopes(found: Protection, before: readonly string[], { challenge, status }: Need): readonly string[] {
    const { scope, login } = this.#options;
    const wanted = scopesOf(challenge["scope"]);
    if (status === 403 && wanted.every((one) => before.includes(one))) {
      const asked = shown(wanted.join(" "));
      const problem = `the scopes "${asked}" were asked for, and are not granted or not enough`;
      throw failed(problem, undefined, status);
    }
    const needed = challenge["scope"] !== undefined ? wanted : scope === undefined ? found.scopes : [];
    const all = new Set([...before, ...scopesOf(scope), ...needed]);
    const supported = asArray(found.metadata["scopes_supported"]);
    if (login && supported.includes("offline_access")) all.add("offline_access");
    return [...all];
  }

  /** Gets tokens: from the user, for an assertion, or for the client itself, as the options have it. */
  async #grant(grant: Grant): Promise<Granted> {
    const { assertion, client, login, clientMetadataUrl = "" } = this.#options;
    const { issuer, resource, scope, signal } = grant;
    if (login && !assertion) return await this.#askUser(grant);
    if (!assertion && client?.secret === undefined && client?.key === undefined) {
      throw failed("the server asks for it, and there is no login, and no client with a secret");
    }
    const form = {
      resource,
      scope,
      grant_type: assertion ? `${GRANTS}jwt-bearer` : "client_credentials",
      assertion: await assertion?.({ issuer, resource, scope, signal }),
    };
    return { body: await requestToken(grant, client ?? { id: clientMetadataUrl }, form) };
  }

  /** Lets the user sign in: the authorization code grant, with PKCE. */
  async #askUser(grant: Grant): Promise<Granted> {
    const { issuer, resource, scope, metadata } = grant;
    if (!asArray(metadata["code_challenge_methods_supported"]).includes("S256")) {
      throw failed(`"${shown(issuer)}" does not support PKCE with S256`);
    }
    const url = endpointOf(grant, "authorization");
    const login = await this.#options.login!(grant.signal);
    try {
      const { redirectUri } = login;
      const registered = await this.#register(grant, redirectUri);
      const verifier = randomText(), state = randomText();
      const parameters = compact({
        response_type: "code",
        client_id: registered.id,
        redirect_uri: redirectUri,
        state,
        code_challenge: await digest(verifier),
        code_challenge_method: "S256",
        resource,
        scope,
        prompt: grant.scopes.includes("offline_access") ? "consent" : undefined,
        dpop_jkt: grant.dpop?.thumbprint,
      });
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      const body = await requestToken(grant, registered, {
        resource,
        grant_type: "authorization_code",
        code: readCode(await login.open(url), state, issuer, metadata),
        redirect_uri: redirectUri,
        code_verifier: verifier,
      });
      const hasRegistered = !this.#options.client && registered.id !== this.#options.clientMetadataUrl;
      return { body, ...hasRegistered && { client: { ...registered, redirectUri } } };
    } finally {
      login.close?.();
    }
  }

  /** The client for an authorization server: the given one, one described by a document, or one registered before or now. */
  async #register(grant: Grant, redirectUri: string): Promise<Registration> {
    const { known, metadata, issuer } = grant;
    const { client, clientMetadataUrl, clientName = "MCP client" } = this.#options;
    if (client) return client;
    if (clientMetadataUrl !== undefined && metadata["client_id_metadata_document_supported"] === true) {
      return { id: clientMetadataUrl };
    }
    if (known.client?.redirectUri === redirectUri) return known.client;
    if (metadata["registration_endpoint"] === undefined) {
      throw failed(`"${shown(issuer)}" registers no clients itself: register one there, and give its id`);
    }
    const methods = ["none", "client_secret_basic", "client_secret_post"];
    const { protocol, hostname } = new URL(redirectUri);
    const supported = asArray(metadata["token_endpoint_auth_methods_supported"]);
    const url = endpointOf(grant, "registration");
    const { status, body = {} } = await send(grant, url, {
      client_name: clientName,
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: methods.find((one) => supported.includes(one)) ?? "none",
      application_type: protocol === "https:" && !isLoopback(hostname) ? "web" : "native",
    });
    const { client_id: id, client_secret: secret, token_endpoint_auth_method: authMethod } = body;
    if (status < 200 || status > 299 || typeof id !== "string") {
      throw refused(`${url.origin} does not register a client for "${shown(redirectUri)}"`, body, status);
    }
    return { id, secret: asString(secret), authMethod: asString(authMethod) };
  }
}

/** Where the other tokens come from: another request or process, a refresh, or a new grant. */
type Outcome = "changed" | "refreshed" | "granted";

/** Why other tokens are needed: the tokens that were `used`, and the response to them. */
interface Need {
  readonly used: Tokens | undefined;
  readonly challenge: Challenge;
  readonly status: number;
  readonly isRefreshed: boolean;
}

interface Grant extends Protection {
  readonly known: StoredAuthorization;
  /** `scopes`, with spaces between them; undefined for none. */
  readonly scope: string | undefined;
}

type Granted = { readonly body: JsonObject; readonly client?: NonNullable<StoredAuthorization["client"]> };

/** 256 bits that cannot be guessed. */
function randomText(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** The code in the URL that the user came back with, which must be for this request and from this issuer (RFC 9207). */
function readCode(answer: string | URL, state: string, issuer: string, metadata: JsonObject): string {
  const parameters = URL.parse(answer)?.searchParams ?? new URLSearchParams();
  const iss = parameters.get("iss");
  const isMissing = iss === null && metadata["authorization_response_iss_parameter_supported"] === true;
  if (parameters.get("state") !== state || isMissing || (iss !== null && iss !== issuer)) {
    throw failed("the user came back with a response that is not for this request, or not of this issuer");
  }
  const code = parameters.get("code");
  if (code !== null && !parameters.has("error")) return code;
  throw refused(`"${shown(issuer)}" gives no authorization`, Object.fromEntries(parameters));
}

/** Reads a token response. Throws when the token cannot be used; no message shows it. */
function readTokens(body: JsonObject, { scopes, refresh }: Tokens, dpop: Dpop | undefined): Tokens {
  const { access_token: access, token_type: type, refresh_token: renewed } = body;
  const kind = String(type).toLowerCase(), isBound = kind === "dpop";
  const isUsable = typeof access === "string" && /^[\x21-\x7e]+$/.test(access);
  if (!isUsable || (isBound ? !dpop : kind !== "bearer")) {
    throw failed("the authorization server gives a token that cannot be sent");
  }
  const key = isBound ? dpop!.thumbprint : undefined;
  return { access, refresh: asString(renewed) ?? refresh, scopes, key };
}

/**
 * Signs users in with a redirect to this machine: listens on a free port of 127.0.0.1 until they are back. Needs the
 * permission to listen there.
 *
 * @param show Called with the URL that the user has to open.
 */
export function loopbackLogin(show: (url: string) => void): (signal: AbortSignal) => Promise<Login> {
  return async (signal) => {
    const { loadNetwork } = await import("../../platform/load_network.ts");
    const network = await loadNetwork();
    const back = Promise.withResolvers<URL>();
    let expected: string | null = null;
    const where = { hostname: "127.0.0.1", port: 0, connect: () => () => {}, requestTimeoutMs: TIMEOUT_MS };
    const listening = await network.listenHttp(where, (exchange) => {
      // Not every target is one of a URL, such as "//".
      const url = URL.parse(exchange.target, "http://127.0.0.1");
      // Any page of the browser can send requests here; only the authorization server was told the state.
      const isBack = exchange.method === "GET" && url?.pathname === "/callback" &&
        url.searchParams.get("state") === expected;
      const fields = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
      const text = isBack ? "You can close this page, and return to the program." : "There is nothing here.";
      exchange.respond(isBack ? 200 : 404, { ...fields, "referrer-policy": "no-referrer" }, [text]);
      if (isBack) back.resolve(url);
    }).catch((cause) => {
      throw new AuthorizationError(`Cannot listen on 127.0.0.1 for the sign-in: ${shown(rootCause(cause))}`);
    });
    return {
      redirectUri: `http://127.0.0.1:${listening.port}/callback`,
      open(url) {
        expected = url.searchParams.get("state");
        show(url.href);
        return abortable(back.promise, signal);
      },
      close() {
        listening.stop();
        void listening.close(CLOSE_MS);
      },
    };
  };
}

/** Where an ID token is exchanged for an assertion. */
export interface IdentityOptions extends Pick<AuthorizationOptions, "fetch" | "timeoutMs"> {
  /** The token endpoint of the identity provider. */
  readonly tokenEndpoint: string;
  /** The client, as the identity provider knows it. */
  readonly client: Registration;
  /** Returns the ID token that the user has got from the identity provider. */
  readonly idToken: () => Awaitable<string>;
}

/**
 * The `assertion` of the extension Enterprise-Managed Authorization: exchanges the ID token of a user for an Identity Assertion
 * JWT Authorization Grant (ID-JAG).
 *
 * @throws {AuthorizationError} From requests: when the identity provider gives none.
 */
export function identityAssertion(
  { tokenEndpoint, client, idToken, fetch: given = fetch, timeoutMs = TIMEOUT_MS }: IdentityOptions,
): NonNullable<AuthorizationOptions["assertion"]> {
  return async ({ issuer, resource, scope, signal }) => {
    const form = {
      grant_type: `${GRANTS}token-exchange`,
      requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
      subject_token: await idToken(),
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      audience: issuer,
      resource,
      scope,
    };
    const metadata = { issuer: tokenEndpoint, token_endpoint: tokenEndpoint };
    const provider = { fetch: given, timeoutMs, allowLoopback: true, signal, metadata };
    const { access_token: assertion } = await requestToken(provider, client, form);
    if (typeof assertion === "string") return assertion;
    throw failed("the identity provider gives no assertion");
  };
}
