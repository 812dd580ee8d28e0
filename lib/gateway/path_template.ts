/**
 * How does a path come from its template? In one pass: what is inserted is encoded and never looked at again, and no
 * segment can become another one.
 */

import { ToolValidationError } from "../server/tool.ts";

/** A piece of a path: text as it is, or the name of a parameter. */
export type Piece = { readonly text: string } | { readonly name: string };

/** How often a text is decoded when dots are looked for: servers behind servers decode more than once. */
const MAX_DECODINGS = 5;

/**
 * Takes a template apart.
 *
 * @throws {SyntaxError} With a reason that completes the sentence "The path …".
 */
export function parsePath(template: string): readonly Piece[] {
  if (!template.startsWith("/")) throw new SyntaxError('must begin with "/"');
  if (/[?#]/.test(template)) throw new SyntaxError("must have no query and no fragment");
  if (/[\p{Cc}\\]/u.test(template)) throw new SyntaxError("holds a character that no path has");
  const pieces = template.split(/(\{[^{}]*\})/).filter((piece) => piece !== "").map((piece): Piece => {
    if (piece.startsWith("{")) return { name: piece.slice(1, -1) };
    if (/[{}]/.test(piece)) throw new SyntaxError("has a brace without its other one");
    return { text: encodeLiteral(piece) };
  });
  const names = namesOf(pieces);
  if (names.includes("")) throw new SyntaxError("has a parameter without a name");
  if (new Set(names).size < names.length) throw new SyntaxError("has a parameter twice");
  const segments = pieces.map((piece) => "text" in piece ? piece.text : "x").join("").split("/");
  if (segments.some(isDots)) throw new SyntaxError('must have no segment "." or ".."');
  return Object.freeze(pieces);
}

/** The names of the parameters of a path, in order. */
export function namesOf(pieces: readonly Piece[]): string[] {
  return pieces.flatMap((piece) => "name" in piece ? [piece.name] : []);
}

/**
 * Fills in a template.
 *
 * @param write The encoded text of a parameter.
 * @throws {ToolValidationError} When a value would be nothing, or lead out of its segment.
 */
export function fillPath(pieces: readonly Piece[], write: (name: string) => string): string {
  const path = pieces.map((piece) => {
    if ("text" in piece) return piece.text;
    const text = write(piece.name);
    if (text === "") throw new ToolValidationError(`${piece.name}: an empty text cannot be a part of a path`);
    if (leadsOut(text)) {
      throw new ToolValidationError(
        `${piece.name}: "." and ".." cannot be a part of a path, however they are written`,
      );
    }
    return text;
  }).join("");
  // A value can make dots of what is around it: "{id}." with "." for the id.
  if (path.split("/").some(leadsOut)) {
    throw new ToolValidationError('The path would have a segment "." or ".."');
  }
  return path;
}

/** Whether a server that decodes once more than it should would find a segment of dots in a text. */
function leadsOut(text: string): boolean {
  let seen = text;
  for (let times = 0; times <= MAX_DECODINGS; times++) {
    if (seen.split(/[/\\]/).some((part) => isDots(part.replace(/;.*$/s, "")))) return true;
    const next = seen.replace(/%(?:2e|2f|5c|25|3b)/gi, decodeURIComponent);
    if (next === seen) return false;
    seen = next;
  }
  // Encoded more often than anybody means it.
  return true;
}

function isDots(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment);
}

/** Text of a template, with everything encoded that has no place in a path; what is encoded already stays so. */
function encodeLiteral(text: string): string {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) throw new SyntaxError("has a percent sign that encodes nothing");
  return text.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/gu, encodeURIComponent);
}
