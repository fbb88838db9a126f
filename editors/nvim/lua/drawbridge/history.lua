--- The prompts that were sent from a folder, kept between runs of Neovim in its
--- state folder, for the user alone.

local client = require("drawbridge.client")
local config = require("drawbridge.config")

local M = {}

---@type string[]?
local prompts
---@type string?
local of_root
--- Where one stands while going back: 0 is what was being typed.
local position = 0
local draft = ""

---@return string
local function folder()
  return vim.fn.stdpath("state") .. "/drawbridge"
end

---@param root string
---@return string
local function file_of(root)
  return ("%s/prompts-%s.json"):format(folder(), vim.fn.sha256(root):sub(1, 16))
end

---@return string[]
local function load()
  local root = client.root() or config.root()
  if prompts and of_root == root then
    return prompts
  end
  of_root, prompts = root, {}
  local file = io.open(file_of(root))
  if file then
    local ok, list = pcall(vim.json.decode, file:read("*a"))
    file:close()
    if ok and type(list) == "table" then
      prompts = vim.tbl_filter(function(p)
        return type(p) == "string"
      end, list)
    end
  end
  return prompts
end

---@param list string[]
local function save(list)
  vim.fn.mkdir(folder(), "p", tonumber("700", 8))
  local name = file_of(of_root --[[@as string]])
  local fd = vim.uv.fs_open(name .. ".new", "w", tonumber("600", 8))
  if not fd then
    return
  end
  vim.uv.fs_write(fd, vim.json.encode(list))
  vim.uv.fs_close(fd)
  vim.uv.fs_rename(name .. ".new", name)
end

--- Remembers a prompt as the newest; one that was there moves to the end.
---@param prompt string
function M.add(prompt)
  local limit = config.get().prompt.history
  if limit <= 0 then
    return
  end
  local list = vim.tbl_filter(function(p)
    return p ~= prompt
  end, load())
  table.insert(list, prompt)
  prompts = vim.list_slice(list, math.max(1, #list - limit + 1))
  save(prompts)
  M.rewind()
end

function M.rewind()
  position, draft = 0, ""
end

--- Goes back (-1) or forth (1).
---@param step -1|1
---@param typed string What stands in the prompt now.
---@return string? prompt nil when there is none further that way
function M.step(step, typed)
  local list = load()
  local to = position - step
  if to < 0 or to > #list then
    return nil
  end
  if position == 0 then
    draft = typed
  end
  position = to
  return to == 0 and draft or list[#list - to + 1]
end

return M
