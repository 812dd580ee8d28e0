/** The lines of a text. */

/** How much of a line, or of a value of the front matter, is read, in UTF-16 units: limits the cost of a hostile document. */
export const MAX_LINE = 2000;

/** The lines of a text without their ends: LF, CRLF or CR. */
export function toLines(text: string): string[] {
  return text.split(text.includes("\r") ? /\r\n|\n|\r/ : "\n");
}

/** The lines with their ends. A text that ends with a line end has no empty last line. */
export function toRawLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
}
