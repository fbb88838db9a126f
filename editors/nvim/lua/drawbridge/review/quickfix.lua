-- All hunks that wait for a decision as a quickfix list, which follows them for
-- as long as it exists.

local buffers = require("drawbridge.review.buffers")
local changes = require("drawbridge.review.changes")
local marks = require("drawbridge.review.marks")
local say = require("drawbridge.say")

local M = {}

local title = "Drawbridge: changes to review"

---@type integer?
local list_id
local due = false

---@param hunk drawbridge.ReviewHunk
---@return string kind, string text
local function describe(hunk)
  local kind = hunk.oldText == "" and "A" or hunk.newText == "" and "D" or "M"
  local text = buffers.lines(kind == "D" and hunk.oldText or hunk.newText)[1] or ""
  return kind, vim.trim(text)
end

---@return vim.quickfix.entry[]
local function items()
  local list = {}
  for _, review in ipairs(changes.all()) do
    local buf = buffers.existing(review)
    local _, places = marks.places(review)
    local rows = {}
    for _, place in ipairs(places) do
      rows[place.hunk.hunkId] = place.first
    end
    for _, hunk in ipairs(changes.undecided(review)) do
      local kind, text = describe(hunk)
      local range = review.approvalId and hunk.oldRange or hunk.newRange
      list[#list + 1] = {
        bufnr = buf,
        filename = not buf and review.path or nil,
        lnum = (rows[hunk.hunkId] or range.start.line) + 1,
        col = 1,
        type = kind,
        text = text .. (hunk.undone and "  (not here any more)" or hunk.lost and "  (its lines have changed since)" or ""),
      }
    end
  end
  return list
end

---@return boolean
local function exists()
  return list_id ~= nil and vim.fn.getqflist({ id = list_id }).id == list_id
end

--- Fills the quickfix list and opens it.
function M.open()
  -- A new file has no buffer to jump to unless one is made.
  for _, review in ipairs(changes.all()) do
    if review.approvalId and review.kind == "create" then
      local buf = buffers.of(review)
      if buf then
        marks.render(review, buf)
      end
    end
  end
  local list = items()
  if #list == 0 then
    say.info("no change waits for review")
    return
  end
  if exists() then
    vim.fn.setqflist({}, "r", { id = list_id, items = list, title = title })
    vim.cmd("silent! " .. vim.fn.getqflist({ id = list_id, nr = 0 }).nr .. "chistory")
  else
    vim.fn.setqflist({}, " ", { items = list, title = title })
    list_id = vim.fn.getqflist({ id = 0 }).id
  end
  vim.cmd("botright copen")
end

local function follow()
  due = false
  if not exists() then
    list_id = nil
    return
  end
  local index = vim.fn.getqflist({ id = list_id, idx = 0 }).idx
  local list = items()
  vim.fn.setqflist({}, "r", { id = list_id, items = list, title = title })
  if #list > 0 and index > 0 then
    vim.fn.setqflist({}, "a", { id = list_id, idx = math.min(index, #list) })
  end
end

changes.watch(function()
  if list_id and not due then
    due = true
    vim.schedule(follow)
  end
end)

return M
