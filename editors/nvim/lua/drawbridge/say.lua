--- Messages to the person. One line that fits, never more: a longer one would ask
--- for a key, and take the one that is just being typed. What was cut stands in
--- the conversation.

local M = {}

--- Faults of this plugin since Neovim started, for the problem report.
---@type string[]
M.faults = {}

---@param text string
---@param level integer
local function tell(text, level)
  local all = "drawbridge: " .. text
  local line = (all:gsub("%s*\n%s*", " → "))
  -- The room on the command line, less what a message history may put before it.
  local room = math.max(30, vim.v.echospace - 4)
  if vim.fn.strdisplaywidth(line) > room then
    local state = require("drawbridge.state")
    local c = state.current()
    if c then
      state.notice(c.sessionId, text)
    end
    line = vim.fn.strcharpart(line, 0, room - 1) .. "…"
  end
  -- Two messages in a row scroll the screen, and that asks for a key as well.
  pcall(vim.cmd.redraw)
  vim.notify(line, level)
end

---@param text string
function M.info(text)
  tell(text, vim.log.levels.INFO)
end

---@param text string
function M.warn(text)
  tell(text, vim.log.levels.WARN)
end

---@param text string
function M.error(text)
  tell(text, vim.log.levels.ERROR)
end

--- Something in here failed that should not have. What else hears of an event is
--- not kept from it.
---@param where string
---@param trace any
function M.fault(where, trace)
  local text = ("%s: %s"):format(where, tostring(trace))
  if not vim.list_contains(M.faults, text) and #M.faults < 50 then
    table.insert(M.faults, text)
    M.error(("a fault in the plugin (%s); :Drawbridge report has it"):format(where))
  end
end

--- What a request failed with, and what helps.
---@param err drawbridge.Error
function M.failure(err)
  M.error(err.hint and err.hint ~= "" and (err.message .. "\n" .. err.hint) or err.message)
end

return M
