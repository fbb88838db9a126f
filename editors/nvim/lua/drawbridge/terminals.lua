-- The commands of the agent as terminals. A terminal buffer is made when a
-- person asks for it, in the size of its window, and fed from then on.

local client = require("drawbridge.client")
local config = require("drawbridge.config")
local output = require("drawbridge.terminals.output")
local running = require("drawbridge.running")
local say = require("drawbridge.say")
local screens = require("drawbridge.terminals.screen")
local state = require("drawbridge.state")
local subagents = require("drawbridge.subagents.words")
local typing = require("drawbridge.terminals.typing")
local waits = require("drawbridge.terminals.waits")

local M = {}

---@type table<string, drawbridge.Command>
local commands = {}
-- Oldest first.
---@type drawbridge.Command[]
local order = {}

---@param command drawbridge.Command
local function forget(command)
  commands[command.key] = nil
  for i, other in ipairs(order) do
    if other == command then
      table.remove(order, i)
      break
    end
  end
  local screen = output.screen(command)
  if screen then
    pcall(vim.api.nvim_buf_delete, screen.buf, { force = true })
  end
end

-- Lets the oldest ended commands go that nobody looks at.
local function prune()
  local ended = 0
  for i = #order, 1, -1 do
    local command = order[i]
    ended = ended + (command.ended and 1 or 0)
    local screen = output.screen(command)
    local seen = screen ~= nil and #vim.fn.win_findbuf(screen.buf) > 0
    if command.ended and ended > config.get().terminals.keep and not seen then
      forget(command)
    end
  end
end

