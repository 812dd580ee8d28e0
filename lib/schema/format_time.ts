/** Is this a time? RFC 3339, with its appendix A for durations. */

const DAYS = "(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)";
const HOURS = "T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)";
const DURATION = new RegExp(`^P(?:${DAYS}(?:${HOURS})?|${HOURS}|[0-9]+W)$`);

/** A day that the calendar has: "2024-02-29". */
export function isDate(text: string): boolean {
  const [, year, month, day] = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text)?.map(Number) ?? [];
  return year !== undefined && day! >= 1 && day! <= daysIn(year, month!);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [31, 0, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
}

/** A time of day with its offset from UTC: "08:30:06.25+01:00". */
export function isTime(text: string): boolean {
  const found = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:z|([-+])([0-9]{2}):([0-9]{2}))$/i.exec(
    text,
  );
  if (!found) return false;
  const [hour, minute, second, offsetHour, offsetMinute] = [1, 2, 3, 5, 6].map((index) =>
    Number(found[index] ?? 0)
  );
  if (hour! > 23 || minute! > 59 || second! > 60 || offsetHour! > 23 || offsetMinute! > 59) return false;
  if (second! < 60) return true;
  // A leap second is the last of a day in UTC, wherever it is written down.
  const ahead = (offsetHour! * 60 + offsetMinute!) * (found[4] === "-" ? -1 : 1);
  const day = 24 * 60;
  return (hour! * 60 + minute! - ahead + day) % day === day - 1;
}

/** A date and a time: "2024-02-29T08:30:06Z". */
export function isDateTime(text: string): boolean {
  return /^[Tt]$/.test(text.slice(10, 11)) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

/** A length of time: "P1Y2M3DT4H5M6S", "P2W". No unit may be left out between two others. */
export function isDuration(text: string): boolean {
  return DURATION.test(text);
}
