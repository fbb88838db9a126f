-- A change as two documents side by side, in a tab of its own. Both are the
-- bridge's texts and no files: nothing typed or written there reaches the disk,
-- and closing them decides nothing.

local buffers = require("drawbridge.review.buffers")
local changes = require("drawbridge.review.changes")
local client = require("drawbridge.client")
local hint = require("drawbridge.review.hint")
local say = require("drawbridge.say")

local M = {}

---@class drawbridge.DiffView
---@field key string
---@field sessionId string
---@field changeId string
---@field path string
---@field old integer
---@field new integer
---@field hunks drawbridge.Hunk[]
---@field said? boolean
---@field waits? boolean It was under review while it was looked at.

---@type table<string, drawbridge.DiffView>
local views = {}

local namespace = vim.api.nvim_create_namespace("drawbridge_diff")

---@param view drawbridge.DiffView
---@return boolean
local function valid(view)
  return vim.api.nvim_buf_is_valid(view.old) and vim.api.nvim_buf_is_valid(view.new)
end

---@param key string
---@param result drawbridge.ChangeShowResult
---@return drawbridge.DiffView
local function make(key, result)
  local session_id = key:match("^(.*)/")
  local path = vim.uri_to_fname(result.change.uri)
  local short = buffers.short(path)
  local why = ("this is only a view of a change; the file is %s"):format(short)
  local function side(name, text)
    local buf = buffers.virtual({
      name = ("diff/%s/%s/%s"):format(result.change.changeId, name, short),
      lines = buffers.lines(text or ""),
      path = path,
      why = why,
    })
    vim.b[buf].drawbridge_review = key
    return buf
  end
  return {
    key = key,
    sessionId = session_id,
    changeId = result.change.changeId,
    path = path,
    old = side("old", result.oldText),
    new = side("new", result.newText),
    hunks = result.hunks,
    waits = changes.get(key) ~= nil,
  }
end

-- The hunk as a person can decide about it now: it waits, or it is applied.
---@param view drawbridge.DiffView
---@param hunk_id string
---@return drawbridge.Review?, drawbridge.ReviewHunk?
local function decidable(view, hunk_id)
  for _, review in ipairs({ changes.get(view.key) or false, changes.settled(view.key) or false }) do
    for _, hunk in ipairs(review and review.hunks or {}) do
      if hunk.hunkId == hunk_id then
        return review, hunk
      end
    end
  end
end

-- What is known of a hunk, for the words beside it.
---@param view drawbridge.DiffView
---@param hunk drawbridge.Hunk
---@return string? text, string? group
local function fate(view, hunk)
  local review, now = decidable(view, hunk.hunkId)
  if now and now.decision then
    local accepted = now.decision == "accepted"
    return accepted and " ✓ accepted " or " ✗ rejected ", accepted and "DrawbridgeDone" or "DrawbridgeDenied"
  elseif now and now.state == "kept" then
    return " ✓ kept ", "DrawbridgeDone"
  elseif not review and hunk.state ~= "proposed" then
    return " ✗ not applied ", "DrawbridgeDenied"
  end
end

-- What was decided so far, beside the hunks.
---@param view drawbridge.DiffView
local function mark(view)
  if not valid(view) then
    return
  end
  vim.api.nvim_buf_clear_namespace(view.new, namespace, 0, -1)
  for _, hunk in ipairs(view.hunks) do
    local text, group = fate(view, hunk)
    if text then
      local row = math.min(hunk.newRange.start.line, vim.api.nvim_buf_line_count(view.new) - 1)
      vim.api.nvim_buf_set_extmark(view.new, namespace, row, 0, { virt_text = { { text, group } } })
    end
  end
end

---@param view drawbridge.DiffView
local function closed(view)
  if view.said or vim.v.exiting ~= vim.NIL then
    return
  end
  view.said = true
  local review = changes.get(view.key)
  if review and review.approvalId and not review.busy then
    say.info(("nothing was decided; %s still waits"):format(buffers.short(view.path)))
  end
end

---@param view drawbridge.DiffView
local function watch(view)
  for _, buf in ipairs({ view.old, view.new }) do
    vim.bo[buf].bufhidden = "wipe"
    vim.api.nvim_create_autocmd("BufWipeout", {
      buffer = buf,
      callback = function()
        vim.schedule(function()
          if views[view.key] == view then
            views[view.key] = nil
            closed(view)
            M.close(view)
          end
        end)
      end,
    })
  end
