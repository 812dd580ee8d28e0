/** How servers on standard input talk to a person at a terminal. */

import type { ByteChannel, Platform } from "../platform/platform.ts";
import { VERSION } from "./this_copy.ts";

const END_KEYS = "Ctrl-D (on Windows Ctrl-Z and Enter)";
const NO_MESSAGE =
  `architrave: This is not an MCP message, and only MCP clients are answered here; press ${END_KEYS} to end, and ` +
  "run list, search or --help instead.\n";

/** What a server says to a person who started it at a terminal. */
export function greeting(what: string): string {
  return `architrave ${VERSION} serves ${what} and waits for an MCP client on standard input. Press ${END_KEYS} to end it; ` +
    "run it with --help to see commands for people.\n";
}

/** The standard streams of a terminal: a typed line that is not a message is answered with a sentence. */
export function typedStreams(platform: Platform): Pick<Platform, "standardStreams"> {
  const streams = platform.standardStreams();
  // A pasted message may come in several pieces.
  let isInside = false;
  const open: ByteChannel["open"] = ({ data, ...others }) =>
    streams.open({
      ...others,
      data(chunk) {
        const isMessage = isInside || /^\s*(?:[[{]|$)/.test(new TextDecoder().decode(chunk));
        isInside = isMessage && chunk.at(-1) !== 0x0a;
        if (isMessage) data(chunk);
        else platform.print("error", NO_MESSAGE);
      },
    });
  return { standardStreams: () => ({ ...streams, open }) };
}
