-- Processes that a child started, and whether they are gone. A command in a
-- sandbox counts its processes anew, so that they are known here by a mark.

local M = {}

---@param pid integer
---@return boolean
local function alive(pid)
  local stat = io.open(("/proc/%d/stat"):format(pid))
  if not stat then
    return vim.fn.has("mac") == 1 and vim.uv.kill(pid, 0) == 0
  end
  local state = stat:read("*a"):match("%) (%a)")
  stat:close()
  return state ~= "Z" and state ~= "X"
end

---@param what string
---@param pid integer
function M.gone(what, pid)
  local ok = vim.wait(require("child").limit_ms, function()
    return not alive(pid)
  end, 20)
  require("cases").holds(ok, what .. " is gone")
end

local marks = 0

--- What `sleep` is told in one test and in no other.
---@return string
function M.mark()
  marks = marks + 1
  return ("%d.%d%d"):format(1000 + marks, vim.uv.os_getpid(), vim.uv.hrtime() % 1000000)
end

--- The process, by this machine's count, of `sleep MARK`.
---@param mark string
---@return integer? pid
function M.sleeper(mark)
  for _, file in ipairs(vim.fn.glob("/proc/[0-9]*/cmdline", true, true)) do
    local f = io.open(file)
    local line = f and f:read("*a") or ""
    if f then
      f:close()
    end
    if line:find("sleep%z" .. vim.pesc(mark) .. "%z$") then
      return tonumber(file:match("%d+"))
    end
  end
  local ps = vim.fn.has("mac") == 1 and vim.fn.system({ "ps", "-axo", "pid=,args=" }) or ""
  return tonumber(ps:match("(%d+) sleep " .. vim.pesc(mark) .. "\n"))
end

---@param child test.Child
---@param mark string
---@return integer pid
function M.sleeps(child, mark)
  return child:wait("sleep " .. mark .. " runs", function()
    return M.sleeper(mark)
  end)
end

---@param child test.Child
---@return integer
function M.bridge_of(child)
  local own = child:lua([[return vim.uv.os_getpid()]])
  return child:wait("the bridge runs", function()
    for _, pid in ipairs(child:lua([[return vim.api.nvim_get_proc_children(...)]], own)) do
      local info = child:lua([[return vim.api.nvim_get_proc(...)]], pid)
      if type(info) == "table" and info.name == "drawbridge" then
        return pid
      end
    end
  end)
end

return M
