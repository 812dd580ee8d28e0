/** The command page: the documents as pages for a browser on this machine, until a signal ends the process. */

import type { Platform } from "../platform/platform.ts";
import type { JsonObject } from "../base/json.ts";
import type { Options } from "./options.ts";
import { isLoopback } from "../base/hosts.ts";
import { reasonOf } from "../base/text.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { Model } from "../pages/model.ts";
import { servePage } from "../pages/server.ts";
import { startProgram } from "../platform/program.ts";
import { assemble } from "./documents_server.ts";
import { UsageError } from "./options.ts";
import { foldersText, sampleNote } from "./folder_text.ts";
import { callDocumentTool, connectTo } from "./in_memory.ts";
import { readAddress, started } from "./listening.ts";
import { createLog } from "./log.ts";
import { findProblems } from "./problems.ts";
import { readRepository } from "./repository.ts";

export async function page(platform: Platform, options: Options): Promise<number> {
  const log = createLog(platform, options);
  const address = readAddress(options.get("listen") ?? "127.0.0.1:8090");
  if (!isLoopback(address.hostname)) {
    const reason = "others could read all documents; use 127.0.0.1";
    throw new UsageError(`Cannot show the page on ${address.hostname}: ${reason}`);
  }
  const { server, documents, folders, ready } = await assemble(platform, options, log);
  platform.onUncaught(log.uncaught);
  const client = await connectTo(server), { files } = platform;
  const repository = readRepository(files, options, folders);
  let model: Model | undefined, tell = () => {};
  const current = async (): Promise<Model> => {
    await documents.ready();
    const { store } = documents;
    const today = new Date().toISOString().slice(0, 10);
    if (model?.catalogue === store.catalogue && model.options.today === today) return model;
    const check = async () => {
      const { findings } = await findProblems(platform, options, store, folders);
      // Pages that did not wait for them show them now.
      setTimeout(() => tell());
      return findings;
    };
    return model = new Model(store, { files, repository, check, today, note: sampleNote(folders) });
  };
  const starting = servePage({
    ...address,
    model: current,
    callTool: (name, args) =>
      callDocumentTool<JsonObject | string>(client, name, args).catch((cause: unknown) => {
        if (cause instanceof RpcError) return cause.message;
        throw cause;
      }),
    onerror: (cause) => log.failure(cause),
  });
  const does = `shows ${foldersText(folders)}`;
  const { server: listening, interrupted } = await started(platform, address, does, starting);
  const stop = documents.watch!(tell = listening.changed);
  // The index and the links are made now, so that the first search and the first document do not wait for them.
  void ready().then(() => client.call("tools/list")).then(current).then(({ backlinks }) => backlinks)
    .catch(log.failure);
  if (options.has("open")) {
    void openBrowser(platform, listening.url).catch((cause) =>
      log.write("warning", `Cannot open a browser: ${reasonOf(cause)}; open ${listening.url} yourself`)
    );
  }
  await interrupted;
  stop();
  await listening.close();
  await client.close();
  log.end();
  return 0;
}

/** Opens an address in the browser of the system. Rejects when no program can do it. */
async function openBrowser({ files }: Platform, url: string): Promise<void> {
  const commands = files.separator === "\\" ? ["rundll32 url.dll,FileProtocolHandler"] : ["xdg-open", "open"];
  const failures: string[] = [];
  for (const [command = "", ...args] of commands.map((line) => line.split(" "))) {
    try {
      const program = await startProgram({ command, args: [...args, url], onstderr: () => {} });
      program.open({ data() {}, end() {}, error() {} });
      program.close();
      const code = await program.exited;
      if (code === 0) return;
      failures.push(`${command} ended with ${code}`);
    } catch (cause) {
      failures.push(`${command}: ${reasonOf(cause)}`);
    }
  }
  throw new Error(failures.join("; "));
}
