/** The command http: documents and prompts for many clients, until a signal ends the process. */

import type { Platform } from "../platform/platform.ts";
import type { Options } from "./options.ts";
import { isLoopback } from "../base/hosts.ts";
import { compact, visibleJson } from "../base/json.ts";
import { attempt } from "../base/text.ts";
import { canBeHost, canBeOrigin, LOOPBACK_HOSTS } from "../mcp/http/checks.ts";
import { listenHttp } from "../mcp/http/listen.ts";
import { bracketed } from "../platform/tcp.ts";
import { assemble } from "./documents_server.ts";
import { UsageError } from "./options.ts";
import { foldersText } from "./folder_text.ts";
import { readAuthentication, readKeys, readScopes } from "./http_access.ts";
import { readAddress, started } from "./listening.ts";
import { createLog } from "./log.ts";

export async function http(platform: Platform, options: Options): Promise<number> {
  const log = createLog(platform, options);
  const address = readAddress(options.get("listen") ?? "127.0.0.1:8080"), { hostname } = address;
  const [scraping] = options.list("metrics").map((text) => readAddress(text, "--metrics"));
  const { supported, all: requiredScopes, ...policy } = readScopes(options);
  const wrong = findMisuse(options, hostname);
  if (wrong !== undefined) throw new UsageError(wrong);
  const authenticate = await readAuthentication(platform, options, log);
  const keyFile = options.get("key-file"), resource = options.get("resource");
  const keys = keyFile === undefined ? undefined : readKeys(platform, keyFile);
  const metrics = scraping && new (await import("./http_metrics.ts")).Metrics(),
    onmeasure = metrics?.onmeasure;
  const more = compact({ keys, scopes: supported.length > 0 ? policy : undefined, onmeasure });
  const { server, documents, folders, ready } = await assemble(platform, options, log, more);
  platform.onUncaught(log.uncaught);
  const names = [...LOOPBACK_HOSTS, bracketed(hostname), ...options.list("allow-host")];
  const origins = options.list("allow-origin"), servers = options.list("authorization-server");
  const starting = listenHttp(server, {
    ...address,
    allowUnauthenticated: options.has("allow-unauthenticated"),
    allowedHosts: resource === undefined ? names : [...names, new URL(resource).host],
    allowedOrigins: origins,
    cors: origins.length > 0,
    requiredScopes,
    ...compact({ authenticate, maxFailures: options.get<number>("max-failures") }),
    ...resource !== undefined && {
      resourceMetadata: {
        resource,
        authorization_servers: servers.length > 0 ? servers : [options.get("issuer")!],
        scopes_supported: supported,
      },
    },
    ...options.has("audit-log") && {
      onaudit: (entry) => platform.print("error", `${visibleJson({ level: "audit", ...entry })}\n`),
    },
    onrefused: (message) => log.write("warning", message),
    ready: () => ready().then(() => true),
    onerror: (cause) => log.failure(cause),
  });
  const does = `serves ${foldersText(folders)}`;
  const { server: listening, interrupted } = await started(platform, address, does, starting);
  const sizes = () => documents.store.catalogue.documents.map(({ status: { size } }) => size);
  const serving = metrics?.serve(scraping!, () => metrics.text(listening.usage, attempt(sizes) ?? []));
  const scraped = serving && await started(platform, scraping!, "serves metrics", serving, "--metrics");
  // Index now, so that the first client does not wait for it.
  void ready().then(() => {
    const { categories } = documents.store.catalogue;
    for (const name of Object.keys(policy.categories)) {
      if (!categories.includes(name)) log.write("warning", `--require-scope: there is no category ${name}`);
    }
  }, log.failure);
  await interrupted;
  platform.print("error", "architrave: stopping\n");
  const givenUp = await listening.close();
  await scraped?.server.close();
  log.end();
  platform.print("error", "architrave: stopped\n");
  return givenUp > 0 ? 1 : 0;
}

/** Why the options cannot be used, or not together; undefined when they can be. */
function findMisuse(options: Options, hostname: string): string | undefined {
  const tokenFile = options.get("token-file"), jwks = options.get("jwks");
  const issuer = options.get("issuer"), resource = options.get("resource");
  const audience = options.get("audience"), auditLog = options.get("audit-log") ?? "stderr";
  const isOpen = tokenFile === undefined && jwks === undefined;
  // A name that no request can have would silently refuse every client.
  const host = options.list("allow-host").find((name) => !canBeHost(name));
  const origins = options.list("allow-origin"), origin = origins.find((name) => !canBeOrigin(name));
  const isMisuse: Record<string, boolean> = {
    [`Cannot listen on ${hostname} without --token-file or --jwks: others can connect; --allow-unauthenticated lets all of them in`]:
      isOpen && !isLoopback(hostname) && !options.has("allow-unauthenticated"),
    "--allow-origin * lets every web page in: name the origins, or use --token-file or --jwks": isOpen &&
      origins.includes("*"),
    "--require-scope needs --token-file or --jwks": isOpen && options.has("require-scope"),
    "--issuer and --audience need --jwks": jwks === undefined && (issuer ?? audience) !== undefined,
    "--token-file and --jwks exclude each other": jwks !== undefined && tokenFile !== undefined,
    "--jwks needs --issuer, and --resource or --audience: tokens of others, or for others, are not accepted":
      jwks !== undefined && (issuer === undefined || (audience ?? resource) === undefined),
    [`--resource takes a URL without #: https://docs.example.com/mcp, not "${resource}"`]:
      resource !== undefined && !(/^https?:[^#]+$/i.test(resource) && URL.canParse(resource)),
    "--resource and --authorization-server need each other": jwks === undefined &&
      (resource !== undefined) !== options.has("authorization-server"),
    [`--allow-host takes a name, with or without a port: docs.example.com, not "${host}"`]:
      host !== undefined,
    [`--allow-origin takes an origin as browsers send it: https://app.example.com, not "${origin}"`]:
      origin !== undefined,
    [`--audit-log takes stderr, which can be redirected to a file, not "${auditLog}"`]: auditLog !== "stderr",
  };
  return Object.keys(isMisuse).find((sentence) => isMisuse[sentence]);
}
