/** Says that a question waits when the conversation, where it is asked, cannot be seen. */
import * as vscode from "vscode";
import { Notices } from "./approvals/notices.ts";
import type { Desk, QuestionName } from "./model/desk.ts";
import { say } from "./say.ts";

export interface ApprovalDeps {
  readonly desk: Desk;
  focusView(question: QuestionName): void;
  viewVisible(): boolean;
}

const gatherMs = 250;

export function activateApprovals(context: vscode.ExtensionContext, deps: ApprovalDeps): Notices {
  const timers = new Set<NodeJS.Timeout>();
  const notices = new Notices({
    wanted: () => !vscode.window.state.focused ? notifySetting() : !deps.viewVisible(),
    reminded: () => vscode.window.state.focused || notifySetting(),
    show: async ({ text, weight, button }) => (await say(weight, text, button)) === button,
    lead: (question) => deps.focusView(question),
    now: () => Date.now(),
    later: (f) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        f();
      }, gatherMs);
      timers.add(timer);
    },
  });
  context.subscriptions.push(deps.desk.onChange((pending) => notices.update(pending)), {
    dispose: () => timers.forEach((timer) => clearTimeout(timer)),
  });
  return notices;
}

/** The setting is about a window that nobody looks at; a hidden conversation would leave the question unseen. */
function notifySetting(): boolean {
  return vscode.workspace.getConfiguration("drawbridge").get<boolean>("notify", true);
}
