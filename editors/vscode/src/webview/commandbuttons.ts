/** What can be done with a command that runs: look at it, type into it, stop it. */
import { button, setHidden } from "./elements.ts";
import { post } from "./host.ts";
import type { TerminalInfo } from "../model/conversation.ts";
import type { CommandName } from "../model/running.ts";

export class CommandButtons {
  readonly elements: readonly HTMLButtonElement[];
  readonly #show: HTMLButtonElement;
  readonly #type: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;

  /** Name is asked for when a button is pressed. */
  constructor(name: () => CommandName | undefined) {
    const send = (kind: "showTerminal" | "typeInto" | "stopCommand") => (): void => {
      const of = name();
      if (of) post({ kind, sessionId: of.sessionId, terminalId: of.terminalId });
    };
    this.#show = button({ label: "Show terminal", icon: "terminal", look: "link" }, send("showTerminal"));
    this.#type = button({ label: "Type…", icon: "keyboard", look: "link", title: "Type a line into the command" }, send("typeInto"));
    this.#stop = button(
      { label: "Stop command", icon: "debug-stop", look: "link", title: "End the command and all it started; the turn goes on" },
      send("stopCommand"),
    );
    this.elements = [this.#show, this.#type, this.#stop];
  }

  /** Without a terminal there is nothing to be done. */
  update(terminal: Pick<TerminalInfo, "over" | "exit" | "waiting"> | undefined): void {
    const runs = terminal !== undefined && !terminal.over;
    setHidden(this.#show, terminal === undefined);
    setHidden(this.#type, !runs || !terminal.waiting || terminal.exit !== undefined);
    setHidden(this.#stop, !runs);
  }
}
