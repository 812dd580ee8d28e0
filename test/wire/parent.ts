/**
 * Whom does a test kill to leave the program without a parent? A process that starts the command of its arguments over
 * pipes, passes on what comes in, and says the id of that process once it has begun to answer; it reads no further.
 */

import { spawn } from "node:child_process";
import process from "node:process";

const [file, ...args] = process.argv.slice(2);
const child = spawn(file!, args, { stdio: ["pipe", "pipe", "inherit"] });
process.stdin.on("data", (chunk) => child.stdin.write(chunk));
child.stdout.once("data", () => {
  child.stdout.pause();
  process.stdout.write(`${child.pid}`);
});