end

-- Opens a tab that has nothing of the window it is opened from.
---@param buf integer
local function tab(buf)
  vim.cmd("tabnew")
  local blank = vim.api.nvim_get_current_buf()
  vim.api.nvim_win_set_buf(0, buf)
  pcall(vim.api.nvim_buf_delete, blank, {})
end

-- How to decide here, said above the new side.
---@param view drawbridge.DiffView
local function say_how(view)
  local review = changes.get(view.key) or changes.settled(view.key)
  for _, win in ipairs(vim.fn.win_findbuf(view.new)) do
    local how, cells = "nothing of it is applied", vim.api.nvim_win_get_width(win) - #" after  "
    if review then
      how = review.settled and hint.take_back(cells) or hint.text(review.approvalId ~= nil, cells)
    end
    local bar = "%#DrawbridgeAdd# after %*%=%#DrawbridgeMuted#" .. how:gsub("%%", "%%%%") .. " "
    vim.api.nvim_set_option_value("winbar", bar, { win = win, scope = "local" })
  end
end

---@param view drawbridge.DiffView
local function lay_out(view)
  tab(view.old)
  vim.wo.winbar = "%#DrawbridgeDelete# before %*"
  vim.cmd("diffthis")
  vim.api.nvim_open_win(view.new, true, { split = "right", win = 0 })
  say_how(view)
  vim.cmd("diffthis")
  vim.cmd("normal! gg")
  if vim.fn.diff_hlID(1, 1) == 0 then
    pcall(vim.cmd, "normal! ]c")
  end
end

---@param view drawbridge.DiffView
---@return boolean
local function focus(view)
  local win = vim.fn.win_findbuf(view.new)[1]
  if not win then
    return false
  end
  vim.api.nvim_set_current_win(win)
  return true
end

--- Takes a diff away, both sides of it.
---@param view drawbridge.DiffView
function M.close(view)
  for _, buf in ipairs({ view.old, view.new }) do
    if vim.api.nvim_buf_is_valid(buf) then
      for _, win in ipairs(vim.fn.win_findbuf(buf)) do
        pcall(vim.api.nvim_win_close, win, true)
      end
      buffers.wipe(buf)
    end
  end
end

---@param session_id string
---@param change_id string
---@param cb fun(result: drawbridge.ChangeShowResult)
local function fetch(session_id, change_id, cb)
  client.request("change/show", { sessionId = session_id, changeId = change_id, texts = true }, function(err, result)
    if err then
      say.error("the change cannot be shown: " .. err.message)
    elseif not result.oldText and not result.newText then
      say.info("the texts of this change are not kept any more; its diff follows")
      M.plain(result)
    else
      cb(result)
    end
  end)
end

--- Shows the bare diff of a change whose texts are gone.
---@param result drawbridge.ChangeShowResult
function M.plain(result)
  local path = vim.uri_to_fname(result.change.uri)
  local buf = buffers.virtual({
    name = ("diff/%s/%s.diff"):format(result.change.changeId, buffers.short(path)),
    lines = buffers.lines(result.diff),
    path = path .. ".diff",
    why = "this is only a view of a change; the file is " .. buffers.short(path),
  })
  vim.bo[buf].bufhidden = "wipe"
  tab(buf)
end

--- Opens the diff of a change, or goes to it.
---@param session_id string
---@param change_id string
---@param opened? fun(view: drawbridge.DiffView)
function M.open(session_id, change_id, opened)
  opened = opened or function() end
  local key = changes.key(session_id, change_id)
  local view = views[key]
  if view and valid(view) and focus(view) then
    opened(view)
    return
  end
  fetch(session_id, change_id, function(result)
    view = make(key, result)
    views[key] = view
    watch(view)
    lay_out(view)
    mark(view)
    opened(view)
  end)
end

--- The diff that a buffer is a side of.
---@param buf integer
---@return drawbridge.DiffView?
function M.of(buf)
  local key = vim.b[buf].drawbridge_review
  return key and views[key]
end

