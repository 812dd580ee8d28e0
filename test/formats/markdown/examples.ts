/** Examples of markdown in addition to those of CommonMark, and their HTML. */

import { unescaped } from "../../harness/table.ts";

/** The name of each, with its markdown and its HTML below it. */
const TEXT = String.raw`
  a table
    | a | b |\n|---|:-:|\n| 1 | *2* |\n
    <table>\n<thead>\n<tr>\n<th>a</th>\n<th align="center">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td align="center"><em>2</em></td>\n</tr>\n</tbody>\n</table>\n
  a table without outer bars
    a | b\n:- | -:\n1 | 2\n
    <table>\n<thead>\n<tr>\n<th align="left">a</th>\n<th align="right">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align="left">1</td>\n<td align="right">2</td>\n</tr>\n</tbody>\n</table>\n
  escaped bars
    | a \\| b | ${"`"}c \\| d${"`"} |\n|-|-|\n
    <table>\n<thead>\n<tr>\n<th>a | b</th>\n<th><code>c | d</code></th>\n</tr>\n</thead>\n</table>\n
  rows with fewer and more cells
    |a|b|\n|-|-|\n|1|\n|1|2|3|\n
    <table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td></td>\n</tr>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>\n
  a table that a quote ends
    |a|\n|-|\n|1|\n> b\n
    <table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n</tr>\n</tbody>\n</table>\n<blockquote>\n<p>b</p>\n</blockquote>\n
  a table that a blank line ends
    |a|\n|-|\nb\n\nc\n
    <table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b</td>\n</tr>\n</tbody>\n</table>\n<p>c</p>\n
  a table below a paragraph
    a\nb\n|c|\n|-|\n|d|\n
    <p>a\nb</p>\n<table>\n<thead>\n<tr>\n<th>c</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>d</td>\n</tr>\n</tbody>\n</table>\n
  a table in a list
    - |a|\n  |-|\n  |b|\n\n  c\n
    <ul>\n<li>\n<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b</td>\n</tr>\n</tbody>\n</table>\n<p>c</p>\n</li>\n</ul>\n
  no table where the numbers of cells differ
    |a|b|\n|-|\n
    <p>|a|b|\n|-|</p>\n
  a heading that is not a table
    a\n-\n
    <h2>a</h2>\n
  strikethrough of one and of two
    ~~a~~ ~b~ c~~d~~e
    <p><del>a</del> <del>b</del> c<del>d</del>e</p>\n
  no strikethrough of three or unequal tildes
    a ~~~b~~~\n~~c~ ~ d ~
    <p>a ~~~b~~~\n~~c~ ~ d ~</p>\n
  strikethrough and emphasis
    **a ~~b~~** ~~*c*~~
    <p><strong>a <del>b</del></strong> <del><em>c</em></del></p>\n
  tasks
    - [ ] a\n- [x] b\n  1. [X] c\n
    <ul>\n<li class="task"><input type="checkbox" disabled="" aria-label="to do" /> a</li>\n<li class="task"><input type="checkbox" disabled="" aria-label="done" checked="" /> b\n<ol>\n<li class="task"><input type="checkbox" disabled="" aria-label="done" checked="" /> c</li>\n</ol>\n</li>\n</ul>\n
  tasks in a loose list
    - [ ] a\n\n- [x]\n  b\n
    <ul>\n<li class="task">\n<p><input type="checkbox" disabled="" aria-label="to do" /> a</p>\n</li>\n<li class="task">\n<p><input type="checkbox" disabled="" aria-label="done" checked="" /> b</p>\n</li>\n</ul>\n
  no tasks
    - [ ]\n- [y] a\n- [x]b\n- a [x] b\n\n[x] c\n
    <ul>\n<li>[ ]</li>\n<li>[y] a</li>\n<li>[x]b</li>\n<li>a [x] b</li>\n</ul>\n<p>[x] c</p>\n
  notes in the order of their marks
    a[^b] c[^d] e[^b]\n\n[^d]: one\n[^b]: two\n    three\n\n    four\n\n        code\n
    <p>a<sup><a href="#fn:1" id="fnref:1">1</a></sup> c<sup><a href="#fn:2" id="fnref:2">2</a></sup> e<sup><a href="#fn:1">1</a></sup></p>\n<section class="footnotes">\n<ol>\n<li id="fn:1">\n<p>two\nthree</p>\n<p>four</p>\n<pre><code>code\n</code></pre>\n <a href="#fnref:1" aria-label="Back to the text">↩</a></li>\n<li id="fn:2">\n<p>one</p>\n <a href="#fnref:2" aria-label="Back to the text">↩</a></li>\n</ol>\n</section>\n
  notes that begin below their labels
    a[^b]\n\n[^b]:\n\n    - c\n
    <p>a<sup><a href="#fn:1" id="fnref:1">1</a></sup></p>\n<section class="footnotes">\n<ol>\n<li id="fn:1">\n<ul>\n<li>c</li>\n</ul>\n <a href="#fnref:1" aria-label="Back to the text">↩</a></li>\n</ol>\n</section>\n
  labels of notes in any case
    a[^Ä]\n\n[^ä]: b\n
    <p>a<sup><a href="#fn:1" id="fnref:1">1</a></sup></p>\n<section class="footnotes">\n<ol>\n<li id="fn:1">\n<p>b</p>\n <a href="#fnref:1" aria-label="Back to the text">↩</a></li>\n</ol>\n</section>\n
  unknown and unused notes
    a[^b] [^ c]\n\n[^d]: e\n
    <p>a[^b] [^ c]</p>\n
  notes that refer to notes
    a[^b]\n\n[^b]: c[^d]\n[^d]: e\n
    <p>a<sup><a href="#fn:1" id="fnref:1">1</a></sup></p>\n<section class="footnotes">\n<ol>\n<li id="fn:1">\n<p>c<sup><a href="#fn:2" id="fnref:2">2</a></sup></p>\n <a href="#fnref:1" aria-label="Back to the text">↩</a></li>\n<li id="fn:2">\n<p>e</p>\n <a href="#fnref:2" aria-label="Back to the text">↩</a></li>\n</ol>\n</section>\n
  notes in lists and quotes
    - a[^b]\n\n  [^b]: c\n- d\n\n> e[^f]\n>\n> [^f]: g\n
    <ul>\n<li>\n<p>a<sup><a href="#fn:1" id="fnref:1">1</a></sup></p>\n</li>\n<li>\n<p>d</p>\n</li>\n</ul>\n<blockquote>\n<p>e<sup><a href="#fn:2" id="fnref:2">2</a></sup></p>\n</blockquote>\n<section class="footnotes">\n<ol>\n<li id="fn:1">\n<p>c</p>\n <a href="#fnref:1" aria-label="Back to the text">↩</a></li>\n<li id="fn:2">\n<p>g</p>\n <a href="#fnref:2" aria-label="Back to the text">↩</a></li>\n</ol>\n</section>\n
  a mark before an exclamation mark
    a![^b]\n\n[^b]: c\n
    <p>a!<sup><a href="#fn:1" id="fnref:1">1</a></sup></p>\n<section class="footnotes">\n<ol>\n<li id="fn:1">\n<p>c</p>\n <a href="#fnref:1" aria-label="Back to the text">↩</a></li>\n</ol>\n</section>\n
  marks behind a link and before brackets
    [a](b)[^c] [^c](d)\n\n[^c]: e\n
    <p><a href="b">a</a><sup><a href="#fn:1" id="fnref:1">1</a></sup> <sup><a href="#fn:1">1</a></sup>(d)</p>\n<section class="footnotes">\n<ol>\n<li id="fn:1">\n<p>e</p>\n <a href="#fnref:1" aria-label="Back to the text">↩</a></li>\n</ol>\n</section>\n
  a tight list around a loose one
    - a\n  - b\n\n  - c\n- d\n
    <ul>\n<li>a\n<ul>\n<li>\n<p>b</p>\n</li>\n<li>\n<p>c</p>\n</li>\n</ul>\n</li>\n<li>d</li>\n</ul>\n
  a loose list around a tight one
    - a\n  - b\n  - c\n\n- d\n
    <ul>\n<li>\n<p>a</p>\n<ul>\n<li>b</li>\n<li>c</li>\n</ul>\n</li>\n<li>\n<p>d</p>\n</li>\n</ul>\n
  a comment in a list
    - a\n  <!--\n  b\n  -->\n  - c\n<!--\nd\n-->\ne\n
    <ul>\n<li>a\n<pre class="html">&lt;!--\nb\n--&gt;</pre>\n<ul>\n<li>c</li>\n</ul>\n</li>\n</ul>\n<pre class="html">&lt;!--\nd\n--&gt;</pre>\n<p>e</p>\n
  lists with different marks
    - a\n+ b\n1. c\n2) d\n
    <ul>\n<li>a</li>\n</ul>\n<ul>\n<li>b</li>\n</ul>\n<ol>\n<li>c</li>\n</ol>\n<ol start="2">\n<li>d</li>\n</ol>\n
  tabs in code
    -\ta\n\n\t\tb\n\n${"```"}\n\tc\n${"```"}\n
    <ul>\n<li>\n<p>a</p>\n<pre><code>b\n</code></pre>\n</li>\n</ul>\n<pre><code>\tc\n</code></pre>\n
  a long definition
    [a]: data:image/png;base64,${"A".repeat(20_000)}\n\nb\n
    <p>b</p>\n
  entities
    &lt;&#35;&#x22;&copy;&mdash;&nbsp;&amp;amp; &#0; &#xD800; &MadeUp;
    <p>&lt;#&quot;©—\u00a0&amp;amp; � � &amp;MadeUp;</p>\n
`;

export const EXAMPLES: readonly (readonly [name: string, markdown: string, html: string])[] = TEXT.trim()
  .split(/\n {2}(?=\S)/).map((example) => {
    const [name = "", markdown = "", html = ""] = example.split("\n    ");
    return [name, unescaped(markdown), unescaped(html)];
  });
