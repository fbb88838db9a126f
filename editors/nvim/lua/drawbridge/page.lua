--- A buffer that only we write, whose folds are told line by line. Neovim asks
--- 'foldexpr' while lines go in, so the levels go first and stand beside the text.

local M = {}

--- The level of each line, as foldexpr gives it.
---@type string[]
local levels = { "0" }

---@param first integer
---@param last integer
---@param fresh string[] The levels of the lines that take the place of first to last.
local function splice(first, last, fresh)
  local count = #levels
  local after = math.max(0, count - last)
  table.move(levels, last + 1, count, first + #fresh + 1)
  table.move(fresh, 1, #fresh, first + 1, levels)
  for i = count, first + #fresh + after + 1, -1 do
    levels[i] = nil
  end
end

--- 'foldexpr' of the buffer.
---@param lnum integer
---@return string
function M.level(lnum)
  return levels[lnum] or "0"
end

--- What is to be done while no text is inserted.
---@type fun()?
local due
--- The buffer in which folds are missing, since a menu was open while text came.
---@type integer?
local stale

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
  stale = nil
  for _, win in ipairs(vim.fn.win_findbuf(b)) do
    vim.api.nvim_win_call(win, function()
      vim.wo.foldmethod = vim.wo.foldmethod
      vim.fn.foldlevel(1)
    end)
  end
end

--- Runs fn so that folds follow. Neovim computes none while text is inserted, in
--- whatever window; a person may type the next prompt for as long as a turn runs.
--- Inside of a Normal mode command no text is inserted; the cursor stays.
---@param b integer
---@param fn fun()
local function with_folds(b, fn)
  local function all()
    fn()
    if stale then
      refresh(b)
    end
  end
  if not vim.api.nvim_get_mode().mode:find("^[iR]") then
    all()
  elseif vim.fn.pumvisible() == 1 then
    stale = b -- a menu that is open is not to be disturbed
    fn()
  else
    due = all
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
    splice(first, last, line_levels)
    vim.bo[b].modifiable = true
    vim.api.nvim_buf_set_lines(b, first, last, false, lines)
    vim.bo[b].modifiable = false
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
  splice(row + 1, row + 1, more)
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
  if levels[row + 1] ~= level then
    M.write(b, row, row + 1, vim.api.nvim_buf_get_lines(b, row, row + 1, false), { level })
  end
end

vim.api.nvim_create_autocmd({ "InsertLeave", "CompleteDone" }, {
  group = vim.api.nvim_create_augroup("drawbridge.page", { clear = true }),
  desc = "drawbridge: folds of the conversation that wait",
  callback = vim.schedule_wrap(function()
    if stale and vim.api.nvim_buf_is_valid(stale) then
      with_folds(stale, function() end)
    end
  end),
})

--- A new buffer has one line, and it is empty.
function M.reset()
  levels = { "0" }
end

return M
