--- Drawbridge in Neovim: `:help drawbridge`.

local M = {}

---@type string[]
local mapped = {}

--- Maps the keys of the option `keys`: names of <Plug> maps to keys. Those of an
--- earlier call are taken back.
function M.map_keys()
  for _, key in ipairs(mapped) do
    pcall(vim.keymap.del, { "n", "x" }, key)
  end
  mapped = {}
  for name, key in pairs(require("drawbridge.config").get().keys) do
    local modes = name == "send-selection" and { "n", "x" } or "n"
    vim.keymap.set(modes, key, ("<Plug>(drawbridge-%s)"):format(name), { desc = "Drawbridge: " .. name })
    table.insert(mapped, key)
  end
end

--- Sets options; may be left out. `:help drawbridge-options` lists them.
---@param opts? table
function M.setup(opts)
  require("drawbridge.config").setup(opts)
  M.map_keys()
end

--- What the agent does now, for a statusline; "" when nothing was begun.
---@return string
function M.statusline()
  -- A statusline is drawn often and early; it starts nothing.
  if not package.loaded["drawbridge.client"] then
    return ""
  end
  return require("drawbridge.statusline").text()
end

--- Shows the conversation.
function M.open()
  require("drawbridge.commands").plug("open")
end

--- Says something to the agent: starts a turn, or adds to the one that runs.
---@param text string
function M.prompt(text)
  require("drawbridge.wiring")
  require("drawbridge.prompt").say(text)
end

return M
