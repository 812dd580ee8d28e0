/** What this copy of the program is. */

/** The version of this module, the same as in `deno.json` and `package.json`. */
export const VERSION = "0.2.0";

/**
 * The parts that this copy has. `vendor` changes this line in a copy of some parts. Without "search" there are no tools; without
 * "commands" there are only serve and `vendor --check`.
 */
export const PARTS: readonly string[] = ["serve", "search", "commands"];
