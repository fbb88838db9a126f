--- The conversation as a buffer. What was written stays where it is: text is
--- appended, and only the lines of the tool call that changed are written anew,
--- so cursor, view and what is being copied are left alone. A window whose cursor
--- is on the last line follows; another one stays.

local client = require("drawbridge.client")
local invitation = require("drawbridge.invitation")
local items = require("drawbridge.items")
local models = require("drawbridge.models")
local nested = require("drawbridge.subagents.nested")
local own = require("drawbridge.own")
local page = require("drawbridge.page")
local reduce = require("drawbridge.reduce")
local state = require("drawbridge.state")
require("drawbridge.highlights")

local M = {}

local ns = vim.api.nvim_create_namespace("drawbridge.conversation")
local status_ns = vim.api.nvim_create_namespace("drawbridge.conversation.status")

---@class drawbridge.Placed An item in the buffer.
---@field item drawbridge.Item
---@field mark integer The extmark at its first line.
---@field size integer Lines it has.
---@field opened? boolean Its fold was opened to show what is asked.
---@field within? table<integer, drawbridge.Within> What of a subagent stands on its lines, from 1.
---@field due? boolean It is about to be written anew.

---@type integer?
local buffer
--- Whose items stand in the buffer.
---@type string?
local shown
---@type table<integer, drawbridge.Placed> By item key.
local placed = {}
---@type table<integer, drawbridge.Placed> By the id of its extmark.
local by_mark = {}
---@type drawbridge.Placed[] In the order of the buffer.
local order = {}
--- Lines that stand for nothing but an invitation.
local empty_view = true
---@type uv.uv_timer_t?
local timer

---@return integer?
function M.buffer()
  return own.whole(buffer) and buffer or nil
end

---@return integer[]
local function windows()
  local b = M.buffer()
  return b and vim.fn.win_findbuf(b) or {}
end

---@param entry drawbridge.Placed
---@return integer row from 0
local function row_of(entry)
  return vim.api.nvim_buf_get_extmark_by_id(buffer --[[@as integer]], ns, entry.mark, {})[1] or 0
end

--- How many items of a replaced turn lie in some rows, the last one excluded.
---@param first integer
---@param last integer
---@return integer
local function replaced_within(first, last)
  return #vim.tbl_filter(function(entry)
    local row = row_of(entry)
    return entry.item.replaced and row >= first and row < last
  end, order)
end

--- The colour of a line: a fold within another one keeps it.
---@param b integer
---@param row integer
---@return string?
local function group_at(b, row)
  local marks = vim.api.nvim_buf_get_extmarks(b, ns, { row, 0 }, { row, 0 }, { details = true })
  return vim.iter(marks):map(function(mark)
    return mark[4].hl_group
  end):next()
end

--- 'foldtext' of the conversation: the title cut to leave room for the state. A
--- turn that was replaced lies in one fold around those of its calls.
---@return string[][]
function M.fold_text()
  local b, c = M.buffer(), state.current()
  local row = vim.v.foldstart - 1
  local replaced = vim.v.foldlevel == 1 and b and replaced_within(row, vim.v.foldend) or 0
  if replaced > 0 then
    local text = ("replaced by the prompt below (%d item%s)"):format(replaced, replaced == 1 and "" or "s")
    return { { "↓ ", "DrawbridgeMuted" }, { text, "DrawbridgeMuted" } }
  end
  local title = b and vim.api.nvim_buf_get_lines(b, row, row + 1, false)[1] or ""
  local entry
  for _, mark in ipairs(b and vim.api.nvim_buf_get_extmarks(b, ns, { row, 0 }, { row, 0 }, {}) or {}) do
    entry = by_mark[mark[1]] or entry
  end
  if not entry or not c then
    return { { items.cut(title, vim.api.nvim_win_get_width(0)), b and group_at(b, row) or "DrawbridgeMuted" } }
  end
  return items.fold_text(entry.item, c, title, vim.api.nvim_win_get_width(0))
end

