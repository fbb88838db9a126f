// Bundles the extension (for the extension host) and the conversation view
// (for its webview) into dist/.
import { build, context } from "esbuild";

const watch = process.argv.includes("--watch");
const common = { bundle: true, minify: !watch, sourcemap: watch ? "inline" : false, logLevel: "info", legalComments: "none" };
const targets = [
  {
    ...common,
    entryPoints: ["src/extension.ts"], outfile: "dist/extension.js",
    platform: "node", target: "node20", format: "cjs", external: ["vscode"],
  },
  {
    ...common,
    entryPoints: ["src/webview/main.ts"], outfile: "dist/webview.js",
    platform: "browser", target: "es2022", format: "iife", loader: { ".ttf": "file" }, assetNames: "[name]",
  },
];

for (const target of targets) {
  if (watch) await (await context(target)).watch();
  else await build(target);
}
