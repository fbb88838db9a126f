-- The changes of the conversation as a page, turn by turn, the newest turn first:
-- what each file was made, by whom, and what is undecided. It follows the changes.
-- What is decided on a line counts for its file, on the line of a turn for all of it.

local catalogue = require("drawbridge.review.catalogue")
local changes = require("drawbridge.review.changes")
local own = require("drawbridge.own")
local say = require("drawbridge.say")
local state = require("drawbridge.state")
local subagents = require("drawbridge.subagents.words")
require("drawbridge.highlights")

local M = {}

local namespace = vim.api.nvim_create_namespace("drawbridge_changes")

---@class (exact) drawbridge.ListLine
---@field sessionId string
---@field turnId string
---@field change? drawbridge.ChangeUpdated Absent: the line of the turn.

---@type integer?
local buffer
---@type drawbridge.ListLine[]
local lines = {}

---@return integer?
local function shown()
  return own.whole(buffer) and buffer or nil
end

---@class (exact) drawbridge.TurnOfChanges
---@field sessionId string
---@field turnId string
---@field changes drawbridge.ChangeUpdated[] Newest first.

-- The changes by turn, newest first.
---@return drawbridge.TurnOfChanges[]
local function turns()
  local list, by_id = {}, {}
  for _, change in ipairs(catalogue.changes()) do
    local key = change.sessionId .. "/" .. change.turnId
    local turn = by_id[key]
    if not turn then
      turn = { sessionId = change.sessionId, turnId = change.turnId, changes = {} }
      by_id[key] = turn
      list[#list + 1] = turn
    end
    table.insert(turn.changes, change)
  end
  return list
end

---@param change drawbridge.ChangeUpdated
---@return integer
local function undecided(change)
  local review = changes.get(changes.key(change.sessionId, change.changeId))
  return review and #changes.undecided(review) or 0
end

---@param turn drawbridge.TurnOfChanges
---@return string
local function heading(turn)
  local open = 0
  for _, change in ipairs(turn.changes) do
    open = open + undecided(change)
  end
  local c = state.get(turn.sessionId)
  local origin = c and c.origin
  local title = origin and subagents.title(origin) or catalogue.title(turn.turnId)
  return ("%s%s%s"):format(
    origin and subagents.name(origin) or "Turn " .. turn.turnId,
    title ~= "" and ": " .. title or "",
    open > 0 and ("  (%d undecided)"):format(open) or ""
  )
end

---@param change drawbridge.ChangeUpdated
---@return string
local function entry(change)
  local open = undecided(change)
  local more = open > 0 and change.state ~= "proposed" and (", %d undecided"):format(open) or ""
  return ("  %s %s%s"):format(catalogue.letter(change), catalogue.label(change), more)
end

---@return integer? buf
local function write()
  local b = shown()
  if not b then
    return nil
  end
  local text, marks = {}, {}
  lines = {}
  local function add(line, what, group)
    text[#text + 1] = line
    lines[#text] = what
    marks[#text] = group
  end
  for _, turn in ipairs(turns()) do
    add(heading(turn), { sessionId = turn.sessionId, turnId = turn.turnId }, "DrawbridgePrompt")
    for _, change in ipairs(turn.changes) do
      local open = undecided(change) > 0
      local what = { sessionId = turn.sessionId, turnId = turn.turnId, change = change }
      add(entry(change), what, open and "DrawbridgeWaiting" or "DrawbridgeMuted")
    end
  end
  vim.bo[b].modifiable = true
  vim.api.nvim_buf_set_lines(b, 0, -1, false, #text > 0 and text or { "The agent has changed nothing yet." })
  vim.bo[b].modifiable = false
  vim.api.nvim_buf_clear_namespace(b, namespace, 0, -1)
  for i, group in pairs(marks) do
    vim.api.nvim_buf_set_extmark(b, namespace, i - 1, 0, { end_col = #text[i], hl_group = group })
  end
  return b
end

---@return integer
local function make()
  local b = own.make("drawbridge://changes", {
    read = function()
      write()
    end,
  })
  buffer = b
  vim.bo[b].undolevels = -1
  vim.bo[b].filetype = "drawbridge-changes"
  vim.keymap.set("n", "<CR>", function()
    local line = lines[vim.api.nvim_win_get_cursor(0)[1]]
    if line and line.change then
      require("drawbridge.review.diff").open(line.sessionId, line.change.changeId)
    end
  end, { buffer = b, desc = "Drawbridge: show this change side by side" })
  write()
  return b
end

--- Shows the page, below.
function M.open()
  if #catalogue.changes() == 0 then
    say.info("the agent has changed nothing yet")
    return
  end
  local b = shown() and write() or make()
  local win = vim.fn.win_findbuf(b)[1]
  if win then
    vim.api.nvim_set_current_win(win)
    return
  end
  win = require("drawbridge.window").split_below(b, math.min(#lines + 1, 15))
  vim.wo[win].winfixheight, vim.wo[win].wrap, vim.wo[win].cursorline = true, false, true
end

---@return drawbridge.ListLine?
local function here()
  return vim.api.nvim_get_current_buf() == shown() and lines[vim.api.nvim_win_get_cursor(0)[1]] or nil
end

--- Whether the cursor is in the page.
---@return boolean
function M.at()
  return shown() ~= nil and vim.api.nvim_get_current_buf() == buffer
end

--- The turn of the conversation of the line that the cursor is on.
---@return string?
function M.turn()
  local line = here()
  return line and catalogue.turn_of(line.sessionId, line.turnId)
end

--- The change of the line that the cursor is on.
---@return string? change_id
function M.change()
  local line = here()
  return line and line.change and line.change.changeId
end

--- What waits for a decision on the line that the cursor is on, that which is settled
--- but stands where the line is a file's.
---@return drawbridge.Review[]
function M.reviews()
  local line = here()
  if not line then
    return {}
  elseif line.change then
    local key = changes.key(line.change.sessionId, line.change.changeId)
    return { changes.get(key) or changes.settled(key) }
  end
  return vim.tbl_filter(function(review)
    return review.turnId == line.turnId and review.sessionId == line.sessionId
  end, changes.all())
end

local due = false

local function follow()
  if shown() and not due then
    due = true
    vim.schedule(function()
      due = false
      write()
    end)
  end
end

state.on_change(function(_, what)
  if vim.list_contains({ "change", "reset", "current", "approvals" }, what.kind) then
    follow()
  end
end)
changes.watch(follow)

return M
