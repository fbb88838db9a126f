--- Buffers that only we write, whose folds are told line by line. Neovim asks
--- 'foldexpr' while lines go in, so the levels go first and stand beside the text.

local M = {}

--- Whether folds have to be looked after.
local old = vim.fn.has("nvim-0.11") == 0

--- The level of each line, as foldexpr gives it, by buffer.
---@type table<integer, string[]>
local all = {}

---@param b integer
---@return string[]
local function levels_of(b)
  all[b] = all[b] or { "0" }
  return all[b]
end

---@param b integer
---@param first integer
---@param last integer
---@param fresh string[] The levels of the lines that take the place of first to last.
local function splice(b, first, last, fresh)
  local levels = levels_of(b)
  local count = #levels
  local after = math.max(0, count - last)
  table.move(levels, last + 1, count, first + #fresh + 1)
  table.move(fresh, 1, #fresh, first + 1, levels)
  for i = count, first + #fresh + after + 1, -1 do
    levels[i] = nil
  end
end

--- 'foldexpr' of these buffers; Neovim makes the one it asks about the current one.
---@param lnum integer
---@return string
function M.level(lnum)
  local levels = all[vim.api.nvim_get_current_buf()]
  return levels and levels[lnum] or "0"
end

--- What is to be done while no text is inserted.
---@type fun()?
local due
--- The buffers in which folds are missing, since a menu was open while text came.
---@type table<integer, true>
local stale = {}

--- Runs what M.write has in hand. Called by the Normal mode command in there.
function M.run_due()
  local fn = due
  due = nil
  if fn then
    fn()
  end
end

--- All folds are computed again; which are open stays.
---@param b integer
local function refresh(b)
  stale[b] = nil
  for _, win in ipairs(vim.fn.win_findbuf(b)) do
    vim.api.nvim_win_call(win, function()
      vim.wo.foldmethod = vim.wo.foldmethod
      vim.fn.foldlevel(1)
    end)
  end
end

--- The lines of the fold that a line lies in, with the folds within.
---@param levels string[]
---@param lnum integer
---@return integer first
---@return integer last
local function fold_of(levels, lnum)
  local first, last = lnum, lnum
  while first > 1 and levels[first] ~= ">1" and levels[first] ~= "0" do
    first = first - 1
  end
  while levels[last + 1] and levels[last + 1] ~= ">1" and levels[last + 1] ~= "0" do
    last = last + 1
  end
  return first, last
end

--- Whether the folds of some lines are as they were told.
---@param levels string[]
---@param first integer
---@param last integer
---@return boolean
local function fold_well(levels, first, last)
  for lnum = first, last do
    if vim.fn.foldlevel(lnum) ~= tonumber((levels[lnum]:gsub(">", ""))) then
      return false
    end
  end
  return true
end

--- Which of the folds that begin in some lines are open, in the current window.
---@param levels string[]
---@param first integer
---@param last integer
---@return table<integer, true> open
local function open_folds(levels, first, last)
  local open = {}
  for lnum = first, last do
    if levels[lnum]:sub(1, 1) == ">" and vim.fn.foldclosed(lnum) == -1 then
      open[lnum] = true
    end
  end
  return open
end

--- Opens the folds that were open, and closes the others, in the current window.
---@param levels string[]
---@param first integer
---@param last integer
---@param open table<integer, true>
local function restore_folds(levels, first, last, open)
  for lnum = first, last do
    local closed = vim.fn.foldclosed(lnum)
    if levels[lnum]:sub(1, 1) == ">" and (closed == -1 or closed == lnum) and (closed == lnum) == (open[lnum] == true) then
      vim.cmd(("silent! %dfold%s"):format(lnum, open[lnum] and "open" or "close"))
    end
  end
end

--- Runs fn, which puts lines in place of others, and sees to it that the folds around
--- them are as they were told. Neovim 0.10 has one that grows begin too late at times,
--- and closes or opens what is within.
---@param b integer
---@param at { first: integer, last: integer, count: integer } The lines from 1, and how many come.
---@param fn fun()
local function mending(b, at, fn)
  local windows = vim.tbl_filter(function(win)
    return vim.wo[win].foldmethod == "expr"
  end, vim.fn.win_findbuf(b))
  if vim.fn.pumvisible() == 1 or #windows == 0 then
    fn() -- with the menu gone all folds are computed again
    return
  end
  local levels, more = levels_of(b), at.count - (at.last - at.first + 1)
  local first, last = fold_of(levels, math.min(at.first, #levels))
  local open = {}
  for _, win in ipairs(windows) do
    open[win] = {}
    for lnum in pairs(vim.api.nvim_win_call(win, function()
      return open_folds(levels, first, last)
    end)) do
      open[win][lnum > at.last and lnum + more or lnum] = true
    end
  end
  fn()
  last = select(2, fold_of(levels, math.min(math.max(first, at.first), #levels)))
  for _, win in ipairs(windows) do
    vim.api.nvim_win_call(win, function()
      if not fold_well(levels, first, last) then
        vim.wo.foldmethod = "expr"
        restore_folds(levels, first, last, open[win])
      elseif old then
        restore_folds(levels, first, last, open[win])
      end
    end)
  end
end

--- Runs fn so that folds follow. Neovim computes none while text is inserted, in
--- whatever window; a person may type the next prompt for as long as a turn runs.
--- Inside of a Normal mode command no text is inserted; the cursor stays.
---@param b integer
---@param fn fun()
local function with_folds(b, fn)
  local function whole()
    fn()
    if stale[b] then
      refresh(b)
    end
  end
  if not vim.api.nvim_get_mode().mode:find("^[iR]") then
    whole()
  elseif vim.fn.pumvisible() == 1 then
    stale[b] = true -- a menu that is open is not to be disturbed
    fn()
  else
    due = whole
    local view = vim.fn.winsaveview()
    vim.cmd.normal({ vim.keycode("<Cmd>lua require('drawbridge.page').run_due()<CR>"), bang = true })
    vim.fn.winrestview(view)
  end
end

--- Writes lines in place of others. Rows count from 0, last is exclusive.
---@param b integer
---@param first integer
---@param last integer
---@param lines string[]
---@param line_levels string[]
function M.write(b, first, last, lines, line_levels)
  with_folds(b, function()
    mending(b, { first = first + 1, last = last, count = #lines }, function()
      splice(b, first, last, line_levels)
      vim.bo[b].modifiable = true
      vim.api.nvim_buf_set_lines(b, first, last, false, lines)
      vim.bo[b].modifiable = false
    end)
  end)
end

--- Appends to the end of a line; further lines come below it.
---@param b integer
---@param row integer
---@param lines string[]
---@param level string Of the further lines.
function M.append(b, row, lines, level)
  local more = {}
  for i = 2, #lines do
    more[i - 1] = level
  end
  splice(b, row + 1, row + 1, more)
  local last = vim.api.nvim_buf_get_lines(b, row, row + 1, false)[1] or ""
  local function write()
    vim.bo[b].modifiable = true
    vim.api.nvim_buf_set_text(b, row, #last, row, #last, lines)
    vim.bo[b].modifiable = false
  end
  if #lines > 1 and level ~= "0" then
    with_folds(b, write)
  else
    write()
  end
end

--- Changes the level of a line whose text stays. It is written again with itself,
--- since only then the fold is computed.
---@param b integer
---@param row integer
---@param level string
function M.set_level(b, row, level)
  if levels_of(b)[row + 1] ~= level then
    M.write(b, row, row + 1, vim.api.nvim_buf_get_lines(b, row, row + 1, false), { level })
  end
end

vim.api.nvim_create_autocmd({ "InsertLeave", "CompleteDone" }, {
  group = vim.api.nvim_create_augroup("drawbridge.page", { clear = true }),
  desc = "drawbridge: folds that wait",
  callback = vim.schedule_wrap(function()
    for b in pairs(vim.deepcopy(stale)) do
      if vim.api.nvim_buf_is_valid(b) then
        with_folds(b, function() end)
      else
        stale[b] = nil
      end
    end
  end),
})

--- A new buffer has one line, and it is empty.
---@param b integer
function M.reset(b)
  all[b], stale[b] = { "0" }, nil
end

--- A buffer is gone.
---@param b integer
function M.forget(b)
  all[b], stale[b] = nil, nil
end

return M
