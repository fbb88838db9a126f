--- User autocmds, for statuslines and the user's own configuration:
--- `autocmd User DrawbridgeTurnCompleted …`. Each carries its event as data.
--- History that is sent again fires none.

local client = require("drawbridge.client")

---@type table<string, string>
local patterns = {
  ["turn/started"] = "DrawbridgeTurnStarted",
  ["turn/completed"] = "DrawbridgeTurnCompleted",
  ["approval/resolved"] = "DrawbridgeApprovalResolved",
  ["approval/reminder"] = "DrawbridgeReminder",
  ["trust/required"] = "DrawbridgeTrust",
  ["change/updated"] = "DrawbridgeChange",
  ["terminal/opened"] = "DrawbridgeTerminalOpened",
  ["terminal/updated"] = "DrawbridgeTerminalUpdated",
  ["turn/notified"] = "DrawbridgeNotified",
  ["terminal/closed"] = "DrawbridgeTerminalClosed",
  ["state/changed"] = "DrawbridgeState",
  ["subagent/updated"] = "DrawbridgeSubagent",
  ["settings/changed"] = "DrawbridgeSettings",
}

--- What tells of the conversation's own course: who waits for its end is not to be
--- told of a subagent's. That has an event of its own.
---@type table<string, true>
local own = {
  ["turn/started"] = true,
  ["turn/completed"] = true,
  ["turn/notified"] = true,
  ["state/changed"] = true,
}

local M = {}

---@param pattern string
---@param data table
function M.fire(pattern, data)
  vim.api.nvim_exec_autocmds("User", { pattern = pattern, modeline = false, data = data })
end

for method, pattern in pairs(patterns) do
  client.on(method, function(params)
    if not params.replayed and not (params.origin and own[method]) then
      M.fire(pattern, params)
    end
  end)
end

-- A question is a request and goes to who answers it; its coming is seen here.
require("drawbridge.state").on_change(function(_, what)
  local approval = what.kind == "approvals" and what.approval
  local c = approval and require("drawbridge.state").get(approval.sessionId)
  if approval and c and vim.list_contains(c.approvals, approval) then
    M.fire("DrawbridgeApproval", approval)
  end
end)

return M
