--- How subagents are spoken of: one wording for the conversation, questions,
--- terminals and lists. What a model wrote is shown to the letter, in one line.

local visible = require("drawbridge.visible")

local M = {}

---@param text string
---@return string
local function line(text)
  return visible.text((text:gsub("%s*\n%s*", " ⏎ ")))
end

--- What the model calls it.
---@param of { subagentId: string }
---@return string
function M.name(of)
  return line(of.subagentId)
end

--- What it was started for; its name where that is not known.
---@param of { subagentId: string, title: string }
---@return string
function M.title(of)
  return of.title ~= "" and line(of.title) or M.name(of)
end

--- Who asks, for what is asked by a subagent.
---@param origin drawbridge.Origin
---@return string
function M.asks(origin)
  local title = origin.title ~= "" and ", started for: " .. line(origin.title) or ""
  return "asked by " .. M.name(origin) .. title
end

---@type table<drawbridge.SubagentState, string>
local states = { running = "works", waiting = "waits for you", idle = "has answered", ended = "ended" }

---@type table<drawbridge.SubagentState, string>
local groups = {
  running = "DrawbridgeRunning",
  waiting = "DrawbridgeWaiting",
  idle = "DrawbridgeMuted",
  ended = "DrawbridgeMuted",
}

--- What it does now, in a few words.
---@param subagent drawbridge.Subagent
---@return string text
---@return string group
function M.state(subagent)
  local text = states[subagent.state] or subagent.state
  local questions = subagent.questions or 0
  if subagent.state == "waiting" and questions > 1 then
    text = ("%s (%d)"):format(text, questions)
  end
  if subagent.background and (subagent.state == "running" or subagent.state == "waiting") then
    text = text .. ", in the background"
  end
  local detail = subagent.detail and subagent.detail ~= "" and ": " .. line(subagent.detail) or ""
  return text .. detail, groups[subagent.state] or "DrawbridgeMuted"
end

return M
