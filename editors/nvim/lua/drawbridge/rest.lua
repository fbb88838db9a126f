-- Whether keys are being typed. What opens by itself and takes keys waits until
-- the person has let go of them, and takes none that was on its way.

local M = {}

-- How long without a key counts as rest, in ms.
local rest_ms = 1000
-- How long a key that comes after something opened by itself was not meant for
-- it, in ms.
local late_ms = 500

-- When the last key was typed, and which.
---@type number?
local last_at
local last_key = ""
---@type uv.uv_timer_t?
local timer

---@return number
local function now()
  return vim.uv.hrtime() / 1e6
end

-- Keys are looked at only from the first time that it matters; it is not known
-- then when the last one came.
local function watch()
  if last_at then
    return
  end
  last_at = now()
  vim.on_key(function(key, typed)
    key = typed or key
    if key ~= "" then
      last_at, last_key = now(), key
    end
  end, vim.api.nvim_create_namespace("drawbridge.rest"))
end

--- Runs fn as soon as no key has been typed for a while; only the last fn that
--- was given. A count that was begun is no rest, however long it takes.
---@param fn fun()
function M.wait(fn)
  watch()
  timer = timer or assert(vim.uv.new_timer())
  timer:start(math.max(1, math.ceil(last_at + rest_ms - now())), 0, vim.schedule_wrap(function()
    if now() - last_at < rest_ms then
      M.wait(fn)
    elseif not last_key:find("^%d$") then
      fn()
    end
  end))
end

--- Tells later whether a key came so soon after this call that it was meant for
--- what was there before.
---@return fun(): boolean
function M.typing()
  watch()
  local began, seen = now(), false
  local namespace = vim.api.nvim_create_namespace("")
  vim.on_key(function(_, typed)
    seen = seen or (typed ~= "" and now() - began < late_ms)
  end, namespace)
  vim.defer_fn(function()
    vim.on_key(nil, namespace)
  end, late_ms)
  return function()
    return seen
  end
end

return M
