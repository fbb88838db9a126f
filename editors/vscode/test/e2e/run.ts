/** Runs the end-to-end tests, or says what they lack. With CI=true that is a failure. */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { missing, out } from "./workbench.ts";

const lacks = missing();
if (lacks) {
  console.error(`test-vscode: left out the end-to-end tests: ${lacks}`);
  process.exit(process.env["CI"] === "true" ? 1 : 0);
}
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const wanted = process.argv.slice(2);
const files = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".e2e.ts") && (wanted.length === 0 || wanted.some((part) => name.includes(part))))
  .map((name) => join(import.meta.dirname, name));
const quiet = "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON";
const run = spawn(process.execPath, [quiet, "--test", "--test-concurrency=1", "--test-timeout=900000", ...files], { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => run.kill(signal));
run.once("exit", (code) => process.exit(code ?? 1));
