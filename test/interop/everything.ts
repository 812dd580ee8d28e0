/**
 * Can everything that the official conformance suite wants of a server be said with the public API? One server that has it
 * all; how it is reached is for others to say.
 */

import type { Server } from "../../lib/server/mod.ts";
import { createServer } from "../../lib/server/mod.ts";
import { Bell, everyPrompt, everyResource } from "./everything_prompts.ts";
import { askingTools } from "./everything_questions.ts";
import { plainTools } from "./everything_tools.ts";

/** A server that has everything. */
export function createEverythingServer(): Server {
  const prompts = new Bell();
  return createServer({
    info: { name: "architrave-everything", version: "1.0.0", title: "Everything" },
    instructions: "A server for tests.",
    logging: true,
    resources: [everyResource(new Bell())],
    prompts: [everyPrompt(prompts)],
    tools: [...plainTools(prompts), ...askingTools],
  });
}
