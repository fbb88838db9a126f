--- Messages to the person. One line that fits, never more: a longer one would ask
--- for a key, and take the one that is just being typed. What was cut stands in
--- the conversation.

local M = {}

--- Faults of this plugin since Neovim started, for the problem report.
---@type string[]
M.faults = {}

--- Cuts a text to what fits into some columns, however few.
---@param text string
---@param room integer
---@return string text, boolean cut
function M.fit(text, room)
  room = math.max(1, room)
  if vim.fn.strdisplaywidth(text) <= room then
    return text, false
  end
  local kept, chars = "", vim.fn.strcharpart(text, 0, room)
  for i = 0, vim.fn.strchars(chars) - 1 do
    local longer = vim.fn.strcharpart(chars, 0, i + 1)
    if vim.fn.strdisplaywidth(longer) > room - 1 then
      break
    end
    kept = longer
  end
  return kept .. "…", true
end

--- The first of some texts that fits into some columns; empty where none does.
---@param cells integer
---@param texts string[] The longest first.
---@return string
function M.widest(cells, texts)
  for _, text in ipairs(texts) do
    if vim.fn.strdisplaywidth(text) <= cells then
      return text
    end
  end
  return ""
end

---@param text string
---@param level integer
local function tell(text, level)
  local all = "drawbridge: " .. text
  local line = (all:gsub("%s*\n%s*", " → "))
  -- The room on the command line, less what a message history may put before it.
  local shown, cut = M.fit(line, vim.v.echospace - 4)
  if cut then
    local state = require("drawbridge.state")
    local c = state.current()
    if c then
      state.notice(c.sessionId, text)
    end
    line = shown
  end
  -- Two messages in a row scroll the screen, and that asks for a key as well.
  pcall(vim.cmd.redraw)
  -- It may be a replacement of the user's, and what goes wrong in there must not
  -- hold up what comes after the message.
  if not pcall(vim.notify, line, level) then
    pcall(vim.api.nvim_echo, { { line, level >= vim.log.levels.WARN and "WarningMsg" or nil } }, true, {})
  end
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
