-- Hunks drawn into buffers. The buffer keeps its text: of a proposal it holds
-- the old lines and the new ones hang below them, of an applied change it holds
-- the new lines and the old ones hang above. The marks move with what a person
-- types, so where a hunk is now is asked of its mark.

local changes = require("drawbridge.review.changes")
local config = require("drawbridge.config")
local buffers = require("drawbridge.review.buffers")
local place = require("drawbridge.review.place")

local M = {}

local namespace = vim.api.nvim_create_namespace("drawbridge_review")

-- Longer texts are shown in part; the diff has all of it.
local max_virtual_lines = 200

---@class drawbridge.HunkMark
---@field [integer] integer Every extmark of it.
---@field anchor integer The one that holds its lines.
---@field behind? boolean The place is behind the anchor's line, which is the last.

---@class drawbridge.MarkedReview
---@field buf integer
---@field hunks table<string, drawbridge.HunkMark>

---@type table<string, drawbridge.MarkedReview>
local marked = {}

---@class (exact) drawbridge.HunkPlace
---@field review drawbridge.Review
---@field hunk drawbridge.ReviewHunk
---@field first integer First row, from 0.
---@field last integer Row behind the last; equal to first where lines are only inserted or gone.

---@param review drawbridge.Review
---@param hunk drawbridge.ReviewHunk
---@return [string, string][]
local function header(review, hunk)
  local what = ("%d/%d"):format(hunk.number, review.total)
  if hunk.decision == "accepted" then
    return { { " ✓ " .. what .. " accepted ", "DrawbridgeDone" } }
  elseif hunk.decision == "rejected" then
    return { { " ✗ " .. what .. " rejected ", "DrawbridgeDenied" } }
  end
  local state = review.approvalId and " proposed " or hunk.stale and " stays: its lines have changed since " or " applied "
  return { { " " .. what .. state, "DrawbridgeHunkHeader" } }
end

