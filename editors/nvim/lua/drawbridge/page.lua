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

--- Writes lines in place of others. Rows count from 0, last is exclusive.
---@param b integer
---@param first integer
---@param last integer
---@param lines string[]
---@param line_levels string[]
function M.write(b, first, last, lines, line_levels)
  splice(first, last, line_levels)
  vim.bo[b].modifiable = true
  vim.api.nvim_buf_set_lines(b, first, last, false, lines)
  vim.bo[b].modifiable = false
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
  vim.bo[b].modifiable = true
  vim.api.nvim_buf_set_text(b, row, #last, row, #last, lines)
  vim.bo[b].modifiable = false
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

--- A new buffer has one line, and it is empty.
function M.reset()
  levels = { "0" }
end

return M
