-- Keeps what a command writes away from the person's clipboard. A terminal lets
-- programs set it, and read it, by an operating system command with the number
-- 52; one that an agent runs has no business there.

local M = {}

-- A longer number overflows in the emulator and may come to mean anything.
local max_digits = 9

---@class (exact) drawbridge.ClipboardFilter
---@field state "text"|"escape"|"number"|"dropped"|"dropped escape"
---@field digits string
---@field out string[]

-- Controls within a sequence are obeyed by themselves and do not end it.
---@param c string
---@return boolean
local function passes(c)
  return c:find("^[%z\1-\6\8-\23\25\28-\31\127]") ~= nil
end

-- Looks at one byte; false when it is to be looked at again in the new state.
---@type table<string, fun(filter: drawbridge.ClipboardFilter, c: string): boolean?>
local step = {}

function step.escape(filter, c)
  if passes(c) or c == "\7" then
    table.insert(filter.out, c)
  elseif c == "]" then
    filter.state, filter.digits = "number", ""
  elseif c ~= "\27" then
    table.insert(filter.out, "\27" .. c)
    filter.state = "text"
  end
end

function step.number(filter, c)
  if c:find("^%d") and #filter.digits <= max_digits then
    filter.digits = (filter.digits .. c):gsub("^0+(%d)", "%1")
  elseif passes(c) then
    table.insert(filter.out, c)
  elseif filter.digits == "52" or #filter.digits > max_digits then
    filter.state = "dropped"
    return false
  else
    table.insert(filter.out, "\27]" .. filter.digits)
    filter.state = "text"
    return false
  end
end

step["dropped escape"] = function(filter, c)
  if c == "\\" then
    filter.state = "text"
  elseif not passes(c) and c ~= "\27" then
    filter.state = "escape"
    return false
  end
end

-- Passes on text up to the next escape.
---@param filter drawbridge.ClipboardFilter
---@param data string
---@param from integer
---@return integer next
local function text(filter, data, from)
  local escape = data:find("\27", from, true)
  table.insert(filter.out, data:sub(from, (escape or #data + 1) - 1))
  filter.state = escape and "escape" or "text"
  return (escape or #data) + 1
end

-- Leaves out the rest of a sequence.
---@param filter drawbridge.ClipboardFilter
---@param data string
---@param from integer
---@return integer next
local function drop(filter, data, from)
  local stop = data:find("[\7\24\26\27]", from)
  if stop then
    filter.state = data:sub(stop, stop) == "\27" and "dropped escape" or "text"
  end
  return (stop or #data) + 1
end

--- Makes a filter for one stream of output, which comes in pieces. The beginning
--- of a sequence waits until its number is known.
---@return fun(data: string): string
function M.filter()
  ---@type drawbridge.ClipboardFilter
  local filter = { state = "text", digits = "", out = {} }
  return function(data)
    filter.out = {}
    local at = 1
    while at <= #data do
      if filter.state == "text" then
        at = text(filter, data, at)
      elseif filter.state == "dropped" then
        at = drop(filter, data, at)
      elseif step[filter.state](filter, data:sub(at, at)) ~= false then
        at = at + 1
      end
    end
    return table.concat(filter.out)
  end
end

return M
