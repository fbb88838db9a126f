--- What the providers said of their models last: asked once, and anew after a key
--- was handed over.

local client = require("drawbridge.client")
local config = require("drawbridge.config")
local state = require("drawbridge.state")

local M = {}

---@type drawbridge.ModelListResult?
local known
--- Providers that took a key in this run, reached or not.
---@type table<string, boolean>
local keyed = {}
local asking = false
---@type fun()[]
local watchers = {}

--- Calls fn whenever more is known.
---@param fn fun()
function M.watch(fn)
  table.insert(watchers, fn)
end

--- Asks what there is.
---@param cb? fun(err?: drawbridge.Error, result?: drawbridge.ModelListResult)
function M.list(cb)
  client.request("model/list", nil, function(err, result)
    known = result or known
    if cb then
      cb(err, result)
    end
    for _, fn in ipairs(watchers) do
      fn()
    end
  end)
end

--- A provider took a key, or it was forgotten.
---@param provider string
---@param taken boolean
function M.key_taken(provider, taken)
  keyed[provider] = taken or nil
  M.list()
end

--- Asks, unless that was done.
function M.look()
  if not known and not asking then
    asking = true
    M.list(function()
      asking = false
    end)
  end
end

---@return drawbridge.Provider[]
function M.providers()
  return known and known.providers or {}
end

--- Whether nothing can be asked before a key or a server is set up, as far as is
--- known. A model that was named may need neither.
---@return boolean
function M.none()
  local c = state.current()
  local named = (c and c.session and c.session.model) or config.get().model or ""
  if not known or named ~= "" or #known.models > 0 or next(keyed) then
    return false
  end
  return not vim.iter(known.providers):any(function(p)
    return p.ready
  end)
end

client.on("drawbridge/exited", function()
  known = nil
end)

return M
