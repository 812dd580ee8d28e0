/** How does the real nginx run with the configuration that is shipped? As it stands, but for where it and the replicas listen. */

import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { Daemon, freePort, whyMissing, workFolder } from "./daemon.ts";
import { REPOSITORY } from "./runtimes.ts";

/** Debian has it where the paths of other users than root do not lead. */
const NGINX = process.env["INTEROP_NGINX"] ?? "/usr/sbin/nginx";

/** Why its tests are skipped; false when it is there. */
export const NO_NGINX: string | false = whyMissing(NGINX, "nginx-light");

/** The configuration that is shipped. */
export const SHIPPED: string = readFileSync(
  `${REPOSITORY}test/deploy/nginx.conf`,
  "utf8",
);

/** Starts it before replicas at these ports. */
export async function startNginx(
  replicas: readonly number[],
  configuration: string = SHIPPED,
): Promise<{ readonly url: string; readonly daemon: Daemon }> {
  const folder = workFolder();
  const port = await freePort();
  const ports = new Map([
    [8080, port],
    ...replicas.map((replica, index) => [8081 + index, replica] as const),
  ]);
  const text = configuration.replaceAll(
    /(listen|server) 127\.0\.0\.1:(808\d)/g,
    (_, word: string, shipped: string) => `${word} 127.0.0.1:${ports.get(Number(shipped))}`,
  );
  writeFileSync(`${folder}/nginx.conf`, text);
  const daemon = new Daemon(NGINX, [
    "-p",
    folder,
    "-c",
    `${folder}/nginx.conf`,
    "-g",
    "daemon off;",
  ], folder);
  const url = `http://127.0.0.1:${port}`;
  await daemon.until(async () => (await fetch(`${url}/healthz`)).ok);
  return { url, daemon };
}
