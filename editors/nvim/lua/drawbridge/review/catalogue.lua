-- The changes of the conversation, settled ones too, by names that a person can
-- tell apart: the file, what became of it, how much it is.

local buffers = require("drawbridge.review.buffers")
local state = require("drawbridge.state")
local words = require("drawbridge.words")

local M = {}

--- Newest first.
---@return drawbridge.ChangeUpdated[]
function M.changes()
  local c = state.current()
  return vim.iter(c and c.changeOrder or {})
    :rev()
    :map(function(id)
      return c and c.changes[id]
    end)
    :totable()
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

--- The change of the call that the cursor is on, in the conversation.
---@return string? change_id
function M.at_cursor()
  local item = require("drawbridge.conversation").item_at_cursor()
  return item and item.changeId
end

---@param change drawbridge.ChangeUpdated
---@return string
local function label(change)
  local plus, minus = 0, 0
  for _, hunk in ipairs(change.hunks) do
    plus = plus + #buffers.lines(hunk.newText)
    minus = minus + #buffers.lines(hunk.oldText)
  end
  return ("%s  +%d −%d  %s  (%s)"):format(file_of(change), plus, minus, words.change(change), change.changeId)
end

--- Lets the person choose among the changes that there are.
---@param prompt string
---@param cb fun(change: drawbridge.ChangeUpdated)
function M.pick(prompt, cb)
  vim.ui.select(M.changes(), { prompt = prompt, kind = "drawbridge_change", format_item = label }, function(change)
    if change then
      cb(change)
    end
  end)
end

return M
