/**
 * Where the keyboard goes when the question that had it was answered: to the
 * next question, never to one of its buttons, so that a key pressed once more
 * decides nothing.
 */
import { questions } from "./scene.ts";
import type { Scene } from "./scene.ts";

export class Keyboard {
  #order: readonly string[] = [];

  /** Draws, and moves the keyboard if what had it is a question that is gone then. */
  around(scene: Scene, draw: () => void, go: (approvalId: string | undefined) => void): void {
    const held = document.hasFocus() ? document.activeElement?.closest("[data-approval]") : null;
    const order = this.#order;
    draw();
    const open = questions(scene).map(({ approvalId }) => approvalId);
    this.#order = open;
    if (!held || held.isConnected) return;
    const id = held.getAttribute("data-approval") ?? "";
    const waiting = open.filter((other) => !scene.answering.has(other));
    // One that is asked anew is its own successor.
    go(order.slice(order.indexOf(id)).find((other) => waiting.includes(other)) ?? waiting[0]);
  }
}
