--- What one subagent does, whole: a page to read, beside the conversation that it works
--- for. Nothing is typed to a subagent from here; the model that started it speaks to it.
--- The page follows what comes, and a window whose cursor is on the last line with it.

local items = require("drawbridge.items")
local nested = require("drawbridge.subagents.nested")
local own = require("drawbridge.own")
local page = require("drawbridge.page")
local state = require("drawbridge.state")
local window = require("drawbridge.window")
local words = require("drawbridge.subagents.words")

local M = {}

local namespace = vim.api.nvim_create_namespace("drawbridge_subagent")

---@class (exact) drawbridge.SubagentView
---@field buf integer
---@field sessionId string Its own.
---@field parent string The session it works for.
---@field subagentId string
---@field due? boolean It is about to be written anew.

---@type table<string, drawbridge.SubagentView>
local views = {}

---@class (exact) drawbridge.ViewText
---@field lines string[]
---@field levels string[]
---@field groups table<integer, string> By line, from 1.

---@param text drawbridge.ViewText
---@param item drawbridge.Item
---@param c drawbridge.Conversation
local function add(text, item, c)
  local drawn = items.draw(item, c)
  if #drawn.lines == 0 then
    return
  elseif #text.lines > 0 and text.lines[#text.lines] ~= "" then
    table.insert(text.lines, "")
    table.insert(text.levels, "0")
  end
  local first = #text.lines
  for _, mark in ipairs(drawn.marks) do
    text.groups[first + mark.line + 1] = mark.group
  end
  for i, line in ipairs(drawn.lines) do
    if i == 1 and item.kind ~= "message" then
      local group
      line, group = nested.heading(item, c, line)
      text.groups[first + 1] = group or text.groups[first + 1]
    end
    table.insert(text.lines, line)
    table.insert(text.levels, not drawn.folds and "0" or i == 1 and ">1" or "1")
  end
  local fence = item.kind == "message" and items.open_fence(table.concat(drawn.lines, "\n"))
  if fence then
    table.insert(text.lines, fence)
    table.insert(text.levels, "0")
  end
end

---@param view drawbridge.SubagentView
---@return drawbridge.ViewText
local function text_of(view)
  local c = state.get(view.sessionId)
  ---@type drawbridge.ViewText
  local text = { lines = {}, levels = {}, groups = {} }
  for _, item in ipairs(c and c.items or {}) do
    add(text, item, c --[[@as drawbridge.Conversation]])
  end
  if #text.lines == 0 then
    text = { lines = { "It has done nothing yet." }, levels = { "0" }, groups = { "DrawbridgePlaceholder" } }
  end
  return text
end

---@param view drawbridge.SubagentView
---@return integer[]
local function at_end(view)
  local last = vim.api.nvim_buf_line_count(view.buf)
  return vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_cursor(win)[1] >= last
  end, vim.fn.win_findbuf(view.buf))
end

-- Above the page: which one it is, and how it stands.
---@param view drawbridge.SubagentView
local function title(view)
  local c = state.get(view.parent)
  local subagent = c and c.subagents[view.subagentId]
  local how = subagent and words.state(subagent) or "ended"
  local what = subagent and words.title(subagent) or ""
  local lives = subagent and subagent.state ~= "ended"
  for _, win in ipairs(vim.fn.win_findbuf(view.buf)) do
    window.bar(win, view.subagentId, {
      ("%s · %s · %s:q"):format(what, how, lives and ":Drawbridge kill " .. view.subagentId .. " · " or ""),
      ("%s · %s"):format(what, how),
      how,
    })
  end
end

