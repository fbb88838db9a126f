// Bundles the extension (for the extension host) and the conversation view
// (for its webview) into dist/, with the licences of what is bundled.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { build, context } from "esbuild";

const watch = process.argv.includes("--watch");
const common = {
  bundle: true, minify: !watch, sourcemap: watch ? "inline" : false, logLevel: "info", legalComments: "none", metafile: true,
};
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

if (watch) {
  for (const target of targets) await (await context(target)).watch();
} else {
  const results = await Promise.all(targets.map((target) => build(target)));
  writeFileSync("dist/NOTICES.txt", notices(results.flatMap(({ metafile }) => Object.keys(metafile.inputs))));
}

/** The licences of the packages that the files belong to. One without a text fails the build. */
function notices(files) {
  const folders = new Set(files.flatMap((file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []));
  const parts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    const texts = readdirSync(folder).filter((entry) => /^licen[cs]e/i.test(entry));
    if (texts.length === 0) throw new Error(`${name} has no licence text`);
    return [`${name} ${version} (${license})`, ...texts.map((text) => readFileSync(`${folder}/${text}`, "utf8"))].join("\n\n");
  });
  return `What is bundled with this extension, and under which terms.\n\n${parts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
