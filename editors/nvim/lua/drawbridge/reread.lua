--- Puts the new text of a file into its buffer, which has no unsaved changes. Only
--- lines that differ are touched, so that cursors, marks and folds in all others stay
--- and undo still knows the old text. Where the file is not plainly
--- what the buffer was, Neovim reads all of it anew.

local disk = require("drawbridge.disk")

local M = {}

--- The longest file that is compared by lines, in bytes.
local longest = 2 ^ 24

---@param path string
---@return string?
local function read(path)
  local stat = vim.uv.fs_stat(path)
  local f = stat and stat.type == "file" and stat.size <= longest and io.open(path, "rb")
  if not f then
    return nil
  end
  local text = f:read("*a")
  f:close()
  return text
end

--- What a text is in another encoding; nil when it cannot be turned back into the
--- same bytes, and so was not in the first one.
---@param text string
---@param from string
---@param to string
---@return string?
local function convert(text, from, to)
  local converted = vim.iconv(text, from, to)
  return converted and vim.iconv(converted, to, from) == text and converted or nil
end

--- The text of a file in UTF-8; nil when it is not in the buffer's encoding.
---@param bufnr integer
---@param text string
---@return string?
local function decode(bufnr, text)
  local encoding = vim.bo[bufnr].fileencoding
  if encoding ~= "" and encoding ~= "utf-8" then
    return not vim.bo[bufnr].bomb and convert(text, encoding, "utf-8") or nil
  end
  local marked = vim.startswith(text, "\239\187\191")
  if marked ~= vim.bo[bufnr].bomb or not convert(text, "utf-8", "utf-16le") then
    return nil
  end
  return marked and text:sub(4) or text
end

--- The lines of a text by the line ends of the buffer; nil when it has others.
---@param bufnr integer
---@param text string
---@return string[]? lines, boolean ended
local function split(bufnr, text)
  local format = vim.bo[bufnr].fileformat
  if text == "" or text:find("%z") or format == "mac" then
    return nil, false
  end
  local ended = text:sub(-1) == "\n"
  local lines = vim.split(ended and text:sub(1, -2) or text, "\n", { plain = true })
  local dos = 0
  for i, line in ipairs(lines) do
    if line:sub(-1) == "\r" then
      dos = dos + 1
      lines[i] = format == "dos" and line:sub(1, -2) or line
    end
  end
  local wanted = format == "dos" and (ended and #lines or #lines - 1) or 0
  return dos == wanted and lines or nil, ended
end

---@param bufnr integer
---@param lines string[]
local function splice(bufnr, lines)
  local have = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local hunks = vim.diff(table.concat(have, "\n") .. "\n", table.concat(lines, "\n") .. "\n", { result_type = "indices" })
  for i = #hunks, 1, -1 do
    local old, olds, new, news = unpack(hunks[i])
    local first = olds == 0 and old or old - 1
    vim.api.nvim_buf_set_lines(bufnr, first, first + olds, true, vim.list_slice(lines, new, new + news - 1))
  end
end

--- Puts the text of the file in; false where it is not to be taken line by line.
---@param bufnr integer
---@return boolean
local function merge(bufnr)
  local text = read(vim.api.nvim_buf_get_name(bufnr))
  text = text and decode(bufnr, text)
  if not text then
    return false
  end
  local lines, ended = split(bufnr, text)
  if not lines or not vim.bo[bufnr].modifiable then
    return false
  end
  splice(bufnr, lines)
  vim.bo[bufnr].endofline = ended
  vim.bo[bufnr].modified = false
  disk.acknowledge(bufnr)
  return true
end

--- Has Neovim read a file in, with line ends as they are now and in the encoding that
--- a person chose.
---@param bufnr integer
local function read_whole(bufnr)
  local encoding = vim.bo[bufnr].fileencoding
  local as = encoding ~= "" and encoding ~= "utf-8" and not vim.bo[bufnr].bomb and "++enc=" .. encoding or ""
  pcall(vim.api.nvim_buf_call, bufnr, function()
    local view = vim.fn.winsaveview()
    vim.cmd("silent! edit " .. as)
    vim.fn.winrestview(view)
  end)
end

--- Brings a buffer to what its file holds, whatever 'autoread' says. Nothing is done
--- to unsaved changes, and nothing where there is no file.
---@param bufnr integer
---@return boolean refreshed The buffer holds the file's text.
function M.buffer(bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  if vim.bo[bufnr].modified or not vim.uv.fs_stat(path) or vim.fn.getcmdwintype() ~= "" then
    return false
  elseif not disk.has_changed(bufnr) then
    return true
  elseif disk.was_missing(bufnr) or not merge(bufnr) then
    read_whole(bufnr)
  end
  return not vim.bo[bufnr].modified and not disk.has_changed(bufnr)
end

return M
