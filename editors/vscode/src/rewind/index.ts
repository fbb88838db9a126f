/** The rewind, by its command and by the button of a turn. */
import * as vscode from "vscode";
import type { Link } from "../bridge/link.ts";
import type { Sessions } from "../model/sessions.ts";
import { told } from "../review/trouble.ts";
import { RewindDocuments } from "./documents.ts";
import { rewind, rewindTurn } from "./rewind.ts";

export interface Rewind {
  /** Turns are those of the session that is shown. */
  ofTurn(turnId: string): Promise<void>;
}

export function activateRewind(context: vscode.ExtensionContext, { link, sessions }: { readonly link: Link; readonly sessions: Sessions }): Rewind {
  const documents = new RewindDocuments();
  const deps = { link, sessions, documents };
  void documents.close(); // of an earlier window
  context.subscriptions.push(documents, vscode.commands.registerCommand("drawbridge.rewind", () => told("rewind", () => rewind(deps))));
  return { ofTurn: (turnId) => told("rewind", () => rewindTurn(deps, turnId)) };
}
