--- What stands in a conversation without a word in it.

local client = require("drawbridge.client")
local models = require("drawbridge.models")
local sessions = require("drawbridge.sessions")

local M = {}

--- What one can do here, or why nothing can be done.
---@param c? drawbridge.Conversation
---@return string[]
function M.lines(c)
  local failed = not client.is_ready() and client.failure()
  if failed then
    return vim.list_extend({ "The bridge is not running:", failed.message }, failed.hint and { "→ " .. failed.hint } or {})
  end
  local lines = { "Ask for a change or explanation.", "" }
  if models.none() then
    vim.list_extend(lines, {
      "No model is set up yet.",
      ":Drawbridge key       hand over a provider's key",
      ":Drawbridge model     or name a model",
      "",
    })
  end
  local offered = not c and sessions.offered()
  if offered then
    table.insert(lines, ("Last here: %s (%s)"):format(offered.title, sessions.age(offered.updatedAt)))
    table.insert(lines, ":Drawbridge resume    open it")
    if offered.turnId then
      table.insert(lines, ":Drawbridge continue  go on with it")
    end
    table.insert(lines, "")
  end
  return vim.list_extend(lines, {
    ":Drawbridge prompt    say it",
    ":Drawbridge sessions  earlier ones",
    ":help drawbridge      all there is",
  })
end

return M
