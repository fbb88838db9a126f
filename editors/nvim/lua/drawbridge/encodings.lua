--- In which encoding a buffer is written to its file, by a name that the bridge
--- knows. The text itself always goes to it in UTF-8.

local M = {}

--- Neovim's names where they are nobody else's, or mean something else there:
--- without more said its UTF-16 is big-endian.
---@type table<string, string>
local names = {
  [""] = "utf-8",
  ["utf-16"] = "utf-16be",
  ["ucs-2"] = "utf-16be",
  ["ucs-2be"] = "utf-16be",
  ["ucs-2le"] = "utf-16le",
  ["sjis"] = "shift_jis",
  ["cp932"] = "shift_jis",
  ["japan"] = "euc-jp",
  ["cp936"] = "gbk",
  ["euc-cn"] = "gbk",
  ["chinese"] = "gbk",
  ["prc"] = "gbk",
  ["cp949"] = "euc-kr",
  ["korea"] = "euc-kr",
  ["cp950"] = "big5",
  ["taiwan"] = "big5",
}

---@param bufnr integer
---@return string
function M.of(bufnr)
  local name = vim.bo[bufnr].fileencoding:lower()
  return names[name] or (name:gsub("^cp(125%d)$", "windows-%1"))
end

return M
