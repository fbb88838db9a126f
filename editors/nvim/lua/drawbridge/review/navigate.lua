-- Going from hunk to hunk, over all files and around the end.

local buffers = require("drawbridge.review.buffers")
local changes = require("drawbridge.review.changes")
local diff = require("drawbridge.review.diff")
local marks = require("drawbridge.review.marks")
local say = require("drawbridge.say")

local M = {}

---@class (exact) drawbridge.Stop
---@field review drawbridge.Review
---@field hunk drawbridge.ReviewHunk
---@field row integer

-- Every undecided hunk, by file and line.
---@return drawbridge.Stop[]
local function stops()
  local list = {}
  for _, review in ipairs(changes.all()) do
    local _, places = marks.places(review)
    local rows = {}
    for _, place in ipairs(places) do
      rows[place.hunk.hunkId] = place.first
    end
    for _, hunk in ipairs(review.busy and {} or changes.undecided(review)) do
      local range = review.approvalId and hunk.oldRange or hunk.newRange
      list[#list + 1] = { review = review, hunk = hunk, row = rows[hunk.hunkId] or range.start.line }
    end
  end
  table.sort(list, function(a, b)
    if a.review.path ~= b.review.path then
      return a.review.path < b.review.path
    end
    return a.row < b.row
  end)
  return list
end

-- Lines that hang above the first one are only seen when asked for.
---@param win integer
---@param lines integer
local function reveal_top(win, lines)
  vim.api.nvim_win_call(win, function()
    local room = math.max(1, vim.api.nvim_win_get_height(win) - 2)
    vim.fn.winrestview({ topline = 1, topfill = math.min(lines, room) })
  end)
end

---@param review drawbridge.Review
---@param hunk_id? string
---@return boolean
local function go(review, hunk_id)
  local buf, err = buffers.of(review)
  if not buf then
    say.error(("%s cannot be opened: %s"):format(buffers.short(review.path), err))
    return false
  end
  local win = buffers.show(buf)
  marks.render(review, buf)
  local _, places = marks.places(review)
  local first
  for _, place in ipairs(places) do
    if (hunk_id and place.hunk.hunkId == hunk_id) or (not hunk_id and not place.hunk.decision) then
      first = place
      break
    end
  end
  first = first or places[1]
  if not first then
    local text = "the lines of this change are not in %s any more; :Drawbridge diff shows it"
    say.warn(text:format(buffers.short(review.path)))
    return true
  end
  vim.api.nvim_win_call(win, function()
    vim.cmd("normal! m'")
  end)
  vim.api.nvim_win_set_cursor(win, { math.min(first.first + 1, vim.api.nvim_buf_line_count(buf)), 0 })
  if first.first == 0 then
    reveal_top(win, #buffers.lines(first.hunk.oldText .. first.hunk.newText))
  end
  return true
end

--- Goes to a change.
---@param review drawbridge.Review
---@return boolean
function M.to(review)
  return go(review)
end

-- Whether a stop is behind the cursor.
---@param stop drawbridge.Stop
---@param path? string
---@param row integer
---@param at? string
---@return -1|0|1
local function side(stop, path, row, at)
  if not path or stop.review.path ~= path then
    return (path and stop.review.path < path) and -1 or 1
  elseif at == stop.hunk.hunkId or stop.row == row then
    return 0
  end
  return stop.row < row and -1 or 1
end

-- The change to go on with from that of a diff: the next one with something to
-- decide, by file and around the end.
---@param key string
---@param direction -1|1
---@return drawbridge.Review?
local function beside(key, direction)
  local list = vim.tbl_filter(function(review)
    return review.key == key or (not review.busy and #changes.undecided(review) > 0)
  end, changes.all())
  for i, review in ipairs(list) do
    if review.key == key then
      return list[(i - 1 + direction) % #list + 1]
    end
  end
  return list[direction > 0 and 1 or #list]
end

-- In a diff one stays among diffs: a third window would stand beside its two.
---@param view drawbridge.DiffView
---@param direction -1|1
local function move_in_diff(view, direction)
  if diff.go(view, direction) then
    return
  end
  local review = beside(view.key, direction)
  if not review then
    say.info("that was the last hunk of this change; no other waits for review")
    return
  end
  diff.go_over(view, review, direction)
end

---@param direction -1|1
local function move(direction)
  local view = diff.of(vim.api.nvim_get_current_buf())
  if view then
    move_in_diff(view, direction)
    return
  end
  local list = stops()
  if #list == 0 then
    say.info("no change waits for review")
    return
  end
  local buf = vim.api.nvim_get_current_buf()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local here = marks.at(buf, row)
  local path = here and here.review.path
  for _, review in ipairs(not path and changes.all() or {}) do
    path = buffers.existing(review) == buf and review.path or path
  end
  local from, to, step = 1, #list, 1
  if direction < 0 then
    from, to, step = #list, 1, -1
  end
  for i = from, to, step do
    if side(list[i], path, row, here and here.hunk.hunkId) == direction then
      go(list[i].review, list[i].hunk.hunkId)
      return
    end
  end
  go(list[from].review, list[from].hunk.hunkId)
  if not path then
    return
  end
  say.info(direction > 0 and "went on at the first change" or "went on at the last change")
end

--- Goes to the next undecided hunk.
function M.next()
  move(1)
end

--- Goes to the undecided hunk before.
function M.prev()
  move(-1)
end

return M
