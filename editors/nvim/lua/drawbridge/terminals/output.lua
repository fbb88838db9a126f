-- What a command writes, taken in and kept whether anybody looks or not.
--
-- Invariant: bytes are taken in by the order of their offsets, each at most
-- once. While a gap is being read, what follows it waits.

local client = require("drawbridge.client")
local visible = require("drawbridge.visible")
local screens = require("drawbridge.terminals.screen")

local M = {}

-- How much of a command's output is kept for a buffer that is made later.
local kept_bytes = 512 * 1024
-- A longer gap is said and not read: whoever made it is still too fast.
local max_refill = 256 * 1024
-- Pieces are joined up to this length, so that their number is bounded too.
local joined_bytes = 4096

---@class drawbridge.Command
---@field key string
---@field sessionId string
---@field terminalId string
---@field title string
---@field cwd string
---@field exit? drawbridge.Exit
---@field ended boolean
---@field kept (string|{ note: string })[] The end of its output.
---@field bytes integer
---@field cut boolean Something before what is kept was let go.
---@field offset integer Everything before it was taken in or given up.
---@field waiting? drawbridge.TerminalOutput[] What came while a gap is read.
---@field closing? fun() Ends it when nothing waits any more.
---@field typed string Typed and not sent yet.
---@field typing boolean A terminal/write is under way.
---@field status { waiting?: boolean, background?: boolean, survivors?: drawbridge.Survivor[], exit?: drawbridge.Exit }
---@field pipes? boolean It has pipes instead of a terminal.
---@field line? string pipes: what is typed of a line that is not sent yet.
---@field told? boolean It was said that it waits for typing.
---@field screen? drawbridge.Screen

--- The terminal buffer of a command, while there is one.
---@param command drawbridge.Command
---@return drawbridge.Screen?
function M.screen(command)
  local screen = command.screen
  if screen and not screens.valid(screen) then
    command.screen, screen = nil, nil
  end
  return screen
end

--- A command in one line.
---@param command drawbridge.Command
---@return string
function M.label(command)
  return (command.title:gsub("%s*\n.*", " …"))
end

--- What a command wrote last: what it asks, when it waits for typing. One line,
--- with nothing in it that would not be seen; "" before it wrote anything.
---@param command drawbridge.Command
---@return string
function M.last_line(command)
  local tail = ""
  for i = #command.kept, 1, -1 do
    local piece = command.kept[i]
    if type(piece) ~= "string" or #tail >= 2048 then
      break
    end
    tail = piece .. tail
  end
  tail = tail:gsub("\27%[[0-9;?]*[ -/]*[@-~]", ""):gsub("\27%][^\7\27]*[\7\27]\\?", "")
  local last = ""
  for line in tail:gmatch("[^\r\n]+") do
    last = line:find("%S") and line or last
  end
  return vim.fn.strcharpart(visible.text(vim.trim(last)), 0, 200)
end

---@param command drawbridge.Command
---@param piece string|{ note: string }
local function keep(command, piece)
  local kept = command.kept
  local last = kept[#kept]
  if type(piece) == "string" and type(last) == "string" and #last < joined_bytes then
    kept[#kept] = last .. piece
  else
    kept[#kept + 1] = piece
  end
  command.bytes = command.bytes + (type(piece) == "string" and #piece or 0)
  while command.bytes > kept_bytes and #kept > 1 do
    local gone = table.remove(kept, 1)
    command.bytes = command.bytes - (type(gone) == "string" and #gone or 0)
    command.cut = true
  end
end

--- Takes in what a command wrote.
---@param command drawbridge.Command
---@param data string
function M.add(command, data)
  if data == "" then
    return
  end
  if command.pipes then
    data = data:gsub("\r?\n", "\r\n") -- a pipe has nothing that returns the carriage
  end
  keep(command, data)
  local screen = M.screen(command)
  if screen then
    screens.feed(screen, data)
  end
end

--- Takes keys for a command that has pipes: they are shown, and whole lines are
--- returned for it. Backspace takes back what is typed of the line.
---@param command drawbridge.Command
---@param keys string
---@return string lines
function M.type_line(command, keys)
  local line, out = command.line or "", {}
  for key in keys:gmatch("[%z\1-\127\194-\244][\128-\191]*") do
    if key == "\r" or key == "\n" then
      table.insert(out, line .. "\n")
      line = ""
      M.add(command, "\n")
    elseif key == "\127" or key == "\8" then
      if line ~= "" then
        line = vim.fn.strcharpart(line, 0, vim.fn.strchars(line) - 1)
        M.add(command, "\8 \8")
      end
    elseif not key:find("^%c") then
      line = line .. key
      M.add(command, key)
    end
  end
  command.line = line
  return table.concat(out)
end

--- Says something of ours between what the command wrote.
---@param command drawbridge.Command
---@param text string
function M.note(command, text)
  keep(command, { note = text })
  local screen = M.screen(command)
  if screen then
    screens.note(screen, text)
  end
end

---@param n integer
---@return string
local function amount(n)
  return n == 1 and "1 byte" or n .. " bytes"
end

-- Reads what is missing before upto, then goes on with what waited.
---@param command drawbridge.Command
---@param upto integer
local function refill(command, upto)
  local asked = command.offset
  client.request("terminal/read", {
    sessionId = command.sessionId,
    terminalId = command.terminalId,
    offset = asked,
    max = upto - asked,
  }, function(err, result)
    if not err and result.offset > asked then
      M.note(command, amount(math.min(result.offset, upto) - asked) .. " of output are no longer kept")
    end
    if not err and result["end"] > result.offset and result.offset < upto then
      M.add(command, result.data)
      command.offset = result["end"]
      if command.offset < upto then
        return refill(command, upto)
      end
    elseif command.offset < upto then
      if err then
        M.note(command, amount(upto - command.offset) .. " of output were skipped")
      end
      command.offset = upto
    end
    local waiting = command.waiting or {}
    command.waiting = nil
    for _, output in ipairs(waiting) do
      M.take(command, output)
    end
    if command.closing and not command.waiting then
      command.closing()
    end
  end)
end

--- Takes in an event; what is missing before it is read first.
---@param command drawbridge.Command
---@param output drawbridge.TerminalOutput
function M.take(command, output)
  if command.waiting then
    table.insert(command.waiting, output)
    return
  elseif output["end"] <= command.offset then
    return -- seen already
  end
  local missing = output.offset - command.offset
  if missing > max_refill then
    M.note(command, amount(missing) .. " of output were skipped")
  elseif missing > 0 then
    command.waiting = { output }
    refill(command, output.offset)
    return
  end
  command.offset = output["end"]
  M.add(command, output.data)
end

return M
