/** The answers that a question offers, as buttons. */
import { button } from "./elements.ts";
import type { ApprovalAnswer, ApprovalOption } from "../protocol.gen.ts";

export function choose(option: ApprovalOption): ApprovalAnswer {
  return { outcome: "selected", optionId: option.optionId };
}

export function optionButton(option: ApprovalOption, press: () => void): HTMLButtonElement {
  const isOnce = option.kind === "allow" && option.scope === "once";
  return button(
    {
      label: option.label,
      look: isOnce ? "primary" : "secondary",
      ...(isOnce && { icon: "check" }),
      ...(option.kind === "deny" && { icon: "close" }),
      class: `option-${option.optionId}`,
    },
    press,
  );
}
