--- Files named in a prompt: `@path` and `@path:3-7`. Typing `@` offers the files
--- of the folder; sending turns what is named into blocks for the model.

local config = require("drawbridge.config")
local client = require("drawbridge.client")

local M = {}

--- The most files that are offered from, and that are shown at once.
local max_files, max_shown = 50000, 200
--- No file has more lines.
local max_line = 2 ^ 31 - 2
--- How long a list of files counts as fresh, in ms.
local fresh_ms = 5000

---@type { root: string, files: string[], at: number }?
local known
--- Who waits for the list, while it is read.
---@type (fun())[]?
local asking

---@return string
local function root()
  return client.root() or config.root()
end

--- Files of a folder that is no git repository, the nearest first.
---@param folder string
---@return string[]
local function walk(folder)
  local files = {}
  local skipped = { node_modules = true, [".git"] = true, target = true, dist = true, build = true }
  local iterator = vim.fs.dir(folder, {
    depth = 6,
    skip = function(name)
      return not skipped[vim.fs.basename(name)]
    end,
  })
  for name, kind in iterator do
    if kind == "file" then
      table.insert(files, name)
    end
    if #files >= 5000 then
      break
    end
  end
  table.sort(files)
  return files
end

---@param folder string
---@param files string[]
local function done(folder, files)
  known = { root = folder, files = files, at = vim.uv.hrtime() / 1e6 }
  local waiting = asking or {}
  asking = nil
  for _, fn in ipairs(waiting) do
    fn()
  end
end

---@param output string NUL after each name.
---@return string[]
local function names(output)
  local files = {}
  for name in vim.gsplit(output, "\0", { plain = true, trimempty = true }) do
    if #files < max_files then
      table.insert(files, name)
    end
  end
  return files
end

--- Reads the list of files anew, in the background, unless it is fresh.
---@param cb? fun()
function M.refresh(cb)
  cb = cb or function() end
  local folder = root()
  if asking then
    table.insert(asking, cb)
    return
  end
  if known and known.root == folder and vim.uv.hrtime() / 1e6 - known.at < fresh_ms then
    cb()
    return
  end
  asking = { cb }
  -- The repository's settings may name a program to run here, which is not ours to run.
  local argv = { "-c", "core.fsmonitor=false", "-C", folder, "ls-files", "--cached", "--others", "--exclude-standard", "-z" }
  local git = require("drawbridge.program").find("git", folder)
  local started = git and pcall(vim.system, vim.list_extend({ git }, argv), { text = false }, vim.schedule_wrap(function(out)
    done(folder, out.code == 0 and names(out.stdout or "") or walk(folder))
  end))
  if not started then
    done(folder, walk(folder))
  end
end

--- Files that fit what was typed after the `@`, the best first.
---@param typed string
---@return string[]
function M.matching(typed)
  local files = known and known.root == root() and known.files or {}
  if typed == "" then
    return vim.list_slice(files, 1, max_shown)
  end
  return vim.list_slice(vim.fn.matchfuzzy(files, typed), 1, max_shown)
end

--- The mention that the cursor stands behind.
---@param line string
---@param col integer Byte column of the cursor, from 0.
---@return integer? start Byte column of what follows the `@`, from 0.
---@return string? typed
function M.at(line, col)
  local before = line:sub(1, col)
  local start, typed = before:match("^.*()@([^%s@]*)$")
  if not start then
    return nil
  end
  local previous = start > 1 and before:sub(start - 1, start - 1) or " "
  if previous:find("[%w_.+-]") then
    return nil
  end
  -- Where the `@` stands, from 1, is where the name begins, from 0.
  return start, typed
end

--- 'completefunc' of the prompt.
---@param findstart integer
---@param base string
---@return integer|table[]
function M.complete(findstart, base)
  if findstart == 1 then
    local start = M.at(vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2])
    return start or -3
  end
  return vim.tbl_map(function(name)
    return { word = name, menu = "file" }
  end, M.matching(base))
end

---@param path string Relative to the folder, or absolute.
---@return string? absolute
local function existing(path)
  local full = path:sub(1, 1) == "/" and path or (root() .. "/" .. path)
  local stat = vim.uv.fs_stat(full)
  return stat and vim.fs.normalize(full) or nil
end

--- The part of a file from one line to another, unsaved text included.
---@param full string
---@param first integer
---@param last integer
---@return string[]?
local function lines_of(full, first, last)
  local bufnr = vim.fn.bufnr("^" .. vim.fn.escape(full, "\\[]*?^$.,{}") .. "$")
  if bufnr ~= -1 and vim.api.nvim_buf_is_loaded(bufnr) then
    return vim.api.nvim_buf_get_lines(bufnr, first - 1, last, false)
  end
  local ok, all = pcall(vim.fn.readfile, full, "", last)
  return ok and vim.list_slice(all, first, math.min(last, #all)) or nil
end

---@param full string
---@param first integer
---@param last integer
---@return drawbridge.Block? Nothing when they are no lines of the file.
local function selection(full, first, last)
  first, last = math.max(1, first), math.min(last, max_line)
  local lines = first <= last and lines_of(full, first, last)
  if not lines or #lines == 0 then
    return nil
  end
  return {
    type = "selection",
    uri = vim.uri_from_fname(full),
    text = table.concat(lines, "\n") .. "\n",
    range = {
      start = { line = first - 1, character = 0 },
      ["end"] = { line = first - 1 + #lines, character = 0 },
    },
  }
end

--- The blocks that the mentions of a text stand for. A word after `@` that names
--- no file is only a word.
---@param text string
---@return drawbridge.Block[]
function M.blocks(text)
  local blocks, seen = {}, {}
  for before, token in (" " .. text):gmatch("([^%w_.+-])@([^%s@]+)") do
    local name = token:gsub("[.,;:!?)%]}'\"]+$", "")
    local path, first, last = name:match("^(.-):(%d+)%-(%d+)$")
    if not path then
      path, first = name:match("^(.-):(%d+)$")
      last = first
    end
    local full = existing(path or name)
    if before and full and not seen[name] then
      seen[name] = true
      local block = path and selection(full, tonumber(first) --[[@as integer]], tonumber(last) --[[@as integer]])
      table.insert(blocks, block or {
        type = "resourceLink",
        uri = vim.uri_from_fname(full),
        name = path or name,
      })
    end
  end
  return blocks
end

--- How a part of a buffer is mentioned.
---@param bufnr integer
---@param first integer
---@param last integer
---@return string? mention nil when the buffer is no file
function M.of_range(bufnr, first, last)
  local name = vim.api.nvim_buf_get_name(bufnr)
  if vim.bo[bufnr].buftype ~= "" or name == "" or name:find("%s") then
    return nil
  end
  name = vim.fs.normalize(name)
  local folder = root()
  if vim.startswith(name, folder .. "/") then
    name = name:sub(#folder + 2)
  end
  return ("@%s:%d-%d"):format(name, first, last)
end

return M
