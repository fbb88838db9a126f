-- A terminal buffer that is fed from afar: its bytes come from the wire, what is
-- typed goes back by a function. It is no process of Neovim's, so it ends when
-- it is wiped and not before.

local clipboard = require("drawbridge.terminals.clipboard")
local config = require("drawbridge.config")

local M = {}

---@class drawbridge.Screen
---@field buf integer
---@field chan integer
---@field muted boolean What the emulator answers now is not typed by anybody.
---@field fullscreen boolean A program has the other screen.
---@field column boolean The cursor is perhaps not at the start of a line.
---@field filter fun(data: string): string Takes out what must not reach the emulator.
---@field cols? integer As last told.
---@field rows? integer

-- The window of this tab that shows commands, so that one after the other
-- appears in the same place.
---@return integer?
local function window()
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.b[vim.api.nvim_win_get_buf(win)].drawbridge_terminal then
      return win
    end
  end
end

--- Shows a buffer at the bottom.
---@param buf integer
---@param enter boolean
---@return integer win
local function show(buf, enter)
  local win = vim.fn.win_findbuf(buf)[1]
  if win and vim.api.nvim_win_get_tabpage(win) ~= vim.api.nvim_get_current_tabpage() and not enter then
    return win
  end
  win = win or window()
  if win then
    vim.api.nvim_win_set_buf(win, buf)
  else
    local height = math.max(5, math.min(15, math.floor(vim.o.lines / 3)))
    win = require("drawbridge.window").below(function()
      return vim.api.nvim_open_win(buf, false, { split = "below", win = -1, height = height })
    end)
  end
  local plain = { number = false, relativenumber = false, signcolumn = "no", foldcolumn = "0", list = false }
  for option, value in pairs(plain) do
    vim.api.nvim_set_option_value(option, value, { win = win, scope = "local" })
  end
  if enter then
    vim.api.nvim_set_current_win(win)
  end
  return win
end

---@param name string
---@return integer buf
local function buffer(name)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "hide"
  for i = 1, 100 do
    if pcall(vim.api.nvim_buf_set_name, buf, i == 1 and name or name .. "#" .. i) then
      break
    end
  end
  vim.b[buf].drawbridge_terminal = name
  return buf
end

--- Makes a terminal in a window of its own.
---@param opts { name: string, enter: boolean, on_input: fun(data: string) }
---@return drawbridge.Screen
function M.open(opts)
  local buf = buffer(opts.name)
  local win = show(buf, opts.enter)
  ---@type drawbridge.Screen
  local screen = { buf = buf, chan = 0, muted = false, fullscreen = false, column = false, filter = clipboard.filter() }
  -- A terminal takes its size from the window it is made in, its title included:
  -- lines it loses later it loses at the top.
  vim.api.nvim_set_option_value("winbar", " ", { win = win, scope = "local" })
  vim.api.nvim_win_call(win, function()
    screen.chan = vim.api.nvim_open_term(buf, {
      on_input = function(_, _, _, data)
        if not screen.muted then
          opts.on_input(data)
        end
      end,
    })
  end)
  vim.bo[buf].scrollback = math.max(1, math.min(100000, config.get().terminals.scrollback))
  return screen
end

---@param screen drawbridge.Screen
---@return boolean
function M.valid(screen)
  return vim.api.nvim_buf_is_valid(screen.buf)
end

--- Shows a terminal that exists.
---@param screen drawbridge.Screen
---@param enter boolean
function M.show(screen, enter)
  show(screen.buf, enter)
end

--- Shows what a command wrote.
---@param screen drawbridge.Screen
---@param data string
function M.feed(screen, data)
  for mode in data:gmatch("\27%[%?1049([hl])") do
    screen.fullscreen = mode == "h"
  end
  screen.column = data:sub(-1) ~= "\n"
  pcall(vim.api.nvim_chan_send, screen.chan, screen.filter(data))
end

--- Puts every window of it at the end; from there Neovim follows by itself.
---@param screen drawbridge.Screen
function M.follow(screen)
  vim.schedule(function()
    if not vim.api.nvim_buf_is_valid(screen.buf) then
      return
    end
    local last = vim.api.nvim_buf_line_count(screen.buf)
    for _, win in ipairs(vim.fn.win_findbuf(screen.buf)) do
      pcall(vim.api.nvim_win_set_cursor, win, { last, 0 })
    end
  end)
end

--- Shows what was written before: what it makes the emulator answer was
--- answered, or not, long ago.
---@param screen drawbridge.Screen
---@param data string
function M.replay(screen, data)
  screen.muted = true
  M.feed(screen, data)
  screen.muted = false
end

--- Says something of ours on a line of its own.
---@param screen drawbridge.Screen
---@param text string
function M.note(screen, text)
  local before = screen.fullscreen and "\27[?1049l" or ""
  screen.fullscreen = false
  M.replay(screen, before .. "\27[0m\27[?25h" .. (screen.column and "\r\n" or "") .. "\27[2m[" .. text .. "]\27[0m\r\n")
end

--- The size of the largest window that shows it, when it is another than before.
---@param screen drawbridge.Screen
---@return integer? cols, integer? rows
function M.new_size(screen)
  local cols, rows = 0, 0
  for _, win in ipairs(vim.fn.win_findbuf(screen.buf)) do
    local info = vim.fn.getwininfo(win)[1]
    cols = math.max(cols, info.width - info.textoff)
    rows = math.max(rows, info.height)
  end
  if cols < 1 or rows < 1 or (cols == screen.cols and rows == screen.rows) then
    return
  end
  screen.cols, screen.rows = cols, rows
  return cols, rows
end

return M