-- Lines that stay are not touched, and so what is folded out, copied or read stays.
---@param view drawbridge.SubagentView
local function write(view)
  view.due = nil
  if not own.whole(view.buf) then
    return
  end
  local text = text_of(view)
  local old = vim.api.nvim_buf_get_lines(view.buf, 0, -1, false)
  local head, tail = 0, 0
  while head < #old and head < #text.lines and old[head + 1] == text.lines[head + 1] do
    head = head + 1
  end
  while tail < #old - head and tail < #text.lines - head and old[#old - tail] == text.lines[#text.lines - tail] do
    tail = tail + 1
  end
  local following = at_end(view)
  if head < #old or head < #text.lines then
    local last = #text.lines - tail
    page.write(view.buf, head, #old - tail, vim.list_slice(text.lines, head + 1, last), vim.list_slice(text.levels, head + 1, last))
  end
  for i, level in ipairs(text.levels) do
    page.set_level(view.buf, i - 1, level)
  end
  vim.api.nvim_buf_clear_namespace(view.buf, namespace, 0, -1)
  for i, group in pairs(text.groups) do
    vim.api.nvim_buf_set_extmark(view.buf, namespace, i - 1, 0, { end_col = #text.lines[i], hl_group = group, priority = 150 })
  end
  for _, win in ipairs(following) do
    vim.api.nvim_win_set_cursor(win, { #text.lines, 0 })
  end
  title(view)
end

--- 'foldtext' of the page: the line as it stands, in its colour.
---@return string[][]
function M.fold_text()
  local row, b = vim.v.foldstart - 1, vim.api.nvim_get_current_buf()
  local line = vim.api.nvim_buf_get_lines(b, row, row + 1, false)[1] or ""
  local mark = vim.api.nvim_buf_get_extmarks(b, namespace, { row, 0 }, { row, 0 }, { details = true })[1]
  local group = mark and mark[4].hl_group or "DrawbridgeTool"
  return { { items.cut(line, vim.api.nvim_win_get_width(0)), group --[[@as string]] } }
end

---@param view drawbridge.SubagentView
---@return integer
local function make(view)
  local b = own.make("drawbridge://subagent/" .. view.subagentId, {
    read = function(whole)
      page.reset(whole)
      write(view)
    end,
    unload = page.forget,
  })
  page.reset(b)
  vim.bo[b].undolevels = -1
  vim.bo[b].modifiable = false
  vim.bo[b].filetype = "drawbridge-subagent"
  if not pcall(vim.treesitter.start, b, "markdown") then
    vim.bo[b].syntax = "markdown"
  end
  return b
end

---@param win integer
local function dress(win)
  local wo = vim.wo[win][0]
  wo.wrap, wo.linebreak, wo.number, wo.relativenumber, wo.signcolumn = true, true, false, false, "no"
  wo.list, wo.spell, wo.conceallevel = false, false, 0
  wo.foldmethod, wo.foldexpr = "expr", "v:lua.require'drawbridge.page'.level(v:lnum)"
  wo.foldenable, wo.foldlevel, wo.foldminlines = true, 0, 0
  wo.foldtext = "v:lua.require'drawbridge.subagents.view'.fold_text()"
  wo.fillchars = "fold: ,eob: "
end

--- Shows what a subagent did, below. What it did must be known.
---@param parent string The session it works for.
---@param subagent drawbridge.Subagent
function M.open(parent, subagent)
  local view = views[subagent.sessionId]
  if not view or not own.whole(view.buf) then
    view = { buf = -1, sessionId = subagent.sessionId, parent = parent, subagentId = subagent.subagentId }
    view.buf = make(view)
    views[subagent.sessionId] = view
  end
  local win = vim.fn.win_findbuf(view.buf)[1]
  if win then
    vim.api.nvim_set_current_win(win)
  else
    win = window.split_below(view.buf, math.floor(vim.o.lines / 2))
    dress(win)
  end
  write(view)
  vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(view.buf), 0 })
  vim.api.nvim_win_call(win, function()
    vim.cmd("normal! zb") -- as much of it as there is room for
  end)
end

state.on_change(function(session_id, what)
  for _, view in pairs(views) do
    local own_news = view.sessionId == session_id
    local news = own_news or (view.parent == session_id and what.subagentId == view.subagentId)
    if news and not view.due and own.whole(view.buf) then
      view.due = true
      vim.defer_fn(function()
        write(view)
      end, 100)
    end
  end
end)

return M
