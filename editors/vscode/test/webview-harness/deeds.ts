/** What the view does when it is pressed, typed into and told things. Acts by clicks and keys alone. */
import { test } from "node:test";
import { testApprovals } from "./deeds-approvals.ts";
import { testAnswers } from "./deeds-answers.ts";
import { testRunning } from "./deeds-running.ts";
import { testConversation } from "./deeds-conversation.ts";
import { testKeyboard } from "./deeds-keyboard.ts";
import { testPrompt } from "./deeds-prompt.ts";
import { testSubagents } from "./deeds-subagents.ts";
import { testVisible } from "./deeds-visible.ts";
import type { Stage, Theatre } from "./stage.ts";
import type { ToView } from "../../src/conversation/messages.ts";

/** A deed begins with messages, and must leave no error of the page behind. */
export type Deed = (name: string, messages: ToView[], act: (stage: Stage) => Promise<void>) => void;

export function testDeeds(theatre: () => Theatre): void {
  const deed: Deed = (name, messages, act) => {
    test(name, async (t) => {
      const stage = await theatre().stage();
      try {
        stage.page.setDefaultTimeout(60_000);
        await stage.tell(...messages);
        await act(stage);
        t.assert.deepEqual(stage.faults, [], "errors of the page");
        t.assert.deepEqual(stage.foreign, [], "requests to elsewhere");
      } finally {
        await stage.close();
      }
    });
  };
  testAnswers(deed);
  testApprovals(deed);
  testRunning(deed);
  testConversation(deed);
  testPrompt(deed);
  testKeyboard(deed);
  testVisible(deed);
  testSubagents(deed);
}
