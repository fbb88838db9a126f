/** Pictures that calls gave to the model: what is shown of them, and under which name. It knows no editor. */
import type { CallItem } from "./conversation.ts";
import { firstLine, visible } from "./visible.ts";
import type { Picture } from "../protocol.gen.ts";

/** Formats that hold pixels and nothing that acts; a drawing of text, such as SVG, is none. */
const endings: { readonly [mimeType: string]: string } = { "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp" };

/** So that a page can show it; undefined for what is no plain picture. */
export function addressOf({ mimeType, data }: Picture): string | undefined {
  const isPlain = Object.hasOwn(endings, mimeType) && data !== "" && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
  return isPlain ? `data:${mimeType};base64,${data}` : undefined;
}

/** What it shows, as far as anybody said so: the name of the call, and which of several. */
export function altOf({ title, text, images = [] }: Pick<CallItem, "title" | "text" | "images">, index: number): string {
  const which = images.length > 1 ? `Picture ${index + 1} of ${images.length}` : "Picture";
  return [which, visible(firstLine(title)), visible(firstLine(text))].filter(Boolean).join(": ").slice(0, mostAlt);
}

const mostAlt = 200;

/** A name for an editor's tab: "logo.png". */
export function fileNameOf({ title }: Pick<CallItem, "title">, { mimeType }: Picture): string {
  const last = firstLine(title).split(/[\s/\\?#]+/).filter(Boolean).at(-1) ?? "";
  const stem = last.replace(/\.[A-Za-z0-9]{1,5}$/, "").replace(/[^\p{L}\p{N}._-]/gu, "").slice(0, 60);
  return `${stem === "" || /^\.+$/.test(stem) ? "picture" : stem}.${endings[mimeType] ?? "bin"}`;
}
