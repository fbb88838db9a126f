--- A subagent within the call that started it: what it does now, its text, and its own
--- calls, each a fold of its own. Its latest steps alone; the whole stands in a page
--- of its own. No buffer is touched here.

local state = require("drawbridge.state")
local words = require("drawbridge.subagents.words")

local M = {}

--- The most steps of a subagent that are shown in the conversation, and the most lines
--- of each.
local most_steps, most_lines = 40, 60

local indent = "  "

--- The subagents that a call started.
---@param item drawbridge.Item
---@param c drawbridge.Conversation
---@return drawbridge.Subagent[]
function M.of(item, c)
  local found = {}
  for _, id in ipairs(item.callId and c.subagentOrder or {}) do
    if c.subagents[id].callId == item.callId then
      table.insert(found, c.subagents[id])
    end
  end
  return found
end

--- What a call does because of its subagents; nil where it is like any other.
---@param item drawbridge.Item
---@param c drawbridge.Conversation
---@return string? text
---@return string? group
function M.state(item, c)
  for _, subagent in ipairs(M.of(item, c)) do
    if subagent.state == "waiting" then
      return "waiting for you", "DrawbridgeWaiting"
    elseif subagent.state == "running" and item.status ~= "running" then
      return "works in the background", "DrawbridgeRunning"
    end
  end
end

---@param drawn drawbridge.Drawn
---@param text string
---@param group? string
---@param inner? "first"|"more" Its place in a fold within that of the call.
local function add(drawn, text, group, inner)
  table.insert(drawn.lines, text)
  if group then
    table.insert(drawn.marks, { line = #drawn.lines - 1, group = group })
  end
  drawn.inner[#drawn.lines] = inner
end

-- What goes into the fold of a step, cut.
---@param drawn drawbridge.Drawn
---@param step drawbridge.Drawn
---@param folds boolean
local function body(drawn, step, folds)
  local groups = {}
  for _, mark in ipairs(step.marks) do
    groups[mark.line + 1] = mark.group
  end
  local inner = folds and "more" or nil
  local shown = vim.list_slice(step.lines, 2, most_lines)
  for i, line in ipairs(shown) do
    add(drawn, indent .. line, groups[i + 1], inner)
  end
  if #step.lines > most_lines then
    local fence = require("drawbridge.items").open_fence(table.concat(shown, "\n"))
    if fence then
      add(drawn, indent .. fence, nil, inner)
    end
    add(drawn, ("%s… %d more lines"):format(indent, #step.lines - most_lines), nil, inner)
  end
end

-- The end of what a subagent said.
---@param drawn drawbridge.Drawn
---@param step drawbridge.Drawn
local function saying(drawn, step)
  local items = require("drawbridge.items")
  local first = math.max(1, #step.lines - most_lines + 1)
  local before = items.open_fence(table.concat(step.lines, "\n", 1, first - 1))
  for _, line in ipairs(vim.list_extend({ before }, vim.list_slice(step.lines, first))) do
    add(drawn, indent .. line)
  end
  local after = items.open_fence(table.concat(step.lines, "\n"))
  if after then
    add(drawn, indent .. after)
  end
end

--- The first line of a step, with the sign before it and how it goes behind it.
---@param item drawbridge.Item
---@param c drawbridge.Conversation
---@param title string
---@return string text
---@return string? group
function M.heading(item, c, title)
  local items = require("drawbridge.items")
  local prefix, behind = items.prefix(item, c), items.annotation(item, c)
  local text = (prefix and prefix[1] or "") .. title
  for i, chunk in ipairs(item.kind == "thought" and {} or behind or {}) do
    -- What is written is not written anew each second.
    text = text .. (i == 1 and "  " or "") .. (item.status == "running" and chunk[1]:gsub("^running .*", "running") or chunk[1])
  end
  return text, prefix and item.kind ~= "prompt" and prefix[2] or nil
end

-- One thing that a subagent did.
---@param drawn drawbridge.Drawn
---@param item drawbridge.Item
---@param c drawbridge.Conversation
local function add_step(drawn, item, c)
  local items = require("drawbridge.items")
  local step = items.draw(item, c)
  local first = #drawn.lines + 1
  if item.kind == "message" then
    saying(drawn, step)
  elseif #step.lines > 0 then
    local asks = vim.iter(c.approvals):any(function(approval)
      return approval.callId == item.callId
    end)
    local folds = step.folds and not asks and #step.lines > 1
    local text, group = M.heading(item, c, step.lines[1])
    add(drawn, indent .. text, group, folds and "first" or nil)
    body(drawn, step, folds)
  end
  for i = first, #drawn.lines do
    drawn.within[i] = { item = item, sessionId = c.sessionId }
  end
end

-- What it did, but for the prompt that it began with, which the call's arguments show.
---@param c drawbridge.Conversation
---@return drawbridge.Item[]
local function steps_of(c)
  local begun = false
  return vim.tbl_filter(function(item)
    local first = item.kind == "prompt" and not begun
    begun = begun or first
    return not first
  end, c.items)
end

--- Adds what the subagents of a call do.
---@param item drawbridge.Item
---@param c drawbridge.Conversation
---@param drawn drawbridge.Drawn
---@return boolean told Their text stands there, so that the call's own need not.
function M.add(item, c, drawn)
  local told = false
  for _, subagent in ipairs(M.of(item, c)) do
    local text, group = words.state(subagent)
    add(drawn, ("%s %s"):format(words.name(subagent), text), group)
    local own = state.get(subagent.sessionId)
    local steps = own and steps_of(own) or {}
    if #steps > most_steps then
      add(drawn, ("%s… %d earlier steps: :Drawbridge subagents"):format(indent, #steps - most_steps), "DrawbridgeMuted")
    elseif #steps == 0 and subagent.state == "ended" then
      add(drawn, indent .. ":Drawbridge subagents shows what it did", "DrawbridgeHint")
    end
    for i = math.max(1, #steps - most_steps + 1), #steps do
      add_step(drawn, steps[i], own --[[@as drawbridge.Conversation]])
    end
    told = told or #steps > 0
  end
  return told
end

return M
