-- The changes of the conversation, settled ones too, by names that a person can
-- tell apart: the file, what became of it, how much it is.

local buffers = require("drawbridge.review.buffers")
local say = require("drawbridge.say")
local state = require("drawbridge.state")
local words = require("drawbridge.words")

local M = {}

--- The turn of the conversation in which a turn took place: itself, or that whose call
--- started the subagent of which it is.
---@param session_id string
---@param turn_id? string
---@return string?
function M.turn_of(session_id, turn_id)
  local other = state.get(session_id)
  local origin = other and other.origin
  local parent = origin and state.get(origin.sessionId)
  local call = parent and parent.calls[origin.callId]
  return call and call.turnId or turn_id
end

-- The place of each turn of the conversation, from 1.
---@return table<string, integer>
local function places()
  local c, place, count = state.current(), {}, 0
  for _, item in ipairs(c and c.items or {}) do
    if not place[item.turnId] then
      count = count + 1
      place[item.turnId] = count
    end
  end
  return place
end

--- Those of the conversation and of its subagents, the newest turn first; of a turn
--- first the subagents'.
---@return drawbridge.ChangeUpdated[]
function M.changes()
  local all, family, place = {}, state.family(), places()
  for i = #family, 1, -1 do
    local c = family[i]
    for j = #c.changeOrder, 1, -1 do
      table.insert(all, c.changes[c.changeOrder[j]])
    end
  end
  local rank = {}
  for i, change in ipairs(all) do
    local turn = place[M.turn_of(change.sessionId, change.turnId)] or math.huge
    rank[change] = { turn = turn, number = i }
  end
  table.sort(all, function(a, b)
    if rank[a].turn ~= rank[b].turn then
      return rank[a].turn > rank[b].turn
    end
    return rank[a].number < rank[b].number
  end)
  return all
end

--- The session of a change of the conversation, which may be a subagent's.
---@param change_id? string
---@return string?
function M.session_of(change_id)
  for _, c in ipairs(state.family()) do
    if change_id and c.changes[change_id] then
      return c.sessionId
    end
  end
  return require("drawbridge.client").session()
end

--- The newest one of which something is left to see.
---@return drawbridge.ChangeUpdated?
function M.last()
  local all = M.changes()
  return vim.iter(all):find(function(change)
    return not change.gone
  end) or all[1]
end

---@param change drawbridge.ChangeUpdated
---@return string
local function file_of(change)
  return buffers.short(vim.uri_to_fname(change.uri))
end

---@type table<drawbridge.ChangeKind, string>
local letters = { create = "A", modify = "M", delete = "D", rename = "R" }

--- What a change is to its file, in one letter, as git has them.
---@param change drawbridge.Change
---@return string
function M.letter(change)
  return letters[change.kind] or "M"
end

--- How the prompt of a turn begins; empty where none began it.
---@param turn_id string
---@return string
function M.title(turn_id)
  local c = state.current()
  for _, item in ipairs(c and c.items or {}) do
    if item.turnId == turn_id and item.kind == "prompt" then
      local text = require("drawbridge.items").prompt_text(item.blocks)
      return (say.fit(text:match("^[^\n]*"), 50))
    end
  end
  return ""
end

--- What is completed for a change: its id, and the file for who reads it.
---@return string[]
function M.names()
  return vim.tbl_map(function(change)
    return change.changeId .. ":" .. file_of(change):gsub("%s", "_")
  end, M.changes())
end

--- The id in what was completed; the file behind it is only for reading.
---@param name? string
---@return string?
function M.id(name)
  return name and vim.trim(name):match("^([^:%s]+)")
end

--- The change that the cursor is on, in the conversation or in the page of changes.
---@return string? change_id
function M.at_cursor()
  local conversation = require("drawbridge.conversation")
  local within = conversation.within_at_cursor()
  local item = within and within.item or conversation.item_at_cursor()
  local changed = item and item.changeIds or {}
  return item and (item.changeId or changed[#changed]) or require("drawbridge.review.list").change()
end

--- The turn that the cursor is on, in either.
---@return string? turn_id
function M.turn_at_cursor()
  local item = require("drawbridge.conversation").item_at_cursor()
  if item and item.turnId ~= "" then
    return item.turnId
  end
  return require("drawbridge.review.list").turn()
end

-- Whether a hunk counts: of a change that stands in part those that stand, of one that
-- was taken back those that stood.
---@param change drawbridge.ChangeUpdated
---@param hunk drawbridge.Hunk
---@return boolean
local function counts(change, hunk)
  local c = change.state == "reverted" and state.get(change.sessionId)
  local stood = c and c.stood[change.changeId]
  if stood then
    return stood[hunk.hunkId] ~= nil
  end
  return hunk.state ~= "rejected" or change.state ~= "partly"
end

--- A change in one line: the file, how much, what became of it.
---@param change drawbridge.ChangeUpdated
---@return string
function M.label(change)
  local plus, minus = 0, 0
  for _, hunk in ipairs(change.hunks) do
    if counts(change, hunk) then
      plus = plus + #buffers.lines(hunk.newText)
      minus = minus + #buffers.lines(hunk.oldText)
    end
  end
  local from = change.from and buffers.short(vim.uri_to_fname(change.from)) .. " → " or ""
  local size = (plus > 0 or minus > 0) and ("  +%d −%d"):format(plus, minus) or ""
  return ("%s%s%s  %s  (%s)"):format(from, file_of(change), size, words.change(change), change.changeId)
end

--- Lets the person choose among the changes that there are.
---@param prompt string
---@param cb fun(change: drawbridge.ChangeUpdated)
function M.pick(prompt, cb)
  vim.ui.select(M.changes(), { prompt = prompt, kind = "drawbridge_change", format_item = M.label }, function(change)
    if change then
      cb(change)
    end
  end)
end

return M
