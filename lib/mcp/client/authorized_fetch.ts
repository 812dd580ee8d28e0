/** A `fetch` that obtains tokens, sends them, and renews them. */

import type { JsonObject } from "../../base/json.ts";
import type { AuthorizationOptions, StoredAuthorization, Tokens } from "./authorization_options.ts";
import type { Protection } from "./authorization_server.ts";
import type { AuthorizationChallenge } from "./challenge.ts";
import type { Dpop } from "./dpop.ts";
import type { HttpOptions } from "./http.ts";
import type { Registration } from "./token_request.ts";
import { abortable, onceDone } from "../../base/async.ts";
import { withDeadline } from "../../base/deadline.ts";
import { toBase64Url } from "../../base/base64.ts";
import { isLoopback, isPrivate } from "../../base/hosts.ts";
import { asArray, asString, compact } from "../../base/json.ts";
import { discardBody } from "../../base/responses.ts";
import { AuthorizationError, failed, forMessage, refused } from "./authorization_errors.ts";
import { checkedUrl, covers, DEFAULT_TIMEOUT_MS, discover, endpointOf } from "./authorization_server.ts";
import { requestJson } from "./authorization_server.ts";
import { readChallenge, scopesOf } from "./challenge.ts";
import { createDpop, digest } from "./dpop.ts";
import { GRANT_TYPE_PREFIX, requestToken } from "./token_request.ts";

/** The maximum number of times that one request is sent, each time with another token, scope or nonce. */
const MAX_SENDS = 6;
/** The maximum number of new authorizations for one request. */
const MAX_GRANTS = 2;
/** The default timeout of a whole authorization, in milliseconds. */
const LOGIN_TIMEOUT_MS = 300_000;

/**
 * Makes a `fetch` for `httpTransport` that obtains tokens when the server requires them, and renews them. The tokens are sent
 * only to this server. Its URL must be https, or have a loopback address.
 *
 * Needs the permission to connect to the authorization server.
 *
 * @param server The endpoint, as for `httpTransport`.
 * @throws {AuthorizationError} When tokens must not be sent to the URL. The returned `fetch` throws it when there is no token.
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

/** Holds the tokens for one server. */
class Authorizer {
  readonly #server: URL;
  readonly #options: AuthorizationOptions;
  readonly #fetch: NonNullable<HttpOptions["fetch"]>;
  #known: StoredAuthorization | undefined;
  readonly #ready = onceDone(() => this.#load());
  /** The running authorization. All requests that need one wait for it. */
  #running: Promise<Outcome> | undefined;
  #dpop: Dpop | undefined;

  constructor(server: URL, options: AuthorizationOptions) {
    this.#server = server;
    this.#options = options;
    this.#fetch = options.fetch ?? fetch;
  }

  /** Sends a request with a token. If it is refused, obtains another token and sends the request again. */
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
      // The request that ends a session does not lead to a sign-in, because the server will drop the session anyway.
      const isRefused = [401, 403].includes(status) && init.method !== "DELETE";
      if (!isOurs || !isRefused || sends === MAX_SENDS) return response;
      const challenge = readChallenge(headers.get("www-authenticate"));
      const isNonce = challenge["error"] === "use_dpop_nonce";
      const isScope = challenge["error"] === "insufficient_scope" && challenge["scope"] !== undefined;
      // If a new token is refused, another one would be refused too, unless it has other scopes.
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

