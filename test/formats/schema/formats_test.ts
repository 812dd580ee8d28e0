/** Some texts for each format; the official suite has hundreds. A row is a format, valid texts, and invalid texts. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema } from "../../../lib/formats/schema/mod.ts";
import { cpuNow } from "../../harness/process.ts";
import { table } from "../../harness/table.ts";

const LONG = "a".repeat(65);
const ROWS = table(String.raw`
  date          | ["2024-02-29", "1900-12-31"] | ["2023-02-29", "1900-02-29", "2024-13-01", "2024-00-10", "2024-04-31", "2024-1-01", "2024-01-01\n"]
  date-time     | ["2024-02-29T08:30:06Z", "2024-01-01t00:00:00.5-23:59", "1998-12-31T23:59:60Z"] | ["2024-02-29 08:30:06Z", "2024-02-29T08:30:06", "2024-02-30T08:30:06Z", "1998-12-31T22:59:60Z", "2024-02-29T24:00:00Z"]
  duration      | ["P1Y2M3DT4H5M6S", "P2W", "PT36H", "P0D"] | ["P", "PT", "P1Y2W", "P1D2H", "PT1H1S", "1D", "P1.5D"]
  email         | ["a.b+c@example.org", "\"a b\"@example.org", "a@[127.0.0.1]", "a@[IPv6:::1]"] | ["a", "@example.org", "a@", "a..b@example.org", "a b@example.org", "a@b_c.org", "a@[1]", "${LONG}@example.org"]
  hostname      | ["example.org", "a", "1-2", "${LONG.slice(2)}"] | ["", "-a", "a-", "a..b", "a.", "a_b", "${
  LONG.slice(1)
}", "é.org"]
  ipv4          | ["0.0.0.0", "255.249.99.1"] | ["256.1.1.1", "1.1.1", "1.1.1.1.1", "01.1.1.1", "1.1.1.1 ", "1.1.1.x"]
  ipv6          | ["::", "::1", "1::", "1:2:3:4:5:6:7:8", "1::8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4"] | ["", ":", "1", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "::1.2.3", "::1%eth0", "::1]", "1:2:3:4:5:6:7::8", "1.2.3.4::", "::01.2.3.4"]
  json-pointer  | ["", "/", "/a~0~1/0", "//"] | ["a", "/~", "/~2", "#/a"]
  relative-json-pointer | ["0", "1/a", "0#", "12/"] | ["", "-1", "01", "0##", "/a", "1a"]
  regex         | ["^a+$", "\\p{L}"] | ["(", "[", "\\", "a{2,1}", "(?<a>b)(?<a>c)"]
  time          | ["08:30:06Z", "23:59:60Z", "00:59:60.1+01:00", "15:59:60-08:00", "00:00:00-23:59"] | ["08:30", "8:30:06Z", "08:30:06", "24:00:00Z", "23:59:60+01:00", "08:30:06+24:00"]
  uri           | ["https://a@b.org:80/c?d#e", "urn:x:y", "mailto:a@b.org", "http://[::1]/", "a:", "file:///a", "x://[v1.a]"] | ["a", "//a", "http://a b", "http://[::1", "http://[1]/", "http://a:b/", "http://a/%zz", "1a:b", "http://a/ü", "http://a/\\", "http://a@b@c/"]
  uri-reference | ["", "a/b", "../a", "#a", "?a", "//a", "./a:b", "//a:80/b:c"] | ["a b", "\\a", "1:b", "a|b", "#a#b", "//[", "//a:x"]
  uri-template  | ["", "/a{?b,c*}", "{+a:3}", "{a.b}", "a'b"] | ["{", "}", "{}", "{a", "{a,}", "{a:0}", "{a:12345}", "a b", "{a b}", "{{a}}", "%zz", "{%z}"]
  uuid          | ["2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"] | ["2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}"]
`);

test("format is checked only with the option, and only for strings", () => {
  for (const [format, fitting, failing] of ROWS) {
    const validate = compileSchema({ format }, { formats: true });
    for (const text of JSON.parse(fitting)) assert.deepEqual(validate(text), [], `${format}: ${text}`);
    for (const text of JSON.parse(failing)) {
      assert.equal(validate(text)[0]?.keyword, "format", `${format}: ${text}`);
      assert.deepEqual(compileSchema({ format })(text), [], "formats are not checked by default");
    }
    for (const value of [null, 1, [], {}]) assert.deepEqual(validate(value), []);
  }
});

test("unknown formats reject nothing", () => {
  for (const format of ["color", "toString", "__proto__"]) {
    assert.deepEqual(compileSchema({ format }, { formats: true })("("), []);
  }
});

test("formats take linear time on hostile strings", () => {
  const long = 100_000;
  const pieces = ["a", "0", ".", ":", "/", "%", "~0", "{", "{a", "{a,", "(", "@", '"', "\\", "-", "P", "1D"]
    .concat(["::", "a.", "[", "%41"]);
  for (const [format] of ROWS) {
    const validate = compileSchema({ format }, { formats: true });
    const start = cpuNow();
    for (const piece of pieces) {
      for (const prefix of ["", "http://", "/", "{", '"', "P", "2024-01-01T00:00:00."]) {
        validate(`${prefix}${piece.repeat(long / piece.length)}\n`);
      }
    }
    // 147 strings; without linear time, one takes minutes.
    assert.ok(cpuNow() - start < 30_000, `${format}: ${cpuNow() - start} ms`);
  }
});
