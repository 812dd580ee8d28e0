/**
 * URI templates of RFC 6570, levels 1 to 3, in reverse: finds the values that expand to a URI.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6570
 */

import { uriDecoded } from "../base/text.ts";

/**
 * The decoded values of the variables that occur in the URI. The type of a literal template says which: only the first variable of
 * an expression that starts directly with its value always occurs, such as `a` in `{a,b}{?c}`.
 */
export type TemplateValues<Template extends string = string> = string extends Template
  ? Readonly<Record<string, string>>
  : Template extends `${string}{${infer All}}${infer Rest}`
    ? All extends `${"#" | "." | "/" | ";" | "?" | "&"}${infer Names}`
      ? Names extends `${infer Name},${infer Others}`
        ? { readonly [Key in Name]?: string } & TemplateValues<`{;${Others}}${Rest}`>
      : { readonly [Key in Names]?: string } & TemplateValues<Rest>
    : All extends `+${infer Names}` ? TemplateValues<`{${Names}}${Rest}`>
    : All extends `${infer Name},${infer Others}`
      ? { readonly [Key in Name]: string } & TemplateValues<`{;${Others}}${Rest}`>
    : { readonly [Key in All]: string } & TemplateValues<Rest>
  : Readonly<Record<never, never>>;

const MAX_URI = 8192;

