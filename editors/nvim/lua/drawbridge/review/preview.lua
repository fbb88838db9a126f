-- What a question is about, in a window that takes neither the cursor nor a
-- key. It goes when the choice is made, when the question goes, or when the
-- person turns to something else.

local question = require("drawbridge.approvals.question")

local M = {}

---@type { win: integer, buf: integer, key: string }?
local shown

local group = vim.api.nvim_create_augroup("drawbridge_preview", {})
local namespace = vim.api.nvim_create_namespace("drawbridge_preview")

---@param params drawbridge.ApprovalRequestParams
---@return string
local function key(params)
  return params.sessionId .. "/" .. params.approvalId
end

-- Colours the lines up to one, or all, by a syntax.
---@param buf integer
---@param page drawbridge.QuestionPage
local function colour_syntax(buf, page)
  if not page.last then
    vim.bo[buf].syntax = page.syntax
    return
  end
  vim.api.nvim_buf_call(buf, function()
    pcall(vim.cmd.syntax, "include @drawbridgeText syntax/" .. page.syntax .. ".vim")
    vim.cmd.syntax(([[region drawbridgePart start=/\%%^/ end=/\%%%dl$/ contains=@drawbridgeText keepend]]):format(page.last))
  end)
end

--- Colours a buffer that holds a page: its lines, and the parts of the command.
---@param buf integer
---@param page drawbridge.QuestionPage
function M.colour(buf, page)
  if page.syntax then
    colour_syntax(buf, page)
  end
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  for i, name in pairs(page.groups) do
    vim.api.nvim_buf_set_extmark(buf, namespace, i - 1, 0, { end_col = #page.lines[i], hl_group = name })
  end
  for _, mark in ipairs(page.marks) do
    vim.api.nvim_buf_set_extmark(buf, namespace, mark.row, mark.from, { end_col = mark.to, hl_group = mark.group, strict = false })
  end
end

---@param lines string[]
---@return vim.api.keyset.win_config
local function geometry(lines)
  local widest = 20
  for _, line in ipairs(lines) do
    widest = math.max(widest, vim.fn.strdisplaywidth(line))
  end
  local width = math.max(1, math.min(widest, vim.o.columns - 4))
  local rows = 0
  for _, line in ipairs(lines) do
    rows = rows + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  local height = math.max(1, math.min(rows, math.floor(vim.o.lines / 2) - 3))
  return {
    relative = "editor",
    row = 1,
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    width = width,
    height = height,
    style = "minimal",
    border = "rounded",
    focusable = false,
    noautocmd = true,
    zindex = 45, -- below the choice itself
  }
end

--- Whether a question is before the person now.
---@return boolean
function M.showing()
  return shown ~= nil
end

--- Takes the preview away; given a question, only when it shows that one.
---@param params? drawbridge.ApprovalRequestParams
function M.close(params)
  local now = shown
  if not now or (params and now.key ~= key(params)) then
    return
  end
  shown = nil
  vim.api.nvim_clear_autocmds({ group = group })
  -- Not from within an event that may not close windows.
  vim.schedule(function()
    if vim.api.nvim_win_is_valid(now.win) then
      pcall(vim.api.nvim_win_close, now.win, true)
    end
    if vim.api.nvim_buf_is_valid(now.buf) then
      pcall(vim.api.nvim_buf_delete, now.buf, { force = true })
    end
  end)
end

--- Shows what a question is about.
---@param params drawbridge.ApprovalRequestParams
function M.show(params)
  M.close()
  local page = question.body(params)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, page.lines)
  vim.bo[buf].modifiable = false
  local config = geometry(page.lines)
  config.title = params.command and " Command " or params.change and " Change " or " Question "
  local ok, win = pcall(vim.api.nvim_open_win, buf, false, config)
  if not ok then
    pcall(vim.api.nvim_buf_delete, buf, { force = true })
    return -- too small a screen; the headline says the most important
  end
  M.colour(buf, page)
  vim.wo[win].wrap = true
  shown = { win = win, buf = buf, key = key(params) }
  local here = vim.api.nvim_get_current_win()
  vim.schedule(function()
    if not shown or shown.win ~= win then
      return
    end
    -- Back in the window it was asked from and moving: the choice is gone, even
    -- if whoever showed it never called back.
    vim.api.nvim_create_autocmd({ "CursorMoved", "InsertEnter" }, {
      group = group,
      callback = function()
        if vim.api.nvim_get_current_win() == here then
          M.close(params)
        end
      end,
    })
  end)
  vim.cmd.redraw()
end

return M
