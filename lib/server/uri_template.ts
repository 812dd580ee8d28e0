/**
 * Which values are in this URI? Templates of RFC 6570, levels 1 to 3, read backwards: a URI that fits one gives the values
 * that it was made of.
 *
 * A URI comes from a client, so its length times the template's is all that a match may cost: for each piece of the template
 * the places are noted that the URI can have been read to, and no place is looked at twice.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6570
 */

/** The values of a template's variables, decoded; one that the URI leaves out is missing. */
export type TemplateValues = Readonly<Record<string, string>>;

/** A template cannot be read. */
export class UriTemplateError extends Error {
  /** Names the class in logs. */
  override readonly name = "UriTemplateError";
}

/** The longest URI that is held against a template, in UTF-16 units. */
const MAX_URI = 8192;

/** What an operator writes before the first value, between two, and whether it writes names and lets reserved characters be. */
interface Operator {
  readonly first: string;
  readonly between: string;
  readonly named: boolean;
  readonly reserved: boolean;
}

const SIMPLE: Operator = { first: "", between: ",", named: false, reserved: false };
const OPERATORS: Readonly<Record<string, Operator>> = {
  "+": { first: "", between: ",", named: false, reserved: true },
  "#": { first: "#", between: ",", named: false, reserved: true },
  ".": { first: ".", between: ".", named: false, reserved: false },
  "/": { first: "/", between: "/", named: false, reserved: false },
  ";": { first: ";", between: ";", named: true, reserved: false },
  "?": { first: "?", between: "&", named: true, reserved: false },
  "&": { first: "&", between: "&", named: true, reserved: false },
};

const UNRESERVED = /[A-Za-z0-9._~%-]/;
const RESERVED = /[A-Za-z0-9._~%:/?#[\]@!$&'()*+,;=-]/;

type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly variable: string; readonly allowed: RegExp }
  /** Pairs of names and values, in any order, each of which may be missing. */
  | { readonly kind: "pairs"; readonly operator: Operator; readonly variables: readonly string[] };

/** A template, ready to be matched. */
export class UriTemplate {
  /** As it was written. */
  readonly text: string;
  /** The names of its variables, in order. */
  readonly variables: readonly string[];
  readonly #pieces: readonly Piece[];

  /**
   * Reads a template.
   *
   * @throws {UriTemplateError} When it cannot be read, or asks for level 4.
   */
  constructor(text: string) {
    this.text = text;
    this.#pieces = toPieces(text);
    this.variables = Object.freeze(
      this.#pieces.flatMap((piece) =>
        piece.kind === "text" ? [] : piece.kind === "value" ? [piece.variable] : piece.variables
      ),
    );
    if (new Set(this.variables).size < this.variables.length) {
      throw new UriTemplateError(`Cannot read the URI template "${text}": a variable is in it twice`);
    }
  }

  /** The values that a URI was made of; undefined when it was not made of this template. */
  match(uri: string): TemplateValues | undefined {
    if (uri.length > MAX_URI) return undefined;
    // For each piece: the places that the URI can have been read to, and from where each was reached.
    const trails: Map<number, number>[] = [];
    let places: ReadonlyMap<number, number> = new Map([[0, 0]]);
    for (const piece of this.#pieces) {
      const reached = advance(piece, uri, places);
      if (reached.size === 0) return undefined;
      trails.push(reached);
      places = reached;
    }
    return places.has(uri.length) ? this.#values(uri, trails) : undefined;
  }

  /** Goes back from the end, and cuts out what each variable stands for. */
  #values(uri: string, trails: readonly ReadonlyMap<number, number>[]): TemplateValues | undefined {
    const values: Record<string, string> = Object.create(null);
    let end = uri.length;
    for (let index = this.#pieces.length - 1; index >= 0; index--) {
      const start = trails[index]!.get(end)!;
      const piece = this.#pieces[index]!;
      const stretch = uri.slice(start, end);
      if (piece.kind === "value") values[piece.variable] = stretch;
      else if (piece.kind === "pairs") Object.assign(values, pairsOf(piece, stretch));
      end = start;
    }
    try {
      for (const name of Object.keys(values)) values[name] = decodeURIComponent(values[name]!);
      return Object.freeze(values);
    } catch (cause) {
      if (cause instanceof URIError) return undefined;
      throw cause;
    }
  }
}

function toPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const part of text.split(/(\{[^{}]*\})/)) {
    if (part === "") continue;
    if (!part.startsWith("{")) {
      if (/[{}]/.test(part)) {
        throw new UriTemplateError(`Cannot read the URI template "${text}": a brace is alone`);
      }
      pieces.push({ kind: "text", text: part });
    } else pieces.push(...toExpression(text, part.slice(1, -1)));
  }
  return pieces;
}

function toExpression(text: string, expression: string): Piece[] {
  const operator = OPERATORS[expression[0] ?? ""];
  const variables = (operator ? expression.slice(1) : expression).split(",");
  const { first, between, named, reserved } = operator ?? SIMPLE;
  for (const variable of variables) {
    if (!/^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*$/.test(variable)) {
      throw new UriTemplateError(
        `Cannot read the URI template "${text}": "${variable}" is no variable (prefixes and lists, ":3" and "*", are not served)`,
      );
    }
  }
  if (named) return [{ kind: "pairs", operator: operator!, variables }];
  const allowed = reserved ? RESERVED : UNRESERVED;
  return variables.flatMap((variable, index): Piece[] => [
    { kind: "text", text: index === 0 ? first : between },
    { kind: "value", variable, allowed },
  ]).filter((piece) => piece.kind !== "text" || piece.text !== "");
}

/** The places that one piece can lead to, each with the place that it began at. */
function advance(piece: Piece, uri: string, starts: ReadonlyMap<number, number>): Map<number, number> {
  const ends = new Map<number, number>();
  if (piece.kind === "text") {
    for (const start of starts.keys()) {
      if (uri.startsWith(piece.text, start)) ends.set(start + piece.text.length, start);
    }
    return ends;
  }
  if (piece.kind === "pairs") {
    for (const start of starts.keys()) ends.set(endOfPairs(piece, uri, start), start);
    return ends;
  }
  // The nearest beginning counts, so that what stands further left takes as much as it can.
  let from: number | undefined;
  for (let place = 0; place <= uri.length; place++) {
    if (place > 0 && !piece.allowed.test(uri[place - 1]!)) from = undefined;
    // A value is never empty: an empty one and none at all are not to be told apart.
    if (from !== undefined) ends.set(place, from);
    if (starts.has(place)) from = place;
  }
  return ends;
}

function endOfPairs({ operator }: Piece & { kind: "pairs" }, uri: string, start: number): number {
  if (!uri.startsWith(operator.first, start)) return start;
  let end = start + operator.first.length;
  while (end < uri.length && uri[end] !== "#" && (operator.first !== ";" || !/[/?]/.test(uri[end]!))) end++;
  return end;
}

/** The pairs of a stretch, by name; a name that the template does not have is not looked at. */
function pairsOf(
  { operator, variables }: Piece & { kind: "pairs" },
  stretch: string,
): Record<string, string> {
  const found: Record<string, string> = Object.create(null);
  for (const pair of stretch.slice(operator.first.length).split(operator.between)) {
    const equals = pair.indexOf("=");
    const name = equals < 0 ? pair : pair.slice(0, equals);
    if (variables.includes(name)) found[name] = equals < 0 ? "" : pair.slice(equals + 1);
  }
  return found;
}
