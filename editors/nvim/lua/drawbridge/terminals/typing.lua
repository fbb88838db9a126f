-- What a person types into a command: keys in its terminal, or a line from
-- elsewhere.

local client = require("drawbridge.client")
local output = require("drawbridge.terminals.output")
local running = require("drawbridge.running")
local say = require("drawbridge.say")

local M = {}

-- One write at a time: what is typed arrives in the order it was typed.
---@param command drawbridge.Command
local function send(command)
  if command.typing or command.typed == "" or command.ended then
    return
  end
  local text = command.typed
  command.typed, command.typing = "", true
  client.request("terminal/write", {
    sessionId = command.sessionId,
    terminalId = command.terminalId,
    text = text,
  }, function(err)
    command.typing = false
    if err and err.kind ~= "closed" then
      say.error("what was typed did not reach the command: " .. err.message)
    else
      send(command)
    end
  end)
end

--- Types keys. A pipe echoes nothing and knows no keys: what is typed is shown
--- here and goes out line by line.
---@param command drawbridge.Command
---@param data string
function M.keys(command, data)
  if command.ended then
    return
  end
  if command.pipes then
    data = output.type_line(command, data)
  end
  command.typed = command.typed .. data
  send(command)
end

--- Types a line and Enter. What answers a question for a secret is not shown,
--- by a pipe either.
---@param command drawbridge.Command
---@param text string
function M.line(command, text)
  if command.ended then
    say.warn("the command has ended; nothing was typed")
  elseif command.pipes and running.secret(output.last_line(command)) then
    command.typed = command.typed .. text .. "\n"
    send(command)
  else
    M.keys(command, text .. "\r")
  end
end

---@param question string
---@param cb fun(line: string?)
local function unseen(question, cb)
  vim.fn.inputsave()
  local ok, line = pcall(vim.fn.inputsecret, question .. " (typed unseen) ")
  vim.fn.inputrestore()
  vim.cmd("redraw")
  cb(ok and line or nil)
end

--- Asks for a line and types it, unless the command asks something else by then.
--- An empty one is an answer, too: it is the Enter key.
---@param command drawbridge.Command
function M.ask(command)
  local waited, question = command.status.waiting, output.last_line(command)
  local function typed(line)
    if not line then
      return
    elseif waited and not command.ended and output.last_line(command) ~= question then
      say.warn("not typed: the command says something else by now: " .. output.last_line(command))
    else
      M.line(command, line)
    end
  end
  local shown = question ~= "" and question or ("Type into %s:"):format(output.label(command))
  shown = say.fit(shown, math.max(20, vim.o.columns - 30))
  if running.secret(question) then
    unseen(shown, typed)
  else
    vim.ui.input({ prompt = shown .. " " }, typed)
  end
end

return M
