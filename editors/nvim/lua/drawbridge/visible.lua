--- Texts of others as a person can see them whole.

local M = {}

--- Names what would be invisible or would change how the rest is read: control
--- characters, and those that turn the direction of writing.
---@param text string
---@return string
function M.text(text)
  local plain = vim.fn.strtrans((text:gsub("%z", "^@"))) -- Vim takes no NUL in a string
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

--- One line of it; tabs stay.
---@param text string
---@return string
function M.line(text)
  return (text:gsub("[^\t]+", M.text))
end

--- Its lines; tabs stay.
---@param text string
---@return string[]
function M.lines(text)
  return vim.tbl_map(M.line, vim.split(text, "\n", { plain = true }))
end

return M
