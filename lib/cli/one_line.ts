/** How is text of documents shown on a terminal? On one line, with nothing in it that would steer the terminal. */

/** Spells out what would end the line or steer a terminal: names of files and texts of documents may hold anything. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    return `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}