--- The hunk of a diff at a row, and the review it belongs to; also for changes
--- that are applied and wait for nobody.
---@param buf integer
---@param row integer
---@return drawbridge.Review?, drawbridge.ReviewHunk?
function M.at(buf, row)
  local view = M.of(buf)
  for _, hunk in ipairs(view and view.hunks or {}) do
    local range = buf == view.old and hunk.oldRange or hunk.newRange
    local first = range.start.line
    local last = first + #buffers.lines(buf == view.old and hunk.oldText or hunk.newText)
    if row >= first and row < last or last == first and (row == first or row == first - 1) then
      return decidable(view, hunk.hunkId)
    end
  end
  return view and changes.get(view.key) or nil, nil
end

-- Where the hunks of a diff are that a person would go to: of one that waits
-- those that are undecided, of one that is settled all.
---@param view drawbridge.DiffView
---@return integer[] rows From 0, in the new text.
local function stops(view)
  local rows, waits = {}, changes.get(view.key)
  for _, hunk in ipairs(view.hunks) do
    local review, now = decidable(view, hunk.hunkId)
    if not waits or (now and review == waits and not now.decision) then
      rows[#rows + 1] = hunk.newRange.start.line
    end
  end
  table.sort(rows)
  return rows
end

--- Goes to the next hunk of a diff, or the one before; false when there is none
--- that way.
---@param view drawbridge.DiffView
---@param direction -1|1
---@param from? integer The row to start from; absent: the cursor's.
---@return boolean
function M.go(view, direction, from)
  if not focus(view) then
    return false
  end
  local win = vim.api.nvim_get_current_win()
  local last = vim.api.nvim_buf_line_count(view.new) - 1
  local row = from or vim.api.nvim_win_get_cursor(win)[1] - 1
  local rows = stops(view)
  for i = direction > 0 and 1 or #rows, direction > 0 and #rows or 1, direction do
    local at = math.min(rows[i], last)
    if (at - row) * direction > 0 then
      vim.api.nvim_win_set_cursor(win, { at + 1, 0 })
      return true
    end
  end
  return false
end

--- Shows another change in place of a diff, at its first hunk or its last.
---@param view drawbridge.DiffView
---@param review drawbridge.Review
---@param direction -1|1
function M.go_over(view, review, direction)
  M.open(review.sessionId, review.changeId, function(other)
    if other ~= view then
      views[view.key], view.said = nil, true -- nothing was decided by going on
      M.close(view)
    end
    M.go(other, direction, direction > 0 and -1 or math.huge)
  end)
end

---@param view drawbridge.DiffView
---@param review drawbridge.Review
local function refresh(view, review)
  fetch(review.sessionId, review.changeId, function(result)
    if valid(view) and views[view.key] == view then
      buffers.fill(view.old, buffers.lines(result.oldText or ""))
      buffers.fill(view.new, buffers.lines(result.newText or ""))
      view.hunks = result.hunks
      vim.cmd("diffupdate")
      mark(view)
    end
  end)
end

---@param view drawbridge.DiffView
---@param hunks drawbridge.ReviewHunk[]
---@return boolean
local function shows(view, hunks)
  if #hunks ~= #view.hunks then
    return false
  end
  for i, hunk in ipairs(hunks) do
    local other = view.hunks[i]
    if hunk.newText ~= other.newText or not vim.deep_equal(hunk.newRange, other.newRange) then
      return false
    end
  end
  return true
end

---@param view drawbridge.DiffView
local function finish(view)
  views[view.key] = nil
  view.said = true
  vim.schedule(function()
    M.close(view)
  end)
end

vim.api.nvim_create_autocmd("WinResized", {
  group = vim.api.nvim_create_augroup("drawbridge_diff", {}),
  callback = function()
    for _, view in pairs(views) do
      if valid(view) then
        say_how(view)
      end
    end
  end,
})

changes.watch(function(review, gone)
  local view = views[review.key]
  if not view then
    return
  elseif not gone then
    if review.approvalId and not shows(view, review.hunks) then
      refresh(view, review)
    else
      mark(view)
    end
    view.waits = true
    return
  end
  if not review.superseded then
    finish(view)
  end
end)

-- What was looked at as a question goes with it. What is looked at as a settled
-- change stays, and says what became of its hunks, while one of them stands.
client.on("change/updated", function(event)
  local view = views[changes.key(event.sessionId, event.changeId)]
  if not view or event.state == "proposed" or changes.get(view.key) then
    return
  elseif view.waits or not changes.settled(view.key) then
    finish(view)
  else
    mark(view)
    say_how(view)
  end
end)

return M
