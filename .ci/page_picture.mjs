/**
 * Takes the second picture of the README: the overview of this project's documents, as `page` shows it in Chromium.
 * `node .ci/page_picture.mjs` writes `.github/page.png`. It needs the packages of `test/interop` and Chromium (INTEROP_CHROMIUM
 * is its path); the picture depends on the fonts of the system.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";

const repository = join(import.meta.dirname, ".."), path = join(repository, ".github/page.png");
const { chromium } = createRequire(join(repository, "test/interop/package.json"))("playwright-core");
const executablePath = process.env.INTEROP_CHROMIUM ?? "/usr/bin/chromium";

const args = ["page", "--root", "mcp", "--title", "Architrave", "--listen", "127.0.0.1:0"];
const server = spawn(process.execPath, ["--no-warnings", "mod.ts", ...args], { cwd: repository });
const [said] = await once(server.stderr, "data");
const [url] = /http:\S+/.exec(`${said}`) ?? [];
if (!url) throw new Error(`The command page said: ${said}`);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 720 }, colorScheme: "light" });
  await page.goto(url);
  await page.getByRole("link", { name: /^\d+ findings?$/ }).waitFor();
  await page.screenshot({ path });
} finally {
  await browser.close();
  server.kill();
}
const { size } = statSync(path);
if (size > 150_000) throw new Error(`The picture has ${size} bytes, more than 150,000`);
process.stdout.write(`${path}: ${size} bytes\n`);
