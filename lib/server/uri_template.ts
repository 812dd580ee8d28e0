/**
 * Which values are in this URI? Templates of RFC 6570, levels 1 to 3, read backwards: a URI that fits one gives the values
 * that it was made of.
 *
 * A URI comes from a client, so its length times the template's is all that a match may cost: for each piece of the template
 * the places are noted that the URI can have been read to, and no place is looked at twice.
 *
 * Whoever expands a template may leave variables undefined, and then their expression is shorter, or not there at all. Which
 * ones were left out is not always to be seen. Of several readings the one with the most values counts, of those the one where
 * what stands further left takes as much as it can, and within an expression the last variables are the ones that are missing.
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

const UNRESERVED = "A-Za-z0-9._~%-";
const RESERVED = /[A-Za-z0-9._~%:/?#[\]@!$&'()*+,;=-]/;
/** What RFC 6570 has encoded, and those who expand a template with `encodeURIComponent` do not encode. */
const LEFT_PLAIN = "!'()*";
/** Before what pairs can end: all that is no part of a value when it is encoded. */
const ENDS_PAIRS = /[:/?#[\]@$&+,;]/;

type Piece = { readonly kind: "text"; readonly text: string } | Value | Pairs;

/** One value, with what the operator writes before it. */
interface Value {
  readonly kind: "value";
  readonly variable: string;
  readonly lead: string;
  readonly allowed: RegExp;
  /** Whether it can be there only behind the value before it, being one of the same expression. */
  readonly isBehind: boolean;
  /** Whether it may be missing; a value without any sign of it must be there. */
  readonly isOptional: boolean;
}

/** Pairs of names and values, in any order, each of which may be missing. */
interface Pairs {
  readonly kind: "pairs";
  readonly operator: Operator;
  readonly variables: readonly string[];
}

/** How a place was reached: where the piece that ends there begins, and how many values were read up to it. */
interface Step {
  readonly from: number;
  readonly values: number;
}

/** The places that a URI can have been read to. */
type Places = ReadonlyMap<number, Step>;

/** The places that a piece leads to. */
interface Trail {
  /** When something stands there for it. */
  readonly standing: Places;
  /** In any case; where the piece is left out, it ends where it begins. */
  readonly all: Places;
}

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

  /** Goes back from the end, and cuts out what each variable stands for. */
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
  // A character that the template itself has would be text here and value there: in values, that one must be encoded.
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

/** The places that one piece leads to from those before it. */
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
    // A value is never empty: an empty one and none at all are not to be told apart.
    if (best) ends.set(place, best);
    const from = place - lead.length;
    const start = starts.get(from);
    if (!start || !uri.startsWith(lead, from)) continue;
    // Of beginnings that are as good the nearest counts, so that what stands further left takes as much as it can.
    const values = start.values + 1;
    if (!best || values >= best.values) best = { from, values };
  }
  return ends;
}

/** Adds the places where a value is left out; not those that are reached with more values when it is there. */
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
    // Pairs may all be missing; then they end where they begin.
    if (start) ends.set(place, { from: place, values: start.values });
    if (best && (place === uri.length || ENDS_PAIRS.test(uri[place]!))) {
      if (!start || best.values > start.values) ends.set(place, best);
      if (uri[place] === "#" || (first === ";" && /[/?]/.test(uri[place] ?? ""))) best = undefined;
    }
    if (uri[place] !== first && uri[place] !== between) continue;
    // A pair begins here: the next one of those that are read, or the first one, or both; a name that is known is a value.
    const more = variables.some((variable) => hasName(uri, place + 1, variable)) ? 1 : 0;
    if (best && uri[place] === between) best = { from: best.from, values: best.values + more };
    if (!start || uri[place] !== first) continue;
    if (!best || start.values + more >= best.values) best = { from: place, values: start.values + more };
  }
  return ends;
}

/** Whether a pair with this name begins at a place. */
function hasName(uri: string, place: number, name: string): boolean {
  const end = place + name.length;
  return uri.startsWith(name, place) && (end === uri.length || /[=&;#/?]/.test(uri[end]!));
}

/** The pairs of a stretch, by name; a name that the template does not have is not looked at. */
function pairsOf({ operator, variables }: Pairs, stretch: string): Record<string, string> {
  const found: Record<string, string> = Object.create(null);
  for (const pair of stretch.slice(operator.first.length).split(operator.between)) {
    const equals = pair.indexOf("=");
    const name = equals < 0 ? pair : pair.slice(0, equals);
    if (variables.includes(name)) found[name] = equals < 0 ? "" : pair.slice(equals + 1);
  }
  return found;
}
