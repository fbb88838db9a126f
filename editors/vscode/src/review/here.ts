/** What belongs to the session that is shown. */
import { turnOf } from "../model/reduce.ts";
import type { Sessions } from "../model/sessions.ts";
import type { Here } from "./listing.ts";

export function hereOf(sessions: Sessions): Here {
  const { current } = sessions;
  if (!current) return {};
  const { sessionId } = current.session;
  return {
    sessionId,
    startedIn: (id) => {
      const origin = sessions.get(id)?.session.origin;
      return origin?.sessionId === sessionId ? turnOf(current, origin.callId) : undefined;
    },
  };
}
