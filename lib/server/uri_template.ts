/**
 * Matching URIs against templates of RFC 6570, levels 1 to 3: the reverse of expansion.
 *
 * A URI comes from a client, so the time is bounded by its length times that of the template: for each part of the
 * template, the positions are recorded that the URI can have been read to.
 *
 * Undefined variables shorten an expression or leave it out, so a URI may match in several ways. The one with the most
 * values wins; then the one whose leftmost values are longest; within an expression, the last variables are missing.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6570
 */

/** The decoded values of the variables that occur in the URI. */
export type TemplateValues = Readonly<Record<string, string>>;

/** A template is invalid or not supported. */
export class UriTemplateError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "UriTemplateError";
}

/** The longest URI that is matched, in UTF-16 units. */
const MAX_URI = 8192;

/** An operator: its prefix and separator, whether it writes names, and whether it keeps reserved characters. */
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

const UNRESERVED = "A-Za-z0-9._~%-";
const RESERVED = /[A-Za-z0-9._~%:/?#[\]@!$&'()*+,;=-]/;
/** Characters that RFC 6570 encodes, but `encodeURIComponent` does not. */
const LEFT_PLAIN = "!'()*";
/** The characters that end pairs: those that are not part of an encoded value. */
const ENDS_PAIRS = /[:/?#[\]@$&+,;]/;

type Piece = { readonly kind: "text"; readonly text: string } | Value | Pairs;

/** One value, with its prefix. */
interface Value {
  readonly kind: "value";
  readonly variable: string;
  readonly lead: string;
  readonly allowed: RegExp;
  /** Whether it must follow the value before it, in the same expression. */
  readonly isBehind: boolean;
  /** Whether it may be missing; a value without a prefix may not. */
  readonly isOptional: boolean;
}

/** Pairs of names and values, in any order; any may be missing. */
interface Pairs {
  readonly kind: "pairs";
  readonly operator: Operator;
  readonly variables: readonly string[];
}

/** How a position was reached: the start of the part that ends there, and the number of values so far. */
interface Step {
  readonly from: number;
  readonly values: number;
}

/** The positions that a URI can have been read to. */
type Places = ReadonlyMap<number, Step>;

/** The positions after a part. */
interface Trail {
  /** If the part is present. */
  readonly standing: Places;
  /** In any case; a part that is left out ends where it starts. */
  readonly all: Places;
}

/** A compiled template. */
export class UriTemplate {
  /** The template. */
  readonly text: string;
  /** The names of its variables, in order. */
  readonly variables: readonly string[];
  readonly #pieces: readonly Piece[];

  /**
   * Compiles a template.
   *
   * @throws {UriTemplateError} When it is invalid, or uses level 4.
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

  /** The values in a URI; undefined when it does not match. */
  match(uri: string): TemplateValues | undefined {
    if (uri.length > MAX_URI) return undefined;
    const trails: Trail[] = [];
    const origin: Places = new Map([[0, { from: 0, values: 0 }]]);
    let before: Trail = { standing: origin, all: origin };
    for (const piece of this.#pieces) {
      before = advance(piece, uri, before);
      if (before.all.size === 0) return undefined;
      trails.push(before);
    }
    return before.all.has(uri.length) ? this.#values(uri, trails) : undefined;
  }

  /** Follows the positions back from the end and extracts the values. */
  #values(uri: string, trails: readonly Trail[]): TemplateValues | undefined {
    const values: Record<string, string> = Object.create(null);
    let end = uri.length;
    let mustStand = false;
    for (let index = this.#pieces.length - 1; index >= 0; index--) {
      const { standing, all } = trails[index]!;
      const { from }: Step = (mustStand ? standing : all).get(end)!;
      const piece = this.#pieces[index]!;
      mustStand = piece.kind === "value" && piece.isBehind && from < end;
      if (piece.kind === "pairs") Object.assign(values, pairsOf(piece, uri.slice(from, end)));
      else if (piece.kind === "value" && from < end) {
        values[piece.variable] = uri.slice(from + piece.lead.length, end);
      }
      end = from;
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
  // A character of the template itself must be encoded in values.
  const own = text.replaceAll(/\{[^{}]*\}/g, "");
  const plain = [...LEFT_PLAIN].filter((character) => !own.includes(character)).join("");
  const unreserved = new RegExp(`[${plain}${UNRESERVED}]`);
  for (const part of text.split(/(\{[^{}]*\})/)) {
    if (part === "") continue;
    if (!part.startsWith("{")) {
      if (/[{}]/.test(part)) {
        throw new UriTemplateError(`Cannot read the URI template "${text}": a brace is alone`);
      }
      pieces.push({ kind: "text", text: part });
    } else pieces.push(...toExpression(text, part.slice(1, -1), unreserved));
  }
  return pieces;
}

function toExpression(text: string, expression: string, unreserved: RegExp): Piece[] {
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
  return variables.map((variable, index): Value => {
    const lead = index === 0 ? first : between;
    const allowed = reserved ? RESERVED : unreserved;
    return { kind: "value", variable, lead, allowed, isBehind: index > 0, isOptional: lead !== "" };
  });
}

/** The positions after a part, from those before it. */
function advance(piece: Piece, uri: string, before: Trail): Trail {
  if (piece.kind === "value") {
    const standing = endsOfValue(piece, uri, piece.isBehind ? before.standing : before.all);
    return { standing, all: piece.isOptional ? withSkips(standing, before.all) : standing };
  }
  const ends = piece.kind === "text"
    ? endsOfText(piece.text, uri, before.all)
    : endsOfPairs(piece, uri, before.all);
  return { standing: ends, all: ends };
}

function endsOfText(text: string, uri: string, starts: Places): Places {
  const ends = new Map<number, Step>();
  for (const [from, { values }] of starts) {
    if (uri.startsWith(text, from)) ends.set(from + text.length, { from, values });
  }
  return ends;
}

function endsOfValue({ lead, allowed }: Value, uri: string, starts: Places): Places {
  const ends = new Map<number, Step>();
  let best: Step | undefined;
  for (let place = lead.length; place <= uri.length; place++) {
    if (best && !allowed.test(uri[place - 1]!)) best = undefined;
    // A value is never empty, because an empty and a missing one look the same.
    if (best) ends.set(place, best);
    const from = place - lead.length;
    const start = starts.get(from);
    if (!start || !uri.startsWith(lead, from)) continue;
    // Of equally good starts the last wins, so that values further left are as long as possible.
    const values = start.values + 1;
    if (!best || values >= best.values) best = { from, values };
  }
  return ends;
}

/** Adds the positions where a value is left out, unless they are reached with more values. */
function withSkips(standing: Places, starts: Places): Places {
  const ends = new Map(standing);
  for (const [from, { values }] of starts) {
    if (values >= (standing.get(from)?.values ?? 0)) ends.set(from, { from, values });
  }
  return ends;
}

function endsOfPairs({ operator, variables }: Pairs, uri: string, starts: Places): Places {
  const { first, between } = operator;
  const ends = new Map<number, Step>();
  let best: Step | undefined;
  for (let place = 0; place <= uri.length; place++) {
    const start = starts.get(place);
    // All pairs may be missing.
    if (start) ends.set(place, { from: place, values: start.values });
    if (best && (place === uri.length || ENDS_PAIRS.test(uri[place]!))) {
      if (!start || best.values > start.values) ends.set(place, best);
      if (uri[place] === "#" || (first === ";" && /[/?]/.test(uri[place] ?? ""))) best = undefined;
    }
    if (uri[place] !== first && uri[place] !== between) continue;
    // A pair starts here: the next one, or the first one, or both.
    const more = variables.some((variable) => hasName(uri, place + 1, variable)) ? 1 : 0;
    if (best && uri[place] === between) best = { from: best.from, values: best.values + more };
    if (!start || uri[place] !== first) continue;
    if (!best || start.values + more >= best.values) best = { from: place, values: start.values + more };
  }
  return ends;
}

/** Whether a pair with this name starts at a position. */
function hasName(uri: string, place: number, name: string): boolean {
  const end = place + name.length;
  return uri.startsWith(name, place) && (end === uri.length || /[=&;#/?]/.test(uri[end]!));
}

/** The values of known names in a part of the URI. */
function pairsOf({ operator, variables }: Pairs, stretch: string): Record<string, string> {
  const found: Record<string, string> = Object.create(null);
  for (const pair of stretch.slice(operator.first.length).split(operator.between)) {
    const equals = pair.indexOf("=");
    const name = equals < 0 ? pair : pair.slice(0, equals);
    if (variables.includes(name)) found[name] = equals < 0 ? "" : pair.slice(equals + 1);
  }
  return found;
}