--- Runs fn, then moves the windows that were at the end to the new end.
---@param fn fun()
local function following(fn)
  local b = M.buffer()
  if not b then
    return
  end
  local at_end = {}
  local last = vim.api.nvim_buf_line_count(b)
  for _, win in ipairs(windows()) do
    if vim.api.nvim_win_get_cursor(win)[1] >= last then
      table.insert(at_end, win)
    end
  end
  fn()
  local visual = vim.fn.mode():find("^[vV\22]") ~= nil
  local line = vim.api.nvim_buf_line_count(b)
  for _, win in ipairs(at_end) do
    if not (visual and win == vim.api.nvim_get_current_win()) then
      local text = vim.api.nvim_buf_get_lines(b, line - 1, line, false)[1] or ""
      vim.api.nvim_win_set_cursor(win, { line, math.max(0, #text - 1) })
    end
  end
end

---@param c drawbridge.Conversation
---@param entry drawbridge.Placed
---@param row integer
local function annotate(c, entry, row)
  local b = buffer --[[@as integer]]
  local prefix = items.prefix(entry.item, c)
  entry.mark = vim.api.nvim_buf_set_extmark(b, ns, row, 0, {
    id = entry.mark ~= 0 and entry.mark or nil,
    virt_text = prefix and { prefix } or nil,
    virt_text_pos = prefix and "inline" or nil,
    right_gravity = false,
  })
  local virt = items.annotation(entry.item, c)
  if virt then
    vim.api.nvim_buf_set_extmark(b, status_ns, row, 0, {
      id = entry.mark,
      virt_text = vim.list_extend({ { " " } }, virt),
      virt_text_pos = "eol",
    })
  else
    vim.api.nvim_buf_del_extmark(b, status_ns, entry.mark)
  end
end

---@param row integer
---@param marks drawbridge.Mark[]
local function colour(row, marks)
  local b = buffer --[[@as integer]]
  for _, mark in ipairs(marks) do
    local line = vim.api.nvim_buf_get_lines(b, row + mark.line, row + mark.line + 1, false)[1] or ""
    vim.api.nvim_buf_set_extmark(b, ns, row + mark.line, 0, {
      end_row = row + mark.line,
      end_col = #line,
      hl_group = mark.group,
      -- Above the colours of Markdown, which takes titles for text.
      priority = 150,
    })
  end
end

---@param drawn drawbridge.Drawn
---@param replaced? boolean
---@return string[]
local function levels_of(drawn, replaced)
  local out = {}
  local base = (replaced and 1 or 0) + (drawn.folds and 1 or 0)
  for i = 1, #drawn.lines do
    local inner = drawn.inner and drawn.inner[i]
    local level = base + (inner and 1 or 0)
    out[i] = (inner == "first" or (drawn.folds and i == 1)) and ">" .. level or tostring(level)
  end
  return out
end

--- Writes a new item at the end.
---@param c drawbridge.Conversation
---@param item drawbridge.Item
local function append(c, item)
  local b = M.buffer()
  local drawn = items.draw(item, c)
  if not b or #drawn.lines == 0 then
    return
  end
  following(function()
    local count = vim.api.nvim_buf_line_count(b)
    local lines, line_levels = vim.list_slice(drawn.lines), levels_of(drawn, item.replaced)
    local row = count
    if empty_view then
      vim.api.nvim_buf_clear_namespace(b, ns, 0, -1)
      vim.api.nvim_buf_clear_namespace(b, status_ns, 0, -1)
      page.write(b, 0, count, lines, line_levels)
      empty_view, row = false, 0
    else
      local previous = order[#order]
      local fence = previous and previous.item.kind == "message" and items.open_fence(reduce.text(previous.item))
      local blank = vim.api.nvim_buf_get_lines(b, count - 1, count, false)[1] == ""
      local between = blank and {} or { "" }
      local inside = item.replaced and previous and previous.item.replaced
      local between_levels = blank and {} or { inside and "1" or "0" }
      if fence then
        table.insert(between, 1, fence)
        table.insert(between_levels, 1, previous.item.replaced and "1" or "0")
        previous.size = previous.size + 1
      end
      page.write(b, count, count, vim.list_extend(between, lines), vim.list_extend(between_levels, line_levels))
      row = count + #between - #lines
    end
    local entry = { item = item, mark = 0, size = #drawn.lines, within = drawn.within }
    annotate(c, entry, row)
    colour(row, drawn.marks)
    placed[item.key], by_mark[entry.mark] = entry, entry
    table.insert(order, entry)
  end)
end

--- Writes an item anew where it stands. Its fold stays as it is.
---@param c drawbridge.Conversation
---@param entry drawbridge.Placed
local function rewrite(c, entry)
  local b = M.buffer()
  if not b then
    return
  end
  local drawn = items.draw(entry.item, c)
  entry.within = drawn.within
  local row = row_of(entry)
  local old = vim.api.nvim_buf_get_lines(b, row, row + entry.size, false)
  local line_levels = levels_of(drawn, entry.item.replaced)
  -- Lines at the start and end that stay are not touched.
  local head = 0
  while head < #old and head < #drawn.lines and old[head + 1] == drawn.lines[head + 1] do
    head = head + 1
  end
  local tail = 0
  while tail < #old - head and tail < #drawn.lines - head and old[#old - tail] == drawn.lines[#drawn.lines - tail] do
    tail = tail + 1
  end
  if head < #old or #old ~= #drawn.lines then
    following(function()
      local fresh, fresh_levels = {}, {}
      for i = head + 1, #drawn.lines - tail do
        table.insert(fresh, drawn.lines[i])
        table.insert(fresh_levels, line_levels[i])
      end
      page.write(b, row + head, row + #old - tail, fresh, fresh_levels)
      entry.size = #drawn.lines
      -- One that has come to have a single line stays a fold, which shows its state whole.
      for i = drawn.folds and 1 or 2, #drawn.lines do
        page.set_level(b, row + i - 1, line_levels[i])
      end
    end)
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(b, ns, { row, 0 }, { row + entry.size - 1, -1 }, {})) do
      if mark[1] ~= entry.mark then
        vim.api.nvim_buf_del_extmark(b, ns, mark[1])
      end
    end
    colour(row, drawn.marks)
  end
  annotate(c, entry, row)
end

--- Appends streamed text to the item it belongs to.
---@param c drawbridge.Conversation
---@param item drawbridge.Item
---@param text string
local function stream(c, item, text)
  local b, entry = M.buffer(), placed[item.key]
  if not b then
    return
  end
  if not entry then
    append(c, item)
    return
  end
  if item.kind == "call" then
    rewrite(c, entry)
    return
  end
  following(function()
    local level = (item.kind == "thought" and 1 or 0) + (item.replaced and 1 or 0)
    local lines = items.lines(text)
    page.append(b, row_of(entry) + entry.size - 1, lines, tostring(level))
    entry.size = entry.size + #lines - 1
  end)
end

---@param c? drawbridge.Conversation
local function draw_invitation(c)
  local b = M.buffer()
  if not b then
    return
  end
  local lines = invitation.lines(c)
  vim.api.nvim_buf_clear_namespace(b, ns, 0, -1)
  vim.api.nvim_buf_clear_namespace(b, status_ns, 0, -1)
  page.write(b, 0, vim.api.nvim_buf_line_count(b), lines, vim.tbl_map(function()
    return "0"
  end, lines))
  colour(0, vim.tbl_map(function(i)
    return { line = i - 1, group = "DrawbridgePlaceholder" }
  end, vim.fn.range(1, #lines)))
  empty_view = true
end

--- Draws the invitation again, where nothing else is shown: what it offers has
--- become known.
function M.redraw_empty()
  if empty_view then
    draw_invitation(state.current())
  end
end

--- Draws a conversation from nothing.
local function redraw()
  local c = state.current()
  shown = c and c.sessionId
  placed, by_mark, order = {}, {}, {}
  if not M.buffer() then
    return
  end
  draw_invitation(c)
  for _, item in ipairs(c and c.items or {}) do
    append(c --[[@as drawbridge.Conversation]], item)
  end
  M.draw_status()
end

--- The clock runs while a turn does.
---@param c drawbridge.Conversation
local function tick(c)
  if c.turnId and not timer then
    timer = assert(vim.uv.new_timer())
    timer:start(1000, 1000, vim.schedule_wrap(function()
      M.draw_status()
      vim.cmd("redrawstatus!")
    end))
  elseif not c.turnId and timer then
    timer:stop()
    timer:close()
    timer = nil
  end
end

--- The clock behind what runs.
function M.draw_status()
  local b = M.buffer()
  local c = state.current()
  if not b or not c then
    return
  end
  for _, entry in ipairs(order) do
    local item = entry.item
    if (item.kind == "call" and item.status == "running") or (item.kind == "thought" and not item.durationMs) then
      annotate(c, entry, row_of(entry))
    end
  end
  tick(c)
end

--- Whether a call is asked about, or a subagent that it started asks.
---@param c drawbridge.Conversation
---@param item drawbridge.Item
---@return boolean
local function asks(c, item)
  local function about(approval)
    return approval.callId == item.callId
  end
  return vim.iter(c.approvals):any(about)
    or vim.iter(nested.of(item, c)):any(function(subagent)
      local own = state.get(subagent.sessionId)
      return own ~= nil and #own.approvals > 0
    end)
end

--- The fold of a call that asks is open, so that what is asked can be read; it
--- closes with the answer unless the cursor is in it.
---@param c drawbridge.Conversation
---@param entry drawbridge.Placed
local function show_question(c, entry)
  local open = asks(c, entry.item)
  if open == (entry.opened or false) then
    return
  end
  entry.opened = open
  local first = row_of(entry) + 1
  local current = vim.api.nvim_get_current_win()
  for _, win in ipairs(windows()) do
    local cursor = vim.api.nvim_win_get_cursor(win)[1]
    local inside = win == current and cursor >= first and cursor < first + entry.size
    vim.api.nvim_win_call(win, function()
      if open then
        vim.cmd("silent! " .. first .. "foldopen")
      elseif not inside and vim.fn.foldlevel(first) > 0 then
        vim.cmd("silent! " .. first .. "foldclose")
      end
    end)
  end
end

--- Streamed text is written a few dozen times a second, however fast it comes;
--- what is not text waits for it.
---@type { item: drawbridge.Item, texts: string[] }?
local arriving

local function write_arriving()
  local c = state.current()
  local now = arriving
  arriving = nil
  if now and c and c.sessionId == shown then
    stream(c, now.item, table.concat(now.texts))
  end
end

---@param item drawbridge.Item
---@param text string
local function arrive(item, text)
  if arriving and arriving.item ~= item then
    write_arriving()
  end
  if not arriving then
    arriving = { item = item, texts = {} }
    vim.defer_fn(write_arriving, 25)
  end
  table.insert(arriving.texts, text)
end

---@param c drawbridge.Conversation
---@param what drawbridge.What
local function item_changed(c, what)
  local item = what.item --[[@as drawbridge.Item]]
  if what.op == "added" then
    append(c, item)
  elseif what.op == "text" then
    stream(c, item, what.text or "")
  elseif placed[item.key] then
    rewrite(c, placed[item.key])
  end
end

---@param c drawbridge.Conversation
---@param call_id string
---@return drawbridge.Placed?
local function placed_call(c, call_id)
  local call = c.calls[call_id]
  return call and placed[call.key]
end

--- What a subagent does stands within the call that started it. It is written a few
--- times a second, however much comes; that it asks, at once.
---@param c drawbridge.Conversation
---@param origin drawbridge.Origin
---@param what drawbridge.What
local function follow_subagent(c, origin, what)
  local entry = placed_call(c, origin.callId)
  if not entry then
    return
  elseif what.kind == "approvals" then
    write_arriving()
    rewrite(c, entry)
    show_question(c, entry)
  elseif not entry.due then
    entry.due = true
    vim.defer_fn(function()
      entry.due = nil
      if M.buffer() and placed[entry.item.key] == entry then
        write_arriving()
        rewrite(c, entry)
      end
    end, 100)
  end
end

---@param session_id string
---@param what drawbridge.What
local function on_change(session_id, what)
  if what.kind == "current" or (what.kind == "reset" and session_id == shown) then
    arriving = nil
    redraw()
    return
  end
  local c = state.current()
  local other = session_id ~= shown and state.get(session_id)
  if c and other and other.origin and other.origin.sessionId == shown and M.buffer() then
    follow_subagent(c, other.origin, what)
  end
  if session_id ~= shown or not c or not M.buffer() then
    return
  end
  if what.op == "text" and what.item.kind ~= "call" and placed[what.item.key] then
    arrive(what.item, what.text or "")
    return
  end
  write_arriving()
  if what.kind == "item" then
    item_changed(c, what)
  elseif what.kind == "approvals" and what.approval then
    local entry = placed_call(c, what.approval.callId)
    if entry then
      rewrite(c, entry)
      show_question(c, entry)
    end
  elseif what.kind == "change" then
    local entry = placed_call(c, c.changes[what.changeId].callId)
    if entry then
      rewrite(c, entry)
    end
  elseif what.kind == "turn" then
    for _, entry in ipairs(order) do
      if entry.item.kind == "end" then
        rewrite(c, entry)
      end
    end
  elseif what.kind == "session" and empty_view then
    draw_invitation(c)
  end
  M.draw_status()
end

---@param b integer
local function highlight_markdown(b)
  local ok = pcall(vim.treesitter.start, b, "markdown")
  if not ok then
    vim.bo[b].syntax = "markdown"
  end
end

--- Makes the buffer, or gives the one there is.
---@return integer
function M.open_buffer()
  local b = M.buffer()
  if b then
    return b
  end
  b = own.make("drawbridge://conversation", {
    read = function(whole)
      page.reset(whole)
      redraw()
    end,
  })
  buffer = b
  page.reset(b)
  vim.bo[b].undolevels = -1
  vim.bo[b].modifiable = false
  vim.bo[b].filetype = "drawbridge"
  highlight_markdown(b)
  redraw()
  return b
end

---@return drawbridge.Placed?
---@return integer? line From 1, within it.
local function at_cursor()
  local b = M.buffer()
  if not b or vim.api.nvim_get_current_buf() ~= b then
    return nil
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, entry in ipairs(order) do
    local first = row_of(entry)
    if row >= first and row < first + entry.size then
      return entry, row - first + 1
    end
  end
end

--- The item that the cursor is in.
---@return drawbridge.Item?
function M.item_at_cursor()
  local entry = at_cursor()
  return entry and entry.item
end

--- What the cursor is in of a subagent's doings, within the call that started it.
---@return drawbridge.Within?
function M.within_at_cursor()
  local entry, line = at_cursor()
  return entry and entry.within and entry.within[line]
end

state.on_change(on_change)

models.watch(M.redraw_empty)

for _, name in ipairs({ "drawbridge/ready", "drawbridge/exited", "drawbridge/failed" }) do
  client.on(name, M.redraw_empty)
end

return M
