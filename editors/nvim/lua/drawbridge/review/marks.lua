-- Hunks drawn into buffers. The buffer keeps its text: of a proposal it holds
-- the old lines and the new ones hang below them, of an applied change it holds
-- the new lines and the old ones hang above. The marks move with what a person
-- types, so where a hunk is now is asked of its mark. One that is applied but not in
-- the buffer any more, as when it was undone there, says so where it was.

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
---@field fence? integer Around all that stands in the place of an applied hunk, also what is put there later.

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

--- What stands behind the first line of a hunk.
---@param review drawbridge.Review
---@param hunk drawbridge.ReviewHunk
---@return string text, string group
function M.header(review, hunk)
  local what = ("%d/%d"):format(hunk.number, review.total)
  if hunk.decision == "accepted" then
    return " ✓ " .. what .. " accepted ", "DrawbridgeDone"
  elseif hunk.decision == "rejected" then
    return " ✗ " .. what .. " rejected ", "DrawbridgeDenied"
  end
  local state = review.approvalId and "proposed"
    or hunk.undone and "not here any more"
    or hunk.stale and "stays: its lines have changed since"
    or hunk.lost and "its lines have changed since"
    or "applied"
  return (" %s %s "):format(what, state), "DrawbridgeHunkHeader"
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
  local anchor = { virt_text = { { M.header(review, hunk) } }, virt_text_pos = "eol", priority = 100 }
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

-- What is typed at either end of a fence comes to lie in it.
---@param at { buf: integer, first: integer, last: integer }
---@return integer
local function fence(at)
  return mark(at.buf, at.first, { end_row = at.last, end_col = 0, right_gravity = false, end_right_gravity = true })
end

-- Draws an applied hunk that is not in the buffer, where it was.
---@param review drawbridge.Review
---@param hunk drawbridge.ReviewHunk
---@param at { buf: integer, first: integer, last: integer }
---@return drawbridge.HunkMark
local function draw_missing(review, hunk, at)
  local count = vim.api.nvim_buf_line_count(at.buf)
  ---@type vim.api.keyset.set_extmark
  local anchor = { virt_text = { { M.header(review, hunk) } }, virt_text_pos = "eol", priority = 100 }
  if at.last > at.first then
    anchor.end_row, anchor.end_col = at.last, 0
  end
  local made = { mark(at.buf, math.min(at.first, count - 1), anchor), behind = at.first >= count }
  made.anchor = made[1]
  return made
end

---@param a string[]
---@param text string
---@return boolean
local function same(a, text)
  return vim.deep_equal(a, buffers.lines(text))
end

-- What stands in the fence of a hunk: all of its lines, none of them because it was
-- undone or they were deleted, or what a person made of them.
---@param buf integer
---@param drawn? drawbridge.HunkMark
---@param hunk drawbridge.ReviewHunk
---@return "stands"|"undone"|"changed"|nil what, integer first, integer last
local function fenced(buf, drawn, hunk)
  local pos = drawn and drawn.fence and vim.api.nvim_buf_get_extmark_by_id(buf, namespace, drawn.fence, { details = true })
  if not pos or not pos[1] then
    return nil, 0, 0
  end
  local first, last = pos[1], pos[3].end_row or pos[1]
  local there = vim.api.nvim_buf_get_lines(buf, first, last, false)
  if same(there, hunk.newText) then
    return "stands", first, last
  end
  return (#there == 0 or same(there, hunk.oldText)) and "undone" or "changed", first, last
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

-- Where a hunk is to be drawn. One that is applied has a place in any case: else nobody
-- could settle it where it was.
---@param review drawbridge.Review
---@param hunk drawbridge.ReviewHunk
---@param text { buf: integer, new: boolean, have: string[] }
---@param old? drawbridge.MarkedReview How it was drawn before.
---@param before? drawbridge.HunkPlace
---@return { buf: integer, first: integer, last: integer, missing?: boolean }?
local function find(review, hunk, text, old, before)
  local what, first, last = fenced(text.buf, old and old.hunks[hunk.hunkId], hunk)
  hunk.undone, hunk.lost = what == "undone" or nil, false
  if what == "stands" then
    return { buf = text.buf, first = first, last = last }
  elseif what ~= "undone" then
    local from, to = place.of(hunk, text.new, text.have, before)
    if from and to then
      return { buf = text.buf, first = from, last = to }
    end
  end
  hunk.lost = true
  if review.approvalId then
    return nil
  elseif not what then
    first = math.min(hunk.newRange.start.line, #text.have)
    last = first
  end
  return { buf = text.buf, first = first, last = last, missing = true }
end

-- Looks which hunks have gone from a buffer, or come back, since they were drawn.
---@param buf integer
local function look(buf)
  for key, here in pairs(vim.api.nvim_buf_is_loaded(buf) and marked or {}) do
    local review = here.buf == buf and changes.get(key)
    local differs = review and vim.iter(review.hunks):any(function(hunk)
      local what = fenced(buf, here.hunks[hunk.hunkId], hunk)
      return what == "undone" and not hunk.undone or what == "stands" and hunk.lost
    end)
    if review and differs then
      changes.changed(review)
    end
  end
end

-- How long after a change of the text the marks are looked after, in ms.
local pause_ms = 30

---@type table<integer, "attached"|"due">
local followed = {}

-- Follows what is done to a buffer for as long as something is drawn in it.
---@param buf integer
local function follow(buf)
  if followed[buf] then
    return
  end
  followed[buf] = "attached"
  vim.api.nvim_buf_attach(buf, false, {
    on_lines = function()
      local drawn = vim.iter(vim.tbl_values(marked)):any(function(here)
        return here.buf == buf
      end)
      if not drawn then
        followed[buf] = nil
        return true
      elseif followed[buf] == "attached" then
        followed[buf] = "due"
        vim.defer_fn(function()
          followed[buf] = followed[buf] and "attached"
          look(buf)
        end, pause_ms)
      end
    end,
    on_reload = function() end, -- without it, reading the file anew would end this
    on_detach = function()
      followed[buf] = nil
    end,
  })
end

--- Draws a review into its buffer, anew where it was drawn before.
---@param review drawbridge.Review
---@param buf integer
function M.render(review, buf)
  local before, old = places(review.key), marked[review.key]
  if old and old.buf ~= buf then
    before, old = {}, nil
  end
  local found = {}
  local new = buffers.holds_new(review, buf)
  local have = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  for _, hunk in ipairs(review.hunks) do
    found[hunk.hunkId] = find(review, hunk, { buf = buf, new = new, have = have }, old, before[hunk.hunkId])
  end
  M.clear(review.key)
  local here = { buf = buf, hunks = {} }
  marked[review.key] = here
  for _, hunk in ipairs(review.hunks) do
    local at = found[hunk.hunkId]
    if at then
      local drawn = (at.missing and draw_missing or draw)(review, hunk, at)
      drawn.fence = not review.approvalId and fence(at) or nil
      drawn[#drawn + 1] = drawn.fence
      here.hunks[hunk.hunkId] = drawn
    end
  end
  follow(buf)
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
            M.clear(review.key) -- after a file was read anew its marks are nowhere
            M.render(review, buf)
          end
        end)
      end
    end
  end,
})

return M
