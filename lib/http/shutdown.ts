/** How does the end come? Streams end with a word, requests get the time to be answered, and then nothing is left. */

import type { House } from "./house.ts";
import { stopNotices } from "./notices.ts";

/** How often it is looked whether everything is answered, in milliseconds. */
const LOOK_MS = 20;

/** Ends everything; settles when nothing is open any more. */
export async function shutDown(house: House): Promise<void> {
  house.clients.endStreams();
  for (const session of house.sessions.atHand) stopNotices(house, session);
  const deadline = performance.now() + house.options.graceMs;
  while (house.calls.size > 0 && performance.now() < deadline) await pause(LOOK_MS);
  for (const call of house.calls) call.cancel("The server is about to end");
  // What was written last has to leave.
  await pause(0);
  house.streams.cutAll();
  house.patience.stop();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
