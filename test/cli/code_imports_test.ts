import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { cliJson } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";

/** Code, and the lines on which it imports the module. */
type Row = readonly [code: string, ...lines: readonly number[]];

/** By language: the ending of a file, the module that is forbidden, and code. */
const LANGUAGES: readonly (readonly [ending: string, module: string, rows: readonly Row[]])[] = [
  ["ts", "moment", [
    ['import moment from "moment";', 1],
    ["import moment from 'moment'", 1],
    ['import "moment";', 1],
    ['import type { Moment } from "moment";', 1],
    ['import { default as m, type Moment } from "moment/locale/de";', 1],
    ['import {\n  a, // the first\n  b,\n} from "moment";', 4],
    ['import * as m from "npm:moment@2.30.1";', 1],
    ['export { x } from "moment";', 1],
    ['export * from "moment";', 1],
    ['const m = require("moment");', 1],
    ["const m = require ( `moment` );", 1],
    ['import m = require("moment");', 1],
    ['const m = await import("moment");', 1],
    ['const m = await import(/* chunk: "x" */ "moment");', 1],
    ['const a = "it\'s"; import("moment"); // "', 1],
    ["const quote = /[\"'`]/; import('moment');", 1],
    ["const a = b / c; import('moment'); const d = e / f;", 1],
    ['import{a}from"moment";import"./b";', 1],
    ['import a from "a";\r\nimport m from "moment";\r\n', 2],
    ['import "a"; import "moment"; import "moment/b";', 1],
    // Not imported.
    ['// import moment from "moment";'],
    ['/*\nimport moment from "moment";\n*/'],
    ["const text = 'import x from \"moment\"';"],
    ['const text = `\nimport x from "moment";\n`;'],
    ['import a from "./moment";'],
    ['import a from "../moment/b";'],
    ['import a from "moment-timezone";'],
    ['import a from "@types/moment";'],
    ['import a from "@/moment";'],
    ['const a = { from: "moment" };'],
    ['const a = Array.from("moment");'],
    ['const a = x.import("moment") + y.require("moment") + $require("moment");'],
    ["const a = require(`moment${b}`);"],
    ['import moment from "date-fns";'],
    ['const from = "moment";'],
  ]],
  ["mjs", "node:fs", [
    ['import fs from "node:fs";', 1],
    ['import fs from "node:fs/promises";', 1],
    ['import fs from "fs";'],
    ['import os from "node:os";'],
  ]],
  ["vue", "@scope/ui", [
    ["<script>\nimport { Button } from '@scope/ui/button'\n</script>\n<template><p>Don't</p></template>", 2],
    ["<template><p>It's</p></template>\n<script>\nimport a from '@scope/ui'\n</script>", 3],
    ["<script>\nimport a from '@scope/ui-kit'\n</script>"],
    ["<script>\nimport a from '@other/ui'\n</script>"],
  ]],
  ["py", "requests", [
    ["import requests", 1],
    ["import requests.adapters", 1],
    ["import requests as r", 1],
    ["import os, requests as r, sys", 1],
    ["import os, \\\n  requests", 1],
    ["from requests import get", 1],
    ["from requests.adapters import HTTPAdapter as A", 1],
    ["from requests import *", 1],
    ["from requests import (\n  get,  # to get\n  put,\n)", 1],
    ["try:\n    import requests\nexcept ImportError: pass", 2],
    ["try: import requests\nexcept ImportError: pass", 1],
    ["import os; import requests", 1],
    ['r = importlib.import_module("requests")', 1],
    ["r = __import__('requests.adapters')", 1],
    ["text = '''it's'''\nimport requests", 2],
    ['path = "C:\\\\"\nimport requests', 2],
    ["# a path C:\\\nimport requests", 2],
    // Not imported.
    ["# import requests"],
    ['"""\nimport requests\n"""'],
    ["text = 'import requests'"],
    ["from .requests import get"],
    ["from . import requests"],
    ["from .. import requests"],
    ["import requests_oauthlib"],
    ["import my.requests"],
    ["from urllib import requests"],
    ["reimport requests"],
    ["import os as requests"],
  ]],
  ["pyi", "google.cloud.storage", [
    ["from google.cloud import storage", 1],
    ["from google.cloud import bigquery, storage as s", 1],
    ["from google.cloud.storage.blob import Blob", 1],
    ["import google.cloud.storage", 1],
    ["from google.cloud import (\n  bigquery,\n  storage,\n)", 1],
    ["from google.cloud import storage_v1"],
    ["from google import cloud"],
    ["import google.cloud"],
  ]],
  ["go", "github.com/pkg/errors", [
    ['import "github.com/pkg/errors"', 1],
    ["import `github.com/pkg/errors`", 1],
    ['import errs "github.com/pkg/errors"', 1],
    ['import _ "github.com/pkg/errors"', 1],
    ['import . "github.com/pkg/errors/x"', 1],
    ['import (\n\t"fmt"\n\n\t"github.com/pkg/errors" // wraps\n)', 4],
    ['import (\n\t"fmt"\n\terrs "github.com/pkg/errors"\n)', 3],
    ['import ("fmt"; "github.com/pkg/errors")', 1],
    ['package a\n\nimport "fmt"\nimport "github.com/pkg/errors"\n', 4],
    ['import (\n\t"a)b"\n\t"github.com/pkg/errors"\n)', 3],
    // Not imported.
    ['// import "github.com/pkg/errors"'],
    ['/*\nimport "github.com/pkg/errors"\n*/'],
    ['import (\n\t// "github.com/pkg/errors"\n\t"errors"\n)'],
    ['import "errors"'],
    ['import "github.com/pkg/errors2"'],
    ['import "./github.com/pkg/errors"'],
    ['var s = `\nimport "github.com/pkg/errors"\n`'],
    ['var s = "github.com/pkg/errors"'],
    ['func f() { log("import \\"github.com/pkg/errors\\"") }'],
  ]],
  ["java", "org.apache.commons", [
    ["import org.apache.commons.lang3.StringUtils;", 1],
    ["import org.apache.commons.*;", 1],
    ["import static org.apache.commons.lang3.StringUtils.isBlank;", 1],
    ["import static org.apache.commons.lang3.StringUtils.*;", 1],
    ["package a;\n\nimport java.util.List;\nimport org.apache.commons.io.IOUtils;\n", 4],
    ["import java.util.List; import org.apache.commons.io.IOUtils;", 1],
    ["  import  org.apache.commons.io.IOUtils ;", 1],
    ['/* a */ class A { String a = """\n  "x" it\'s\n"""; }\nimport org.apache.commons.io.IOUtils;', 4],
    ["char c = '\"';\nimport org.apache.commons.io.IOUtils;", 2],
    ["var a = new org.apache.commons.io.IOUtils();", 1],
    ["@org.apache.commons.A(1) List<org.apache.commons.B> b;", 1],
    // Not imported.
    ["// import org.apache.commons.io.IOUtils;"],
    ["/*\n * x\nimport org.apache.commons.io.IOUtils;\n */"],
    ['String a = "\\";import org.apache.commons.io.IOUtils;";'],
    ['String a = """\nimport org.apache.commons.io.IOUtils;\n""";'],
    ["import org.apache.http.HttpClient;"],
    ["import org.apache.commonsx.A;"],
    ["import com.org.apache.commons.A;"],
    ["package org.apache.commons.io;"],
  ]],
  ["java", "java.util.Date", [
    ["import java.util.Date;", 1],
    ["import java.util.*;"],
    ["import java.util.DateFormat;"],
    ["import java.util.Date.Inner;", 1],
  ]],
  ["kt", "io.reactivex", [
    ["import io.reactivex.Single", 1],
    ["import io.reactivex.*", 1],
    ["import io.reactivex.Single as RxSingle", 1],
    ["import io.`reactivex`.Single", 1],
    ["package a\n\nimport kotlin.Unit\nimport io.reactivex.rxkotlin.addTo\n", 4],
    ['val a = "${f("x")}"\nimport io.reactivex.Single', 2],
    ["val a: io.reactivex.Single<Int> = f()\nval b = io.reactivex.Single.just(1)", 1, 2],
    // Not imported.
    ["// import io.reactivex.Single"],
    ["/* import io.reactivex.Single */"],
    ['val a = """\nimport io.reactivex.Single\n"""'],
    ["import io.reactivex3.Single"],
    ["import kotlinx.coroutines.flow.Flow"],
    ["val single = my.io.reactivex.Single()"],
    ["val single = io.reactivex.single"],
  ]],
  ["cs", "Newtonsoft.Json", [
    ["using Newtonsoft.Json;", 1],
    ["using Newtonsoft.Json.Linq;", 1],
    ["global using Newtonsoft.Json;", 1],
    ["using static Newtonsoft.Json.JsonConvert;", 1],
    ["using Json = Newtonsoft.Json.JsonConvert;", 1],
    ["using global::Newtonsoft.Json;", 1],
    ["using Convert =\n    Newtonsoft.Json.JsonConvert;", 2],
    ["using System;\r\nusing Newtonsoft.Json;\r\n", 2],
    ["namespace A\n{\n    using Newtonsoft.Json;\n}", 3],
    ['var a = @"C:\\";\nusing Newtonsoft.Json;', 2],
    ["using var json = Newtonsoft.Json.Open();", 1],
    ["using (var json = new Newtonsoft.Json.A()) { }", 1],
    ["using List = Newtonsoft.Json.Linq.JEnumerable<int>;", 1],
    // Not imported.
    ["// using Newtonsoft.Json;"],
    ["/*\nusing Newtonsoft.Json;\n*/"],
    ['var a = @"\nusing Newtonsoft.Json;\n";'],
    ['var a = """\nusing Newtonsoft.Json;\n""";'],
    ["using System.Text.Json;"],
    ["using Newtonsoft.JsonX;"],
    ["using My.Newtonsoft.Json;"],
    ["var json = My.Newtonsoft.Json.Open();"],
    ["namespace Newtonsoft.Json { }"],
  ]],
  ["rs", "tokio", [
    ["use tokio;", 1],
    ["use tokio::sync::mpsc;", 1],
    ["use ::tokio::sync::mpsc as m;", 1],
    ["pub use tokio::sync::*;", 1],
    ["pub(crate) use tokio::sync::Mutex;", 1],
    ["use {std::io, tokio::net::{TcpStream, UdpSocket}};", 1],
    ["extern crate tokio;", 1],
    ["extern crate tokio as t;", 1],
    ["use std::{\n  io,\n};\nuse tokio::{self, sync::{mpsc, oneshot}};", 4],
    ["fn f() { use tokio::fs; }", 1],
    ["#[cfg(unix)] use tokio::net;", 1],
    ["fn f<'a>(x: &'a str) -> char { '\"' }\nuse tokio::fs;", 2],
    ['let s = r#"a "b" "#;\nuse tokio::fs;', 2],
    // Not imported.
    ["// use tokio::fs;"],
    ["/* use tokio::fs; */"],
    ['let s = "\nuse tokio::fs;\n";'],
    ['let s = r#"\nuse tokio::fs; "\n"#;'],
    ["use crate::tokio::fs;"],
    ["use self::tokio::fs;"],
    ["use super::tokio::fs;"],
    ["use tokio_util::codec;"],
    ["use std::{tokio, fs};"],
    ["use async_std as tokio;"],
  ]],
  ["rs", "std::sync::Mutex", [
    ["use std::sync::Mutex;", 1],
    ["use std::{fs, sync::{Arc, Mutex as M}};", 1],
    ["use std::{\n  sync::{\n    Arc,\n    Mutex,\n  },\n};", 1],
    ["use std::{sync::{Arc, RwLock}, Mutex};"],
    ["use std::sync::MutexGuard;"],
    ["use std::sync::{self};"],
  ]],
  ["rb", "httparty", [
    ['require "httparty"', 1],
    ["require 'httparty'", 1],
    ['require("httparty")', 1],
    ['  require "httparty/module_inheritable_attributes"', 1],
    ['require "json"; require "httparty"', 1],
    ['begin; require "httparty"; rescue LoadError; end', 1],
    ['require "httparty" if x', 1],
    ['autoload :HTTParty, "httparty"', 1],
    ["a = \"it's\"\nrequire 'httparty'", 2],
    ['a = <<~SQL\n  it\'s "\nSQL\nrequire "httparty"', 4],
    // Not imported.
    ['# require "httparty"'],
    ['=begin\nrequire "httparty"\n=end'],
    ["a = \"require 'httparty'\""],
    ["a = <<~RUBY\n  require 'httparty'\nRUBY"],
    ['require_relative "httparty"'],
    ['require "./httparty"'],
    ['require "httparty-x"'],
    ['require "faraday"'],
    ['params.require "httparty"'],
    ["require :httparty"],
  ]],
  ["php", "Guzzle\\Http", [
    ["<?php\nuse Guzzle\\Http\\Client;", 2],
    ["<?php\nuse \\Guzzle\\Http\\Client as C;", 2],
    ["<?php\nuse function Guzzle\\Http\\choose;", 2],
    ["<?php\nuse const Guzzle\\Http\\MAX;", 2],
    ["<?php\nuse Guzzle\\{Http\\Client, Promise};", 2],
    ["<?php\nuse A\\B, Guzzle\\Http\\Client;", 2],
    ["<?php use A\\B; use Guzzle\\Http;", 1],
    ["<?php\nuse Guzzle\\Http\\{\n  Client,\n  Request as R,\n};", 2],
    ["<?php\n$a = new \\Guzzle\\Http\\Client();", 2],
    ["<?php\nfunction a(Guzzle\\Http\\Client $a): void {}", 2],
    ["<?php\n#[A]\nuse Guzzle\\Http\\Client;", 3],
    ["<?php\n$a = <<<SQL\nit's \"\nSQL;\nuse Guzzle\\Http\\Client;", 5],
    // Not imported.
    ["<?php\n// use Guzzle\\Http\\Client;"],
    ["<?php\n# use Guzzle\\Http\\Client;"],
    ["<?php\n/* use Guzzle\\Http\\Client; */"],
    ["<?php\n$a = <<<X\nuse Guzzle\\Http\\Client;\nX;"],
    ["<?php\n$a = '\\';use Guzzle\\Http\\Client;';"],
    ["<?php\nrequire 'Guzzle/Http/Client.php';"],
    ["<?php\nuse Guzzle\\HttpX;"],
    ["<?php\nuse My\\Guzzle\\Http;"],
    ["<?php\n$f = function () use ($Guzzle) {};"],
    ["<?php\nnamespace Guzzle\\Http;"],
    ["<?php\n$a = new \\My\\Guzzle\\Http();"],
  ]],
];

