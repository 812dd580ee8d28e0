/** How is one client served over standard input and output? */

import type { Platform } from "../../deps.ts";
import type { Assembly } from "./assemble.ts";
import type { Options } from "./options.ts";
import { protectOutput, stdioTransport } from "../transport/stream.ts";
import { assemble, describe } from "./assemble.ts";
import { createLog } from "./log.ts";
import { VERSION } from "./version.ts";

/** Serves until the client closes its side, or is gone; 0 is the exit code. */
export async function serve(platform: Platform, options: Options, root: string): Promise<number> {
  const log = createLog(platform, options.logLevel ?? "warning", options.logFormat);
  let warmed = false;
  const onanswer = () => {
    if (warmed) return;
    warmed = true;
    // After the first answer is on its way: the client will ask for documents next, and nothing waited for them.
    setTimeout(() => void assembly.documents.ready()?.then(() => assembly.prompts.ready?.()), 0);
  };
  const assembly: Assembly = assemble(platform, options, root, log, { onanswer });
  protectOutput();
  platform.onUncaught((cause) => log.write("error", `Nothing caught: ${describe(cause)}`));
  const peer = await assembly.server.connect(stdioTransport(platform));
  platform.onInterrupt(() => peer.end());
  if (platform.interactive) await greet(platform, assembly, root);
  await peer.closed;
  return 0;
}

async function greet(platform: Platform, { documents }: Assembly, root: string): Promise<void> {
  await documents.ready();
  const { shelf } = documents.room;
  platform.print(
    "error",
    `architrave ${VERSION} serves ${shelf.catalogue.documents.length} documents from ${root} and waits for an MCP ` +
      `client on standard input. Ctrl-D ends it; "list" and "--help" are for people.\n`,
  );
}
