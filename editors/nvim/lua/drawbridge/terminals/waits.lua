-- Tells a person that a command waits for typing, where its terminal is not
-- seen. In the foreground the turn waits with it, so each time; in the background
-- the agent often answers by itself, again and again: once.

local config = require("drawbridge.config")
local output = require("drawbridge.terminals.output")
local say = require("drawbridge.say")

local M = {}

-- A command that is answered sooner was not waiting for a person, in ms.
local patience_ms = 250

---@param command drawbridge.Command
---@return boolean
local function seen(command)
  local screen = output.screen(command)
  return screen ~= nil
    and vim.iter(vim.api.nvim_tabpage_list_wins(0)):any(function(win)
      return vim.api.nvim_win_get_buf(win) == screen.buf
    end)
end

---@param command drawbridge.Command
local function tell(command)
  if command.ended or not command.status.waiting or seen(command) then
    return
  end
  command.told = true
  local asks = output.last_line(command)
  -- What it asks goes first: what it is called may be long.
  local text = (":Drawbridge type  waits for typing%s · %s"):format(asks ~= "" and ": " .. asks or "", output.label(command))
  -- The conversation says it as well; here it is enough to notice it.
  say.warn((say.fit(text, vim.v.echospace - 20)))
end

--- A command began to wait.
---@param command drawbridge.Command
function M.began(command)
  if config.get().terminals.notify and not (command.status.background and command.told) then
    vim.defer_fn(function()
      tell(command)
    end, patience_ms)
  end
end

return M
