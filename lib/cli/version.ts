/** The version of this module, the same as in `deno.json` and `package.json`. */
export const VERSION = "0.2.0";
