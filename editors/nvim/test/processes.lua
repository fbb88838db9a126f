-- Processes that a child started, and whether they are gone.

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
  local ok = vim.wait(10000, function()
    return not alive(pid)
  end, 20)
  require("cases").holds(ok, what .. " is gone")
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
