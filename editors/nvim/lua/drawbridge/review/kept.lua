-- Which applied hunks a person has seen and kept, remembered over restarts so
-- that a replayed session does not ask for them again. One small file per
-- session below stdpath("state"); losing one only shows hunks once more.

local M = {}

-- How many sessions are remembered.
local max_sessions = 100

---@alias drawbridge.Kept table<string, true|table<string, true>> By change: all of it, or hunks by id.

---@type table<string, drawbridge.Kept>
local sessions = {}

---@return string
local function folder()
  return vim.fs.joinpath(vim.fn.stdpath("state") --[[@as string]], "drawbridge", "kept")
end

---@param session_id string
---@return string
local function file(session_id)
  return vim.fs.joinpath(folder(), (session_id:gsub("[^%w_-]", "_")) .. ".json")
end

---@param session_id string
---@return drawbridge.Kept
local function of(session_id)
  if not sessions[session_id] then
    local kept = {}
    local f = io.open(file(session_id), "r")
    if f then
      local ok, found = pcall(vim.json.decode, f:read("*a"))
      f:close()
      kept = ok and type(found) == "table" and found or {}
    end
    sessions[session_id] = kept
  end
  return sessions[session_id]
end

-- Removes the oldest files beyond the bound.
local function prune()
  local names = {}
  for name, kind in vim.fs.dir(folder()) do
    if kind == "file" and name:match("%.json$") then
      local path = vim.fs.joinpath(folder(), name)
      local stat = vim.uv.fs_stat(path)
      names[#names + 1] = { path = path, at = stat and stat.mtime.sec or 0 }
    end
  end
  table.sort(names, function(a, b)
    return a.at > b.at
  end)
  for i = max_sessions + 1, #names do
    os.remove(names[i].path)
  end
end

---@param session_id string
local function save(session_id)
  local path = file(session_id)
  local is_new = vim.uv.fs_stat(path) == nil
  local made = pcall(vim.fn.mkdir, folder(), "p")
  local f = made and io.open(path .. ".new", "w")
  if not f then
    return -- nowhere to remember it; it still counts in this run
  end
  f:write(vim.json.encode(sessions[session_id]))
  f:close()
  os.rename(path .. ".new", path)
  if is_new then
    prune()
  end
end

---@param session_id string
---@param change_id string
---@param hunks "all"|string[]
function M.add(session_id, change_id, hunks)
  local kept = of(session_id)
  if hunks == "all" then
    kept[change_id] = true
  elseif kept[change_id] ~= true then
    local ids = kept[change_id] or {}
    for _, id in ipairs(hunks) do
      ids[id] = true
    end
    kept[change_id] = ids
  end
  save(session_id)
end

---@param session_id string
---@param change_id string
function M.remove(session_id, change_id)
  if of(session_id)[change_id] ~= nil then
    of(session_id)[change_id] = nil
    save(session_id)
  end
end

---@param session_id string
---@param change_id string
---@param hunk_id string
---@return boolean
function M.has(session_id, change_id, hunk_id)
  local kept = of(session_id)[change_id]
  return kept == true or type(kept) == "table" and kept[hunk_id] == true
end

return M