---@param event { sessionId: string, terminalId: string, title?: string, cwd?: string }
---@return drawbridge.Command
local function command_of(event)
  local key = event.sessionId .. "/" .. event.terminalId
  local command = commands[key]
  if not command then
    command = {
      key = key,
      sessionId = event.sessionId,
      terminalId = event.terminalId,
      title = event.title or event.terminalId,
      cwd = event.cwd or "",
      ended = false,
      kept = {},
      bytes = 0,
      cut = false,
      offset = 0,
      typed = "",
      typing = false,
      status = {},
    }
    commands[key] = command
    order[#order + 1] = command
    prune()
  end
  return command
end

---@param command drawbridge.Command
local function resize(command)
  local screen = output.screen(command)
  if not screen or command.ended then
    return
  end
  local cols, rows = screens.new_size(screen)
  if cols and rows then
    client.request("terminal/resize", {
      sessionId = command.sessionId,
      terminalId = command.terminalId,
      cols = cols,
      rows = rows,
    })
  end
end

-- What runs and how to deal with it, above the terminal. The second is always
-- seen; of the first what there is room for.
---@param command drawbridge.Command
local function title(command)
  local screen = output.screen(command)
  if not screen then
    return
  end
  local now = running.now(command.status)
  local how = command.ended and running.ending(command.exit or {})
    or (now and now .. " · " or "") .. "i: type into it · :Drawbridge kill"
  vim.b[screen.buf].term_title = output.label(command)
  for _, win in ipairs(vim.fn.win_findbuf(screen.buf)) do
    local text = output.label(command)
    local room = math.max(10, vim.api.nvim_win_get_width(win) - vim.fn.strdisplaywidth(how) - 4)
    if vim.fn.strdisplaywidth(text) > room then
      text = vim.fn.strcharpart(text, 0, room - 1) .. "…"
    end
    local bar = (" %s%%=%%#DrawbridgeMuted#%s "):format(text:gsub("%%", "%%%%"), how)
    vim.api.nvim_set_option_value("winbar", bar, { win = win, scope = "local" })
  end
end

---@param command drawbridge.Command
---@param enter boolean
local function reveal(command, enter)
  local screen = output.screen(command)
  if screen then
    screens.show(screen, enter)
  else
    screen = screens.open({
      name = "drawbridge://terminal/" .. command.terminalId,
      enter = enter,
      on_input = function(data)
        typing.keys(command, data)
      end,
    })
    command.screen = screen
    if command.cut then
      screens.note(screen, "earlier output is not kept")
    end
    for _, piece in ipairs(command.kept) do
      if type(piece) == "string" then
        screens.replay(screen, piece)
      else
        screens.note(screen, piece.note)
      end
    end
    screens.follow(screen)
  end
  title(command)
  resize(command)
end

---@return string
local function session()
  return client.session() or ""
end

-- Whether a command is the conversation's: its own, or a subagent's.
---@param command drawbridge.Command
---@return boolean
local function is_ours(command)
  local other = state.get(command.sessionId)
  return command.sessionId == session()
    or (other ~= nil and other.origin ~= nil and other.origin.sessionId == session())
end

---@param id? string
---@return drawbridge.Command?
local function find(id)
  if id then
    return commands[session() .. "/" .. id]
      or vim.iter(order):rfind(function(command)
        return command.terminalId == id
      end)
  end
  local buf = vim.api.nvim_get_current_buf()
  return vim.iter(order):find(function(command)
    return command.screen ~= nil and command.screen.buf == buf
  end)
end

-- A command in a list: how it stands goes first, as what it is called may be long.
---@param command drawbridge.Command
---@return string
local function entry(command)
  local how = command.ended and running.ending(command.exit or {}) or running.now(command.status) or "runs"
  local other = state.get(command.sessionId)
  local title = other and other.session and other.session.title or ""
  local where = command.sessionId ~= session() and ("  (in %s)"):format(title ~= "" and title or command.sessionId) or ""
  if other and other.origin then
    where = ("  (of %s)"):format(subagents.name(other.origin))
  end
  return ("%s  %s: %s%s"):format(command.terminalId, how, output.label(command), where)
end

---@param among drawbridge.Command[]
---@param prompt string
---@param cb fun(command: drawbridge.Command)
local function pick(among, prompt, cb)
  if #among == 1 then
    cb(among[1])
    return
  end
  vim.ui.select(among, { prompt = prompt, kind = "drawbridge_terminal", format_item = entry }, function(command)
    if command then
      cb(command)
    end
  end)
end

-- The commands of the conversation, newest first.
---@return drawbridge.Command[]
local function here()
  return vim.iter(order):rev():filter(is_ours):totable()
end

-- What runs, newest first; that of other sessions, which would be forgotten
-- otherwise, behind that of this one.
---@return drawbridge.Command[]
local function running_now()
  local mine, others = {}, {}
  for i = #order, 1, -1 do
    if not order[i].ended then
      table.insert(is_ours(order[i]) and mine or others, order[i])
    end
  end
  return vim.list_extend(mine, others)
end

---@class drawbridge.Listed
---@field terminalId string
---@field title string
---@field cwd string
---@field exit? drawbridge.Exit
---@field running boolean Something of it is left.
---@field waiting boolean It waits for typing.
---@field background boolean Its call has ended.
---@field survivors drawbridge.Survivor[]

--- The commands of the conversation, newest first.
---@return drawbridge.Listed[]
function M.list()
  return vim.tbl_map(function(command)
    return {
      terminalId = command.terminalId,
      title = command.title,
      cwd = command.cwd,
      exit = command.exit,
      running = not command.ended,
      waiting = command.status.waiting or false,
      background = command.status.background or false,
      survivors = command.status.survivors or {},
    }
  end, here())
end

--- Whether a command was allowed and has no terminal yet.
---@return boolean
local function starting()
  local c = state.current()
  return c ~= nil
    and vim.iter(c.items):any(function(item)
      return item.kind == "call" and item.access == "execute" and item.status == "running" and not item.terminalId
        and not vim.iter(c.approvals):any(function(approval)
          return approval.callId == item.callId
        end)
    end)
end

--- Shows a command's terminal: the named one, the one that runs, or one that is
--- chosen.
---@param id? string
function M.show(id)
  local function enter(command)
    reveal(command, true)
  end
  if id then
    local command = find(id)
    if command then
      enter(command)
    else
      say.warn("there is no terminal " .. id)
    end
    return
  end
  local alive, all = running_now(), here()
  if #alive == 0 and starting() then
    say.info("the command is starting; its terminal is there in a moment")
  elseif #alive == 0 and #all == 0 then
    say.info("no command has run in this session")
  elseif #alive == 1 then
    enter(alive[1])
  else
    local ended = vim.tbl_filter(function(command)
      return command.ended
    end, all)
    pick(vim.list_extend(alive, ended), "Terminals", enter)
  end
end

---@param command drawbridge.Command
local function end_command(command)
  if command.ended then
    say.info("that command has ended already")
    return
  end
  client.request("terminal/kill", { sessionId = command.sessionId, terminalId = command.terminalId }, function(err)
    if err then
      say.error("the command was not ended: " .. err.message)
    end
  end)
end

--- Answers a command that waits for typing, without going to its terminal: the
--- named one, the one that waits, or one that is chosen.
---@param id? string
---@param text? string Asked for when absent.
function M.type(id, text)
  local function answer(command)
    if text then
      typing.line(command, text)
    else
      typing.ask(command)
    end
  end
  local command, alive = find(id), running_now()
  local waiting = vim.tbl_filter(function(c)
    return c.status.waiting
  end, alive)
  if command and not command.ended then
    answer(command)
  elseif id then
    say.warn(command and "that command has ended already" or "there is no terminal " .. id)
  elseif #alive == 0 then
    say.info("no command runs")
  else
    pick(#waiting > 0 and waiting or alive, "Type into which command?", answer)
  end
end

--- What the command that waits for typing said last; nil when none does.
---@return string?
function M.asks()
  local waiting = vim.iter(running_now()):find(function(command)
    return command.status.waiting
  end)
  return waiting and output.last_line(waiting)
end

--- Ends a command and what it started: the named one, the one looked at, the
--- only one that runs, or one that is chosen. The turn goes on.
---@param id? string
function M.kill(id)
  local command = find(id)
  if command then
    end_command(command)
  elseif id then
    say.warn("there is no terminal " .. id)
  elseif #running_now() == 0 then
    say.info("no command runs")
  else
    pick(running_now(), "End which command?", end_command)
  end
end

client.on("terminal/opened", function(event)
  local command = command_of(event)
  command.title, command.cwd, command.pipes = event.title, event.cwd, event.pipes
  if not event.replayed and config.get().terminals.open == "running" then
    reveal(command, false)
  end
end)

client.on("terminal/updated", function(event)
  local command = command_of(event)
  local waited = command.status.waiting
  command.status = {
    waiting = event.waiting,
    background = event.background,
    survivors = event.survivors,
    exit = event.exit,
  }
  if event.waiting and not waited and not event.replayed then
    if config.get().terminals.open == "input" then
      reveal(command, false)
    end
    waits.began(command)
  end
  title(command)
end)

client.on("terminal/output", function(event)
  output.take(command_of(event), event)
  client.notify("terminal/ack", {
    sessionId = event.sessionId,
    terminalId = event.terminalId,
    offset = event["end"],
  })
end)

---@param command drawbridge.Command
---@param exit? drawbridge.Exit
---@param why? string
local function ended(command, exit, why)
  command.exit = exit or command.exit
  command.status = {}
  if not command.ended then
    command.ended = true
    command.typed = ""
    output.note(command, why or running.ending(exit or {}))
  end
  title(command)
  prune()
end

client.on("terminal/closed", function(event)
  local command = command_of(event)
  if event.tail and event.tail ~= "" and command.bytes == 0 then
    output.note(command, "the end of its output, from before")
    output.add(command, event.tail)
  end
  if command.waiting then
    command.closing = function()
      ended(command, event.exit)
    end
  else
    ended(command, event.exit)
  end
end)

client.on("drawbridge/exited", function()
  for _, command in ipairs(vim.list_slice(order)) do
    if not command.ended then
      ended(command, nil, "the bridge ended, and the command with it")
    end
  end
end)

vim.api.nvim_create_autocmd({ "WinResized", "VimResized", "BufWinEnter", "WinEnter" }, {
  group = vim.api.nvim_create_augroup("drawbridge_terminals", {}),
  callback = vim.schedule_wrap(function()
    for _, command in ipairs(order) do
      title(command)
      resize(command)
    end
  end),
})

return M
