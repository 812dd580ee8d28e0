/** The server that has everything, over standard input and output. */

import { loadPlatform, protectOutput, stdioTransport } from "../../mod.ts";
import { createEverythingServer } from "./everything.ts";

protectOutput();
const platform = await loadPlatform();
const conversation = await createEverythingServer().connect(stdioTransport(platform));
platform.onInterrupt(() => conversation.end());
await conversation.closed;
