--- What is said of a command that runs, or of what its end left behind: one
--- wording for the conversation, the terminals and the lists.

local M = {}

---@param exit drawbridge.Exit
---@return string
function M.ending(exit)
  if exit.signal then
    return "ended by " .. exit.signal
  elseif exit.code then
    return "exit code: " .. exit.code
  end
  return "ended"
end

--- What a command does now, in a few words; nil when it simply runs and its call
--- does too.
---@param status { waiting?: boolean, background?: boolean, survivors?: drawbridge.Survivor[], exit?: drawbridge.Exit }
---@return string?
function M.now(status)
  local left = status.survivors and #status.survivors or 0
  if left > 0 then
    local exit = status.exit and M.ending(status.exit) .. ", " or ""
    return exit .. (left == 1 and "1 still runs" or left .. " still run")
  elseif status.waiting then
    return "waits for typing"
  end
  return status.background and not status.exit and "in the background" or nil
end

--- Whether a command runs without a call that waits for it: nobody would see it
--- but for what the lists say.
---@param terminal drawbridge.TerminalInfo
---@return boolean
function M.alone(terminal)
  return not terminal.closed and (terminal.background or #(terminal.survivors or {}) > 0)
end

--- Whether what is typed after such words should not be seen.
---@param line string
---@return boolean
function M.secret(line)
  line = line:lower()
  return vim.iter({ "password", "passphrase", "pass phrase", "passcode", "secret", "token", "pin" }):any(function(word)
    return line:find("%f[%w]" .. word .. "%f[%W][^\n]*[:?]%s*$") ~= nil
  end)
end

--- A text that is typed as it is, in one line: Enter is \n.
---@param text string
---@return string
function M.typed(text)
  local names = { ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ['"'] = '\\"' }
  return '"' .. text:gsub('[\\\n\r\t"]', names) .. '"'
end

--- The processes that a command left behind, a line each.
---@param survivors drawbridge.Survivor[]?
---@return string[]
function M.survivors(survivors)
  return vim.tbl_map(function(survivor)
    return ("still runs: %s (%d)"):format(survivor.name, survivor.pid)
  end, survivors or {})
end

--- What holds a command that is asked about, in a few words.
---@param q drawbridge.CommandQuestion
---@return string?
function M.held(q)
  if q.escalation then
    return "asks to leave the sandbox"
  elseif q.sandbox then
    return "in the sandbox"
  end
  return q.unconfined and "not confined" or nil
end

--- What a person should know of a command before they say yes, besides its
--- text and its folder. The model's own words are marked as such.
---@param q drawbridge.CommandQuestion
---@return string[]
function M.facts(q)
  local lines = {}
  if q.typedInto then
    table.insert(lines, "types exactly " .. M.typed(q.text))
    table.insert(lines, "typed into the running command: " .. q.typedInto)
  end
  if q.escalation then
    table.insert(lines, "asks to leave the sandbox: it could do whatever you can")
    table.insert(lines, "the model's reason: " .. q.escalation:gsub("%s*\n%s*", " ⏎ "))
  elseif q.sandbox then
    local writes = q.preset == "read-only" and "writes nothing" or "writes only in the workspace"
    table.insert(lines, ("in the sandbox (%s): %s"):format(q.sandbox, writes))
  elseif q.unconfined then
    table.insert(lines, "not confined: it can do whatever you can")
  end
  if q.background then
    table.insert(lines, "runs in the background from the start")
  end
  return lines
end

return M