const VARIABLE = /^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*$/;
const UNRESERVED = "A-Za-z0-9._~%-";
const RESERVED = /[A-Za-z0-9._~%:/?#[\]@!$&'()*+,;=-]/;
/** Characters that RFC 6570 encodes, but `encodeURIComponent` does not. */
const LEFT_PLAIN = "!'()*";
/** What may follow name-value pairs: a character that is not part of an encoded value, or the end. */
const AFTER_PAIRS = /^(?:[:/?#[\]@$&+,;]|$)/;

/** By operator: the prefix of the first variable, the prefix of the others, and the characters of values or pairs. */
const OPERATORS: Readonly<Record<string, readonly [first: string, other: string, characters?: RegExp]>> = {
  "": ["", ","],
  "+": ["", ",", RESERVED],
  "#": ["#", ",", RESERVED],
  ".": [".", "."],
  "/": ["/", "/"],
  ";": [";", ";", /[^#/?]/],
  "?": ["?", "&", /[^#]/],
  "&": ["&", "&", /[^#]/],
};

/** A part of a template: a literal text, a value with its prefix, or name-value pairs in any order. */
interface Part {
  readonly prefix: string;
  readonly variables: readonly string[];
  /** The allowed characters after the prefix; undefined for a literal text. */
  readonly characters?: RegExp;
  /** The separator of pairs; undefined for other parts. */
  readonly separator?: string;
  /** The index of the part that follows if this one is missing; undefined if it is required. */
  readonly otherwise?: number | undefined;
}

/** A parsed template. */
export interface UriTemplate {
  readonly variables: readonly string[];
  /** The values that expand the template to a URI; undefined if it does not match. */
  match(uri: string): TemplateValues | undefined;
}

/** Parses a template. @throws {TypeError} When it is invalid or uses level 4. */
export function uriTemplate(text: string): UriTemplate {
  const parts: Part[] = [];
  const invalid = (reason: string) => new TypeError(`Cannot read the URI template "${text}": ${reason}`);
  // Characters that the template itself uses must be encoded in values.
  const own = text.replaceAll(/\{[^{}]*\}/g, "");
  const plain = [...LEFT_PLAIN].filter((character) => !own.includes(character)).join("");
  const unreserved = new RegExp(`[${plain}${UNRESERVED}]`);
  for (const [piece, expression] of text.matchAll(/\{([^{}]*)\}|[^{}]+|[{}]/g)) {
    if (piece === "{" || piece === "}") throw invalid("a brace is unmatched");
    if (expression === undefined) {
      parts.push({ prefix: piece, variables: [] });
      continue;
    }
    const [, sign = "", list = ""] = /^([+#./;?&]?)(.*)$/s.exec(expression)!;
    const [first, separator, characters = unreserved] = OPERATORS[sign]!;
    const variables = list.split(",");
    const strange = variables.find((variable) => !VARIABLE.test(variable));
    if (strange !== undefined) {
      throw invalid(`"${strange}" is not a variable (prefixes ":3" and lists "*" are not supported)`);
    }
    const pairs = /[;?&]/.test(sign) ? { separator } : undefined;
    const groups = pairs ? [variables] : variables.map((variable) => [variable]);
    const after = parts.length + groups.length;
    for (const [index, variables] of groups.entries()) {
      const prefix = index === 0 ? first : separator;
      // A value without a prefix is required.
      parts.push({ prefix, characters, variables, ...pairs, otherwise: prefix === "" ? undefined : after });
    }
  }
  const variables = parts.flatMap(({ variables }) => variables);
  if (new Set(variables).size < variables.length) throw invalid("it has the same variable twice");
  return { variables, match: (uri) => match(parts, uri) };
}

/**
 * The values that expand a template to a URI. If there are several matches, the one with the most values wins, then the one whose
 * leftmost values are longest; within an expression, the last variables are missing. The time is at most the length of the URI
 * times that of the template: the best match from each part and position to the end is computed once.
 */
function match(parts: readonly Part[], uri: string): TemplateValues | undefined {
  const [first] = parts;
  const startsOtherwise = first?.otherwise === undefined && !uri.startsWith(first?.prefix ?? "");
  if (uri.length > MAX_URI || startsOtherwise) return undefined;
  const unread = new Array<number>(uri.length + 1).fill(-Infinity);
  /** The maximum number of values up to the end of the URI, by part and by the position where the part begins. */
  const scores = parts.map(() => unread.slice());
  scores.push(unread.with(uri.length, 0));
  /** The position where a part ends, by part and by the position where it begins; -Infinity if it is missing. */
  const ends = parts.map(() => unread.slice());
  for (let index = parts.length - 1; index >= 0; index--) {
    const { prefix, characters, separator, variables, otherwise } = parts[index]!;
    const isAt = (place: number) => (name: string) =>
      uri.startsWith(name, place) && /^[=&;#/?]?$/.test(uri[place + name.length] ?? "");
    /** The number of values of the pair at a position: 1 if its name is a variable of this part, else 0. */
    const namedAt = (place: number) => variables.some(isAt(place)) ? 1 : 0;
    // A value is never empty, because an empty value and a missing one look the same.
    const least = characters && !separator ? 1 : 0;
    /** The score at each position within the part, after its prefix. */
    const within = unread.slice();
    /** The position where the part then ends. */
    const stops = unread.slice();
    for (let place = uri.length; place >= 0; place--) {
      const character = uri[place] ?? "";
      const canEnd = !separator || AFTER_PAIRS.test(character);
      const shorter = canEnd ? scores[index + 1]![place]! : -Infinity;
      const canContinue = characters && within[place + 1]! > -Infinity && characters.test(character);
      const named = canContinue && character === separator ? namedAt(place + 1) : 0;
      const longer = canContinue ? within[place + 1]! + named : -Infinity;
      within[place] = Math.max(shorter, longer);
      stops[place] = longer >= shorter ? stops[place + 1]! : place;

      const start = place + prefix.length + least;
      const isPresent = within[start]! > -Infinity && uri.startsWith(prefix, place) &&
        (!least || characters!.test(uri[start - 1] ?? ""));
      const present = isPresent ? within[start]! + (separator ? namedAt(start) : least) : -Infinity;
      const missing = otherwise === undefined ? -Infinity : scores[otherwise]![place]!;
      scores[index]![place] = Math.max(present, missing);
      if (present >= missing) ends[index]![place] = stops[start]!;
    }
  }
  if (scores[0]![0] === -Infinity) return undefined;

  const values: Record<string, string> = Object.create(null);
  for (let index = 0, place = 0; index < parts.length;) {
    const { prefix, variables, separator, otherwise } = parts[index]!;
    const end = ends[index]![place]!;
    if (end < 0) {
      index = otherwise!;
      continue;
    }
    const text = uri.slice(place + prefix.length, end);
    for (const pair of separator ? text.split(separator) : [`${variables[0]}=${text}`]) {
      const [name = "", ...rest] = pair.split("=");
      if (!variables.includes(name)) continue;
      const value = uriDecoded(rest.join("="));
      if (value === undefined) return undefined;
      values[name] = value;
    }
    place = end;
    index++;
  }
  return Object.freeze(values);
}
