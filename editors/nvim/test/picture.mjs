// Makes a picture of a screen that screen.sh kept:
//
//   node editors/nvim/test/picture.mjs SCREEN.ansi PICTURE.png
//
// Needs a Chromium, by the name in CHROMIUM or as chromium on the PATH.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [input, output] = process.argv.slice(2);
const background = "#14161b", foreground = "#e0e2ea";
const cell = { width: 8.43, height: 18 };

const basic = [
  "#07080d", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#eef1f8",
  "#4f5258", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#eef1f8",
];

function indexed(n) {
  if (n < 16) return basic[n];
  if (n > 231) return `rgb(${[0, 0, 0].map(() => 8 + (n - 232) * 10)})`;
  const steps = [0, 95, 135, 175, 215, 255];
  return `rgb(${[36, 6, 1].map((d) => steps[Math.floor((n - 16) / d) % 6])})`;
}

/** Takes the parameters of one escape code into the style that holds from there. */
function apply(style, codes) {
  for (let i = 0; i < codes.length; i++) {
    const c = codes[i];
    if (c === 0) style = {};
    else if (c === 1) style.bold = true;
    else if (c === 3) style.italic = true;
    else if (c === 4) style.underline = true;
    else if (c === 7) style.reverse = true;
    else if (c === 22) style.bold = false;
    else if (c === 23) style.italic = false;
    else if (c === 24) style.underline = false;
    else if (c === 27) style.reverse = false;
    else if (c === 39) delete style.fg;
    else if (c === 49) delete style.bg;
    else if (c >= 30 && c < 38) style.fg = indexed(c - 30);
    else if (c >= 90 && c < 98) style.fg = indexed(c - 82);
    else if (c >= 40 && c < 48) style.bg = indexed(c - 40);
    else if (c >= 100 && c < 108) style.bg = indexed(c - 92);
    else if (c === 38 || c === 48) {
      const key = c === 38 ? "fg" : "bg";
      if (codes[i + 1] === 2) {
        style[key] = `rgb(${codes.slice(i + 2, i + 5)})`;
        i += 4;
      } else {
        style[key] = indexed(codes[i + 2]);
        i += 2;
      }
    }
  }
  return style;
}

function css({ fg = foreground, bg = background, bold, italic, underline, reverse }) {
  if (reverse) [fg, bg] = [bg, fg];
  return `color:${fg};background:${bg};${bold ? "font-weight:bold;" : ""}${italic ? "font-style:italic;" : ""}` +
    (underline ? "text-decoration:underline;" : "");
}

const escape = (s) => s.replace(/&/g, "&amp;").replace(/</g, "&lt;");

function row(line, style) {
  let html = "";
  for (const part of line.split(/(\x1b\[[0-9;:]*m)/)) {
    const code = /^\x1b\[([0-9;:]*)m$/.exec(part);
    if (code) style.now = apply({ ...style.now }, code[1].split(/[;:]/).map(Number));
    else if (part) html += `<span style="${css(style.now)}">${escape(part.replace(/\x1b./g, ""))}</span>`;
  }
  return html;
}

const lines = readFileSync(input, "utf8").replace(/\n$/, "").split("\n");
const style = { now: {} };
const size = /(\d+)x(\d+)/.exec(input) ?? [0, 80, 24];
const width = Math.ceil(size[1] * cell.width) + 16, height = size[2] * cell.height + 16;
const html = `<meta charset="utf-8"><style>body{margin:8px;background:${background}}
pre{margin:0;font:14px/${cell.height}px "DejaVu Sans Mono",monospace}</style><pre>${lines.map((l) => row(l, style)).join("\n")}</pre>`;

const folder = mkdtempSync(join(tmpdir(), "drawbridge-picture-"));
try {
  writeFileSync(join(folder, "page.html"), html);
  execFileSync(process.env.CHROMIUM ?? "chromium", [
    "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", `--user-data-dir=${folder}/profile`,
    `--window-size=${width},${height}`, `--screenshot=${resolve(output)}`, `file://${folder}/page.html`,
  ], { stdio: "ignore", timeout: 60000 });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
