/**
 * The parts that this copy of the program has. The command vendor writes this file anew where it copies only some: without "search"
 * there are no tools, without "commands" only serve and `vendor --check`.
 */
export const PARTS: readonly string[] = ["serve", "search", "commands"];