test("check --code finds the imports of a forbidden module in each language", async (t) => {
  const files: Record<string, string> = {}, expected: string[] = [];
  for (const [number, [ending, module, rows]] of LANGUAGES.entries()) {
    const name = String(number + 1).padStart(4, "0");
    files[`adr/${name}-x.md`] =
      `---\nstatus: accepted\napplies-to: "src/${name}/**"\nforbids:\n  - import: '${module}'\n---\n\n# X\n`;
    for (const [index, [code, ...lines]] of rows.entries()) {
      const path = `src/${name}/${String(index + 1).padStart(2, "0")}.${ending}`;
      files[path] = code;
      for (const line of lines) expected.push(`${path}:${line} ${code}`);
    }
  }
  const folder = makeFolder(t, files);
  const { findings } = await cliJson("check --mount adr=DIR/adr --code DIR --rule code-forbidden", folder);
  const found = findings.map(({ file, line }: { file: string; line: number }) =>
    `${file}:${line} ${files[file]}`
  );
  assert.deepEqual(found, expected);
});

test("an import rule names a module, all below it, or a pattern, with any separators", async (t) => {
  const code: Record<string, string> = {
    "a.ts": 'import "lodash/fp";\nimport "@scope/a/b";\nimport "socket.io";\n',
    "b.py": "import os.path\nimport foo.bar.baz\nfrom qux import *\n",
    "c.java": "import a.b.C;\n",
    "d.rs": "use a::b::C;\n",
    "e.php": "<?php use A\\B\\C;\n",
  };
  const rows: readonly (readonly [module: string, ...places: readonly string[]])[] = [
    ["lodash", "a.ts:1"],
    ["lodash/fp", "a.ts:1"],
    ["lodash.fp", "a.ts:1"],
    ["lodash::fp", "a.ts:1"],
    ["lodash/*", "a.ts:1"],
    ["lodash/fp/*"],
    ["lod*", "a.ts:1"],
    ["lo"],
    ["@scope", "a.ts:2"],
    ["@scope/*", "a.ts:2"],
    ["@scope/a", "a.ts:2"],
    ["@scope/b"],
    ["socket.io", "a.ts:3"],
    ["os", "b.py:1"],
    ["foo.*.baz", "b.py:2"],
    ["foo.**.baz", "b.py:2"],
    ["foo.baz"],
    ["**.baz", "b.py:2"],
    ["qux.*", "b.py:3"],
    ["a.b.C", "c.java:1", "d.rs:1"],
    ["a::b", "c.java:1", "d.rs:1"],
    ["A\\B", "e.php:1"],
    ["A/B/*", "e.php:1"],
  ];
  for (const [module, ...places] of rows) {
    const record = `---\nstatus: accepted\nforbids: [{ import: '${module}' }]\n---\n\n# X\n`;
    const folder = makeFolder(t, { ...code, "adr/0001-x.md": record });
    const { findings } = await cliJson("check --mount adr=DIR/adr --code DIR --rule code-forbidden", folder);
    assert.deepEqual(findings.map(({ file, line }: typeof findings[0]) => `${file}:${line}`), places, module);
  }
});

