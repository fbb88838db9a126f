-- What a question is about, in a window that takes neither the cursor nor a
-- key. It goes when the choice is made, when the question goes, or when the
-- person turns to something else.

local running = require("drawbridge.running")

local M = {}

---@type { win: integer, buf: integer, key: string }?
local shown

local group = vim.api.nvim_create_augroup("drawbridge_preview", {})

-- Names what would be invisible or would change how the rest is read: control
-- characters, and those that turn the direction of writing.
---@param text string
---@return string
function M.visible(text)
  local plain = vim.fn.strtrans(text)
  return (
    plain:gsub("\226\128[\142\143\170-\174]", function(c)
      return ("<U+%04X>"):format(vim.fn.char2nr(c))
    end):gsub("\226\129[\166-\169]", function(c)
      return ("<U+%04X>"):format(vim.fn.char2nr(c))
    end):gsub("\226\128[\139-\141]", function(c)
      return ("<U+%04X>"):format(vim.fn.char2nr(c))
    end)
  )
end

---@param params drawbridge.ApprovalRequestParams
---@return string
local function key(params)
  return params.sessionId .. "/" .. params.approvalId
end

---@param diff string
---@return integer plus, integer minus
local function count(diff)
  local plus, minus = 0, 0
  for line in vim.gsplit(diff, "\n", { plain = true }) do
    if vim.startswith(line, "+") and not vim.startswith(line, "+++ ") then
      plus = plus + 1
    elseif vim.startswith(line, "-") and not vim.startswith(line, "--- ") then
      minus = minus + 1
    end
  end
  return plus, minus
end

local verbs = { create = "Create", modify = "Change", delete = "Delete", rename = "Rename" }

--- The question in one line: the exact command and where it runs, or the file
--- and how much of it changes.
---@param params drawbridge.ApprovalRequestParams
---@return string
function M.headline(params)
  if params.command then
    local lines = vim.split(params.command.text, "\n", { plain = true })
    local text = M.visible(lines[1])
    if #lines > 1 then
      text = ("%s … (%d lines)"):format(text, #lines)
    end
    local cwd = M.visible(vim.fn.fnamemodify(params.command.cwd, ":~"))
    local held = running.held(params.command)
    local what = ("Run: %s  in %s"):format(text, cwd)
    if params.command.typedInto then
      what = M.visible(("Type %s into: %s"):format(running.typed(params.command.text), params.command.typedInto))
    end
    return what .. (held and "  (" .. held .. ")" or "")
  elseif params.change then
    local change = params.change --[[@as drawbridge.ChangeQuestion]]
    local plus, minus = count(change.diff)
    local path = M.visible(vim.fn.fnamemodify(vim.uri_to_fname(change.uri), ":~:."))
    return ("%s %s  +%d −%d  %d hunk%s"):format(
      verbs[change.kind] or "Change",
      path,
      plus,
      minus,
      #change.hunks,
      #change.hunks == 1 and "" or "s"
    )
  end
  return M.visible((params.title:gsub("\n.*", " …")))
end

---@param params drawbridge.ApprovalRequestParams
---@return string[] lines, string? syntax, integer? last The last line that the syntax is for; absent: all.
local function body(params)
  local lines = {}
  local function add(text)
    for _, line in ipairs(vim.split(text, "\n", { plain = true })) do
      lines[#lines + 1] = (line:gsub("[^\t]+", M.visible))
    end
  end
  if params.command then
    add(params.command.text)
    local last = #lines
    add("")
    add("in " .. params.command.cwd)
    for _, fact in ipairs(running.facts(params.command)) do
      add(fact)
    end
    add((params.reason:gsub("; unconfined$", "")))
    return lines, "sh", last
  elseif params.change then
    add((params.change.diff:gsub("\n$", "")))
    return lines, "diff"
  end
  add(params.title)
  add(params.reason)
  return lines
end

-- Colours the lines up to one, or all, by a syntax.
---@param buf integer
---@param syntax string
---@param last? integer
local function colour(buf, syntax, last)
  if not last then
    vim.bo[buf].syntax = syntax
    return
  end
  vim.api.nvim_buf_call(buf, function()
    pcall(vim.cmd.syntax, "include @drawbridgeText syntax/" .. syntax .. ".vim")
    vim.cmd.syntax(([[region drawbridgePart start=/\%%^/ end=/\%%%dl$/ contains=@drawbridgeText keepend]]):format(last))
  end)
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
  local lines, syntax, last = body(params)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  local config = geometry(lines)
  config.title = params.command and " Command " or params.change and " Change " or " Question "
  local ok, win = pcall(vim.api.nvim_open_win, buf, false, config)
  if not ok then
    pcall(vim.api.nvim_buf_delete, buf, { force = true })
    return -- too small a screen; the headline says the most important
  end
  if syntax then
    colour(buf, syntax, last)
  end
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
