--- The pictures that the model was given: named in the conversation, and opened by the
--- program that the system has for them, from a file that only this person can read
--- and that goes with Neovim.

local say = require("drawbridge.say")
local state = require("drawbridge.state")

local M = {}

--- What is opened, by its type: the name's end, and how its bytes begin.
---@type table<string, { ends: string, begins: string }>
local kinds = {
  ["image/png"] = { ends = ".png", begins = "^\137PNG\r\n\26\n" },
  ["image/jpeg"] = { ends = ".jpg", begins = "^\255\216\255" },
  ["image/gif"] = { ends = ".gif", begins = "^GIF8[79]a" },
  ["image/webp"] = { ends = ".webp", begins = "^RIFF....WEBP" },
}

---@param n integer
---@return string
local function size(n)
  if n < 1000 then
    return n .. " B"
  elseif n < 1000000 then
    return ("%.1f kB"):format(n / 1000)
  end
  return ("%.1f MB"):format(n / 1000000)
end

--- The pictures of a call, a line each.
---@param item drawbridge.Item
---@return string[]
function M.lines(item)
  local all = item.pictures or {}
  local lines = {}
  for i, picture in ipairs(all) do
    local kind = require("drawbridge.visible").text(picture.mimeType)
    local number = #all > 1 and (" %d of %d"):format(i, #all) or ""
    local how = not picture.data and "not kept here any more"
      or kinds[picture.mimeType] and ":Drawbridge picture" .. (i > 1 and " " .. i or "") .. " opens it"
      or "not opened from here"
    table.insert(lines, ("picture%s: %s, %s  (%s)"):format(number, kind, size(picture.size), how))
  end
  return lines
end

-- The picture's bytes, where they are what their type says.
---@param picture drawbridge.ShownPicture
---@return string? bytes
---@return string why
local function bytes_of(picture)
  local kind = kinds[picture.mimeType]
  if not kind then
    return nil, ("pictures of the type %s are not opened"):format(picture.mimeType)
  elseif not picture.data then
    return nil, "that picture is not kept any more: newer ones took its room"
  end
  local ok, bytes = pcall(vim.base64.decode, picture.data)
  if not ok or not bytes:find(kind.begins) then
    return nil, "that is no picture of the type that it is said to be"
  end
  return bytes, ""
end

-- Writes a file into the folder that Neovim made for itself alone, and removes as it ends.
---@param bytes string
---@param ends string
---@return string? path
---@return string? err
local function write(bytes, ends)
  local path = vim.fn.tempname() .. ends
  local fd, err = vim.uv.fs_open(path, "wx", 384) -- 0600
  if not fd then
    return nil, err
  end
  local written, why = vim.uv.fs_write(fd, bytes)
  vim.uv.fs_close(fd)
  return written == #bytes and path or nil, why
end

---@param picture drawbridge.ShownPicture
local function open(picture)
  local bytes, why = bytes_of(picture)
  if not bytes then
    say.warn(why)
    return
  end
  local path, err = write(bytes, kinds[picture.mimeType].ends)
  if not path then
    say.error("the picture could not be written for a look: " .. tostring(err))
    return
  end
  local ok, _, problem = pcall(vim.ui.open, path)
  if not ok or problem then
    say.warn("nothing here opens pictures; until Neovim ends it lies in " .. path)
  end
end

-- The call that is meant: the one under the cursor, else the last with a picture, of the
-- conversation or of a subagent.
---@return drawbridge.Item?
local function meant()
  local conversation = require("drawbridge.conversation")
  local within = conversation.within_at_cursor()
  for _, item in ipairs({ within and within.item or false, conversation.item_at_cursor() or false }) do
    if item and item.pictures then
      return item
    end
  end
  local last
  for _, c in ipairs(state.family()) do
    for _, item in ipairs(c.items) do
      last = item.pictures and (not last or item.key > last.key) and item or last
    end
  end
  return last
end

-- The picture that the line under the cursor names.
---@return string?
local function named()
  local line = vim.api.nvim_get_current_line()
  return vim.bo.filetype:find("^drawbridge") and line:match("^%s*picture (%d+) of %d+: ") or nil
end

--- Opens a picture of the call under the cursor, else of the last call with one.
---@param number? string Which of them, from 1; absent: the one on the line under the cursor, else the first.
function M.open(number)
  local item = meant()
  local picture = item and item.pictures[tonumber(number or named() or "1")]
  if not item then
    say.info("the model was given no picture yet")
  elseif not picture then
    say.warn(("there is no picture %s: the call has %d"):format(number, #item.pictures))
  else
    open(picture)
  end
end

return M
