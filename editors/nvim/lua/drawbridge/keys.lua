--- Keys of model providers. A key is asked for without being shown, handed to the
--- bridge, and kept in this process only: on no disk, in no register, in no log.

local client = require("drawbridge.client")
local models = require("drawbridge.models")
local say = require("drawbridge.say")

local M = {}

---@type table<string, string>
local held = {}

--- Whose keys can be handed over, as far as that is known yet.
---@return string[]
function M.providers()
  if client.is_ready() then
    models.look()
  end
  return vim.tbl_map(function(p)
    return p.name
  end, models.providers())
end

---@param provider string
---@param key string
---@param cb? fun(err?: drawbridge.Error, provider?: drawbridge.Provider)
function M.set(provider, key, cb)
  client.request("model/key", { provider = provider, key = key }, function(err, result)
    held[provider] = not err and key ~= "" and key or nil
    models.key_taken(provider, held[provider] ~= nil)
    if cb then
      cb(err, result and result.provider)
    end
  end)
end

--- What is to be said once a key was taken. One that could not be tried is not
--- spoken of as good.
---@param provider string
---@param now? drawbridge.Provider
---@return string
---@return boolean tried
local function taken(provider, now)
  if not now or not now.ready then
    return ("%s is not ready: %s"):format(provider, now and now.hint or "unknown"), false
  elseif now.hint and now.hint ~= "" then
    return ("the key for %s is %s"):format(provider, now.hint), false
  end
  return provider .. " is ready; the key is kept until Neovim ends", true
end

---@param provider string
local function ask(provider)
  vim.fn.inputsave()
  local ok, key = pcall(vim.fn.inputsecret, ("Key for %s (empty: forget it): "):format(provider))
  vim.fn.inputrestore()
  if not ok then
    return -- interrupted: nothing changes
  end
  vim.cmd("redraw")
  M.set(provider, vim.trim(key), function(err, now)
    if err then
      say.failure(err)
    elseif vim.trim(key) == "" then
      say.info(("the key for %s is forgotten"):format(provider))
    else
      local text, tried = taken(provider, now)
      say[tried and "info" or "warn"](text)
    end
  end)
end

--- Asks for a key and hands it over.
---@param provider? string Absent: asks which.
function M.enter(provider)
  if provider and provider ~= "" then
    client.start(function(err)
      if err then
        say.failure(err)
      else
        ask(provider)
      end
    end)
    return
  end
  models.list(function(err, result)
    if err or not result then
      say.failure(err or { message = "no provider is known" })
      return
    end
    vim.ui.select(result.providers, {
      prompt = "Key for which provider",
      kind = "drawbridge.provider",
      format_item = function(p)
        return p.name .. (p.ready and " (ready)" or "")
      end,
    }, function(choice)
      if choice then
        ask(choice.name)
      end
    end)
  end)
end

-- A bridge that was started anew has no keys but those of its environment.
client.on("drawbridge/ready", function()
  for provider, key in pairs(held) do
    client.request("model/key", { provider = provider, key = key })
  end
end)

return M
