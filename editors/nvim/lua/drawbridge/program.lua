--- Where the programs are that this plugin runs by itself. A folder that is worked on
--- may bring a `git` or a `drawbridge` of its own, and the PATH may lead there: none of
--- those is ever run. Programs are started by their whole path, so that nobody looks
--- for them again somewhere else.

local M = {}

---@param path string
---@return string
local function real(path)
  return vim.fs.normalize(vim.uv.fs_realpath(path) or path, { expand_env = false })
end

---@param path string
---@param folder string
---@return boolean
local function within(path, folder)
  return path == folder or vim.startswith(path, folder .. "/")
end

---@param path string
---@return boolean
local function absolute(path)
  return path:sub(1, 1) == "/" or path:find("^%a:[/\\]") ~= nil or path:sub(1, 2) == "\\\\"
end

--- The folders whose programs are not run: the workspace, and what Neovim stands in
--- when that is a repository of its own. Those of the system are nobody's workspace.
---@param root string
---@return string[]
local function worked_on(root)
  local folders = { real(root) }
  local git = vim.fs.find(".git", { upward = true, path = vim.fn.getcwd() })[1]
  if git then
    table.insert(folders, real(vim.fs.dirname(git)))
  end
  return vim.tbl_filter(function(folder)
    return folder ~= "/" and not folder:find("^%a:/?$")
  end, folders)
end

--- Whether a program may be run by its name alone: links are followed, and so is the
--- folder of the PATH that it was found in.
---@param path string
---@param root string
---@return boolean
local function trusted(path, root)
  if real(vim.fs.dirname(path)) == real(vim.fn.getcwd()) then
    return false
  end
  return not vim.iter(worked_on(root)):any(function(folder)
    return within(real(path), folder) or within(real(vim.fs.dirname(path)), folder)
  end)
end

--- Looks for a program on the PATH. Entries that are not absolute, or that lie in the
--- workspace, are passed over.
---@param name string
---@param root string The workspace.
---@return string? path
---@return string? passed_over The first that was found and may not be run.
function M.find(name, root)
  local passed_over
  local separator = vim.fn.has("win32") == 1 and ";" or ":"
  for _, entry in ipairs(vim.split(vim.env.PATH or "", separator, { plain = true, trimempty = true })) do
    local path = absolute(entry) and vim.fn.exepath(entry .. "/" .. name) or ""
    if path ~= "" and trusted(path, root) then
      return path, passed_over
    elseif path ~= "" then
      passed_over = passed_over or path
    end
  end
  return nil, passed_over
end

--- A program as a person named it: by its whole path, or by a name on the PATH.
---@param word string
---@param root string The workspace.
---@return string? path
---@return string? why There is none.
function M.named(word, root)
  local path = word:sub(1, 1) == "~" and vim.fs.normalize(word, { expand_env = false }) or word
  if absolute(path) then
    return vim.fn.executable(path) == 1 and path or nil, path .. " cannot be run"
  elseif path:find("[/\\]") then
    return nil, path .. " is not run: a program is named by its whole path"
  end
  local found, passed_over = M.find(path, root)
  if passed_over then
    return found, ("%s is not run: it lies in the folder that is worked on"):format(passed_over)
  end
  return found, "the program " .. path .. " was not found"
end

return M
