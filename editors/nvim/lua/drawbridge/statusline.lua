--- One line about the agent, for a statusline, and the bar above the conversation.

local client = require("drawbridge.client")
local items = require("drawbridge.items")
local state = require("drawbridge.state")

local M = {}

--- How each state is spoken of.
---@type table<drawbridge.State, string>
local words = {
  model = "thinking",
  approval = "waiting for you",
  tool = "working",
  input = "waits for typing",
  retry = "retrying",
  compacting = "shortening the history",
}

--- What happens now: "" when nothing does.
---@return string
function M.text()
  local c = state.current()
  if not c then
    return ""
  end
  local parts = {}
  if c.turnId then
    table.insert(parts, words[c.state.state] or "working")
  end
  if #c.approvals == 1 then
    table.insert(parts, "1 question")
  elseif #c.approvals > 1 then
    table.insert(parts, #c.approvals .. " questions")
  end
  if #parts == 0 then
    return client.is_ready() and "drawbridge" or ""
  end
  return "drawbridge: " .. table.concat(parts, ", ")
end

---@param text string
---@return string
local function escaped(text)
  return (text:gsub("%%", "%%%%"):gsub("%c", " "))
end

--- 'winbar' of the conversation: what it is about, who answers, whom is asked.
---@return string
function M.winbar()
  local c = state.current()
  local session = c and c.session
  if not c or not session then
    return "%#DrawbridgeMuted# Drawbridge"
  end
  local right = { session.mode }
  if session.preset ~= "workspace-write" then
    table.insert(right, session.preset)
  end
  if session.model ~= "" then
    table.insert(right, (session.model:gsub("^script:.*/", "script:")))
  end
  if c.contextTokens and c.contextLimit and c.contextLimit > 0 then
    table.insert(right, ("%d%%"):format(math.floor(100 * c.contextTokens / c.contextLimit)))
  elseif c.total then
    table.insert(right, items.tokens(c.total.inputTokens + c.total.outputTokens) .. " tokens")
  end
  local title = session.title ~= "" and session.title or "New conversation"
  local now = c.turnId and ("%#DrawbridgeRunning# " .. escaped(words[c.state.state] or "working")) or ""
  if #c.approvals > 0 then
    now = "%#DrawbridgeWaiting# " .. (#c.approvals == 1 and "1 question" or #c.approvals .. " questions")
  end
  return ("%%#DrawbridgePrompt# %s%%<%s%%=%%#DrawbridgeMuted#%s "):format(
    escaped(title),
    now,
    escaped(table.concat(right, " · "))
  )
end

state.on_change(function(_, what)
  if what.kind == "state" or what.kind == "approvals" or what.kind == "turn" or what.kind == "session" then
    vim.schedule(function()
      vim.cmd("redrawstatus!")
    end)
  end
end)

return M