  /** Returns the tokens if they are for this URL. A redirect may lead to another resource of the same origin. */
  #tokensFor(url: URL): Tokens | undefined {
    const { resource = "", tokens } = this.#known ?? {};
    if (!tokens || url.origin !== this.#server.origin || !covers(resource, url)) return undefined;
    // If another process has stored bound tokens, only that process has their key.
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

  /** Replaces insufficient tokens, once for all requests that wait for new ones. */
  #authorize(need: Need): Promise<Outcome> {
    if (this.#running) return this.#running.then(() => "changed");
    if (this.#tokensFor(this.#server)?.access !== need.used?.access) return Promise.resolve("changed");
    const { loginTimeoutMs: ms = LOGIN_TIMEOUT_MS } = this.#options;
    const run = (signal: AbortSignal) => abortable(this.#run(need, signal), signal);
    return this.#running = withDeadline(ms, failed(`it took longer than ${ms} ms`), undefined, run)
      .finally(() => this.#running = undefined);
  }

  /** Refreshes the token, or obtains a new one. */
  async #run(need: Need, signal: AbortSignal): Promise<Outcome> {
    const { used, challenge, status, isRefreshed } = need;
    // Another process may have stored new tokens.
    await this.#load();
    if (this.#tokensFor(this.#server)?.access !== used?.access) return "changed";
    const { client: given, timeoutMs = DEFAULT_TIMEOUT_MS, clientMetadataUrl = "", dpop } = this.#options;
    const allowLoopback = isLoopback(this.#server.hostname);
    const allows = (url: URL) => this.#allows(url);
    const access = { fetch: this.#fetch, timeoutMs, allowLoopback, allows, signal };
    const found = await discover(access, this.#server, challenge, given?.issuer ?? this.#known?.issuer);
    const { issuer, resource } = found;
    // A given client without an issuer belongs to the first issuer that was used.
    const belongsTo = given?.issuer ?? (given && this.#known?.issuer) ?? issuer;
    if (belongsTo !== issuer) {
      const [ours, theirs] = [belongsTo, issuer].map(forMessage);
      throw failed(`the client belongs to "${ours}", but the server requires "${theirs}"`);
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

  /**
   * Returns the scopes to request: earlier ones, and those of the options and of the challenge. If the options and the challenge
   * have none, those of the resource are requested.
   */
  #scopes(found: Protection, before: readonly string[], { challenge, status }: Need): readonly string[] {
    const { scope, login } = this.#options;
    const wanted = scopesOf(challenge["scope"]);
    if (status === 403 && wanted.every((one) => before.includes(one))) {
      const requested = forMessage(wanted.join(" "));
      const problem = `the scopes "${requested}" were requested, but were not granted or are not sufficient`;
      throw failed(problem, undefined, status);
    }
    const needed = challenge["scope"] !== undefined ? wanted : scope === undefined ? found.scopes : [];
    const all = new Set([...before, ...scopesOf(scope), ...needed]);
    const supported = asArray(found.metadata["scopes_supported"]);
    if (login && supported.includes("offline_access")) all.add("offline_access");
    return [...all];
  }

  /** Whether a URL may be requested: a public server must not lead into the network of the user. */
  async #allows({ origin, hostname }: URL): Promise<boolean> {
    const { client, fetch } = this.#options;
    if (origin === this.#server.origin || origin === URL.parse(client?.issuer ?? "")?.origin) return true;
    // A custom function may find other hosts, such as through a proxy.
    const isInside = fetch ? isPrivate : (await import("../../platform/addresses.ts")).leadsInside;
    return !await isInside(hostname) || await isInside(this.#server.hostname);
  }

  /** Throws unless the user has named, confirmed or used the issuer that gets the secret of the client. */
  async #confirm(issuer: string): Promise<void> {
    const { client, confirmIssuer } = this.#options;
    if (client?.secret === undefined || client.issuer !== undefined || this.#known?.issuer === issuer) return;
    if (await confirmIssuer?.(issuer)) return;
    const where = `"${forMessage(issuer)}", which the server has named`;
    throw failed(`the client's secret is not sent to ${where}: if it belongs there, pass it with --issuer`);
  }

  /** Requests tokens: with a sign-in, an assertion, or the secret or key of the client. */
  async #grant(grant: Grant): Promise<Granted> {
    const { assertion, client, login, clientMetadataUrl = "" } = this.#options;
    const { issuer, resource, scope, signal } = grant;
    // Before the user signs in.
    await endpointOf(grant, "token");
    await this.#confirm(issuer);
    if (login && !assertion) return await this.#askUser(grant);
    if (!assertion && client?.secret === undefined && client?.key === undefined) {
      throw failed("the server requires it, and the options have neither a login nor a client with a secret");
    }
    const form = {
      resource,
      scope,
      grant_type: assertion ? `${GRANT_TYPE_PREFIX}jwt-bearer` : "client_credentials",
      assertion: await assertion?.({ issuer, resource, scope, signal }),
    };
    return { body: await requestToken(grant, client ?? { id: clientMetadataUrl }, form) };
  }

  /** Lets the user sign in, with the authorization code grant and PKCE. */
  async #askUser(grant: Grant): Promise<Granted> {
    const { issuer, resource, scope, metadata } = grant;
    if (!asArray(metadata["code_challenge_methods_supported"]).includes("S256")) {
      throw failed(`"${forMessage(issuer)}" does not support PKCE with S256`);
    }
    const url = await endpointOf(grant, "authorization");
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

  /** Returns the client: the given one, one with a metadata document, or one that has registered itself before or does so now. */
  async #register(grant: Grant, redirectUri: string): Promise<Registration> {
    const { known, metadata, issuer } = grant;
    const { client, clientMetadataUrl, clientName = "MCP client" } = this.#options;
    if (client) return client;
    if (clientMetadataUrl !== undefined && metadata["client_id_metadata_document_supported"] === true) {
      return { id: clientMetadataUrl };
    }
    if (known.client?.redirectUri === redirectUri) return known.client;
    if (metadata["registration_endpoint"] === undefined) {
      const problem = "does not let clients register themselves: register one there, and pass its id";
      throw failed(`"${forMessage(issuer)}" ${problem}`);
    }
    const methods = ["none", "client_secret_basic", "client_secret_post"];
    const { protocol, hostname } = new URL(redirectUri);
    const supported = asArray(metadata["token_endpoint_auth_methods_supported"]);
    const url = await endpointOf(grant, "registration");
    const { status, body = {} } = await requestJson(grant, url, {
      client_name: clientName,
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: methods.find((one) => supported.includes(one)) ?? "none",
      application_type: protocol === "https:" && !isLoopback(hostname) ? "web" : "native",
    });
    const { client_id: id, client_secret: secret, token_endpoint_auth_method: authMethod } = body;
    if (status < 200 || status > 299 || typeof id !== "string") {
      const problem = `does not register a client for "${forMessage(redirectUri)}"`;
      throw refused(`${url.origin} ${problem}`, body, status);
    }
    return { id, secret: asString(secret), authMethod: asString(authMethod) };
  }
}

/** How the tokens were replaced: by another request or process, by a refresh, or by a new grant. */
type Outcome = "changed" | "refreshed" | "granted";

/** Why other tokens are needed: the tokens that were used, and the response. */
interface Need {
  readonly used: Tokens | undefined;
  readonly challenge: AuthorizationChallenge;
  readonly status: number;
  readonly isRefreshed: boolean;
}

/** What tokens are requested for. */
interface Grant extends Protection {
  readonly known: StoredAuthorization;
  /** The scopes, separated by spaces; undefined for no scopes. */
  readonly scope: string | undefined;
}

/** A token response, and the client if it has registered itself. */
type Granted = { readonly body: JsonObject; readonly client?: NonNullable<StoredAuthorization["client"]> };

/** Returns 256 random bits. */
function randomText(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** Returns the code in the URL of the redirect. It must belong to this request and come from this issuer (RFC 9207). */
function readCode(answer: string | URL, state: string, issuer: string, metadata: JsonObject): string {
  const parameters = URL.parse(String(answer))?.searchParams ?? new URLSearchParams();
  const iss = parameters.get("iss");
  const isMissing = iss === null && metadata["authorization_response_iss_parameter_supported"] === true;
  if (parameters.get("state") !== state || isMissing || (iss !== null && iss !== issuer)) {
    throw failed("the redirect does not belong to this request or does not come from this issuer");
  }
  const code = parameters.get("code");
  if (code !== null && !parameters.has("error")) return code;
  throw refused(`"${forMessage(issuer)}" did not authorize the client`, Object.fromEntries(parameters));
}

/** Reads a token response. Throws if the token cannot be used. The message does not contain the token. */
function readTokens(body: JsonObject, { scopes, refresh }: Tokens, dpop: Dpop | undefined): Tokens {
  const { access_token: access, token_type: type, refresh_token: renewed } = body;
  const kind = String(type).toLowerCase(), isBound = kind === "dpop";
  const isUsable = typeof access === "string" && /^[\x21-\x7e]+$/.test(access);
  if (!isUsable || (isBound ? !dpop : kind !== "bearer")) {
    throw failed("the authorization server issued a token that cannot be sent");
  }
  const key = isBound ? dpop!.thumbprint : undefined;
  return { access, refresh: asString(renewed) ?? refresh, scopes, key };
}
