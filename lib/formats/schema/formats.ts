/** Tests for the formats that have an exact grammar; others are not checked. Each test takes linear time. */

import { isPointer } from "../../base/pointer.ts";
import { isDay } from "../../base/text.ts";
import { patternError } from "./pattern.ts";

const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const IPV4 = new RegExp(`^(?:${OCTET}\\.){3}${OCTET}$`);
const LABEL = "[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?";
const HOSTNAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`, "i");
const LOCAL_PART = /^(?:"(?:[ !#-[\]-~]|\\[ -~])*"|[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*)$/;
const TIME = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([-+])([01]\d|2[0-3]):([0-5]\d))$/i;
const DAYS = "(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)";
const HOURS = "T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)";
const DURATION = new RegExp(`^P(?:${DAYS}(?:${HOURS})?|${HOURS}|\\d+W)$`);

/** The characters that a part of a URI may have; percent signs are checked separately. */
const URI_TEXT = "\\w.~!$&'()*+,;=%-";
const AUTHORITY =
  `(?:[${URI_TEXT}:]*@)?(?:\\[(?:v[\\da-f]+\\.[${URI_TEXT}:]+|([\\da-f:.]+))\\]|[${URI_TEXT}]*)(?::\\d*)?`;
/** A relative path must not begin with text that looks like a scheme. */
const URI_REFERENCE = new RegExp(
  `^(?:[a-z][a-z\\d+.-]*:|(?![^/?#]*:))(?://${AUTHORITY}(?=[/?#]|$)|(?!//))[${URI_TEXT}:@/]*` +
    `(?:\\?[${URI_TEXT}:@/?]*)?(?:#[${URI_TEXT}:@/?]*)?$`,
  "i",
);
const BAD_PERCENT = /%(?![\da-f]{2})/i;

export const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map(Object.entries({
  "date": isDay,
  "date-time": (text: string) =>
    /^t$/i.test(text.charAt(10)) && isDay(text.slice(0, 10)) && isTime(text.slice(11)),
  "duration": (text: string) => DURATION.test(text),
  "email": isEmail,
  "hostname": isHostname,
  "ipv4": (text: string) => IPV4.test(text),
  "ipv6": isIpv6,
  "json-pointer": isPointer,
  "regex": (text: string) => !patternError(text),
  // A number of levels up, then a pointer, or "#" for the name of that level.
  "relative-json-pointer": (text: string) => {
    const rest = /^(?:0|[1-9]\d*)(.*)$/s.exec(text)?.[1];
    return rest !== undefined && (rest === "#" || isPointer(rest));
  },
  "time": isTime,
  "uri": (text: string) => /^[a-z][a-z\d+.-]*:/i.test(text) && isUriReference(text),
  "uri-reference": isUriReference,
  "uri-template": isUriTemplate,
  "uuid": (text: string) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
}));

function isTime(text: string): boolean {
  const [, hour, minute, second, sign, aheadHours = 0, aheadMinutes = 0] = TIME.exec(text) ?? [];
  if (second !== "60") return second !== undefined;
  // A leap second is the last of a day in UTC.
  const ahead = (Number(aheadHours) * 60 + Number(aheadMinutes)) * (sign === "-" ? -1 : 1);
  return (Number(hour) * 60 + Number(minute) - ahead + 24 * 60) % (24 * 60) === 24 * 60 - 1;
}

/** RFC 5321, section 4.1.2, with the lengths of section 4.5.3.1. */
function isEmail(text: string): boolean {
  const [, local = "", domain = ""] = /^(.{1,64})@(.{1,255})$/s.exec(text) ?? [];
  if (!LOCAL_PART.test(local)) return false;
  const [, v6, address = ""] = /^\[(IPv6:)?(.*)\]$/i.exec(domain) ?? [];
  return isHostname(domain) || (v6 ? isIpv6(address) : IPV4.test(address));
}

/** RFC 1123. Labels that begin with `xn--` are not decoded. */
function isHostname(text: string): boolean {
  return text.length <= 253 && HOSTNAME.test(text);
}

/** RFC 4291, section 2.2, without zones: URLs have the same grammar. */
function isIpv6(text: string): boolean {
  return /^[\da-f:.]{2,45}$/i.test(text) && URL.canParse(`http://[${text}]`);
}

function isUriReference(text: string): boolean {
  const found = URI_REFERENCE.exec(text);
  return found !== null && !BAD_PERCENT.test(text) && (found[1] === undefined || isIpv6(found[1]));
}

/** RFC 6570: literals, and expressions of an optional operator and variables. Reserved operators are allowed. */
function isUriTemplate(text: string): boolean {
  let fits = true;
  const literals = text.replace(/\{([^{}]*)\}/g, (_, expression: string) => {
    fits &&= expression.replace(/^[+#./;?&=,!@|]/, "").split(",").every((variable) =>
      /^[\w%]+(?:\.[\w%]+)*(?:\*|:[1-9]\d{0,3})?$/.test(variable) && !BAD_PERCENT.test(variable)
    );
    return "";
  });
  // deno-lint-ignore no-control-regex
  return fits && !/[\x00-\x20"<>\\^`{|}\x7f-\x9f]/.test(literals) && !BAD_PERCENT.test(literals);
}
