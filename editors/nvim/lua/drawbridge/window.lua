--- Where the conversation and its prompt stand on the screen.

local config = require("drawbridge.config")

local M = {}

---@param b integer?
---@return integer? win In the current tab page.
local function window_of(b)
  if not b then
    return nil
  end
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(win) == b then
      return win
    end
  end
end

---@param size number
---@param of integer
---@return integer
local function cells(size, of)
  return math.max(10, math.floor(size < 1 and size * of or size))
end

--- The options that the conversation wants of a window, for as long as it is
--- shown there.
---@param win integer
function M.dress(win)
  local wo = vim.wo[win][0]
  wo.wrap, wo.linebreak, wo.breakindent = true, true, true
  wo.number, wo.relativenumber, wo.signcolumn, wo.foldcolumn = false, false, "no", "0"
  wo.list, wo.spell, wo.cursorline, wo.conceallevel = false, false, false, 0
  wo.foldmethod, wo.foldexpr = "expr", "v:lua.require'drawbridge.page'.level(v:lnum)"
  wo.foldenable, wo.foldlevel, wo.foldminlines = true, 0, 0
  wo.foldtext = "v:lua.require'drawbridge.conversation'.fold_text()"
  wo.fillchars = "fold: ,eob: "
  wo.winhighlight = "Folded:DrawbridgeFold"
  wo.winbar = "%{%v:lua.require'drawbridge.statusline'.winbar()%}"
end

---@param win integer
local function dress_prompt(win)
  local wo = vim.wo[win][0]
  wo.wrap, wo.linebreak = true, true
  wo.number, wo.relativenumber, wo.signcolumn, wo.foldcolumn = false, false, "no", "0"
  wo.list, wo.spell, wo.cursorline, wo.foldenable = false, false, false, false
  wo.fillchars = "eob: "
  wo.winbar = "%{%v:lua.require'drawbridge.statusline'.prompt_bar()%}"
  vim.wo[win].winfixheight = true
end

---@param b integer
---@return integer win
local function open_conversation(b)
  local options = config.get().window
  local position = options.position
  local before = vim.api.nvim_get_current_win()
  if position == "tab" then
    vim.cmd("tab split")
  elseif position == "right" or position == "left" then
    vim.cmd((position == "right" and "botright " or "topleft ") .. cells(options.width, vim.o.columns) .. "vsplit")
  elseif position ~= "current" then
    vim.cmd((position == "bottom" and "botright " or "topleft ") .. cells(options.height, vim.o.lines) .. "split")
  end
  local win = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(win, b)
  if position == "right" or position == "left" then
    vim.wo[win].winfixwidth = true
  end
  M.dress(win)
  vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(b), 0 })
  if position ~= "tab" and vim.api.nvim_win_is_valid(before) then
    vim.api.nvim_set_current_win(before)
  end
  return win
end

--- Fills the conversation's window again, where its last lines are followed: it was
--- small, and shows no more than it had room for.
local function fill()
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local b = vim.api.nvim_win_get_buf(win)
    local ours = vim.api.nvim_buf_get_name(b) == "drawbridge://conversation"
    if ours and vim.api.nvim_win_get_cursor(win)[1] == vim.api.nvim_buf_line_count(b) then
      vim.api.nvim_win_call(win, function()
        vim.cmd("normal! zb")
      end)
    end
  end
end

--- Gives the prompt the height that it had, when a window below it was closed.
---@param prompt integer
---@param height integer
local function restore(prompt, height)
  if not vim.api.nvim_win_is_valid(prompt) then
    return
  end
  vim.w[prompt].drawbridge_due = nil
  if vim.api.nvim_win_get_height(prompt) > height then
    vim.api.nvim_win_set_height(prompt, height)
    fill()
  end
end

--- Opens a window below all others. When it is closed Neovim would give its lines to the
--- prompt, the lowest of the others; the conversation gets them back.
---@param open fun(): integer Gives the window.
---@return integer win
function M.below(open)
  local prompt = vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(function(win)
    return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)) == "drawbridge://prompt"
  end)
  -- Another window may just have been closed, whose lines are still to be given back.
  local height = prompt and (vim.w[prompt].drawbridge_due or vim.api.nvim_win_get_height(prompt))
  local win = open()
  if prompt and height then
    vim.api.nvim_create_autocmd("WinClosed", {
      pattern = tostring(win),
      once = true,
      callback = function()
        if vim.api.nvim_win_is_valid(prompt) then
          vim.w[prompt].drawbridge_due = height
        end
        vim.schedule(function()
          restore(prompt, height)
        end)
      end,
    })
  end
  return win
