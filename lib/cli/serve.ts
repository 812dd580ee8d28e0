/** The command serve: documents and prompts for one client, over standard input and output. */

import type { Platform } from "../platform/platform.ts";
import type { Options } from "./options.ts";
import { nextTurn } from "../base/async.ts";
import { assemble } from "./documents_server.ts";
import { createLog } from "./log.ts";
import { serveStdio } from "./stdio.ts";

/** Time between the first answer and the reading of prompts, in milliseconds. */
const PROMPTS_AFTER_MS = 100;

export async function serve(platform: Platform, options: Options): Promise<number> {
  const log = createLog(platform, options);
  // After the handshake, clients ask for documents, and then for prompts. An answer is sent before the next files are read.
  const readAhead = async () => {
    await nextTurn();
    await documents.ready();
    await nextTurn();
    setTimeout(() => void ready(), PROMPTS_AFTER_MS);
  };
  const onhandshake = () => void readAhead();
  const { server, documents, folders, ready } = await assemble(platform, options, log, { onhandshake });
  return await serveStdio(platform, server, log, async () => {
    await documents.ready();
    const { servedText } = await import("./folder_text.ts");
    return servedText(folders, documents.store.catalogue.documents.length);
  });
}