test("hostile code is read in linear time", async (t) => {
  const length = 100_000;
  const seeds = [
    ...[
      '"',
      "'",
      "`",
      "\\",
      '"\\',
      "/",
      "/*",
      "//",
      "#",
      "(",
      "[",
      "/[",
      "=/[",
      "(/[\\",
      "\n",
      " ",
      "{",
      "${",
    ],
    ...[
      "import ",
      "import(",
      "from ",
      "from x import ",
      "from x import (",
      "import\n",
      "use ",
      "use\n",
      "use {",
    ],
    ...[
      "use a::{",
      "{pub(",
      "pub(",
      "require ",
      "require(",
      "require\n",
      "using ",
      "using a=",
      "import a,",
      "\v",
    ],
    ...[
      'r#"',
      "r#####",
      "'''",
      '"""',
      '""" "',
      "<<~A\n",
      "<<<A\n",
      "=begin\n",
      '@"',
      '""',
      "; ",
      ": ",
      "a.",
      "\\\n",
    ],
    ...["ADR-1 ", "@adr ", "@adr\t", "adr/", "ADR", "a", "aaaa("],
  ];
  const files: Record<string, string> = {};
  for (const [index, seed] of seeds.entries()) {
    for (const ending of ["ts", "py", "go", "java", "cs", "rs", "rb", "php"]) {
      files[`src/${index}.${ending}`] = `${seed.repeat(length / seed.length)} moment console.log( x`;
    }
  }
  const record =
    "---\nstatus: accepted\nforbids:\n  - import: moment\n  - import: '**.moment.*'\n  - text: console.log(\n" +
    "  - text: /(a|aa)+b/\n  - text: /^\\s+x$/\n---\n\n# X\n";
  const folder = makeFolder(t, { "adr/0001-x.md": record, ...files });
  const start = process.cpuUsage();
  const { findings } = await cliJson("check --mount adr=DIR/adr --code DIR --rule code-forbidden", folder);
  const { user, system } = process.cpuUsage(start);
  assert.ok(findings.length >= seeds.length * 8, `${findings.length} findings`);
  // Processor time: a busy machine does not count.
  assert.ok(user + system < 20_000_000, `${user + system} µs`);
});
