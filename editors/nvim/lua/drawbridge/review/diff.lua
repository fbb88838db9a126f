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
---@field path string
---@field old integer
---@field new integer
---@field hunks drawbridge.Hunk[]
---@field said? boolean

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
    path = path,
    old = side("old", result.oldText),
    new = side("new", result.newText),
    hunks = result.hunks,
  }
end

-- What was decided so far, beside the hunks.
---@param view drawbridge.DiffView
local function mark(view)
  if not valid(view) then
    return
  end
  vim.api.nvim_buf_clear_namespace(view.new, namespace, 0, -1)
  local review = changes.get(view.key)
  for _, hunk in ipairs(review and review.hunks or {}) do
    if hunk.decision then
      local row = math.min(hunk.newRange.start.line, vim.api.nvim_buf_line_count(view.new) - 1)
      local accepted = hunk.decision == "accepted"
      vim.api.nvim_buf_set_extmark(view.new, namespace, row, 0, {
        virt_text = {
          {
            accepted and " ✓ accepted " or " ✗ rejected ",
            accepted and "DrawbridgeDone" or "DrawbridgeDenied",
          },
        },
      })
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

---@param view drawbridge.DiffView
local function lay_out(view)
  tab(view.old)
  vim.wo.winbar = "%#DrawbridgeDelete# before %*"
  vim.cmd("diffthis")
  vim.api.nvim_open_win(view.new, true, { split = "right", win = 0 })
  local review = changes.get(view.key)
  local how = review and hint.text(review.approvalId ~= nil):gsub("%%", "%%%%") or ""
  vim.wo.winbar = "%#DrawbridgeAdd# after %*%=%#DrawbridgeMuted#" .. how .. " "
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
function M.open(session_id, change_id)
  local key = changes.key(session_id, change_id)
  local view = views[key]
  if view and valid(view) and focus(view) then
    return
  end
  fetch(session_id, change_id, function(result)
    view = make(key, result)
    views[key] = view
    watch(view)
    lay_out(view)
    mark(view)
  end)
end

--- The hunk of a diff at a row, and the review it belongs to; also for changes
--- that are not under review.
---@param buf integer
---@param row integer
---@return drawbridge.Review?, drawbridge.ReviewHunk?
function M.at(buf, row)
  local key = vim.b[buf].drawbridge_review
  local view = key and views[key]
  local review = key and changes.get(key)
  if not view or not review then
    return review, nil
  end
  for _, hunk in ipairs(review.hunks) do
    local range = buf == view.old and hunk.oldRange or hunk.newRange
    local first = range.start.line
    local last = first + #buffers.lines(buf == view.old and hunk.oldText or hunk.newText)
    if row >= first and row < last or last == first and (row == first or row == first - 1) then
      return review, hunk
    end
  end
  return review, nil
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
    return
  end
  if not review.superseded then
    finish(view)
  end
end)

-- A question that was to be asked anew, and was not.
client.on("change/updated", function(event)
  local view = views[changes.key(event.sessionId, event.changeId)]
  if view and event.state ~= "proposed" and not changes.get(view.key) then
    finish(view)
  end
end)

return M
