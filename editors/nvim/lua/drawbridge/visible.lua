--- Texts of others as a person can see them whole.

local M = {}

-- First and last of the characters that cannot be seen, that only look like a space
-- or that turn the direction of writing. A test of the extension for VS Code holds
-- this list to be the one that it goes by.
---@type integer[][]
local unseen = {
  { 0x80, 0xA0 }, { 0xAD, 0xAD }, { 0x34F, 0x34F }, { 0x600, 0x605 }, { 0x61C, 0x61C }, { 0x6DD, 0x6DD },
  { 0x70F, 0x70F }, { 0x890, 0x891 }, { 0x8E2, 0x8E2 }, { 0x115F, 0x1160 }, { 0x1680, 0x1680 }, { 0x17B4, 0x17B5 },
  { 0x180B, 0x180F }, { 0x2000, 0x200F }, { 0x2028, 0x202F }, { 0x205F, 0x206F }, { 0x2800, 0x2800 }, { 0x3000, 0x3000 },
  { 0x3164, 0x3164 }, { 0xD800, 0xDFFF }, { 0xFE00, 0xFE0F }, { 0xFEFF, 0xFEFF }, { 0xFFA0, 0xFFA0 }, { 0xFFF0, 0xFFFC },
  { 0x110BD, 0x110BD }, { 0x110CD, 0x110CD }, { 0x13430, 0x1343F }, { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A }, { 0xE0000, 0xE0FFF },
}

---@param code integer
---@return boolean
local function hides(code)
  for _, range in ipairs(unseen) do
    if code <= range[2] then
      return code >= range[1]
    end
  end
  return false
end

-- Each character that was met: its name, or false for one that stays.
---@type table<string, string|false>
local names = setmetatable({}, { __index = function(known, c)
  local code = vim.fn.char2nr(c, true)
  known[c] = hides(code) and ("<U+%04X>"):format(code)
  return known[c]
end })

-- By the byte that they begin with, so that what is no character stays what it is.
local of_bytes = {
  "[\194-\223][\128-\191]",
  "[\224-\239][\128-\191][\128-\191]",
  "[\240-\244][\128-\191][\128-\191][\128-\191]",
}

--- Names what would be invisible, would only look like a space or would change how
--- the rest is read, also within pictures such as those of one character and more.
---@param text string
---@return string
function M.text(text)
  for _, pattern in ipairs(text:find("[\128-\255]") and of_bytes or {}) do
    text = text:gsub(pattern, names)
  end
  return vim.fn.strtrans((text:gsub("%z", "^@"))) -- Vim takes no NUL in a string
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
