/**
 * The pictures that a call gave to the model, small, beside what it read of
 * them. Each opens large in an editor. Only formats that hold nothing but
 * pixels are put on the page.
 */
import { button, el, setAttr, setHidden } from "./elements.ts";
import { post } from "./host.ts";
import { addressOf, altOf } from "../model/pictures.ts";
import type { CallItem } from "../model/conversation.ts";
import type { Picture } from "../protocol.gen.ts";

export interface PicturesShown {
  readonly sessionId: string;
  readonly call: CallItem;
}

export class PicturesView {
  readonly element = el("div", { class: "pictures", hidden: true });
  #drawn: readonly Picture[] | undefined;

  update({ sessionId, call }: PicturesShown): void {
    const { images = none } = call;
    if (images === (this.#drawn ?? none)) return;
    this.#drawn = images;
    this.element.replaceChildren(...images.map((picture, index) => thumbnail(picture, { sessionId, call, index })));
    setHidden(this.element, images.length === 0);
  }
}

const none: readonly Picture[] = [];

function thumbnail(picture: Picture, { sessionId, call, index }: PicturesShown & { readonly index: number }): HTMLElement {
  const address = addressOf(picture);
  const alt = altOf(call, index);
  if (address === undefined) return el("p", { class: "muted", text: `${alt} cannot be shown here` });
  const open = button({ label: `Open ${alt}`, look: "icon", class: "picture", title: "Open the picture" }, () =>
    post({ kind: "openPicture", sessionId, callId: call.callId, index }));
  const image = el("img", { attrs: { alt, decoding: "async", src: address } });
  image.addEventListener("load", () => image.dispatchEvent(new Event("grown", { bubbles: true })), { once: true });
  image.addEventListener("error", () => {
    open.replaceWith(el("p", { class: "muted", text: `${alt} cannot be shown here` }));
  });
  setAttr(open, "aria-label", `Open ${alt}`);
  open.append(image);
  return open;
}
