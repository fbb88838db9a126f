--- What a yes left behind: said once it counts, to the letter. A yes whose rule the
--- bridge did not take is no answer, and that is said as well.

local client = require("drawbridge.client")
local reading = require("drawbridge.approvals.question")
local say = require("drawbridge.say")
local visible = require("drawbridge.visible")

local M = {}

---@class (exact) drawbridge.Remembering
---@field rule string
---@field scope drawbridge.Scope
---@field rewritten boolean

--- What was answered and is not settled yet, by call: what is asked once more about a
--- call may have another number.
---@type table<string, drawbridge.Remembering>
local underway = {}

---@param session_id string
---@param call_id string
---@return string
local function key(session_id, call_id)
  return session_id .. "/" .. call_id
end

--- A question was answered.
---@param params drawbridge.ApprovalRequestParams
---@param answer drawbridge.ApprovalAnswer
function M.answered(params, answer)
  local option = vim.iter(params.options):find(function(o)
    return o.optionId == answer.optionId
  end)
  local rule = option and (answer.rule or option.rule) or ""
  if option and option.kind == "allow" and option.scope ~= "once" and rule ~= "" then
    underway[key(params.sessionId, params.callId)] =
      { rule = rule, scope = option.scope, rewritten = answer.rule ~= nil and answer.rule ~= option.rule }
  end
end

--- A question came. One about a call that was answered with a rule says that the rule
--- was not taken.
---@param params drawbridge.ApprovalRequestParams
function M.asked(params)
  local k = key(params.sessionId, params.callId)
  local before = underway[k]
  underway[k] = nil
  if before and before.rewritten then
    local why = visible.text((params.reason:gsub("^that was no answer: ", "")))
    say.warn(("asked again, since %s was not taken: %s"):format(reading.rule(before.rule), why))
  end
end

client.on("approval/resolved", function(event)
  local k = key(event.sessionId, event.callId)
  local yes = underway[k]
  underway[k] = nil
  if yes and event.outcome == "allowed" and event.by == "person" then
    say.info(("remembered %s: %s  (:Drawbridge rules)"):format(reading.scope(yes.scope), reading.rule(yes.rule)))
  end
end)

client.on("drawbridge/exited", function()
  underway = {}
end)

return M
