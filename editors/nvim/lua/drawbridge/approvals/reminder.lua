--- Says anew that a question waits: once for each reminder of the bridge, in a
--- message that takes neither the cursor nor a key.

local approvals = require("drawbridge.approvals")
local client = require("drawbridge.client")
local config = require("drawbridge.config")
local reading = require("drawbridge.approvals.question")
local say = require("drawbridge.say")

---@param event drawbridge.ApprovalReminder
local function remind(event)
  local question = approvals.find(event.approvalId, event.sessionId)
  if not question or event.replayed or not config.get().approvals.notify then
    return
  end
  local waited = reading.waited(event.since)
  local text = (":Drawbridge approvals  waiting for you%s · %s"):format(
    waited and " for " .. waited or "",
    reading.headline(question.params)
  )
  -- The conversation has the whole question; here it is enough to notice it.
  say.warn((say.fit(text, vim.v.echospace - 20)))
end

client.on("approval/reminder", remind)

return {}
