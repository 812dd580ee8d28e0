/**
 * Do others agree? Random schemas and values, on which all three validators must say the same. Where one of the others
 * stands alone, it is counted and not held against anybody: Ajv has its own view of names that every object inherits and of
 * `contains` beside `unevaluatedItems`, and @cfworker/json-schema lets `then` see what `if` looked at. A case in which
 * `lib/schema` stands alone is printed, to be looked at.
 *
 *     node --experimental-strip-types schema/agree.ts [schemas] [seed] [--awkward]
 */
import { Validator } from "@cfworker/json-schema";
import { Ajv2020 } from "ajv/dist/2020.js";
import { compileSchema, SchemaError } from "../../../lib/schema/mod.ts";
import { Generator } from "./generate.ts";

const [schemas = 2000, seed = 1] = process.argv.slice(2).map(Number).filter(Number.isFinite);
/** Values that each schema is asked about. */
const VALUES = 8;

const generator = new Generator(seed, process.argv.includes("--awkward"));
const counts = { agreed: 0, fitting: 0, refused: 0, ajvAlone: 0, cfworkerAlone: 0, alone: 0 };

/** What another makes of a value; undefined when it fails at that. */
function ask(check: () => boolean): boolean | undefined {
  try {
    return check();
  } catch {
    return undefined;
  }
}

for (let count = 0; count < schemas; count++) {
  const made = generator.schema(3);
  if (typeof made !== "object" || made === null) continue;
  const schema = { ...made, $defs: { x: generator.schema(1), y: { properties: { a: { $ref: "#/$defs/y" } } } } };
  let own;
  try {
    own = compileSchema(schema);
  } catch (cause) {
    if (!(cause instanceof SchemaError)) throw cause;
    counts.refused++;
    continue;
  }
  const ajv = new Ajv2020({ strict: false });
  for (let index = 0; index < VALUES; index++) {
    const value = generator.value(3);
    const fits = own(value).length === 0;
    const others = [
      ask(() => ajv.validate(schema, value)),
      ask(() => new Validator(schema, "2020-12").validate(value).valid),
    ];
    if (fits) counts.fitting++;
    if (others[0] === fits && others[1] === fits) counts.agreed++;
    else if (others[1] === fits) counts.ajvAlone++;
    else if (others[0] === fits) counts.cfworkerAlone++;
    else {
      counts.alone++;
      console.log(JSON.stringify({ fits, others, schema, value }));
    }
  }
}
console.log(counts);
process.exitCode = counts.alone === 0 ? 0 : 1;