end

--- Shows a page below all other windows.
---@param b integer
---@param rows integer
---@return integer win
function M.split_below(b, rows)
  local win = M.below(function()
    vim.cmd(("botright %dsplit"):format(math.max(3, rows)))
    return vim.api.nvim_get_current_win()
  end)
  vim.api.nvim_win_set_buf(win, b)
  vim.wo[win].number, vim.wo[win].relativenumber, vim.wo[win].signcolumn = false, false, "no"
  return win
end

--- The bar above a page: what it is, and what can be done in it, as far as there is room.
---@param win integer
---@param name string
---@param texts string[] The longest first.
function M.bar(win, name, texts)
  local room = vim.api.nvim_win_get_width(win) - #name - 4
  local text = require("drawbridge.say").widest(room, texts):gsub("%%", "%%%%")
  local bar = ("%%#DrawbridgeHint# %s %%*%%=%%#DrawbridgeMuted#%s "):format(name, text)
  vim.api.nvim_set_option_value("winbar", bar, { win = win, scope = "local" })
end

--- Shows the conversation and the prompt below it.
---@param opts? { focus?: "prompt"|"none" }
function M.open(opts)
  opts = opts or {}
  local conversation = require("drawbridge.conversation").open_buffer()
  local prompt = require("drawbridge.prompt").open_buffer()
  local win = window_of(conversation) or open_conversation(conversation)
  local below = window_of(prompt)
  if not below then
    below = vim.api.nvim_open_win(prompt, false, {
      win = win,
      split = "below",
      height = config.get().window.prompt_height,
    })
    dress_prompt(below)
  end
  if opts.focus ~= "none" then
    vim.api.nvim_set_current_win(below)
  end
end

---@return boolean
function M.is_open()
  return window_of(require("drawbridge.conversation").buffer()) ~= nil
end

--- Takes both off the screen of this tab page. What is typed in the prompt stays.
function M.close()
  for _, b in ipairs({ require("drawbridge.prompt").buffer(), require("drawbridge.conversation").buffer() }) do
    local win = window_of(b)
    if win then
      local alone = #vim.tbl_filter(function(w)
        return vim.api.nvim_win_get_config(w).relative == ""
      end, vim.api.nvim_tabpage_list_wins(0)) == 1
      if alone then
        vim.api.nvim_win_call(win, function()
          vim.cmd("enew")
        end)
      else
        vim.api.nvim_win_close(win, false)
      end
    end
  end
end

function M.toggle()
  if M.is_open() then
    M.close()
  else
    M.open()
  end
end

--- The buffer that the user works in: of the current window, or when that is one
--- of ours, of the one before.
---@return integer?
function M.work_buffer()
  for _, win in ipairs({ vim.api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr("#")) }) do
    if win ~= 0 and vim.api.nvim_win_is_valid(win) then
      local b = vim.api.nvim_win_get_buf(win)
      if vim.bo[b].buftype == "" and vim.api.nvim_buf_get_name(b) ~= "" then
        return b
      end
    end
  end
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local b = vim.api.nvim_win_get_buf(win)
    if vim.bo[b].buftype == "" and vim.api.nvim_buf_get_name(b) ~= "" then
      return b
    end
  end
end

--- Goes to a window to show a file in: one that has a file, else a new one.
function M.to_work()
  local work = M.work_buffer()
  local win = work and vim.fn.win_findbuf(work)[1]
  if win then
    vim.api.nvim_set_current_win(win)
  else
    vim.cmd("topleft split")
  end
end

local group = vim.api.nvim_create_augroup("drawbridge.window", { clear = true })

vim.api.nvim_create_autocmd("BufWinEnter", {
  group = group,
  pattern = "drawbridge://conversation",
  desc = "drawbridge: folds and wrapping of the conversation",
  callback = function()
    M.dress(vim.api.nvim_get_current_win())
  end,
})

return M