---@param buf integer
---@param text string
---@param group string
---@return [string, string][][]
local function virtual_lines(buf, text, group)
  local tab = (" "):rep(vim.bo[buf].tabstop)
  local width = vim.o.columns
  local shown = {}
  local lines = buffers.lines(text)
  for i, line in ipairs(lines) do
    if i > max_virtual_lines then
      shown[i] = { { ("… %d more lines, see :Drawbridge diff"):format(#lines - i + 1), "DrawbridgeMuted" } }
      break
    end
    local visible = vim.fn.strtrans((line:gsub("\t", tab)))
    local rest = math.max(0, width - vim.fn.strdisplaywidth(visible))
    shown[i] = { { visible .. (" "):rep(rest), group } }
  end
  return shown
end

local signs = {
  accepted = { "✓", "DrawbridgeDone" },
  rejected = { "✗", "DrawbridgeDenied" },
}

---@param hunk drawbridge.ReviewHunk
---@return string text, string group
local function sign(hunk)
  if hunk.decision then
    return unpack(signs[hunk.decision])
  elseif hunk.oldText == "" then
    return "+", "DrawbridgeSignAdd"
  elseif hunk.newText == "" then
    return "-", "DrawbridgeSignDelete"
  end
  return "~", "DrawbridgeSignChange"
end

---@param buf integer
---@param row integer
---@param opts vim.api.keyset.set_extmark
---@return integer
local function mark(buf, row, opts)
  opts.strict = false
  return vim.api.nvim_buf_set_extmark(buf, namespace, row, 0, opts)
end

-- Draws one hunk whose lines stand in rows first to last, the latter excluded.
---@param review drawbridge.Review
---@param hunk drawbridge.ReviewHunk
---@param at { buf: integer, first: integer, last: integer }
---@return drawbridge.HunkMark
local function draw(review, hunk, at)
  local new = buffers.holds_new(review, at.buf)
  local count = vim.api.nvim_buf_line_count(at.buf)
  local first = math.min(at.first, count - 1)
  ---@type vim.api.keyset.set_extmark
  local anchor = { virt_text = header(review, hunk), virt_text_pos = "eol", priority = 100 }
  if at.last > at.first then
    anchor.end_row, anchor.end_col = at.last, 0
    anchor.invalidate, anchor.undo_restore = true, true
    if hunk.decision ~= "rejected" then
      anchor.hl_group = new and "DrawbridgeAdd" or "DrawbridgeDelete"
      anchor.hl_eol = true
    end
  end
  local made = { mark(at.buf, first, anchor), behind = at.first >= count }
  made.anchor = made[1]
  if config.get().review.signs then
    -- Of its own: the sign of a range also stands in the line behind it.
    local text, group = sign(hunk)
    made[#made + 1] = mark(at.buf, first, { sign_text = text, sign_hl_group = group, priority = 100 })
  end
  local text = new and hunk.oldText or hunk.newText
  if text == "" or hunk.decision == "rejected" then
    return made
  end
  local below = made.behind or (not new and at.last > at.first)
  made[#made + 1] = mark(at.buf, below and math.min(at.last, count) - 1 or first, {
    virt_lines = virtual_lines(at.buf, text, new and "DrawbridgeDelete" or "DrawbridgeAdd"),
    virt_lines_above = not below,
    virt_lines_leftcol = false,
    priority = 100,
  })
  return made
end

---@param key string
---@return table<string, drawbridge.HunkPlace>
local function places(key)
  local found = {}
  local here, review = marked[key], changes.get(key)
  if not here or not review or not vim.api.nvim_buf_is_valid(here.buf) then
    return found
  end
  for _, hunk in ipairs(review.hunks) do
    local drawn = here.hunks[hunk.hunkId]
    local pos = drawn and vim.api.nvim_buf_get_extmark_by_id(here.buf, namespace, drawn.anchor, { details = true })
    if pos and pos[1] and not pos[3].invalid then
      local first = pos[1] + (drawn.behind and 1 or 0)
      found[hunk.hunkId] = { review = review, hunk = hunk, first = first, last = pos[3].end_row or first }
    end
  end
  return found
end

--- Takes the marks of a review away.
---@param key string
function M.clear(key)
  local here = marked[key]
  marked[key] = nil
  if not here or not vim.api.nvim_buf_is_valid(here.buf) then
    return
  end
  for _, drawn in pairs(here.hunks) do
    for _, id in ipairs(drawn) do
      vim.api.nvim_buf_del_extmark(here.buf, namespace, id)
    end
  end
end

--- Draws a review into its buffer, anew where it was drawn before.
---@param review drawbridge.Review
---@param buf integer
function M.render(review, buf)
  local before = places(review.key)
  if marked[review.key] and marked[review.key].buf ~= buf then
    before = {}
  end
  M.clear(review.key)
  local here = { buf = buf, hunks = {} }
  marked[review.key] = here
  local new = buffers.holds_new(review, buf)
  local have = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  for _, hunk in ipairs(review.hunks) do
    local first, last = place.of(hunk, new, have, before[hunk.hunkId])
    hunk.lost = first == nil
    if first and last then
      here.hunks[hunk.hunkId] = draw(review, hunk, { buf = buf, first = first, last = last })
    end
  end
end

--- Where the hunks of a review are now, in its buffer.
---@param review drawbridge.Review
---@return integer? buf, drawbridge.HunkPlace[]
function M.places(review)
  local here = marked[review.key]
  local found = places(review.key)
  local list = {}
  for _, hunk in ipairs(review.hunks) do
    list[#list + 1] = found[hunk.hunkId]
  end
  return here and here.buf, list
end

--- The hunk at a row: one whose lines hold it, else one whose hanging lines
--- touch it.
---@param buf integer
---@param row integer
---@return drawbridge.HunkPlace?
function M.at(buf, row)
  local touching
  for _, review in ipairs(changes.all()) do
    local list = {}
    if marked[review.key] and marked[review.key].buf == buf then
      list = select(2, M.places(review))
    end
    for _, hunk in ipairs(list) do
      if row >= hunk.first and row < math.max(hunk.last, hunk.first + 1) then
        if hunk.last > hunk.first then
          return hunk
        end
        touching = hunk
      elseif hunk.last == hunk.first and row == hunk.first - 1 then
        touching = touching or hunk
      end
    end
  end
  return touching
end

changes.watch(function(review, gone)
  if gone then
    M.clear(review.key)
    return
  end
  local buf = buffers.existing(review)
  if buf and (marked[review.key] or config.get().review.open) then
    M.render(review, buf)
  end
end)

-- A file that is read in while changes of it wait shows them.
vim.api.nvim_create_autocmd("BufReadPost", {
  group = vim.api.nvim_create_augroup("drawbridge_review_marks", {}),
  callback = function(event)
    local waiting = changes.all()
    if #waiting == 0 then
      return
    end
    local name = vim.uv.fs_realpath(event.match) or event.match
    for _, review in ipairs(waiting) do
      if (vim.uv.fs_realpath(review.path) or review.path) == name then
        vim.schedule(function()
          local buf = changes.get(review.key) == review and buffers.existing(review)
          if buf then
            M.render(review, buf)
          end
        end)
      end
    end
  end,
})

return M
